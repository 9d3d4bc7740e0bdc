"""Which pages does a site list for those who read it by machine, and which may be read?"""

import gzip
import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit
from urllib.robotparser import RobotFileParser

from ingestion.errors import DocumentUnreadable, SourceError
from ingestion.html.tree import sitemap_entries
from ingestion.sources.web import USER_AGENT, AddressRefused, Fetched, fetch, origin_of

MAX_ROBOTS_BYTES = 1 << 19
MAX_SITEMAP_BYTES = 16 << 20
MAX_SITEMAPS = 50
PAUSE_S = 0.5
MAX_PAUSE_S = 10.0
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True, slots=True)
class RobotRules:
    """What robots.txt asks for.

    Attributes:
        parser: Its rules.
        sitemaps: The sitemaps it names.
    """

    parser: RobotFileParser
    sitemaps: tuple[str, ...]

    def allows(self, address: str) -> bool:
        """Whether the page may be read."""
        return self.parser.can_fetch(USER_AGENT, address)

    def pause_s(self, address: str) -> float:
        """Seconds between two requests; a server on this machine needs none."""
        asked = self.parser.crawl_delay(USER_AGENT)
        if asked is None and urlsplit(address).hostname in _LOOPBACK:
            return 0.0
        return min(MAX_PAUSE_S, max(PAUSE_S, float(asked or 0)))


def robot_rules(address: str) -> RobotRules:
    """The rules of the site that `address` belongs to; none where it has no robots.txt.

    Raises:
        SourceUnreachable: The server does not answer, or with an error of its own.
    """
    place = f"{origin_of(address)}/robots.txt"
    parser = RobotFileParser()
    try:
        text = fetch(place, MAX_ROBOTS_BYTES, origin_of(address)).body.decode("utf-8", "replace")
    except AddressRefused as error:
        if error.status >= 500:
            raise
        text = ""
    parser.parse(text.splitlines())
    return RobotRules(parser, tuple(parser.site_maps() or ()))


def sitemap_addresses(site_url: str, rules: RobotRules) -> Iterator[str]:
    """Addresses of all pages, each once, in the order of the sitemaps.

    Args:
        site_url: Of a sitemap, or of the site: then robots.txt or `/sitemap.xml` names it.
        rules: Of the site.

    Raises:
        SourceError: A sitemap is none, or there are too many.
        SourceUnreachable: A sitemap cannot be read.
    """
    origin = origin_of(site_url)
    waiting = [site_url] if is_sitemap(site_url) else list(rules.sitemaps)
    waiting = waiting or [urljoin(site_url, "sitemap.xml")]
    seen: set[str] = set()
    pages: set[str] = set()
    while waiting:
        place = waiting.pop(0)
        if place in seen or origin_of(place) != origin:
            continue
        seen.add(place)
        if len(seen) > MAX_SITEMAPS:
            raise SourceError(f"{site_url} has more than {MAX_SITEMAPS} sitemaps")
        for kind, address in _entries(place, origin):
            if kind == "sitemap":
                waiting.append(urljoin(place, address))
            elif address not in pages:
                pages.add(address)
                yield address


def is_sitemap(address: str) -> bool:
    """Whether `address` is a sitemap's rather than a page's."""
    return urlsplit(address).path.endswith((".xml", ".xml.gz"))


def _entries(place: str, origin: str) -> list[tuple[str, str]]:
    try:
        return list(sitemap_entries(_unpacked(fetch(place, MAX_SITEMAP_BYTES, origin))))
    except DocumentUnreadable as error:
        raise SourceError(f"{place}: {error}") from error


def _unpacked(fetched: Fetched) -> bytes:
    if not fetched.body.startswith(b"\x1f\x8b"):
        return fetched.body
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(fetched.body)) as stream:
            content = stream.read(MAX_SITEMAP_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise DocumentUnreadable(f"parse-error: {error}") from error
    if len(content) > MAX_SITEMAP_BYTES:
        raise DocumentUnreadable(f"too-large: more than {MAX_SITEMAP_BYTES} bytes")
    return content
