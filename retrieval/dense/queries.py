"""Is a query fit for an index, and which rows may answer it?"""

import os
from typing import TYPE_CHECKING

import numpy as np

from retrieval.dense.base import Allowed
from retrieval.embedding.base import Vectors
from retrieval.errors import DenseIndexError, DimensionMismatch

if TYPE_CHECKING:
    import faiss

NO_ROW = -1  # FAISS pads with it where fewer than k rows exist


def checked_query(
    vector: Vectors, k: int, dimension: int, count: int, allowed: Allowed | None
) -> Vectors:
    """The query as float32 (1, dimension).

    Raises:
        DimensionMismatch: It has another length than the index.
        DenseIndexError: A value is not finite.
        ValueError: k below 1, or `allowed` of another length than the index.
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    if allowed is not None and allowed.shape != (count,):
        raise ValueError(f"allowed has shape {allowed.shape}, the index {count} rows")
    if vector.shape != (dimension,):
        raise DimensionMismatch(
            f"the query vector has shape {vector.shape}, the index has dimension {dimension}: "
            "the query and the index need the same embedder"
        )
    if not np.isfinite(vector).all():
        raise DenseIndexError("the query vector holds a value that is not finite")
    return np.ascontiguousarray(vector[np.newaxis], dtype=np.float32)


def selector(allowed: Allowed | None) -> "faiss.IDSelector | None":
    """FAISS's selection of the allowed rows; None for all."""
    import faiss

    if allowed is None:
        return None
    bitmap = np.packbits(allowed, bitorder="little")
    # The stubs know the C++ signatures, not those of FAISS's Python wrappers.
    return faiss.IDSelectorBitmap(bitmap)  # type: ignore[call-arg, arg-type]


def use_one_thread() -> None:
    """Search with the calling thread alone: a server's threads share the cores already.

    OpenMP keeps the number for each thread, so that every search sets it anew; it is set back
    by nobody, and a build sets its own.
    """
    import faiss

    faiss.omp_set_num_threads(1)


def use_every_core() -> None:
    """Train and add with every core, or with OMP_NUM_THREADS threads where that is set."""
    import faiss

    wanted = os.environ.get("OMP_NUM_THREADS", "")
    faiss.omp_set_num_threads(int(wanted) if wanted.isdecimal() else os.cpu_count() or 1)
