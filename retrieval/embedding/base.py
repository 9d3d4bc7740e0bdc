"""The seam between the corpus and whoever embeds it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from retrieval.errors import ProviderError

Vectors = NDArray[np.float32]
NORM_TOLERANCE = 0.05


@dataclass(frozen=True, slots=True)
class EmbeddedBatch:
    """Vectors that arrived together.

    Attributes:
        positions: Which of the given texts they belong to.
        vectors: float32 (len(positions), dimension), unit length.
        tokens: What the provider charged; 0 where nothing is charged.
        refused: Texts that the provider would not embed, as (position, reason).
    """

    positions: tuple[int, ...]
    vectors: Vectors
    tokens: int = 0
    refused: tuple[tuple[int, str], ...] = ()


class Embedder(Protocol):
    """Turns texts into unit vectors of one dimension."""

    @property
    def embedder_id(self) -> str:
        """`<provider>:<model>`: vectors of two ids are never compared."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> Iterator[EmbeddedBatch]:
        """Embed stored texts, in batches that are yielded as they arrive.

        Raises:
            ProviderError: The provider failed; what was yielded before stays valid.
        """
        ...

    def embed_query(self, text: str) -> Vectors:
        """Embed one query: float32 (dimension,), unit length.

        Raises:
            ProviderError: The provider failed.
        """
        ...


def unit_vectors(vectors: Vectors, dimension: int) -> Vectors:
    """Check and normalise vectors that came from outside: float32 (n, dimension).

    Raises:
        ProviderError: A wrong dimension, a value that is not finite, a zero vector.
    """
    if vectors.ndim != 2 or vectors.shape[1] != dimension:
        raise ProviderError(
            f"the embedder returned vectors of shape {vectors.shape}, expected (n, {dimension})"
        )
    if not np.isfinite(vectors).all():
        raise ProviderError("the embedder returned a vector with a value that is not finite")
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    if (norms == 0).any():
        raise ProviderError("the embedder returned a vector of length zero")
    return np.ascontiguousarray(vectors / norms, dtype=np.float32)
