"""Which of an approximate index's candidates are nearest? Compared exactly, from `vectors.f16`."""

from collections.abc import Callable

import numpy as np

from retrieval.dense.base import Rows
from retrieval.dense.flat import exact_scores, ranked
from retrieval.dense.vector_file import VectorFile
from retrieval.embedding.base import Vectors
from retrieval.types import Hit

# Candidates up to `wanted`, best first by their approximate scores; fewer: there are no more.
Candidates = Callable[[int], tuple[Rows, Vectors]]
GROWTH = 4
MAX_COMPARED = 20_000  # 40 MB of vectors of 1,024 dimensions


def nearest_candidates(
    query: Vectors, k: int, wanted: int, vectors: VectorFile, candidates: Candidates
) -> list[Hit]:
    """The k nearest of at least `wanted` candidates, best first; equal scores by row.

    Equal vectors have equal codes. Where the code of the last hit is as good as that of the last
    candidate, equal vectors may have been cut off, and more candidates are taken.

    Args:
        query: float32 (1, dimension).
        k: Hits.
        wanted: Candidates, at least k.
        vectors: The raw vectors.
        candidates: The approximate search.
    """
    while True:
        rows, approximate = candidates(wanted)
        if not len(rows):
            return []
        positions, scores = exact_scores(query, vectors.read(rows))
        hits = ranked(rows[positions], scores, k)
        if len(rows) < wanted or wanted >= max(MAX_COMPARED, k):
            return hits
        last = approximate[np.flatnonzero(rows == hits[-1].row)[0]]
        if last > approximate[-1]:
            return hits
        wanted *= GROWTH


def nearest_of(query: Vectors, k: int, rows: Rows, vectors: VectorFile) -> list[Hit]:
    """The k nearest of `rows`, each compared exactly."""
    if not len(rows):
        return []
    positions, scores = exact_scores(query, vectors.read(rows))
    return ranked(rows[positions], scores, k)
