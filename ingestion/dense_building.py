"""How are the vectors and the dense index written, and what of them was there before?"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ingestion.generation_vectors import GenerationVectors, generation_vectors
from ingestion.kept_rows import Rows
from ingestion.progress import progress_bar
from ingestion.stored_corpus import StoredCorpus
from ingestion.vector_cache import VectorCache
from retrieval.dense import DenseTuning, VectorFile, build_dense_index, update_dense_index
from retrieval.dense.vector_file import VECTORS_FILE
from retrieval.keyword.merging import NEW
from retrieval.manifest import file_record

_VECTOR_ROWS = 1000


def write_dense_index(
    kind: str,
    staging: Path,
    chunks: Sequence[tuple[int, bytes, int]],
    cache: VectorCache,
    dimension: int,
    stored: StoredCorpus,
    embedder_id: str,
    rows: Rows | None,
) -> tuple[tuple[int, ...], DenseTuning | None]:
    """Write `vectors.f16` and the index over it.

    Args:
        kind: Of the index.
        staging: Folder of the generation in the making.
        chunks: (row, content hash, tokens) in row order.
        cache: Holds the vectors that the generation before has not.
        dimension: Length of a vector.
        stored: The generation before.
        embedder_id: What embeds.
        rows: int64 (chunks,): row before of an equal passage, or NEW; None for no such passage.

    Returns:
        The rows without a vector, and how the index is searched.
    """
    held = generation_vectors(stored, embedder_id)
    if held is not None and held.vectors.dimension != dimension:
        held = None
    file = staging / VECTORS_FILE
    without = _write_vectors(file, chunks, cache, dimension, held)
    vectors = VectorFile(file, dimension)
    known = None if rows is None or held is None else _of_equal_vectors(rows, stored, without)
    tuning = None if known is None else _updated(kind, staging, vectors, stored, known)
    return without, tuning or build_dense_index(kind, vectors, staging)


def _of_equal_vectors(rows: Rows, stored: StoredCorpus, without: Sequence[int]) -> Rows:
    """`rows`, with NEW for a passage that has a vector now and had none before."""
    refused = stored.manifest.without_vector if stored.manifest else ()
    gained = np.isin(rows, refused) & ~np.isin(np.arange(len(rows)), without)
    return np.where(gained, NEW, rows)


def _updated(
    kind: str, staging: Path, vectors: VectorFile, stored: StoredCorpus, rows: Rows
) -> DenseTuning | None:
    """Make the index of the one before; None where there is none of this kind, or it must not be.

    `vectors` have those of the generation before under `rows`.
    """
    manifest, folder = stored.manifest, stored.folder
    if manifest is None or folder is None or stored.damage or manifest.dense != kind:
        return None
    if manifest.dense_tuning is None:  # a kind that is not trained is built as quickly
        return None
    name = f"dense.{kind}"
    record = manifest.files.get(name)
    if record is None or file_record(folder / name) != record:
        return None
    return update_dense_index(kind, folder, manifest.dense_tuning, rows, vectors, staging)


def _write_vectors(
    file: Path,
    chunks: Sequence[tuple[int, bytes, int]],
    cache: VectorCache,
    dimension: int,
    held: GenerationVectors | None,
) -> tuple[int, ...]:
    """Write float16 (n, dimension) in row order; returns the rows that have no vector."""
    without: list[int] = []
    with file.open("wb") as stream, progress_bar("writing vectors", "chunks") as report:
        for start in range(0, len(chunks), _VECTOR_ROWS):
            some = chunks[start : start + _VECTOR_ROWS]
            rows = np.array([held.rows.get(key, -1) if held else -1 for _, key, _ in some])
            absent = np.flatnonzero(rows < 0)
            vectors = np.empty((len(some), dimension), dtype="<f2")
            vectors[absent] = cache.get([some[place][1] for place in absent], dimension)
            if held is not None:
                vectors[rows >= 0] = held.vectors.read(rows[rows >= 0])
            stream.write(vectors.data)
            empty = np.flatnonzero(~vectors.any(axis=1))
            without += [some[position][0] for position in empty.tolist()]
            report(start + len(some), len(chunks))
    return tuple(without)
