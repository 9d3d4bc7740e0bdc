"""Which vectors are nearest, without looking at most of them? An inverted file of short codes."""

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from retrieval.dense.base import Allowed, DenseTuning, Rows
from retrieval.dense.comparing import nearest_candidates, nearest_of
from retrieval.dense.index_file import read_index
from retrieval.dense.queries import NO_ROW, checked_query, selector, use_one_thread
from retrieval.dense.sq8 import COMPARED, vectors_beside
from retrieval.dense.vector_file import VectorFile
from retrieval.embedding.base import Vectors
from retrieval.errors import GenerationCorrupt
from retrieval.types import Hit

if TYPE_CHECKING:
    import faiss

FILE_NAME = "dense.ivf-pq"
EXACT_ROWS = 2048  # so few allowed rows are compared one by one: 4 MB, less than a probe costs
MORE_PROBES = 4


class InvertedIndex:
    """FAISS IVF-PQ with its own ids; candidates are compared with the raw vectors.

    A filter that leaves few rows is answered exactly; one that leaves a share s of them looks
    into 1 / s times as many lists, so that about as many allowed rows are seen.
    """

    kind = "ivf-pq"

    def __init__(self, index: "faiss.Index", vectors: VectorFile, tuning: DenseTuning) -> None:
        self._index = index
        self._vectors = vectors
        self._tuning = tuning

    @classmethod
    def open(cls, folder: Path, dimension: int, tuning: DenseTuning | None) -> "InvertedIndex":
        """Open what `build_ivf_pq` wrote, and `vectors.f16` beside it.

        Raises:
            GenerationCorrupt: A file is absent, torn, of another kind or dimension, or the
                manifest does not say how to search it.
        """
        path = folder / FILE_NAME
        index = read_index(path, dimension)
        _, tuning = tuned_lists(index, tuning, path)
        return cls(index, vectors_beside(path, index.ntotal, dimension), tuning)

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self._index.d)

    def __len__(self) -> int:
        return int(self._index.ntotal)

    def search(self, vector: Vectors, k: int, allowed: Allowed | None = None) -> list[Hit]:
        """The k rows of the greatest inner product among the candidates, best first."""
        query = checked_query(vector, k, self.dimension, len(self), allowed)
        count = len(self) if allowed is None else int(np.count_nonzero(allowed))
        use_one_thread()
        if allowed is not None and count <= EXACT_ROWS:
            return nearest_of(query, k, np.flatnonzero(allowed), self._vectors)
        probes = math.ceil(self._tuning.nprobe * len(self) / count)
        chosen = selector(allowed)

        def candidates(wanted: int) -> tuple[Rows, Vectors]:
            return self._candidates(query, min(wanted, count), min(k, count), probes, chosen)

        wanted = max(self._tuning.reranked, COMPARED * k)
        return nearest_candidates(query, k, wanted, self._vectors, candidates)

    def _candidates(
        self,
        query: Vectors,
        wanted: int,
        needed: int,
        probes: int,
        chosen: "faiss.IDSelector | None",
    ) -> tuple[Rows, Vectors]:
        """Rows and approximate scores; more lists where those looked into hold too few rows."""
        while True:
            probes = min(probes, self._tuning.nlist)
            scores, rows = self._index.search(query, wanted, params=search_probes(probes, chosen))
            found = rows[0] != NO_ROW
            if np.count_nonzero(found) >= needed or probes == self._tuning.nlist:
                return rows[0][found], scores[0][found]
            probes *= MORE_PROBES


def tuned_lists(
    index: "faiss.Index", tuning: DenseTuning | None, path: Path
) -> "tuple[faiss.IndexIVFPQ, DenseTuning]":
    """The inverted file of an index that was read from `path`, and how to search it.

    Raises:
        GenerationCorrupt: It is of another kind, or the manifest does not say how to search it.
    """
    lists = inverted_lists(index)
    if lists is None:
        raise GenerationCorrupt(f"{path} is not an index of kind {InvertedIndex.kind}")
    if tuning is None or (tuning.nlist, tuning.m) != (lists.nlist, lists.pq.M):
        raise GenerationCorrupt(
            f"{path} has {lists.nlist} lists and codes of {lists.pq.M} bytes, the manifest "
            f"says {tuning}: run a sync"
        )
    return lists, tuning


def inverted_lists(index: "faiss.Index") -> "faiss.IndexIVFPQ | None":
    """The inverted file behind the rotation; None where there is none."""
    import faiss

    if not isinstance(index, faiss.IndexPreTransform):
        return None
    lists = faiss.downcast_index(index.index)
    return lists if isinstance(lists, faiss.IndexIVFPQ) else None


def search_probes(
    probes: int, chosen: "faiss.IDSelector | None" = None
) -> "faiss.SearchParametersPreTransform":
    """FAISS's parameters for looking into `probes` lists."""
    import faiss

    # The stubs know the C++ signatures, not those of FAISS's Python wrappers.
    lists = faiss.SearchParametersIVF(nprobe=probes, sel=chosen)  # type: ignore[call-arg]
    return faiss.SearchParametersPreTransform(index_params=lists)  # type: ignore[call-arg]
