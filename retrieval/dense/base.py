"""The seam for nearest-neighbour search over unit vectors."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from retrieval.embedding.base import Vectors
from retrieval.types import Hit

Allowed = NDArray[np.bool_]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class DenseTuning:
    """How a trained index is searched: measured when it is trained, kept in the manifest.

    Attributes:
        nlist: Inverted lists.
        m: Bytes of a compressed vector.
        nprobe: Lists that a query looks into.
        reranked: Candidates that are compared exactly.
        recall: Recall@10 that was measured with them against exact search.
        queries: Stored vectors on which it was measured.
        changed: Vectors that were added or removed since.
    """

    nlist: int
    m: int
    nprobe: int
    reranked: int
    recall: float
    queries: int
    changed: int = 0


class DenseIndex(Protocol):
    """Searches unit vectors by inner product; a vector's position is its row."""

    @property
    def kind(self) -> str:
        """Name under which `open_dense_index` knows it."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    def __len__(self) -> int:
        """Number of vectors."""
        ...

    def search(self, vector: Vectors, k: int, allowed: Allowed | None = None) -> list[Hit]:
        """The k nearest rows, best first; fewer where fewer exist or are allowed.

        Args:
            vector: float32 (dimension,), unit length.
            k: At least 1.
            allowed: bool (len(self),); rows that may be returned, None for all.

        Raises:
            DimensionMismatch: The vector has another length than the index.
        """
        ...
