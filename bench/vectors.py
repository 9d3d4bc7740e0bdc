"""Vectors to measure on: clustered as embeddings are, and without clusters as the worst case.

Clustered: n / 50 Gaussian centres in a 64-dimensional latent space, points around them with
sigma .5, mapped linearly into the wanted dimension, with noise. Unclustered: one Gaussian in that
space, mapped alike. One seed gives one set.
"""

from collections.abc import Iterator

import numpy as np

from retrieval.embedding.base import Vectors

LATENT = 64
POINTS_PER_CENTRE = 50
SIGMA = 0.5
NOISE = 0.1
SLICE = 10_000


class VectorSource:
    """Draws unit vectors; passages and queries come from one distribution and never coincide."""

    def __init__(self, count: int, dimension: int, seed: int, *, clustered: bool = True) -> None:
        """Args as in `slices`; `seed` decides everything."""
        random = np.random.default_rng([seed, count, dimension])
        self.count = count
        self.dimension = dimension
        self._seed = seed
        self._clustered = clustered
        centres = max(1, count // POINTS_PER_CENTRE)
        self._centres = random.standard_normal((centres, LATENT), dtype=np.float32)
        mapping = random.standard_normal((LATENT, dimension), dtype=np.float32)
        self._mapping = mapping / np.float32(np.sqrt(LATENT))

    def slices(self) -> Iterator[Vectors]:
        """float32 (up to SLICE, dimension), `count` vectors in all."""
        for start in range(0, self.count, SLICE):
            yield self._draw(min(SLICE, self.count - start), start + 1)

    def queries(self, count: int) -> Vectors:
        """float32 (count, dimension)."""
        return self._draw(count, 0)

    def _draw(self, count: int, part: int) -> Vectors:
        random = np.random.default_rng([self._seed, part])
        noise = random.standard_normal((count, self.dimension), dtype=np.float32)
        if self._clustered:
            chosen = random.integers(len(self._centres), size=count)
            spread = random.standard_normal((count, LATENT), dtype=np.float32)
            latent = self._centres[chosen] + np.float32(SIGMA) * spread
        else:
            latent = random.standard_normal((count, LATENT), dtype=np.float32)
        vectors = latent @ self._mapping + np.float32(NOISE) * noise
        unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit
