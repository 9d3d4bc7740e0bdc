"""A plan carried out in a staging folder, and published once it is whole."""

import hashlib
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from ingestion.counting import source_counts
from ingestion.decisions import configuration_hash, corpus_hash
from ingestion.embedding import (
    EmbeddingOutcome,
    MissingTexts,
    chunk_hashes,
    embed_missing,
    missing_texts,
)
from ingestion.generation_vectors import generation_vectors
from ingestion.indexing import BuildDecisions, build_indexes
from ingestion.knowledge_folder import KnowledgeFolder
from ingestion.planning import SyncWork
from ingestion.publishing import link_unchanged, prune_vectors, reconcile
from ingestion.sources import source_names
from ingestion.store_building import corpus_order, write_store
from ingestion.vector_cache import CACHE_FILE, VectorCache, open_cache, peek_cache
from retrieval.chunk_store import STORE_FILE, ChunkStore
from retrieval.context import ContextPolicy, decide_context
from retrieval.embedding import open_embedder
from retrieval.errors import ConfigurationError
from retrieval.manifest import SourceCounts
from retrieval.sizing import choose_kinds
from retrieval.tokens import TekkenCounter
from retrieval.types import ContextMode, Unreadable

_NAME_DIGITS = 12


@dataclass(frozen=True, slots=True)
class BuildOutcome:
    """What was built, or would be in a dry run.

    Attributes:
        generation: The one that serves afterwards; the current one in a dry run.
        mode: Context policy.
        mode_reason: Why.
        documents: Documents of the generation that was built.
        chunks: Its chunks.
        tokens: Their tokens.
        embedded_texts: Texts sent to the embedder, or that would be.
        embedded_tokens: Their tokens.
        refused: Texts that the embedder would not take.
        held: Name of the generation that was built but does not serve, because of a hold.
    """

    generation: str
    mode: ContextMode
    mode_reason: str
    documents: int
    chunks: int
    tokens: int
    embedded_texts: int = 0
    embedded_tokens: int = 0
    refused: tuple[Unreadable, ...] = ()
    held: str = ""


def build_generation(work: SyncWork, folder: KnowledgeFolder, *, dry_run: bool) -> BuildOutcome:
    """Write, embed, index, check and publish; in a dry run write to a temporary place and stop.

    Raises:
        ProviderError: The embedder failed; what had arrived is stored.
        SyncError: The disk is full, or what was built is not whole.
    """
    names = source_names(work.configuration)
    order = corpus_order(work.plan, work.corpus, work.stored, names)
    with _staging(folder, dry_run=dry_run) as staging:
        file = staging / STORE_FILE
        chunking = work.configuration.chunking
        write_store(file, order, work.plan, work.corpus, work.stored, chunking)
        with closing(ChunkStore(file)) as store, _cache(work, folder, dry_run=dry_run) as cache:
            chunks = chunk_hashes(file)
            missing = _missing(work, chunks, cache, dry_run=dry_run)
            sources = source_counts(store.documents(), (*names, *work.stored.sources.values()))
            policy = decide_context(sources, work.configuration.retrieval, bool(work.kinds.dense))
            planned = _planned(work, policy, len(order), chunks, missing)
            if dry_run:
                return planned
            embedded = _embed(work, missing, store, cache)
            decisions = _decide(work, folder, order, sources, policy, cache)
            build_indexes(staging, store, chunks, cache, decisions, work.stored)
            refused = _refused(store, chunks, embedded)
        reconcile(staging)
        link_unchanged(staging, work.stored)
        serves = folder.publish(staging, decisions.generation)
    folder.prune(work.configuration.knowledge.keep, work.stored.current)
    if serves:
        prune_vectors(folder)
    return replace(
        planned,
        generation=decisions.generation if serves else work.stored.current,
        embedded_texts=embedded.texts,
        embedded_tokens=embedded.tokens,
        refused=refused,
        held="" if serves else decisions.generation,
    )


def _planned(
    work: SyncWork,
    policy: ContextPolicy,
    documents: int,
    chunks: Sequence[tuple[int, bytes, int]],
    missing: MissingTexts,
) -> BuildOutcome:
    return BuildOutcome(
        generation=work.stored.current,
        mode=policy.mode,
        mode_reason=policy.reason,
        documents=documents,
        chunks=len(chunks),
        tokens=sum(tokens for _, _, tokens in chunks),
        embedded_texts=len(missing.hashes),
        embedded_tokens=missing.tokens,
    )


@contextmanager
def _staging(folder: KnowledgeFolder, *, dry_run: bool) -> Iterator[Path]:
    staging = Path(tempfile.mkdtemp(prefix="askfolio-")) if dry_run else folder.stage()
    try:
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)


@contextmanager
def _cache(
    work: SyncWork, folder: KnowledgeFolder, *, dry_run: bool
) -> Iterator[VectorCache | None]:
    """The stored vectors; None where nothing is embedded. A dry run writes nothing."""
    if not work.kinds.embedder_id:
        yield None
        return
    opened = peek_cache if dry_run else open_cache
    with opened(folder.path / CACHE_FILE, work.kinds.embedder_id) as cache:
        yield cache


def _missing(
    work: SyncWork,
    chunks: Sequence[tuple[int, bytes, int]],
    cache: VectorCache | None,
    *,
    dry_run: bool,
) -> MissingTexts:
    """What must be embedded; vectors that only the current generation has are taken over."""
    missing = missing_texts(chunks, cache) if cache else MissingTexts((), (), 0)
    if cache is None or not missing.hashes:
        return missing
    wanted = frozenset(missing.hashes)
    held = generation_vectors(work.stored, work.kinds.embedder_id, wanted)
    for hashes, vectors in held.slices(missing.hashes) if held else ():
        if not dry_run:
            cache.put(hashes, vectors)
        missing = missing.without(frozenset(hashes))
    return missing


def _embed(
    work: SyncWork, missing: MissingTexts, store: ChunkStore, cache: VectorCache | None
) -> EmbeddingOutcome:
    if cache is None or not missing.hashes:
        return EmbeddingOutcome(0, 0)
    embedder = open_embedder(
        work.configuration.embedding,
        work.kinds.embedder_id,
        work.key,
        TekkenCounter.load().embedding_tokens,
    )
    if embedder is None:
        raise ConfigurationError(f"the embedder {work.kinds.embedder_id} is not available")
    return embed_missing(missing, store, embedder, cache)


def _decide(
    work: SyncWork,
    folder: KnowledgeFolder,
    order: tuple[str, ...],
    sources: Mapping[str, SourceCounts],
    policy: ContextPolicy,
    cache: VectorCache | None,
) -> BuildDecisions:
    documents = corpus_hash(
        (doc_id, work.corpus.hashes.get(doc_id) or work.stored.hashes[doc_id]) for doc_id in order
    )
    settings = configuration_hash(work.configuration, work.kinds)
    digest = hashlib.sha256(f"{documents}{settings}".encode()).hexdigest()
    dimension = cache.dimension() if cache else 0
    chunks = sum(counts.chunks for counts in sources.values())
    retrieval = work.configuration.retrieval
    kinds = choose_kinds(retrieval, work.kinds.dense, chunks, dimension)
    return BuildDecisions(
        generation=f"{folder.next_number():06d}-{digest[:_NAME_DIGITS]}",
        corpus_hash=documents,
        configuration_hash=settings,
        embedder_id=work.kinds.embedder_id,
        dimension=dimension,
        dense=kinds.dense,
        keyword=kinds.keyword,
        sources=sources,
        policy=policy,
        chunking=work.configuration.chunking,
    )


def _refused(
    store: ChunkStore, chunks: Sequence[tuple[int, bytes, int]], embedded: EmbeddingOutcome
) -> tuple[Unreadable, ...]:
    rows = [row for row, key, _ in chunks if key in embedded.refused]
    return tuple(
        Unreadable(
            ranked.document.source,
            ranked.document.path,
            "not embedded, found by keyword only: "
            + embedded.refused[bytes.fromhex(ranked.chunk.content_hash)],
        )
        for ranked in store.ranked(rows)
    )
