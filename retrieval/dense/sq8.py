"""Which vectors are nearest, at one byte a dimension? Every code is compared, the best exactly."""

from pathlib import Path
from typing import TYPE_CHECKING

from retrieval.dense.base import Allowed, Rows
from retrieval.dense.comparing import nearest_candidates
from retrieval.dense.index_file import read_scalar_index, write_index
from retrieval.dense.queries import (
    NO_ROW,
    checked_query,
    selector,
    use_every_core,
    use_one_thread,
)
from retrieval.dense.vector_file import VECTORS_FILE, VectorFile
from retrieval.embedding.base import Vectors
from retrieval.errors import GenerationCorrupt
from retrieval.types import Hit

if TYPE_CHECKING:
    import faiss

FILE_NAME = "dense.sq8"
TRAINING_VECTORS = 20_000  # the range of each dimension; more change it in the third digit
COMPARED = 2  # candidates for a hit: the last hits decide about fusion as well


class ScalarIndex:
    """FAISS scalar quantizer of 8 bits; candidates are compared with the raw vectors."""

    kind = "sq8"

    def __init__(self, index: "faiss.Index", vectors: VectorFile) -> None:
        self._index = index
        self._vectors = vectors

    @classmethod
    def open(cls, folder: Path, dimension: int) -> "ScalarIndex":
        """Open what `build_sq8` wrote, and `vectors.f16` beside it.

        Raises:
            GenerationCorrupt: A file is absent, torn, of another kind or dimension.
        """
        import faiss

        path = folder / FILE_NAME
        index = read_scalar_index(path, dimension, faiss.ScalarQuantizer.QT_8bit, cls.kind)
        return cls(index, vectors_beside(path, index.ntotal, dimension))

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self._index.d)

    def __len__(self) -> int:
        return int(self._index.ntotal)

    def search(self, vector: Vectors, k: int, allowed: Allowed | None = None) -> list[Hit]:
        """The k rows of the greatest inner product, best first; equal scores by row."""
        import faiss

        query = checked_query(vector, k, self.dimension, len(self), allowed)
        if not len(self):
            return []
        use_one_thread()
        chosen = selector(allowed)
        parameters = faiss.SearchParameters(sel=chosen) if chosen else None  # type: ignore[call-arg]

        def candidates(wanted: int) -> tuple[Rows, Vectors]:
            scores, rows = self._index.search(query, min(wanted, len(self)), params=parameters)
            found = rows[0] != NO_ROW
            return rows[0][found], scores[0][found]

        return nearest_candidates(query, k, COMPARED * k, self._vectors, candidates)


def build_sq8(vectors: VectorFile, folder: Path) -> None:
    """Write `dense.sq8`.

    Raises:
        DenseIndexError: A value is not finite.
        OSError: The file cannot be written.
    """
    import faiss

    use_every_core()
    index = faiss.IndexScalarQuantizer(
        vectors.dimension, faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT
    )
    if len(vectors):
        index.train(vectors.sample(TRAINING_VECTORS))
    for _, halves in vectors.slices():
        index.add(halves.astype("float32"))
    write_index(index, folder / FILE_NAME)


def vectors_beside(path: Path, count: int, dimension: int) -> VectorFile:
    """The raw vectors of the index at `path`.

    Raises:
        GenerationCorrupt: They are absent, or not as many as the index holds.
    """
    vectors = VectorFile(path.parent / VECTORS_FILE, dimension)
    if len(vectors) != count:
        raise GenerationCorrupt(
            f"{vectors.file} holds {len(vectors)} vectors, {path.name} beside it {count}"
        )
    return vectors
