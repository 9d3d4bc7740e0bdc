"""From a staged chunks.sqlite to a finished folder: vectors, indexes, text and manifest."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ingestion.chunking import CHUNKER_VERSION
from ingestion.counting import corpus_languages
from ingestion.dense_building import write_dense_index
from ingestion.kept_rows import kept_rows
from ingestion.keyword_building import write_keyword_index
from ingestion.knowledge_text import write_knowledge_text
from ingestion.stored_corpus import StoredCorpus
from ingestion.vector_cache import VectorCache
from retrieval.chunk_store import STORE_FILE, ChunkStore
from retrieval.configuration import Chunking
from retrieval.context import ContextPolicy
from retrieval.dense import DenseTuning
from retrieval.generation import KNOWLEDGE_TEXT_FILE
from retrieval.manifest import (
    FORMAT_VERSION,
    FileRecord,
    Manifest,
    SourceCounts,
    file_record,
    write_manifest,
)


@dataclass(frozen=True, slots=True)
class BuildDecisions:
    """What was decided before the indexes are built.

    Attributes:
        generation: Name of the folder.
        corpus_hash: Over every document's hashes.
        configuration_hash: Over what the build depends on.
        embedder_id: "" where nothing is embedded.
        dimension: 0 where nothing is embedded.
        dense: Kind of the dense index; "" for none.
        keyword: Kind of the keyword index.
        sources: Counts by source.
        policy: Context policy.
        chunking: Size and overlap of a chunk.
    """

    generation: str
    corpus_hash: str
    configuration_hash: str
    embedder_id: str
    dimension: int
    dense: str
    keyword: str
    sources: Mapping[str, SourceCounts]
    policy: ContextPolicy
    chunking: Chunking


def build_indexes(
    staging: Path,
    store: ChunkStore,
    chunks: Sequence[tuple[int, bytes, int]],
    cache: VectorCache | None,
    decisions: BuildDecisions,
    stored: StoredCorpus,
) -> Manifest:
    """Write everything beside the chunk store, the manifest last.

    Args:
        staging: Folder of the generation in the making.
        store: Its chunk store.
        chunks: (row, content hash, tokens) in row order.
        cache: Holds the vectors; None where nothing is embedded.
        decisions: Kinds, counts and hashes.
        stored: The generation before.
    """
    rows = kept_rows(stored, staging / STORE_FILE)
    without_vector: tuple[int, ...] = ()
    tuning: DenseTuning | None = None
    if decisions.dense and cache is not None:
        without_vector, tuning = write_dense_index(
            decisions.dense,
            staging,
            chunks,
            cache,
            decisions.dimension,
            stored,
            decisions.embedder_id,
            rows,
        )
    settings = decisions.configuration_hash
    write_keyword_index(decisions.keyword, staging, store, stored, settings, rows)
    write_knowledge_text(store, staging / KNOWLEDGE_TEXT_FILE, stored, settings)
    manifest = Manifest(
        format_version=FORMAT_VERSION,
        generation=decisions.generation,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        corpus_hash=decisions.corpus_hash,
        configuration_hash=decisions.configuration_hash,
        embedder_id=decisions.embedder_id,
        dimension=decisions.dimension,
        dense=decisions.dense,
        keyword=decisions.keyword,
        chunker_version=CHUNKER_VERSION,
        max_tokens=decisions.chunking.max_tokens,
        overlap_tokens=decisions.chunking.overlap_tokens,
        documents=store.document_count,
        chunks=len(chunks),
        tokens=sum(tokens for _, _, tokens in chunks),
        languages=corpus_languages(decisions.sources),
        sources=decisions.sources,
        mode=decisions.policy.mode,
        mode_reason=decisions.policy.reason,
        nonce=secrets.token_hex(8),
        without_vector=without_vector,
        files=_file_records(staging),
        dense_tuning=tuning,
    )
    write_manifest(staging, manifest)
    return manifest


def _file_records(staging: Path) -> dict[str, FileRecord]:
    files = sorted(path for path in staging.rglob("*") if path.is_file())
    return {path.relative_to(staging).as_posix(): file_record(path) for path in files}
