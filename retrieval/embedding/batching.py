"""Which texts go into one request, and which vector of its answer belongs to which?"""

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from retrieval.embedding.base import EmbeddedBatch, Vectors
from retrieval.errors import ProviderError

MAX_INPUTS = 64  # users report 256 and 512 as the provider's limit
MAX_TOKENS = 12_000  # of 16,384 for one request
BLANK = "blank text"

TokenEstimate = Callable[[str], int]


def byte_estimate(text: str) -> int:
    """Estimate of tokens without a tokenizer: half the UTF-8 bytes, rounded up.

    Prose has 3 to 4.5 bytes a token, Greek, Hebrew and Vietnamese about 2; digits alone can have
    one, and a request that grows too large by them is halved when it is refused.
    """
    return math.ceil(len(text.encode("utf-8", "replace")) / 2)


def sendable(text: str) -> str:
    """`text` as an encoder can take it: NUL becomes a space, a lone surrogate U+FFFD."""
    paired = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return paired.replace("\0", " ")


def batches(
    texts: Sequence[str], positions: Sequence[int], tokens: TokenEstimate
) -> Iterator[list[int]]:
    """Positions of texts that fit into one request, in order; a large text goes alone."""
    batch: list[int] = []
    total = 0
    for position in positions:
        size = max(tokens(texts[position]), byte_estimate(texts[position]))
        if batch and (len(batch) == MAX_INPUTS or total + size > MAX_TOKENS):
            yield batch
            batch, total = [], 0
        batch.append(position)
        total += size
    if batch:
        yield batch


def blank_positions(texts: Sequence[str]) -> tuple[tuple[int, str], ...]:
    """Texts without a visible character, as (position, reason): they are never sent."""
    return tuple((at, BLANK) for at, text in enumerate(texts) if not text.strip())


def refusal(refused: tuple[tuple[int, str], ...], dimension: int) -> EmbeddedBatch:
    """A batch in which nothing was embedded."""
    return EmbeddedBatch((), np.empty((0, dimension), dtype=np.float32), refused=refused)


def placed(entries: Sequence[tuple[int | None, Sequence[float]]], count: int) -> Vectors:
    """Vectors in the order of the inputs: float32 (count, dimension).

    Args:
        entries: (index, vector) in any order; an index of None is its position.
        count: Number of inputs.

    Raises:
        ProviderError: Not one vector for each input, or of several dimensions.
    """
    by_index = {
        at if index is None else index: vector for at, (index, vector) in enumerate(entries)
    }
    if len(entries) != count or by_index.keys() != set(range(count)):
        raise ProviderError(
            f"the provider answered {count} texts with {len(entries)} vectors, "
            f"of index {sorted(by_index)[:8]}: the answer is not used"
        )
    lengths = sorted({len(vector) for vector in by_index.values()})
    if len(lengths) != 1 or lengths[0] == 0:
        raise ProviderError(f"the provider returned vectors of dimensions {lengths} in one answer")
    with np.errstate(over="ignore"):  # becomes infinite, which is refused later
        return np.array([by_index[at] for at in range(count)], dtype=np.float32)
