"""How large is a dense index? Arithmetic alone: asked before FAISS is loaded."""

import math

from retrieval.errors import TooFewTrainingVectors

VECTORS_PER_LIST = 39  # FAISS warns of fewer training vectors for a centroid
MIN_LISTS = 16
MIN_VECTORS = VECTORS_PER_LIST * MIN_LISTS
MIN_CODE_BYTES = 8
CODE_WORDS = 256  # of a byte
_FLOAT_BYTES = 4
_HALF_BYTES = 2
_ID_BYTES = 8


def enough_to_train(count: int) -> bool:
    """Whether `ivf-pq` takes a corpus of `count` vectors."""
    return count >= MIN_VECTORS


def check_enough(count: int) -> None:
    """Are there enough vectors to train on?

    Raises:
        TooFewTrainingVectors: Says how many are missing, and what to choose.
    """
    if not enough_to_train(count):
        raise TooFewTrainingVectors(
            f"an index of kind ivf-pq needs at least {MIN_VECTORS} vectors to train on, the corpus "
            f'has {count}: set retrieval.dense = "flat", or "auto"'
        )


def list_count(count: int) -> int:
    """nlist: the power of two next to 4 sqrt(count), so that each list has VECTORS_PER_LIST."""
    wanted = round(math.log2(4 * math.sqrt(count)))
    return int(min(2**wanted, 2 ** int(math.log2(count // VECTORS_PER_LIST))))


def code_bytes(dimension: int) -> int:
    """m: a byte for every eight dimensions, at least MIN_CODE_BYTES, never more than dimensions."""
    return min(dimension, max(math.ceil(dimension / 8), MIN_CODE_BYTES))


def rotated_dimension(dimension: int) -> int:
    """The next multiple of m: what the vectors are rotated into."""
    m = code_bytes(dimension)
    return m * math.ceil(dimension / m)


def dense_bytes(kind: str, count: int, dimension: int) -> int:
    """Bytes of an index of `kind`, on disk and, once all of it was searched, in memory."""
    match kind:
        case "flat":
            return count * dimension * _HALF_BYTES
        case "sq8":
            return count * dimension
        case "ivf-pq":
            nlist = list_count(max(count, MIN_VECTORS))
            rotated = rotated_dimension(dimension)
            tables = (dimension + CODE_WORDS) * rotated * _FLOAT_BYTES
            centroids = nlist * rotated * _HALF_BYTES
            return count * (code_bytes(dimension) + _ID_BYTES) + tables + centroids
        case _:
            raise ValueError(f"unknown kind of dense index {kind!r}")
