"""Which rows are nearest to a query vector? One Protocol, one switch between its kinds."""

from pathlib import Path

from retrieval.dense.base import Allowed, DenseIndex, DenseTuning, Rows
from retrieval.dense.vector_file import VectorFile
from retrieval.errors import GenerationIncompatible

__all__ = [
    "DENSE_KINDS",
    "Allowed",
    "DenseIndex",
    "DenseTuning",
    "VectorFile",
    "build_dense_index",
    "open_dense_index",
    "update_dense_index",
]

DENSE_KINDS = ("flat", "sq8", "ivf-pq")


def build_dense_index(kind: str, vectors: VectorFile, folder: Path) -> DenseTuning | None:
    """Write an index of `kind` over every stored vector as `dense.*` into `folder`.

    Args:
        kind: One of DENSE_KINDS.
        vectors: `vectors.f16`, unit vectors; there may be none. It is read in slices.
        folder: Where the vectors lie; it exists.

    Returns:
        What `open_dense_index` needs to know, None for kinds without training.

    Raises:
        TooFewTrainingVectors: The kind must be trained and the corpus is too small.
        DenseIndexError: The vectors cannot be indexed.
        OSError: There is no space, or the folder cannot be written.
        ValueError: Unknown kind.
    """
    match kind:
        case "flat":
            from retrieval.dense.flat import build_flat

            build_flat(vectors, folder)
        case "sq8":
            from retrieval.dense.sq8 import build_sq8

            build_sq8(vectors, folder)
        case "ivf-pq":
            from retrieval.dense.ivf_building import build_ivf_pq

            return build_ivf_pq(vectors, folder)
        case _:
            raise ValueError(
                f"unknown kind of dense index {kind!r}; known: {', '.join(DENSE_KINDS)}"
            )
    return None


def update_dense_index(
    kind: str,
    before: Path,
    tuning: DenseTuning | None,
    old_rows: Rows,
    vectors: VectorFile,
    folder: Path,
) -> DenseTuning | None:
    """Write the index as `dense.*` into `folder` without training, from one that has most vectors.

    Args:
        kind: Of both.
        before: Folder of that index, of the same embedder.
        tuning: What its build or its last update returned.
        old_rows: int64 (len(vectors),): the row before that holds an equal vector, -1 where none
            does; a row at most once.
        vectors: As for `build_dense_index`; only those that are new are read.
        folder: As for `build_dense_index`.

    Returns:
        What `open_dense_index` needs to know; None where nothing was written and the index is to
        be built: the kind has no training to save, or what was trained fits no longer.

    Raises:
        GenerationCorrupt: The index before cannot be read.
        DenseIndexError: A new vector cannot be indexed, or the index would not hold each row once.
        OSError: There is no space, or the folder cannot be written.
    """
    if kind != "ivf-pq" or tuning is None:
        return None
    from retrieval.dense.ivf_updating import update_ivf_pq

    return update_ivf_pq(before, tuning, old_rows, vectors, folder)


def open_dense_index(
    kind: str, folder: Path, dimension: int, tuning: DenseTuning | None = None
) -> DenseIndex:
    """Open the index of `kind` that was written into `folder`.

    Raises:
        GenerationCorrupt: Its file is absent, torn or of another kind or dimension.
        GenerationIncompatible: This version does not know the kind.
    """
    match kind:
        case "flat":
            from retrieval.dense.flat import FlatIndex

            return FlatIndex.open(folder, dimension)
        case "sq8":
            from retrieval.dense.sq8 import ScalarIndex

            return ScalarIndex.open(folder, dimension)
        case "ivf-pq":
            from retrieval.dense.ivf_pq import InvertedIndex

            return InvertedIndex.open(folder, dimension, tuning)
        case _:
            raise GenerationIncompatible(
                f"{folder} has a dense index of kind {kind!r}, known: {', '.join(DENSE_KINDS)}; "
                "run a sync"
            )
