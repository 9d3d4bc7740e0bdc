"""What does the folder of a built site publish?"""

from pathlib import Path, PurePosixPath
from urllib.parse import quote

from ingestion.errors import DocumentUnreadable, SourceMissing
from ingestion.html.tree import check_extra, decoded
from ingestion.sources.base import Listing, ReportProgress, no_progress
from ingestion.sources.folder_files import FoundFile, walk
from ingestion.sources.html_pages import HtmlPage, page_documents, read_page
from retrieval.configuration import Site
from retrieval.types import Skipped, Unreadable

SUFFIXES = (".html", ".htm", ".xhtml")
MAX_PAGE_BYTES = 2 << 20
SKIP_REASONS = frozenset({"too-large", "encoding", "empty", "not-rendered"})
_FOLDERS_LEFT_OUT = frozenset({"node_modules/"})
_ERROR_PAGES = frozenset({"404.html", "500.html"})


class HtmlSite:
    """`kind = "html"` with `site.path`: every page of a folder, at the address where it lies.

    A page's own canonical address wins where it is on the site. Left out: pages with `noindex`,
    pages that lead elsewhere, and error pages.

    Args:
        site: As configured; without a base_url only a canonical address makes a link.
        root: The folder.

    Raises:
        ConfigurationError: The extra `html` is not installed.
    """

    def __init__(self, site: Site, root: Path) -> None:
        check_extra()
        self._site = site
        self._root = root

    @property
    def name(self) -> str:
        """See `DocumentSource`."""
        return self._site.name

    def listing(self, report: ReportProgress = no_progress) -> Listing:
        """See `DocumentSource`.

        Raises:
            SourceMissing: The folder is not there.
            SourceError: A folder in it cannot be read.
        """
        if not self._root.is_dir():
            raise SourceMissing(f"the built site {self._root} is no folder: set site.path")
        files = list(walk(self._root, self._root, _is_wanted))
        pages: list[HtmlPage] = []
        skipped: list[Skipped] = []
        errors: list[Unreadable] = []
        for number, found in enumerate(files):
            report(number, len(files))
            try:
                pages.append(self._page(found))
            except DocumentUnreadable as error:
                reason = str(error)
                if found.reason or reason.split(":")[0] in SKIP_REASONS:
                    skipped.append(Skipped(self.name, found.path, reason))
                else:
                    errors.append(Unreadable(self.name, found.path, reason))
        report(len(files), len(files))
        documents = tuple(page_documents(self.name, self._site.base_url, pages, skipped))
        return Listing(documents, tuple(skipped), tuple(errors))

    def _page(self, found: FoundFile) -> HtmlPage:
        if found.reason:
            raise DocumentUnreadable(found.reason)
        if found.path in _ERROR_PAGES:
            raise DocumentUnreadable("not-rendered: an error page")
        return read_page(found.path, self._address(found.path), decoded(_content(found.file)))

    def _address(self, path: str) -> str | None:
        if not self._site.base_url:
            return None
        place = PurePosixPath(path)
        index = place.stem.lower() == "index"
        shown = path.removesuffix(place.name) if index else path
        return f"{self._site.base_url.rstrip('/')}/{quote(shown)}"


def _content(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            content = stream.read(MAX_PAGE_BYTES + 1)
    except OSError as error:
        raise DocumentUnreadable(f"unreadable: {error.strerror}") from error
    if len(content) > MAX_PAGE_BYTES:
        raise DocumentUnreadable(f"too-large: more than {MAX_PAGE_BYTES} bytes")
    return content


def _is_wanted(name: str) -> bool:
    if name.endswith("/"):
        return name not in _FOLDERS_LEFT_OUT
    return name.lower().endswith(SUFFIXES)
