"""What do the events of a completion say, on the wire of Mistral's API?

Read from the SDK's response rather than by its own reader, which builds a model class for every
event: a millisecond of processor time each, and as much before the first word.
"""

from collections.abc import AsyncGenerator, AsyncIterator

from pydantic import BaseModel, ConfigDict

from retrieval.errors import ProviderUnavailable
from service.chat import Usage

MAX_EVENT_BYTES = 1 << 20
_END = b"[DONE]"


class _Wire(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Part(_Wire):
    text: str | None = None


class _Delta(_Wire):
    content: str | list[_Part] | None = None


class _Choice(_Wire):
    delta: _Delta
    finish_reason: str | None = None


class _Cached(_Wire):
    cached_tokens: int | None = None


class _Usage(_Wire):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _Cached | None = None


class ChatEvent(_Wire):
    """One event of a completion."""

    choices: list[_Choice]
    usage: _Usage | None = None

    @property
    def text(self) -> str:
        """The text that it adds."""
        return "".join(_text(choice.delta.content) for choice in self.choices)

    @property
    def is_last(self) -> bool:
        """Whether the answer ends with it."""
        return any(choice.finish_reason for choice in self.choices)

    @property
    def is_failure(self) -> bool:
        """Whether the provider gave up here: what it sent so far is no whole answer."""
        return any(choice.finish_reason == "error" for choice in self.choices)

    def counted(self) -> Usage | None:
        """What the provider counted, where it says."""
        if self.usage is None:
            return None
        details = self.usage.prompt_tokens_details
        return Usage(
            prompt_tokens=self.usage.prompt_tokens or 0,
            completion_tokens=self.usage.completion_tokens or 0,
            cached_tokens=(details.cached_tokens or 0) if details else 0,
        )


async def chat_events(parts: AsyncIterator[bytes]) -> AsyncGenerator[ChatEvent, None]:
    """The events in the bytes of a response, until its sentinel or its end.

    Raises:
        ProviderUnavailable: An event is larger than MAX_EVENT_BYTES, or says that it failed.
        ValueError: An event is no JSON or no completion.
    """
    async for data in _data(parts):
        if data == _END:
            return
        event = ChatEvent.model_validate_json(data)
        if event.is_failure:
            raise ProviderUnavailable("the chat provider gave the answer up")
        yield event


async def _data(parts: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    """The data of each event. Source: WHATWG HTML, 9.2.6, without lone CR as a line end."""
    waiting = bytearray()
    lines: list[bytes] = []
    async for part in parts:
        waiting += part
        if len(waiting) + sum(map(len, lines)) > MAX_EVENT_BYTES:
            raise ProviderUnavailable(f"the chat provider sent more than {MAX_EVENT_BYTES} bytes")
        *whole, waiting = waiting.split(b"\n")
        for line in whole:
            text = bytes(line.rstrip(b"\r"))
            if text.startswith(b"data:"):
                lines.append(text[5:].removeprefix(b" "))
            elif not text and lines:
                yield b"\n".join(lines)
                lines.clear()


def _text(content: str | list[_Part] | None) -> str:
    if isinstance(content, list):
        return "".join(part.text or "" for part in content)
    return content or ""
