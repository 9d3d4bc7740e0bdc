"""The seam between a prompt and whoever completes it."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Usage:
    """What the provider counted; 0 where it did not say.

    Attributes:
        prompt_tokens: Tokens of all messages.
        completion_tokens: Generated tokens.
        cached_tokens: Part of `prompt_tokens` that came from the provider's cache.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0


class Completion(Protocol):
    """One answer while it is generated."""

    def __aiter__(self) -> AsyncIterator[str]:
        """Parts of the text as they arrive.

        Raises:
            ProviderError: Refused, unreachable, or ended before its end.
        """
        ...

    @property
    def usage(self) -> Usage:
        """What was counted; complete once the text is."""
        ...

    async def aclose(self) -> None:
        """Stop the generation; safe to call at any time."""
        ...


class ChatModel(Protocol):
    """Completes conversations."""

    @property
    def model_id(self) -> str:
        """`<provider>:<model>`."""
        ...

    def stream(self, messages: Sequence[Message], max_tokens: int, cache_key: str) -> Completion:
        """Begin an answer; nothing is sent before the first part is asked for.

        Args:
            messages: The conversation.
            max_tokens: Upper bound of the answer.
            cache_key: Equal for prompts that share a prefix; holds nothing about the visitor.
        """
        ...

    async def aclose(self) -> None:
        """Release the connections."""
        ...
