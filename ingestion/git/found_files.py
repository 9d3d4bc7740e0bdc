"""Which files of a commit became documents, were left out, or are as an earlier commit had them?"""

from collections.abc import Mapping
from dataclasses import dataclass

from ingestion.git.documents import document_id
from ingestion.git.file_reading import FileFound
from ingestion.git.read_state import LeftOut, ReadState, Why
from ingestion.git.selection import Choice
from ingestion.sources.base import Listing
from retrieval.types import Document, Skipped


@dataclass(frozen=True, slots=True)
class EarlierFiles:
    """What is known of files that are the same in an earlier commit.

    Attributes:
        changed: Paths, as they are shown, of which one is not the same: two can look alike.
        left_out: By path what was left out of a file because of its content.
    """

    changed: frozenset[str]
    left_out: Mapping[str, tuple[LeftOut, ...]]


class FoundFiles:
    """The files of one commit, in its order.

    Attributes:
        size_bytes: Of the documents that are held.
    """

    def __init__(self, source: str, stored: frozenset[str]) -> None:
        """Start with none; `stored` are the doc_ids of which the text is known."""
        self.size_bytes = 0
        self._source = source
        self._stored = stored
        self._documents: list[Document] = []
        self._unchanged: set[str] = set()
        self._left_out: list[LeftOut] = []

    def take_over(self, choice: Choice, earlier: EarlierFiles) -> bool:
        """Leave a file unread that is the same and of which it is known what it is."""
        path = choice.entry.path
        if choice.reason or path in earlier.changed:
            return False
        left_out = earlier.left_out.get(path, ())
        doc_id = document_id(self._source, path)
        if doc_id in self._stored:
            self._unchanged.add(doc_id)
        elif not any(entry.why == "whole" for entry in left_out):
            return False
        self._left_out += left_out
        return True

    def add(self, choice: Choice, found: FileFound) -> None:
        """Take in a file that was read, or was left out by the choice."""
        why: Why = "unread" if choice.reason else "part" if found.document else "whole"
        self._left_out += (LeftOut(choice.entry.path, reason, why) for reason in found.reasons)
        if found.document is not None:
            self._documents.append(found.document)
            self.size_bytes += choice.entry.size_bytes or 0

    def listing(self, rules: str, commit: str) -> Listing:
        """All of it, with the state that the next sync is given."""
        return Listing(
            documents=tuple(self._documents),
            skipped=tuple(Skipped(self._source, one.path, one.reason) for one in self._left_out),
            unchanged=frozenset(self._unchanged),
            state=ReadState(rules, commit, tuple(self._left_out)).text(),
        )
