"""Which document does a marker name, and which citations does an answer have?

Only passages of the prompt and real pages of the generation can be cited.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from retrieval.types import Kind, LinkTarget, RankedChunk, StoredDocument
from service.passage_links import deep_text

CitationStyle = Literal["numbers", "wiki", "none"]
URL = re.compile(r"(?:https?://|ftp://|www\.)[^\s<>\"'`|\\^{}\x00]+", re.IGNORECASE)
_TRAILING = ".,;:!?*_~'\""


@dataclass(frozen=True, slots=True)
class Place:
    """A further part of a cited document."""

    url: str
    heading: str


@dataclass(frozen=True, slots=True)
class Citation:
    """A document that the answer rests on.

    Attributes:
        n: Number in the order of first use, from 1.
        url: Absolute address of the part cited first; None where the document has none.
        title: The document's title; source and path where it has no address.
        heading: Title of the part cited first, or "".
        source: Name of the source.
        kind: page, data, code or text.
        places: Other parts of the same document that are cited too.
        passage: Its text where `url` does not lead to its beginning, else ""; not sent.
    """

    n: int
    url: str | None
    title: str
    heading: str
    source: str
    kind: Kind
    places: tuple[Place, ...] = ()
    passage: str = ""


@dataclass(frozen=True, slots=True)
class Cited:
    """What one marker resolves to; `passage` as of a citation."""

    document: StoredDocument
    url: str | None
    heading: str
    passage: str = ""

    @property
    def title(self) -> str:
        """The document's title; source and path where it has no address."""
        document = self.document
        return document.title if self.url else f"{document.source}: {document.path}"


class Sources:
    """The passages of one prompt and the real pages of its generation."""

    def __init__(
        self,
        passages: Sequence[RankedChunk],
        link_target: Callable[[str], LinkTarget | None],
    ) -> None:
        """Prepare to resolve.

        Args:
            passages: As numbered in the prompt, from 1.
            link_target: The generation's `ChunkStore.link_target`.
        """
        self._passages = passages
        self._link_target = link_target
        self._written_urls: frozenset[str] | None = None

    def __len__(self) -> int:
        """Number of passages."""
        return len(self._passages)

    def passage(self, number: int) -> Cited | None:
        """The passage with this number, or None."""
        if not 1 <= number <= len(self._passages):
            return None
        ranked = self._passages[number - 1]
        headings = ranked.chunk.headings
        heading = headings[-1] if headings else ""
        url = ranked.chunk.url or ranked.document.url
        return Cited(ranked.document, url, heading, deep_text(ranked))

    def page(self, address: str) -> Cited | None:
        """The real page at an address, or None."""
        target = self._link_target(address) if address else None
        if target is None:
            return None
        return Cited(target.document, target.url or None, target.heading)

    def is_written(self, url: str) -> bool:
        """Whether a passage holds this URL: a command may be quoted with it."""
        if self._written_urls is None:
            self._written_urls = frozenset(
                trimmed_url(found)
                for ranked in self._passages
                for found in URL.findall(ranked.chunk.text)
            )
        return url in self._written_urls


class Ledger:
    """The citations of one answer: one a document, numbered by first use."""

    def __init__(self) -> None:
        self._citations: dict[str, Citation] = {}

    def cite(self, cited: Cited) -> tuple[Citation, bool]:
        """Record a use; the citation, and whether it is the document's first."""
        doc_id = cited.document.doc_id
        known = self._citations.get(doc_id)
        if known is None:
            document = cited.document
            citation = Citation(
                n=len(self._citations) + 1,
                url=cited.url,
                title=cited.title,
                heading=cited.heading,
                source=document.source,
                kind=document.kind,
                passage=cited.passage,
            )
            self._citations[doc_id] = citation
            return citation, True
        if cited.url and cited.url not in {known.url, *(place.url for place in known.places)}:
            places = (*known.places, Place(cited.url, cited.heading))
            known = replace(known, places=places)
            self._citations[doc_id] = known
        return known, False

    def citations(self) -> tuple[Citation, ...]:
        """Every citation so far, with its further places."""
        return tuple(self._citations.values())


def trimmed_url(url: str) -> str:
    """A URL as found in running text, without the punctuation that follows it."""
    while url and (url[-1] in _TRAILING or _closes_nothing(url)):
        url = url[:-1]
    return url


def _closes_nothing(url: str) -> bool:
    opening = {")": "(", "]": "["}.get(url[-1])
    return opening is not None and url.count(url[-1]) > url.count(opening)
