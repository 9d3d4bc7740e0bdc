"""Which unchanged documents lie behind one another in the old store, and can be copied at once?"""

from collections.abc import Iterable
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Run:
    """Documents that are neighbours in the old store and in the new one.

    Attributes:
        old_doc: Number of the first one in the old store.
        old_row: Its first row there.
        new_doc: Number of the first one in the new store.
        new_row: Its first row there.
        docs: How many documents.
        rows: How many chunks.
    """

    old_doc: int
    old_row: int
    new_doc: int
    new_row: int
    docs: int
    rows: int

    def followed_by(self, other: "Run") -> "Run | None":
        """Both as one run; None where they are no neighbours in the old store."""
        if other.old_doc != self.old_doc + self.docs or other.old_row != self.old_row + self.rows:
            return None
        return replace(self, docs=self.docs + other.docs, rows=self.rows + other.rows)

    def values(self) -> dict[str, int]:
        """Named values of the statements that copy it."""
        return {
            "doc_shift": self.new_doc - self.old_doc,
            "row_shift": self.new_row - self.old_row,
            "first_doc": self.old_doc,
            "last_doc": self.old_doc + self.docs - 1,
            "first_row": self.old_row,
            "last_row": self.old_row + self.rows - 1,
        }


class OldPlaces:
    """Where each document lies in the old store."""

    def __init__(self, documents: Iterable[tuple[str, int, int]]) -> None:
        """Take (doc_id, number, chunks) in the order of the rows."""
        self._places: dict[str, tuple[int, int, int]] = {}
        row = 0
        for doc_id, doc, chunks in documents:
            self._places[doc_id] = (doc, row, chunks)
            row += chunks

    def run(self, doc_id: str, new_doc: int, new_row: int) -> Run:
        """The document alone, to be put at a place in the new store.

        Raises:
            KeyError: The old store has no such document.
        """
        doc, row, chunks = self._places[doc_id]
        return Run(doc, row, new_doc, new_row, 1, chunks)
