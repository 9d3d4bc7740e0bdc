"""What does a site publish on the web, by its sitemap?"""

import time
from urllib.parse import unquote, urlsplit

from ingestion.errors import DocumentUnreadable, SourceError, SourceUnreachable
from ingestion.html.tree import check_extra, decoded
from ingestion.sources.base import Listing, ReportProgress, no_progress
from ingestion.sources.html_pages import HtmlPage, page_documents, read_page
from ingestion.sources.html_site import MAX_PAGE_BYTES, SKIP_REASONS
from ingestion.sources.sitemap import RobotRules, robot_rules, sitemap_addresses
from ingestion.sources.web import AddressRefused, fetch, origin_of
from retrieval.configuration import Site
from retrieval.types import Skipped, Unreadable

MAX_PAGES = 5_000
MAX_FAILURES = 5
_GONE = frozenset({401, 403, 404, 410, 451})
_PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml"})


class HtmlWeb:
    """`kind = "html"` with `site.url`: the pages of a sitemap, read one after the other.

    The sitemap's origin is never left, robots.txt is obeyed, and there is a pause between two
    requests. A page that does not answer keeps its last good version; when several in a row do not,
    the whole site does.

    Args:
        site: As configured; `url` is that of a sitemap or of the site.

    Raises:
        ConfigurationError: The extra `html` is not installed.
    """

    def __init__(self, site: Site) -> None:
        check_extra()
        self._site = site

    @property
    def name(self) -> str:
        """See `DocumentSource`."""
        return self._site.name

    def listing(self, report: ReportProgress = no_progress) -> Listing:
        """See `DocumentSource`.

        Raises:
            SourceUnreachable: The site does not answer.
            SourceError: Its sitemap cannot be read.
        """
        rules = robot_rules(self._site.url)
        addresses = list(sitemap_addresses(self._site.url, rules))
        if not addresses:
            raise SourceError(f"the sitemap of {self._site.url} lists no page")
        reading = _Reading(self.name, origin_of(self._site.url), rules)
        for number, address in enumerate(addresses[:MAX_PAGES]):
            report(number, len(addresses))
            reading.read(address)
        report(len(addresses), len(addresses))
        for address in addresses[MAX_PAGES:]:
            reading.skip(address, f"too-large: more than {MAX_PAGES} pages")
        documents = page_documents(self.name, self._site.base_url, reading.pages, reading.skipped)
        return Listing(tuple(documents), tuple(reading.skipped), tuple(reading.errors))


class _Reading:
    """One reading of a site."""

    def __init__(self, source: str, origin: str, rules: RobotRules) -> None:
        self.pages: list[HtmlPage] = []
        self.skipped: list[Skipped] = []
        self.errors: list[Unreadable] = []
        self._source = source
        self._origin = origin
        self._rules = rules
        self._pause_s = rules.pause_s(origin)
        self._failures = 0

    def read(self, address: str) -> None:
        """Read a page, or note why not."""
        if origin_of(address) != self._origin:
            self.skip(address, "not-rendered: on another site")
        elif not self._rules.allows(address):
            self.skip(address, "not-rendered: robots.txt")
        else:
            time.sleep(self._pause_s)
            self._fetch(address)

    def skip(self, address: str, reason: str) -> None:
        """Note a page that is left out."""
        self.skipped.append(Skipped(self._source, _path(address), reason))

    def _fetch(self, address: str) -> None:
        try:
            fetched = fetch(address, MAX_PAGE_BYTES, self._origin)
            self._failures = 0
            if fetched.content_type not in _PAGE_TYPES:
                self.skip(address, f"not-rendered: {fetched.content_type}")
                return
            text = decoded(fetched.body, fetched.charset)
            page = read_page(_path(fetched.address), fetched.address, text, fetched.robots)
            if all(page.path != other.path for other in self.pages):
                self.pages.append(page)
        except DocumentUnreadable as error:
            reason = str(error)
            if reason.split(":")[0] in SKIP_REASONS:
                self.skip(address, reason)
            else:
                self.errors.append(Unreadable(self._source, _path(address), reason))
        except AddressRefused as error:
            if error.status in _GONE:
                self.skip(address, f"not-rendered: answers {error.status}")
            else:
                self._failed(address, error)
        except SourceUnreachable as error:
            self._failed(address, error)

    def _failed(self, address: str, error: SourceUnreachable) -> None:
        self._failures += 1
        if self._failures == MAX_FAILURES:
            raise SourceUnreachable(f"{MAX_FAILURES} pages in a row failed: {error}") from error
        self.errors.append(Unreadable(self._source, _path(address), str(error)))


def _path(address: str) -> str:
    """The address' path as that of a file."""
    parts = urlsplit(address)
    path = unquote(parts.path).lstrip("/")
    path = f"{path}index.html" if not path or path.endswith("/") else path
    return f"{path}?{parts.query}" if parts.query else path
