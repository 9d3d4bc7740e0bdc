"""The seam for keyword search."""

from dataclasses import dataclass
from typing import Protocol

from retrieval.dense.base import Allowed
from retrieval.types import Hit


@dataclass(frozen=True, slots=True)
class Passage:
    """What is indexed under one row.

    Attributes:
        text: Embedded text: title, headings, then the chunk's own.
        language: Code; "" for code.
        labels: What filters may ask for, see `label`.
    """

    text: str
    language: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """Which rows may be returned, said twice: as rows, and as what makes them so.

    An index that looks at every row takes the mask, an inverted one intersects the labels.

    Attributes:
        rows: bool (passages,).
        required: Labels that a row must have.
        excluded: Labels that it must not have.
    """

    rows: Allowed
    required: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()


def label(name: str, value: str) -> str:
    """The label of rows whose `name` (source, language or kind) is `value`."""
    return f"{name}:{value}"


class KeywordIndex(Protocol):
    """Ranks by BM25 the passages that share a term with the query."""

    @property
    def kind(self) -> str:
        """Name under which `open_keyword_index` knows it."""
        ...

    def __len__(self) -> int:
        """Number of passages, those without a term included."""
        ...

    def search(self, query: str, k: int, selection: Selection | None = None) -> list[Hit]:
        """The k best rows that share a term with the query, best first, ties by row."""
        ...

    def known_share(self, query: str) -> float:
        """Share of the query's distinct terms that the index knows, 0 to 1; 0 without terms."""
        ...

    def frequency(self, word: str) -> int:
        """Number of passages that hold the word in any of its forms."""
        ...

    def coverage(self, query: str, rows: list[int]) -> list[float]:
        """For each row the share of the query's idf mass that its terms cover, 0 to 1.

        A term that the index does not know weighs as one that no passage holds, so that a
        question about something else is covered badly however common its other words are.
        """
        ...


def check_search(k: int, selection: Selection | None, count: int) -> None:
    """Refuse what only a caller's mistake can be.

    Raises:
        ValueError: k below 1, or a selection of another number of rows than the index has.
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    if selection is not None and selection.rows.shape != (count,):
        raise ValueError(f"allowed has shape {selection.rows.shape}, the index {count} rows")
