"""What will an answer cost, and what did it cost?"""

from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.configuration import Configuration
from retrieval.prices import PRICES, cost
from service.chat import Message, Usage
from service.spending.budget import Budget, Reservation

# Bytes of UTF-8 that make at least one token, in every language that was counted.
_BYTES_PER_TOKEN = 3
_TEMPLATE_TOKENS = 20
_NO_USAGE = Usage()


@dataclass(frozen=True, slots=True)
class Begun:
    """A call that was reserved.

    Attributes:
        reservation: Of its upper bound.
        prompt_tokens: Estimated; what is charged where the provider does not say.
    """

    reservation: Reservation
    prompt_tokens: int


class Spending:
    """The budget in terms of questions and prompts."""

    def __init__(self, configuration: Configuration, budget: Budget, *, embeds: bool) -> None:
        """Prepare.

        Args:
            configuration: Names the models and servers.
            budget: What may be spent.
            embeds: Whether a query is embedded by a provider that charges for it.
        """
        self._answer = configuration.answer
        self._embedding = configuration.embedding
        self._budget = budget
        self._embeds = embeds

    def may_embed(self, visitor: bytes, query: str) -> bool:
        """Spend what embedding a query costs, if that is allowed."""
        if not self._embeds:
            return True
        embedding = self._embedding
        amount = price(embedding.model, embedding.server_url, embedding.server, _tokens(query))
        return self._budget.reserve(visitor, amount) is not None

    def begin(self, visitor: bytes, messages: Sequence[Message], max_tokens: int) -> Begun | None:
        """Reserve an answer at its upper bound; None where that is not allowed."""
        prompt = sum(_tokens(message.content) + _TEMPLATE_TOKENS for message in messages)
        reservation = self._budget.reserve(visitor, self._cost(Usage(prompt, max_tokens)))
        return Begun(reservation, prompt) if reservation else None

    def end(self, begun: Begun, usage: Usage, given: str) -> None:
        """Settle an answer.

        Args:
            begun: Its reservation.
            usage: What the provider counted; an answer that was left has no such count.
            given: The text that arrived.
        """
        if usage.prompt_tokens == 0:
            usage = Usage(begun.prompt_tokens, _tokens(given))
        self._budget.settle(begun.reservation, self._cost(usage))

    def cancel(self, begun: Begun) -> None:
        """Nothing was spent: the provider failed before its first word."""
        self._budget.settle(begun.reservation, 0.0)

    def spent(self) -> float:
        """So far today."""
        return self._budget.spent()

    def _cost(self, usage: Usage) -> float:
        answer = self._answer
        return price(answer.model, answer.server_url, answer.server, usage.prompt_tokens, usage)


def price(
    model: str, server_url: str, server: str, input_tokens: int, usage: Usage = _NO_USAGE
) -> float:
    """Amount of one call; a budget must hold for a model that the price table lacks too.

    An unknown model costs as much as the dearest known one; on one's own server, nothing.
    """
    known = [model] if model in PRICES or server_url else list(PRICES)
    given, cached = usage.completion_tokens, usage.cached_tokens
    return max(cost(name, input_tokens, given, cached, server) for name in known)


def _tokens(text: str) -> int:
    return len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN + 1
