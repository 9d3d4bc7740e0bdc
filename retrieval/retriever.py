"""Dense and keyword search, fused by reciprocal rank: the query path."""

import logging
import os
from collections.abc import Sequence
from typing import Literal

import numpy as np

from retrieval.configuration import RetrievalSection
from retrieval.dense.base import Allowed
from retrieval.embedding.base import Embedder, Vectors
from retrieval.errors import ProviderError
from retrieval.fusion import FusedHit, keyword_weight, reciprocal_rank_fusion
from retrieval.generation import Generation
from retrieval.keyword.base import Selection, label
from retrieval.slots import Slots
from retrieval.twins import different, twin_key, without_twins
from retrieval.types import Hit, RankedChunk, Retrieval, SearchMode

RequestedMode = Literal["auto", "hybrid", "dense", "keyword"]
HEAD = 4  # times k: where twins and ties are looked for before all candidates are
MAX_CANDIDATES = 10_000
# More searches than this wait for one another, since cores are what they lack: of 500 at once on
# two the 99th percentile waits 1.6 s, without this 4.2.
SEARCHES_AT_ONCE = max(8, 2 * (os.cpu_count() or 1))
_log = logging.getLogger(__name__)


class HybridRetriever:
    """Searches one generation."""

    def __init__(
        self,
        generation: Generation,
        embedder: Embedder | None,
        settings: RetrievalSection,
        why_no_embedder: str = "",
    ) -> None:
        """Prepare to search.

        Args:
            generation: What is searched; the caller closes it.
            embedder: Embeds queries; used only where it made the generation's vectors.
            settings: candidates, rrf_k and the keyword list's weight.
            why_no_embedder: Shown where `embedder` is None.
        """
        self._generation = generation
        self._embedder = embedder
        self._settings = settings
        self._why_no_embedder = why_no_embedder
        self._slots = Slots(SEARCHES_AT_ONCE)

    def retrieve(
        self,
        query: str,
        k: int,
        mode: RequestedMode = "auto",
        *,
        source: str | None = None,
        language: str | None = None,
        kind: str | None = None,
        without: frozenset[str] = frozenset(),
    ) -> Retrieval:
        """The k best chunks for `query`, best first; of equal chunks the first one.

        Args:
            query: What is searched for.
            k: Chunks wanted; fewer come back where fewer match.
            mode: auto is hybrid, or keyword where no query can be embedded.
            source: Only chunks of this source.
            language: Only chunks in this language.
            kind: Only chunks of this kind.
            without: Names of sources that are left out.

        Raises:
            ProviderError: `mode` is dense or hybrid and the query cannot be embedded.
        """
        vector, why_not = (None, "") if mode == "keyword" else self._query_vector(query)
        if vector is None and mode in ("dense", "hybrid"):
            raise ProviderError(f"mode {mode} needs a query vector: {why_not}")
        reason = why_not if mode == "auto" else ""
        used: SearchMode = "keyword" if vector is None else "dense" if mode == "dense" else "hybrid"
        with self._slots:
            selection = self._selection(source, language, kind, without)
            hits, ranked = self._best(query, vector, k, used, selection)
        return self._retrieval(query, used, hits, ranked, reason)

    def _best(
        self,
        query: str,
        vector: Vectors | None,
        k: int,
        used: SearchMode,
        selection: Selection | None,
    ) -> tuple[Sequence[FusedHit], Sequence[RankedChunk]]:
        """The k best hits of different texts, and their chunks."""
        allowed = None if selection is None else selection.rows
        # One list is not reordered by fusing: more than k are asked for only where twins are found.
        candidates = k if used == "keyword" else max(k, self._settings.candidates)
        while True:
            dense = [] if vector is None else self._dense_hits(vector, candidates, allowed)
            keyword: list[Hit] = []
            if used != "dense":
                keyword = self._generation.keyword.search(query, candidates, selection)
            fused = self._fuse(query, dense, keyword, HEAD * k)
            first = self._generation.store.ranked([hit.row for hit in fused[:k]])
            if len(set(map(twin_key, first))) >= k:  # no twins: the usual case, read once
                return fused[:k], first
            best = self._different_head(fused, k)
            if best is not None:
                break
            fused = self._fuse(query, dense, keyword, None)
            hashes = self._generation.store.content_hashes([hit.row for hit in fused])
            best = without_twins(fused, hashes, k)
            exhausted = max(len(dense), len(keyword)) < candidates
            if exhausted or candidates >= MAX_CANDIDATES or different(fused, hashes) >= k:
                break
            candidates = min(MAX_CANDIDATES, candidates * 4)  # copies of few texts fill the lists
        return best, self._generation.store.ranked([hit.row for hit in best])

    def _different_head(self, fused: Sequence[FusedHit], k: int) -> list[FusedHit] | None:
        """The k best hits where the head of the list holds k different texts, else None."""
        head = fused[: HEAD * k]
        hashes = self._generation.store.content_hashes([hit.row for hit in head])
        return without_twins(head, hashes, k) if different(head, hashes) >= k else None

    def _query_vector(self, query: str) -> tuple[Vectors | None, str]:
        manifest = self._generation.manifest
        if self._generation.dense is None:
            return None, "the generation has no vectors"
        if self._embedder is None:
            why = self._why_no_embedder or "it is not available"
            return None, f"no embedder for {manifest.embedder_id}: {why}"
        if self._embedder.embedder_id != manifest.embedder_id:
            return None, (
                f"the generation was embedded with {manifest.embedder_id}, the configuration "
                f"says {self._embedder.embedder_id}: run `askfolio sync`"
            )
        if not query.strip():
            return None, "the query is blank"
        try:
            return self._embedder.embed_query(query), ""
        except ProviderError as error:
            _log.warning("the query could not be embedded: %s", type(error).__name__)
            return None, str(error)

    def _dense_hits(self, vector: Vectors, k: int, allowed: Allowed | None) -> list[Hit]:
        dense = self._generation.dense
        refused = self._generation.manifest.without_vector
        if dense is None:
            return []
        if refused:
            allowed = np.ones(len(dense), dtype=np.bool_) if allowed is None else allowed.copy()
            allowed[list(refused)] = False
        return dense.search(vector, k, allowed)

    def _fuse(
        self, query: str, dense: Sequence[Hit], keyword: Sequence[Hit], head: int | None
    ) -> list[FusedHit]:
        weight = self._settings.keyword_weight if dense and keyword else 1.0
        if weight == "coverage":
            weight = keyword_weight(self._generation.keyword.known_share(query))
        ids: dict[int, str] = {}

        def chunk_id(row: int) -> str:
            """Read for ties alone; the first asks for all that are likely to be asked for."""
            if row not in ids:
                likely = [row] if ids else [hit.row for hit in (*dense[:head], *keyword[:head])]
                ids.update(self._generation.store.chunk_ids([row, *likely]))
            return ids[row]

        return reciprocal_rank_fusion(
            (dense, keyword), (1.0, weight), self._settings.rrf_k, tie_key=chunk_id, head=head
        )

    def _selection(
        self, source: str | None, language: str | None, kind: str | None, without: frozenset[str]
    ) -> Selection | None:
        store = self._generation.store
        allowed = store.allowed(source, language, kind)
        for name in sorted(without):
            excluded = store.allowed(name, None, None)
            if excluded is not None:
                allowed = ~excluded if allowed is None else allowed & ~excluded
        if allowed is None:
            return None
        given = {"source": source, "language": language, "kind": kind}
        required = tuple(label(name, value) for name, value in given.items() if value is not None)
        left_out = tuple(label("source", name) for name in sorted(without))
        return Selection(allowed, required, left_out)

    def _retrieval(
        self,
        query: str,
        mode: SearchMode,
        hits: Sequence[FusedHit],
        ranked: Sequence[RankedChunk],
        degraded: str,
    ) -> Retrieval:
        chunks = tuple(
            RankedChunk(each.chunk, each.document, hit.score, *hit.ranks)
            for each, hit in zip(ranked, hits, strict=True)
        )
        tokens = sum(each.chunk.tokens for each in chunks)
        return Retrieval(query, mode, chunks, tokens, degraded)
