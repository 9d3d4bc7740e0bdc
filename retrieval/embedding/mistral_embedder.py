"""Who embeds over the network? Mistral, or any server that speaks its wire format.

The only file of `retrieval` that imports the SDK, and it does so at the first request.
"""

import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from retrieval.embedding.base import EmbeddedBatch, Vectors, unit_vectors
from retrieval.embedding.batching import (
    TokenEstimate,
    batches,
    blank_positions,
    byte_estimate,
    placed,
    refusal,
    sendable,
)
from retrieval.embedding.window import EmbeddingRun, Pace
from retrieval.errors import ProviderError, ProviderRefused, ProviderUnavailable
from retrieval.provider_retry import (
    QUERY_POLICY,
    SYNC_POLICY,
    TOO_MANY_REQUESTS,
    RequestFailed,
    call_with_retry,
    error_for_status,
    retry_after_s,
    without_secret,
)

if TYPE_CHECKING:
    from mistralai.client import Mistral
    from mistralai.client.models import EmbeddingResponse

PROVIDER = "mistral"
DIMENSIONS = {"mistral-embed": 1024, "mistral-embed-2312": 1024, "codestral-embed": 1536}
PASSAGES_TIMEOUT_MS = 60_000
QUERY_TIMEOUT_MS = 10_000
LENGTH_ZERO = "the provider returned a vector of length zero"
FIRST_ERROR_STATUS = 400
# A batch that is refused with one of these is split; any other 4xx is the same for every text.
SPLIT_STATUSES = frozenset({400, 413})
ABOUT_THE_MODEL = re.compile(r"invalid[_ ]model|model[_ ]not[_ ]found|unknown model", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Server:
    """Where requests go, and with which key.

    Attributes:
        key: Sent as bearer token; never part of a message.
        region: One of the SDK's names; ignored where `url` is given.
        url: Address of a compatible server, "" for Mistral's own.
    """

    key: str
    region: Literal["eu", "global", "us"] = "eu"
    url: str = ""

    def __repr__(self) -> str:
        return f"Server(region={self.region!r}, url={self.url!r})"


class MistralEmbedder:
    """Embedder over `POST /v1/embeddings`; safe to share between threads.

    Batches are bounded by count and by estimated tokens, a few are under way at once (fewer after
    a 429), one that is refused is halved down to single texts, vectors are placed by their
    `index`, checked and normalised.
    """

    def __init__(
        self,
        server: Server,
        model: str = "mistral-embed",
        tokens: TokenEstimate = byte_estimate,
        sleep: Callable[[float], None] | None = None,
        dimension: int | None = None,
    ) -> None:
        """Nothing is sent and no SDK imported before the first text.

        Args:
            server: Where requests go.
            model: As the provider names it.
            tokens: Upper estimate of a text's tokens in the model's own vocabulary.
            sleep: Waits between requests; None: as time goes by.
            dimension: Expected length of a vector; None: known for Mistral's own models, else
                what the first answer has.
        """
        self._server = server
        self._model = model
        self._tokens = tokens
        self._sleep = sleep or time.sleep
        self._pace = Pace(sleep)
        self._dimension = dimension
        if dimension is None and not server.url:
            self._dimension = DIMENSIONS.get(model)
        self._lock = threading.Lock()
        self._sdk: Mistral | None = None

    @property
    def embedder_id(self) -> str:
        """`mistral:<model>`."""
        return f"{PROVIDER}:{self._model}"

    @property
    def dimension(self) -> int:
        """Length of a vector; of an unknown model 0 until the first answer."""
        return self._dimension or DIMENSIONS.get(self._model, 0)

    def embed_passages(self, texts: Sequence[str]) -> Iterator[EmbeddedBatch]:
        """Embed stored texts; blank texts are not sent but yielded as refused.

        Raises:
            ProviderError: The provider failed; what was yielded before stays valid.
        """
        cleaned = [sendable(text) for text in texts]
        blank = blank_positions(cleaned)
        if blank:
            yield refusal(blank, self.dimension)
        positions = [at for at, text in enumerate(cleaned) if text.strip()]
        run = EmbeddingRun(
            batches(cleaned, positions, self._tokens),
            lambda batch: self._embed(cleaned, batch),
            _concerns_texts,
            self._pace,
        )
        yield from run.batches()

    def embed_query(self, text: str) -> Vectors:
        """Embed one query, with little patience: someone is waiting.

        Raises:
            ProviderError: The provider failed, or the query is blank.
        """
        query = sendable(text)
        if not query.strip():
            raise ProviderRefused("a blank query cannot be embedded")
        try:
            response = call_with_retry(
                lambda: self._send([query], QUERY_TIMEOUT_MS), QUERY_POLICY, self._sleep
            )
        except RequestFailed as failure:
            raise failure.error from failure
        vectors = self._vectors(response, 1)
        vector: Vectors = unit_vectors(vectors, vectors.shape[1])[0]
        return vector

    def close(self) -> None:
        """Close the connections; a later request opens them again."""
        with self._lock:
            sdk, self._sdk = self._sdk, None
        if sdk is not None:
            sdk.__exit__(None, None, None)  # type: ignore[no-untyped-call]

    def _embed(self, texts: Sequence[str], batch: Sequence[int]) -> EmbeddedBatch:
        inputs = [texts[position] for position in batch]
        response = call_with_retry(lambda: self._sent(inputs), SYNC_POLICY, self._pace.wait)
        vectors = self._vectors(response, len(batch))
        present = np.any(vectors != 0, axis=1)
        positions = tuple(batch[at] for at in np.flatnonzero(present))
        refused = tuple((batch[at], LENGTH_ZERO) for at in np.flatnonzero(~present))
        units = unit_vectors(vectors[present], vectors.shape[1])
        return EmbeddedBatch(positions, units, response.usage.prompt_tokens or 0, refused)

    def _vectors(self, response: "EmbeddingResponse", count: int) -> Vectors:
        vectors = placed([(entry.index, entry.embedding or []) for entry in response.data], count)
        expected = self._dimension or vectors.shape[1]
        if vectors.shape[1] != expected:
            raise ProviderError(
                f"{self._model} returned vectors of dimension {vectors.shape[1]}, expected "
                f"{expected}: another model needs another [embedding] model and a full sync"
            )
        self._dimension = expected
        return vectors

    def _sent(self, inputs: list[str]) -> "EmbeddingResponse":
        """One request of a sync; a 429 slows the others down."""
        try:
            return self._send(inputs, PASSAGES_TIMEOUT_MS)
        except RequestFailed as failure:
            if failure.status == TOO_MANY_REQUESTS:
                self._pace.slowed()
            raise

    def _send(self, inputs: list[str], timeout_ms: int) -> "EmbeddingResponse":
        """One request.

        Raises:
            RequestFailed: Every failure of the SDK, the network or the server.
        """
        from httpx2 import HTTPError
        from mistralai.client.errors import MistralError, NoResponseError

        key = self._server.key
        try:
            return self._client().embeddings.create(
                model=self._model, inputs=inputs, timeout_ms=timeout_ms
            )
        except MistralError as error:
            status = error.status_code
            detail = error.body or error.message
            if status < FIRST_ERROR_STATUS:
                said = without_secret(error.message, key)
                failed: ProviderError = ProviderUnavailable(f"the answer is not readable: {said}")
            else:
                failed = error_for_status(status, detail, key)
            wait = retry_after_s(error.headers.get("Retry-After"))
            raise RequestFailed(failed, wait, status) from error
        except (HTTPError, NoResponseError) as error:
            where = self._server.url or f"the Mistral server {self._server.region!r}"
            said = without_secret(f"{type(error).__name__}: {error}", key)
            raise RequestFailed(
                ProviderUnavailable(f"{where} cannot be reached: {said}")
            ) from error

    def _client(self) -> "Mistral":
        with self._lock:
            if self._sdk is None:
                from mistralai.client import Mistral

                self._sdk = Mistral(
                    api_key=self._server.key,
                    server=None if self._server.url else self._server.region,
                    server_url=self._server.url or None,
                    debug_logger=_NoLog(),
                )
            return self._sdk


class _NoLog:
    """With MISTRAL_DEBUG set, the SDK's own logger would write down what visitors search for."""

    def debug(self, msg: str, *args: object, **kwargs: object) -> None:
        """Nothing."""


def _concerns_texts(failure: RequestFailed) -> bool:
    """The provider refused what was in this request: a smaller one may be accepted."""
    return failure.status in SPLIT_STATUSES and not ABOUT_THE_MODEL.search(str(failure.error))
