"""`vectors.f16`: the raw vectors, from which every kind is built and candidates are compared."""

import os
import weakref
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from retrieval.dense.base import Rows
from retrieval.embedding.base import Vectors
from retrieval.errors import DenseIndexError, GenerationCorrupt

VECTORS_FILE = "vectors.f16"
SLICE_ROWS = 16_384
Halves = NDArray[np.float16]


class VectorFile:
    """float16 (count, dimension), little-endian, row after row; never read as a whole.

    Rows are read with pread: the pages of a mapping would count as the process' own memory.
    Safe to share between threads.
    """

    def __init__(self, file: Path, dimension: int) -> None:
        """Open the file.

        Raises:
            DenseIndexError: The dimension is below 1.
            GenerationCorrupt: The file is absent, or ends within a vector.
        """
        if dimension < 1:
            raise DenseIndexError(f"a vector must have a dimension of at least 1, got {dimension}")
        self.file = file
        self.dimension = dimension
        self._row_bytes = dimension * np.dtype("<f2").itemsize
        try:
            self._descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise GenerationCorrupt(f"{file} cannot be read: {error.strerror}") from error
        weakref.finalize(self, os.close, self._descriptor)
        size = os.fstat(self._descriptor).st_size
        if size % self._row_bytes:
            raise GenerationCorrupt(
                f"{file} has {size} bytes, which are no vectors of dimension {dimension}"
            )
        self._count = size // self._row_bytes

    def __len__(self) -> int:
        """Number of vectors."""
        return self._count

    def slices(self, rows: int = SLICE_ROWS) -> Iterator[tuple[int, Halves]]:
        """(first row, float16 (up to `rows`, dimension)) in order.

        Raises:
            DenseIndexError: A value is not finite.
        """
        for start in range(0, len(self), rows):
            some = min(rows, len(self) - start)
            yield start, self._finite(self._decoded(self._pread(start, some)))

    def slices_of(self, chosen: Rows, rows: int = SLICE_ROWS) -> Iterator[tuple[Rows, Halves]]:
        """(up to `rows` of the chosen rows, their float16 vectors) in the order of `chosen`.

        Raises:
            DenseIndexError: A value is not finite.
        """
        for start in range(0, len(chosen), rows):
            some = chosen[start : start + rows]
            yield some, self._finite(self.read(some))

    def read(self, rows: Rows) -> Halves:
        """float16 (len(rows), dimension), in the order of `rows`."""
        offsets = (rows * self._row_bytes).tolist()
        pread, descriptor, size = os.pread, self._descriptor, self._row_bytes
        content = b"".join([pread(descriptor, size, offset) for offset in offsets])
        if len(content) < len(offsets) * size:
            raise GenerationCorrupt(f"{self.file} ends before row {int(rows.max())}")
        return self._decoded(content)

    def sample(self, wanted: int) -> Vectors:
        """float32 (wanted, dimension) of `spread` rows, to train on.

        Raises:
            DenseIndexError: A value is not finite.
        """
        return self._finite(self.read(self.spread(wanted))).astype(np.float32)

    def spread(self, wanted: int) -> Rows:
        """`wanted` rows at even distances, all of them where there are fewer."""
        wanted = min(wanted, len(self))
        return np.arange(wanted, dtype=np.int64) * len(self) // max(1, wanted)

    def _finite(self, vectors: Halves) -> Halves:
        if not np.isfinite(vectors).all():
            raise DenseIndexError(f"{self.file}: a vector holds a value that is not finite")
        return vectors

    def _decoded(self, content: bytes) -> Halves:
        return np.frombuffer(content, dtype="<f2").reshape(-1, self.dimension)

    def _pread(self, row: int, count: int) -> bytes:
        wanted, offset = count * self._row_bytes, row * self._row_bytes
        content = os.pread(self._descriptor, wanted, offset)
        while len(content) < wanted:  # one call gives at most 2 GiB
            more = os.pread(self._descriptor, wanted - len(content), offset + len(content))
            if not more:
                raise GenerationCorrupt(f"{self.file} ends within row {row + count - 1}")
            content += more
        return content


def as_codes(vectors: Halves) -> NDArray[np.uint8]:
    """The bytes of float16 vectors, (n, 2 dimension): the codes of FAISS's fp16 quantizer."""
    return np.ascontiguousarray(vectors, dtype="<f2").view(np.uint8)
