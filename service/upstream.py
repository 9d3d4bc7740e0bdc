"""Who is asked outside this process: the chat model and the embedder, each behind a breaker."""

from dataclasses import dataclass

from retrieval.configuration import Configuration, api_key
from retrieval.embedding.base import Embedder
from retrieval.errors import ConfigurationError
from service.breaker import Breaker, GuardedChat, GuardedEmbedder
from service.chat import ChatModel
from service.metrics import Metrics
from service.spending.budget import Budget
from service.spending.spending import Spending


@dataclass(frozen=True, slots=True)
class Upstream:
    """What outlives a generation.

    Attributes:
        chat: Writes the answers; None to show excerpts.
        embedding: Breaker of whoever embeds queries.
        budget: What may be spent; None for the command line, where the owner asks.
        metrics: Counts.
    """

    chat: ChatModel | None
    embedding: Breaker
    budget: Budget | None
    metrics: Metrics

    def guarded(self, embedder: Embedder | None) -> Embedder | None:
        """The embedder behind its breaker."""
        return GuardedEmbedder(embedder, self.embedding) if embedder else None

    def spending(self, configuration: Configuration, embedder: Embedder | None) -> Spending | None:
        """The budget, in terms of questions; None where nothing is counted."""
        if self.budget is None:
            return None
        embeds = embedder is not None and embedder.embedder_id.startswith("mistral:")
        return Spending(configuration, self.budget, embeds=embeds)

    async def aclose(self) -> None:
        """Release the connections."""
        if self.chat is not None:
            await self.chat.aclose()


def open_upstream(configuration: Configuration, budget: Budget | None = None) -> Upstream:
    """What the configuration asks for; nothing is sent.

    Raises:
        ConfigurationError: Mistral is configured and no key is set.
    """
    retry_s = configuration.answer.retry_s
    chat = open_chat(configuration)
    guarded = GuardedChat(chat, Breaker(retry_s)) if chat else None
    return Upstream(guarded, Breaker(retry_s), budget, Metrics())


def open_chat(configuration: Configuration) -> ChatModel | None:
    """The configured chat model; None where answers are excerpts.

    Raises:
        ConfigurationError: Mistral is configured and no key is set.
    """
    answer = configuration.answer
    key = api_key()
    if not is_generated(configuration):
        return None
    if not key and not answer.server_url:
        raise ConfigurationError(
            "answer.provider is mistral, but no key is set: set MISTRAL_API_KEY or "
            'MISTRAL_API_KEY_FILE, or write provider = "extractive"'
        )
    from service.mistral_chat import MistralChat

    return MistralChat(
        key,
        answer.model,
        answer.server,
        answer.server_url,
        answer.timeout_s,
        answer.total_timeout_s,
    )


def is_generated(configuration: Configuration) -> bool:
    """Whether a model writes the answers."""
    provider = configuration.answer.provider
    return provider == "mistral" or (provider == "auto" and bool(api_key()))
