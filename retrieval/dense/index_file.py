"""How does a FAISS index get to disk and back? FAISS's own errors end here."""

from pathlib import Path
from typing import TYPE_CHECKING

from retrieval.errors import GenerationCorrupt

if TYPE_CHECKING:
    import faiss


def write_index(index: "faiss.Index", path: Path) -> None:
    """Write an index.

    Raises:
        OSError: There is no space, or the folder cannot be written.
    """
    import faiss

    try:
        faiss.write_index(index, str(path))
    except RuntimeError as error:
        raise OSError(f"{path} cannot be written: {error}") from error


def read_index(path: Path, dimension: int, *, to_change: bool = False) -> "faiss.Index":
    """Map an index into memory: opening takes milliseconds, pages come as they are searched.

    Args:
        path: Of the file.
        dimension: Length of a vector.
        to_change: Copy it into memory instead: what is mapped cannot be changed.

    Raises:
        GenerationCorrupt: The file is absent, torn, or of another dimension or metric.
    """
    import faiss

    try:
        index = faiss.read_index(str(path), 0 if to_change else faiss.IO_FLAG_MMAP_IFC)
    except (RuntimeError, MemoryError) as error:
        raise GenerationCorrupt(f"{path} is absent, torn or no dense index") from error
    if index.metric_type != faiss.METRIC_INNER_PRODUCT:
        raise GenerationCorrupt(f"{path} is not an index by inner product")
    if index.d != dimension:
        raise GenerationCorrupt(
            f"{path} holds vectors of dimension {index.d}, expected {dimension}: run a sync"
        )
    return index


def read_scalar_index(path: Path, dimension: int, code: int, kind: str) -> "faiss.Index":
    """`read_index` for an index of scalar codes.

    Args:
        path: Of the file.
        dimension: Length of a vector.
        code: FAISS's quantizer type.
        kind: Named where the file is of another.

    Raises:
        GenerationCorrupt: As `read_index`, or the codes are of another kind.
    """
    import faiss

    index = read_index(path, dimension)
    if not isinstance(index, faiss.IndexScalarQuantizer) or index.sq.qtype != code:
        raise GenerationCorrupt(f"{path} is not an index of kind {kind}")
    return index
