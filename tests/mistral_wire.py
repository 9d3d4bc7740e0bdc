"""What passes between a client and the loopback server: requests, replies, rules."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.fakes import hashing_vector

EMBEDDINGS = "/v1/embeddings"
CHAT = "/v1/chat/completions"
Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """What arrived: header names are lower-case."""

    path: str
    body: Body
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Reply:
    """A scripted answer: an error of the provider, or any body (bytes go out as they are)."""

    status: int = 500
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Body | bytes | None = None


@dataclass(frozen=True, slots=True)
class Drop:
    """The connection is closed without an answer."""


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """One chat answer; streamed, each part is a delta of its own.

    Attributes:
        parts: Consumed while it is sent: a generator may wait for the test between parts.
        cached_tokens: Sent in `usage.prompt_tokens_details`; None leaves that out.
        drop: The connection breaks behind the last part, without an end.
    """

    parts: Iterable[str]
    finish_reason: str = "stop"
    prompt_tokens: int = 100
    completion_tokens: int = 10
    cached_tokens: int | None = None
    drop: bool = False

    def usage(self) -> Body:
        usage: Body = {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "total_tokens": self.prompt_tokens + self.completion_tokens,
        }
        if self.cached_tokens is not None:
            usage["prompt_tokens_details"] = {"cached_tokens": self.cached_tokens}
        return usage


@dataclass(slots=True)
class EmbeddingRules:
    """What /v1/embeddings accepts and how it answers.

    Attributes:
        token_count: Tokens of one input, by the server's own measure.
        refuse: Inputs for which it is true get a 400 of their own.
        shuffled: Data come in reversed order; `index` tells which is which.
        vector: Makes the vector of one text.
    """

    max_inputs: int = 512
    max_total_tokens: int = 16_384
    max_tokens_per_input: int = 8_192
    token_count: Callable[[str], int] = lambda text: -(-len(text.encode()) // 2)
    refuse: Callable[[str], bool] = lambda text: False
    shuffled: bool = False
    dimension: int = 1024
    vector: Callable[[str, int], Iterable[float]] = hashing_vector

    def violation(self, inputs: list[str]) -> str:
        """Message of the 400 that these inputs get, or ""."""
        counts = [self.token_count(text) for text in inputs]
        if any(not text.strip() for text in inputs):
            return "Input cannot be empty."
        if len(inputs) > self.max_inputs:
            return "Too many inputs in request, split into more batches."
        if any(count > self.max_tokens_per_input for count in counts):
            return "Input is too long: too many tokens."
        if sum(counts) > self.max_total_tokens:
            return "Too many tokens overall, split into more batches."
        return "Input was refused." if any(map(self.refuse, inputs)) else ""


def error_body(message: str, code: str = "3210") -> Body:
    return {"object": "error", "message": message, "type": "invalid_request_error", "code": code}
