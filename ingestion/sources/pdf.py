"""What do the PDF files say that a site's pages link to, a CV above all?"""

import os
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urljoin, urlsplit

from ingestion.errors import DocumentUnreadable
from ingestion.git.prose_language import prose_language
from ingestion.sources.base import DocumentSource, Listing, ReportProgress, no_progress
from ingestion.sources.pdf_text import pdf_text
from ingestion.sources.web import origin_of
from retrieval.types import Document, Skipped, Unreadable

MAX_FILES = 100
DEADLINE_S = 60.0
_TARGET = re.compile(
    r"<([^<>\n]+\.pdf)>|([^\s()<>\"'\[\]{}|]+\.pdf)(?=[?#][^\s)]*|[\s)>\"'\]}|,;:.!]|$)",
    re.IGNORECASE,
)
_REASONS = frozenset({"too-large", "empty", "binary"})


@dataclass(frozen=True, slots=True)
class PublishedFolders:
    """Where a site's published files lie.

    Attributes:
        root: The site's folder, which no file may leave.
        whole: Folders that are published as they are.
        beside_pages: Files beside any page are published; else those beside an `index` file alone.
    """

    root: Path
    whole: tuple[Path, ...]
    beside_pages: bool


class LinkedPdfs:
    """A site, and the PDF files that its published pages link to.

    A file that no page links to is not read: it may lie there by mistake.

    Args:
        site: The pages.
        folders: Where its files lie.
    """

    def __init__(self, site: DocumentSource, folders: PublishedFolders) -> None:
        self.site = site
        self._folders = folders

    @property
    def name(self) -> str:
        """See `DocumentSource`."""
        return self.site.name

    def listing(self, report: ReportProgress = no_progress) -> Listing:
        """See `DocumentSource`; the listing of the pages with the files behind it."""
        pages = self.site.listing(report)
        linked = dict(self._linked(pages.documents))
        documents: list[Document] = []
        skipped: list[Skipped] = []
        errors: list[Unreadable] = []
        end = time.monotonic() + DEADLINE_S
        for number, (path, link) in enumerate(sorted(linked.items())):
            try:
                documents.append(self._document(path, link, full=number >= MAX_FILES, end=end))
            except DocumentUnreadable as error:
                reason = str(error)
                if reason.split(":")[0] in _REASONS:
                    skipped.append(Skipped(self.name, path, reason))
                else:
                    errors.append(Unreadable(self.name, path, reason))
        return replace(
            pages,
            documents=(*pages.documents, *documents),
            skipped=(*pages.skipped, *skipped),
            errors=(*pages.errors, *errors),
        )

    def _linked(self, pages: tuple[Document, ...]) -> Iterator[tuple[str, tuple[str, Document]]]:
        """Files by their path: (address, a page that links there)."""
        bases = _bases(pages)
        taken = {page.url for page in pages}
        for page in reversed(pages):
            for target in _targets(page):
                found = self._find(page, target, bases)
                if found and found[1] not in taken:
                    path, address = found
                    yield path, (address, page)

    def _find(self, page: Document, target: str, bases: tuple[str, ...]) -> tuple[str, str] | None:
        """(path of the file, its address)."""
        try:
            address = urljoin(page.url or "", target)
        except ValueError:
            return None
        if page.url is None or origin_of(address) != origin_of(page.url):
            return None
        published = unquote(urlsplit(address).path)
        below = [published.removeprefix(f"{base}/").lstrip("/") for base in bases]
        places = [folder / path for path in below for folder in self._folders.whole]
        own = PurePosixPath(page.path)
        if self._folders.beside_pages or own.stem.partition(".")[0] == "index":
            places.append(self._folders.root / own.parent / unquote(target))
        root = self._folders.root.resolve()
        for file in (place.resolve() for place in places):
            if file.is_relative_to(root) and file.is_file():
                path = file.relative_to(root).as_posix()
                return path, address.partition("#")[0].partition("?")[0]
        return None

    def _document(
        self, path: str, link: tuple[str, Document], *, full: bool, end: float
    ) -> Document:
        if full or time.monotonic() > end:
            raise DocumentUnreadable(
                f"too-large: more than {MAX_FILES} files, or {DEADLINE_S:.0f} s"
            )
        if find_spec("pypdf") is None:
            raise DocumentUnreadable(
                "binary: reading a PDF needs the extra pdf: python -m pip install 'askfolio[pdf]'"
            )
        address, page = link
        text = pdf_text(self._folders.root / path)
        return Document(
            doc_id=f"{self.name}:{path}",
            source=self.name,
            path=path,
            url=address,
            title=text.title or _title_of_name(path),
            language=prose_language(text.sections) or page.language,
            kind="page",
            sections=text.sections,
            anchors=text.anchors,
        )


def _bases(pages: Iterable[Document]) -> tuple[str, ...]:
    """Paths that all pages are below: one of them is the site's own, where it has one."""
    paths = {urlsplit(page.url).path.strip("/") for page in pages if page.url}
    common = PurePosixPath(os.path.commonpath(paths) if paths else "")
    folders = (common, *common.parents)
    return tuple("" if str(folder) == "." else f"/{folder}" for folder in reversed(folders))


def _targets(page: Document) -> Iterator[str]:
    for section in page.sections:
        if ".pdf" in section.text.lower():
            for match in _TARGET.finditer(section.text):
                yield match[1] or match[2]


def _title_of_name(path: str) -> str:
    words = " ".join(re.split(r"[-_\s]+", PurePosixPath(path).stem)).strip()
    return words if words != words.lower() else words.capitalize()
