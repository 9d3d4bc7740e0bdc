"""Context policy: does the whole corpus fit into the prompt, or must it be retrieved?

Everything fits: full-context. Pinned sources fit: mixed, they whole and the rest retrieved.
Else hybrid. Without a query vector: keyword.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from retrieval.configuration import RetrievalSection
from retrieval.generation import Generation
from retrieval.manifest import SourceCounts
from retrieval.retriever import HybridRetriever
from retrieval.types import ContextMode, RankedChunk, Retrieval, StoredDocument


@dataclass(frozen=True, slots=True)
class ContextPolicy:
    """What was decided, and why."""

    mode: ContextMode
    reason: str
    whole: frozenset[str]


def decide_context(
    sources: Mapping[str, SourceCounts], settings: RetrievalSection, embeds: bool
) -> ContextPolicy:
    """Decide from the token counts of the sources.

    The counts are upper estimates that hold for every Mistral tokenizer, so that a prompt never
    overflows whatever model answers.

    Args:
        sources: Counts by source.
        settings: `full_context_tokens` and `pinned`.
        embeds: Whether the generation has vectors.
    """
    limit = settings.full_context_tokens
    tokens = sum(counts.context_tokens for counts in sources.values())
    if 0 < tokens <= limit:
        reason = f"{tokens} tokens, at or below full_context_tokens = {limit}"
        return ContextPolicy("full-context", reason, frozenset(sources))
    above = (
        "full_context_tokens = 0"
        if limit == 0
        else f"{tokens} tokens, above full_context_tokens = {limit}"
    )
    pinned = frozenset(settings.pinned) & frozenset(sources)
    pinned_tokens = sum(sources[name].context_tokens for name in pinned)
    if pinned and 0 < pinned_tokens <= limit:
        names = ", ".join(sorted(pinned))
        reason = f"{above}; pinned {names}: {pinned_tokens} tokens, given whole"
        return ContextPolicy("mixed", reason, pinned)
    if not embeds:
        return ContextPolicy("keyword", f"{above}; the generation has no vectors", frozenset())
    return ContextPolicy("hybrid", above, frozenset())


class Contexts:
    """Chooses what an answer is made from, by the context policy of one generation."""

    def __init__(
        self, generation: Generation, retriever: HybridRetriever, settings: RetrievalSection
    ) -> None:
        self._generation = generation
        self._retriever = retriever
        self._k = settings.k
        manifest = generation.manifest
        self.policy = decide_context(
            manifest.sources, settings, embeds=generation.dense is not None
        )
        self._preferred = preferred_languages(manifest.sources)

    def retrieve(self, question: str, language: str) -> Retrieval:
        """The chunks that are handed to the answer, in a fixed order where they are given whole.

        Args:
            question: Searched for where something is retrieved.
            language: The visitor's; a page that has a translation in it is given in that one only.
        """
        if self.policy.mode == "full-context":
            return self._given(question, "full-context", self._whole(language), ())
        if self.policy.mode == "mixed":
            found = self._retriever.retrieve(question, self._k, without=self.policy.whole)
            whole = self._whole(language)
            return replace(
                self._given(question, "mixed", whole, found.chunks),
                degraded=found.degraded,
            )
        return self._retriever.retrieve(question, self._k)

    def _whole(self, language: str) -> tuple[RankedChunk, ...]:
        store = self._generation.store
        chosen = one_translation(store.documents(), language, self._preferred)
        given = (
            ranked
            for ranked in store.all_chunks(self.policy.whole)
            if ranked.document.doc_id in chosen
        )
        return tuple(without_overlap(given))

    def _given(
        self,
        question: str,
        mode: ContextMode,
        whole: tuple[RankedChunk, ...],
        found: tuple[RankedChunk, ...],
    ) -> Retrieval:
        chunks = whole + found
        return Retrieval(question, mode, chunks, sum(ranked.chunk.tokens for ranked in chunks))


def preferred_languages(sources: Mapping[str, SourceCounts]) -> dict[str, str]:
    """By source the language that most of its documents have; ties by code."""
    return {
        name: min(counts.languages, key=lambda code: (-counts.languages[code], code), default="")
        for name, counts in sources.items()
    }


def one_translation(
    documents: Iterable[StoredDocument], language: str, preferred: dict[str, str]
) -> frozenset[str]:
    """doc_ids with one document a translation group.

    The visitor's language comes first, then the source's own, then the first in corpus order.
    """
    best: dict[tuple[str, str], tuple[int, str]] = {}
    for document in documents:
        group = (document.source, document.translation_key or document.doc_id)
        if document.language == language:
            order = 0
        else:
            order = 1 if document.language == preferred.get(document.source) else 2
        if group not in best or order < best[group][0]:
            best[group] = (order, document.doc_id)
    return frozenset(doc_id for _, doc_id in best.values())


def without_overlap(chunks: Iterable[RankedChunk]) -> Iterator[RankedChunk]:
    """Chunks that are given whole do not repeat the end of the one before."""
    for ranked in chunks:
        text = ranked.chunk.text[ranked.chunk.overlap_chars :]
        yield replace(ranked, chunk=replace(ranked.chunk, text=text, overlap_chars=0))
