"""How does a search come in, and its ranking go out?"""

from collections.abc import Callable

import anyio.to_thread

from retrieval.errors import ProviderError
from retrieval.types import Retrieval
from service.answering import Answering
from service.asking import check_length
from service.current import CurrentAnswering
from service.errors import ModeUnavailable
from service.neutral import neutral
from service.schemas import SearchRequest, SearchResponse
from service.search import search_response

MAX_CHUNKS_AT_ONCE = 2_000
"""Up to here a ranking by words needs no thread: it takes 0.4 ms, 5 ms for the longest query, and a
thread would only share the one interpreter with the event loop, which nearly doubles that."""


class Searching:
    """Ranks passages of what serves now."""

    def __init__(
        self, current: Callable[[], CurrentAnswering], k: int, max_query_chars: int
    ) -> None:
        """Compose.

        Args:
            current: What serves now.
            k: Results where the request does not say.
            max_query_chars: Longest query.
        """
        self._current = current
        self._k = k
        self._max_query_chars = max_query_chars

    async def search(self, wanted: SearchRequest, asks: bytes) -> SearchResponse:
        """Rank for a visitor.

        Raises:
            Invalid: The query is too long.
            NotReady: Nothing is open.
            ModeUnavailable: The ranking needs vectors that the generation has not.
            ProviderError: A dense ranking is wanted and the query cannot be embedded.
        """
        check_length("query", wanted.query, self._max_query_chars)
        k = wanted.k or self._k
        async with self._current().use() as answering:
            if wanted.mode == "keyword" and len(answering.generation.store) <= MAX_CHUNKS_AT_ONCE:
                found = _ranked(answering, wanted, k, asks)
            else:
                found = await anyio.to_thread.run_sync(_ranked, answering, wanted, k, asks)
            return search_response(found, answering.generation)


def _ranked(answering: Answering, wanted: SearchRequest, k: int, asks: bytes) -> Retrieval:
    """By keywords alone where the budget does not allow to embed the query."""
    query, mode = neutral(wanted.query), wanted.mode
    if mode in ("dense", "hybrid") and answering.generation.dense is None:
        raise ModeUnavailable(f"mode {mode}: this site has no vectors; use auto or keyword")
    if mode != "keyword" and not answering.may_embed(asks, query):
        if mode == "dense":
            raise ProviderError("the budget of today is spent")
        mode = "keyword"
    return answering.retriever.retrieve(
        query, k, mode, source=wanted.source, language=wanted.language, kind=wanted.kind
    )
