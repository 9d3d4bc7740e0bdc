"""Did the provider fail just now? Then nobody waits for it again before some time has passed.

Closed: every call goes through. After FAILURES in a row it opens: calls fail at once for `retry_s`,
then one call is let through to see; what comes of it closes or opens it again.
"""

import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence

from retrieval.embedding.base import EmbeddedBatch, Embedder, Vectors
from retrieval.errors import ProviderError, ProviderRateLimited, ProviderUnavailable
from service.chat import ChatModel, Completion, Message, Usage

FAILURES = 3


class Breaker:
    """Counts failures of one provider; safe to share between threads."""

    def __init__(self, retry_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin closed."""
        self._retry_s = retry_s
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0
        self._closed_until = 0.0

    def check(self) -> None:
        """Let a call through.

        Raises:
            ProviderUnavailable: It failed lately; nothing is sent.
        """
        with self._lock:
            if self._failures < FAILURES:
                return
            now = self._clock()
            if now < self._closed_until:
                raise ProviderUnavailable("the provider failed lately and is not asked now")
            self._closed_until = now + self._retry_s  # this one call finds out

    def succeeded(self) -> None:
        """A call was answered."""
        with self._lock:
            self._failures = 0

    def failed(self, error: ProviderError) -> None:
        """A call failed; a refusal speaks about one request, not about the provider."""
        if not isinstance(error, ProviderUnavailable | ProviderRateLimited):
            return
        with self._lock:
            self._failures += 1
            self._closed_until = self._clock() + self._retry_s


class GuardedChat:
    """A ChatModel behind a breaker."""

    def __init__(self, chat: ChatModel, breaker: Breaker) -> None:
        """Wrap a model."""
        self._chat = chat
        self._breaker = breaker

    @property
    def model_id(self) -> str:
        """That of the model."""
        return self._chat.model_id

    def stream(self, messages: Sequence[Message], max_tokens: int, cache_key: str) -> Completion:
        """Begin an answer; see `ChatModel.stream`."""
        return _GuardedCompletion(
            lambda: self._chat.stream(messages, max_tokens, cache_key), self._breaker
        )

    async def aclose(self) -> None:
        """Release the connections."""
        await self._chat.aclose()


class _GuardedCompletion:
    def __init__(self, begin: Callable[[], Completion], breaker: Breaker) -> None:
        self._begin = begin
        self._breaker = breaker
        self._completion: Completion | None = None
        self._parts = self._read()

    def __aiter__(self) -> AsyncIterator[str]:
        return self._parts

    @property
    def usage(self) -> Usage:
        return self._completion.usage if self._completion else Usage()

    async def aclose(self) -> None:
        await self._parts.aclose()
        if self._completion is not None:
            await self._completion.aclose()

    async def _read(self) -> AsyncGenerator[str, None]:
        self._breaker.check()
        self._completion = self._begin()
        has_begun = False
        try:
            async for part in self._completion:
                if not has_begun:
                    has_begun = True
                    self._breaker.succeeded()  # it is alive; a cut stream costs nobody a wait
                yield part
        except ProviderError as error:
            if not has_begun:
                self._breaker.failed(error)
            raise


class GuardedEmbedder:
    """An Embedder for queries behind a breaker."""

    def __init__(self, embedder: Embedder, breaker: Breaker) -> None:
        """Wrap an embedder."""
        self._embedder = embedder
        self._breaker = breaker

    @property
    def embedder_id(self) -> str:
        """That of the embedder."""
        return self._embedder.embedder_id

    @property
    def dimension(self) -> int:
        """That of the embedder."""
        return self._embedder.dimension

    def embed_passages(self, texts: Sequence[str]) -> Iterator[EmbeddedBatch]:
        """Embed stored texts; no part of serving."""
        return self._embedder.embed_passages(texts)

    def embed_query(self, text: str) -> Vectors:
        """Embed one query.

        Raises:
            ProviderError: The provider failed, or failed lately.
        """
        self._breaker.check()
        try:
            vector = self._embedder.embed_query(text)
        except ProviderError as error:
            self._breaker.failed(error)
            raise
        self._breaker.succeeded()
        return vector
