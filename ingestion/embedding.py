"""Which texts have no vector yet, and their way to the embedder; stored as they arrive."""

import sqlite3
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from ingestion.chunking import embedded_text
from ingestion.progress import progress_bar
from ingestion.vector_cache import VectorCache
from retrieval.chunk_store import ChunkStore
from retrieval.embedding.base import EmbeddedBatch, Embedder

# Enough for a window of requests to stay full: 64 texts go into one.
_READ_CHUNKS = 4096


@dataclass(frozen=True, slots=True)
class MissingTexts:
    """Distinct embedded texts of a staged store that have no stored vector.

    Attributes:
        hashes: SHA-256 of each text, in corpus order.
        rows: A row that holds it.
        tokens: Tokens of all of them together.
        tokens_by_text: Tokens of each.
    """

    hashes: tuple[bytes, ...]
    rows: tuple[int, ...]
    tokens: int
    tokens_by_text: tuple[int, ...] = ()

    def without(self, found: frozenset[bytes]) -> "MissingTexts":
        """Those that are not among `found`."""
        kept = [
            (key, row, tokens)
            for key, row, tokens in zip(self.hashes, self.rows, self.tokens_by_text, strict=True)
            if key not in found
        ]
        return MissingTexts(
            tuple(key for key, _, _ in kept),
            tuple(row for _, row, _ in kept),
            sum(tokens for _, _, tokens in kept),
            tuple(tokens for _, _, tokens in kept),
        )


@dataclass(frozen=True, slots=True)
class EmbeddingOutcome:
    """What was embedded, and what the embedder refused by content hash."""

    texts: int
    tokens: int
    refused: dict[bytes, str] = field(default_factory=dict)


def chunk_hashes(store: Path) -> list[tuple[int, bytes, int]]:
    """(row, content hash, tokens) of every chunk, in row order."""
    uri = f"{store.absolute().as_uri()}?mode=ro&immutable=1"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        return connection.execute(
            "SELECT row, content_hash, tokens FROM chunks ORDER BY row"
        ).fetchall()


def missing_texts(chunks: Sequence[tuple[int, bytes, int]], cache: VectorCache) -> MissingTexts:
    """Those texts of `chunks` that `cache` does not hold, each once."""
    absent = cache.missing(key for _, key, _ in chunks)
    hashes, rows, counts = [], [], []
    for row, key, tokens in chunks:
        if key in absent:
            absent.discard(key)
            hashes.append(key)
            rows.append(row)
            counts.append(tokens)
    return MissingTexts(tuple(hashes), tuple(rows), sum(counts), tuple(counts))


def embed_missing(
    missing: MissingTexts, store: ChunkStore, embedder: Embedder, cache: VectorCache
) -> EmbeddingOutcome:
    """Embed and store each missing text.

    Raises:
        ProviderError: The embedder failed; what had arrived is stored.
        SyncError: The disk is full.
    """
    texts, tokens = 0, 0
    refused: dict[bytes, str] = {}
    with progress_bar("embedding", "texts") as report:
        for hashes, rows in _slices(missing):
            batch_texts = [
                embedded_text(
                    ranked.document.title,
                    ranked.chunk.headings,
                    ranked.chunk.text,
                    ranked.chunk.context,
                )
                for ranked in store.ranked(rows)
            ]

            def keep(batch: EmbeddedBatch, hashes: tuple[bytes, ...] = hashes) -> None:
                cache.put([hashes[position] for position in batch.positions], batch.vectors)

            for batch in _kept(embedder.embed_passages(batch_texts), keep):
                refused |= {hashes[position]: reason for position, reason in batch.refused}
                texts += len(batch.positions)
                tokens += batch.tokens
                report(texts, len(missing.hashes))
    return EmbeddingOutcome(texts, tokens or missing.tokens, refused)


def _kept(
    arriving: Iterator[EmbeddedBatch], keep: Callable[[EmbeddedBatch], None]
) -> Iterator[EmbeddedBatch]:
    """Keep every batch as it arrives; an interruption loses none that has arrived."""
    for batch in arriving:
        try:
            keep(batch)
        except KeyboardInterrupt as interruption:
            keep(batch)
            if isinstance(arriving, Generator):
                with suppress(KeyboardInterrupt):
                    keep(arriving.throw(interruption))
                    for other in arriving:
                        keep(other)
            raise
        yield batch


def _slices(missing: MissingTexts) -> Iterator[tuple[tuple[bytes, ...], tuple[int, ...]]]:
    for start in range(0, len(missing.hashes), _READ_CHUNKS):
        end = start + _READ_CHUNKS
        yield missing.hashes[start:end], missing.rows[start:end]
