"""The seam between a place where text lies and the sync."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from retrieval.types import Document, Skipped, Unreadable

ReportProgress = Callable[[int, int], None]
"""Called with (files read, files in all); all is 0 while it is not known."""


def no_progress(done: int, total: int) -> None:
    """Progress that nobody watches."""


@dataclass(frozen=True, slots=True)
class KnownSource:
    """What the current generation holds of a source: given to one that can do without reading all.

    A source says with its listing in which `state` it was read (a commit, digests of files); the
    next sync hands that text back, with the documents that came of it. Every document that would
    be the same again may then be named in `Listing.unchanged` in place of being read. A source
    that cannot tell, or finds a state of another version or other settings, reads everything: that
    is never wrong. Whatever decides about a document must be in the state: the file, the settings
    of the block, and the version of the rules by which it is read.

    Attributes:
        state: `Listing.state` of the sync that stored the documents; "" for nothing.
        documents: doc_ids of the source; empty where `state` is.
    """

    state: str = ""
    documents: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Listing:
    """Everything a source holds now.

    Attributes:
        documents: What may be indexed, in a fixed order.
        skipped: What was left out on purpose, also where it was not looked at again.
        errors: What could not be read; such documents keep their last good version.
        unchanged: doc_ids of `KnownSource.documents` that were not read because they are the same.
        state: Comes back as `KnownSource.state`; "" where the source keeps none. It speaks of all
            documents, those in `unchanged` included, and of none in `errors`.
    """

    documents: tuple[Document, ...]
    skipped: tuple[Skipped, ...] = field(default=())
    errors: tuple[Unreadable, ...] = field(default=())
    unchanged: frozenset[str] = frozenset()
    state: str = ""


class DocumentSource(Protocol):
    """A configured source."""

    @property
    def name(self) -> str:
        """The source's name: the first part of every doc_id."""
        ...

    def listing(self, report: ReportProgress = no_progress) -> Listing:
        """Read everything.

        Raises:
            SourceError: The listing would not be complete; nothing may be deleted on its word.
        """
        ...
