"""How much memory will a generation take, and which kinds of index fit the budget?

Computed from counts before anything is loaded. An index is mapped, so that what is expected is the
most that it comes to, reached when every page of it was searched.
"""

from dataclasses import dataclass

from retrieval.configuration import RetrievalSection
from retrieval.dense.sizes import check_enough, dense_bytes, enough_to_train
from retrieval.errors import ConfigurationError
from retrieval.keyword import TANTIVY_EXTRA, tantivy_installed

# The idle service: numpy, faiss, fastapi, mistralai, and 64 MB of py3langid.
SERVICE_BYTES = 157_000_000
GENERATIONS_OF_A_SWAP = 2
# Passages of 200 tokens: 69 MB for 20,000 by rank-bm25; pages of postings for tantivy.
KEYWORD_BYTES_PER_CHUNK = {"rank-bm25": 3_500, "tantivy": 150}
# What the size rules of `auto` are; the figures behind them are made by `askfolio bench`.
MAX_FLAT_CHUNKS = 50_000
MAX_RANK_BM25_CHUNKS = 10_000
DENSE_STEPS = ("flat", "sq8", "ivf-pq")
KEYWORD_STEPS = ("rank-bm25", "tantivy")
_MB = 1_000_000


@dataclass(frozen=True, slots=True)
class ChosenKinds:
    """Kinds of a generation, every `auto` resolved; dense is "" where nothing is embedded."""

    dense: str
    keyword: str


def resident_bytes(dense: str, keyword: str, chunks: int, dimension: int) -> int:
    """Expected memory of the service with one generation; twice the indexes during a swap."""
    return SERVICE_BYTES + index_bytes(dense, keyword, chunks, dimension)


def index_bytes(dense: str, keyword: str, chunks: int, dimension: int) -> int:
    """Expected memory of the indexes of one generation."""
    vectors = dense_bytes(dense, chunks, dimension) if dense else 0
    return vectors + chunks * KEYWORD_BYTES_PER_CHUNK[keyword]


def swap_bytes(dense: str, keyword: str, chunks: int, dimension: int) -> int:
    """Expected memory of the service while it holds an old and a new generation."""
    indexes = index_bytes(dense, keyword, chunks, dimension)
    return SERVICE_BYTES + GENERATIONS_OF_A_SWAP * indexes


def choose_kinds(
    settings: RetrievalSection, dense: str, chunks: int, dimension: int
) -> ChosenKinds:
    """Resolve `auto`, and refuse what does not fit.

    Args:
        settings: The kinds that are asked for, and memory_mb.
        dense: As configured, "" where nothing is embedded.
        chunks: Of the corpus.
        dimension: Of a vector.

    Raises:
        TooFewTrainingVectors: A trained kind is asked for and the corpus is too small.
        ConfigurationError: The kinds do not fit memory_mb (names the next kind to choose), or one
            needs an extra that is not installed.
    """
    keyword = settings.keyword
    if keyword == "auto":
        large = chunks > MAX_RANK_BM25_CHUNKS and tantivy_installed()
        keyword = "tantivy" if large else "rank-bm25"
    elif keyword == "tantivy" and not tantivy_installed():
        raise ConfigurationError(f'retrieval.keyword = "tantivy" needs {TANTIVY_EXTRA}')
    if not dense or not dimension:
        chosen = ChosenKinds("", keyword)
    elif dense == "auto":
        chosen = ChosenKinds(_automatic(settings, keyword, chunks, dimension), keyword)
    else:
        chosen = ChosenKinds(dense, keyword)
    if chosen.dense == "ivf-pq":
        check_enough(chunks)
    check_fits(settings, chosen, chunks, dimension)
    return chosen


def check_fits(
    settings: RetrievalSection, chosen: ChosenKinds, chunks: int, dimension: int
) -> None:
    """Refuse kinds that would not fit memory_mb with both generations of a swap.

    Raises:
        ConfigurationError: Says how much they would take, and the next kind to choose.
    """
    expected = swap_bytes(chosen.dense, chosen.keyword, chunks, dimension)
    if expected <= settings.memory_mb * _MB:
        return
    raise ConfigurationError(
        f"{chunks} chunks with dense {chosen.dense or 'none'} and keyword {chosen.keyword} would "
        f"take about {expected / _MB:.0f} MB with both generations of a swap, "
        f"retrieval.memory_mb is {settings.memory_mb}: {_advice(chosen, chunks, expected)}"
    )


def most_chunks(settings: RetrievalSection, chosen: ChosenKinds, dimension: int) -> int:
    """How many chunks of these kinds fit memory_mb."""
    budget = settings.memory_mb * _MB - SERVICE_BYTES
    low, high = 0, 1 << 40
    while low < high:
        middle = (low + high + 1) // 2
        needed = index_bytes(chosen.dense, chosen.keyword, middle, dimension)
        low, high = (middle, high) if 2 * needed <= budget else (low, middle - 1)
    return low


def _automatic(settings: RetrievalSection, keyword: str, chunks: int, dimension: int) -> str:
    """Exact while that is quick and fits, then smaller, then trained."""
    if chunks > MAX_FLAT_CHUNKS and enough_to_train(chunks):
        return "ivf-pq"
    for kind in DENSE_STEPS:
        fits = swap_bytes(kind, keyword, chunks, dimension) <= settings.memory_mb * _MB
        if fits and (kind != "ivf-pq" or enough_to_train(chunks)):
            return kind
    return "ivf-pq" if enough_to_train(chunks) else "sq8"


def _advice(chosen: ChosenKinds, chunks: int, expected: int) -> str:
    raise_it = f"set it to {-(-expected // _MB)}"
    smaller = _next(DENSE_STEPS, chosen.dense)
    if smaller == "ivf-pq" and not enough_to_train(chunks):
        smaller = ""
    if chosen.keyword == "rank-bm25":
        raise_it = f'choose keyword = "tantivy", or {raise_it}'
    return f'choose dense = "{smaller}", or {raise_it}' if smaller else raise_it


def _next(steps: tuple[str, ...], kind: str) -> str:
    position = steps.index(kind) + 1 if kind in steps else len(steps)
    return steps[position] if position < len(steps) else ""
