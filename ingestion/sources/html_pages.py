"""Which documents do the pages of a built site make?"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urldefrag, urljoin

from ingestion.errors import DocumentUnreadable
from ingestion.html.head import Head, read_head
from ingestion.html.main_text import main_text
from ingestion.html.sections import page_sections
from ingestion.html.tree import Element, parse_html, tag_of
from ingestion.sources.web import origin_of
from retrieval.chunk_store import address_key
from retrieval.types import Document, Section, Skipped

MAX_ANCHORS = 10_000


@dataclass(frozen=True, slots=True)
class HtmlPage:
    """A page that was read.

    Attributes:
        path: Relative to the root of the site.
        address: Where it lies; None where the site's address is not known.
        head: What it says about itself.
        title: Its first heading, or the title in its head.
        sections: Its main text.
        anchors: Every id on it.
    """

    path: str
    address: str | None
    head: Head
    title: str
    sections: tuple[Section, ...]
    anchors: tuple[str, ...]


def read_page(path: str, address: str | None, text: str, robots: str = "") -> HtmlPage:
    """Read one page.

    Args:
        path: Relative to the root of the site.
        address: Where it lies.
        text: The page.
        robots: Its X-Robots-Tag header, lower case.

    Raises:
        DocumentUnreadable: It is not to be listed, or has no text; the reason comes first.
    """
    root = parse_html(text)
    head = read_head(root)
    if head.leads_to:
        raise DocumentUnreadable(f"not-rendered: leads to {head.leads_to}")
    if head.unlisted or "noindex" in robots or "none" in robots.replace(",", " ").split():
        raise DocumentUnreadable("not-rendered: noindex")
    sections = page_sections(main_text(root))
    if not any(any(char.isalnum() for char in section.text) for section in sections):
        raise DocumentUnreadable("empty")
    first = next((section.headings[0] for section in sections if section.headings), "")
    title = _first_title(root) or head.title or first or path
    return HtmlPage(path, address, head, title, sections, tuple(_ids(root)))


def page_documents(
    source: str, base_url: str, pages: Iterable[HtmlPage], skipped: list[Skipped]
) -> Iterator[Document]:
    """A document a page; a page whose own address is that of another one leaves it to that.

    Args:
        source: Name of the source.
        base_url: Of the site; "" where it is not configured.
        pages: All of them.
        skipped: Gets the pages that are left to another.
    """
    read = list(pages)
    there = {address_key(page.address) for page in read if page.address}
    aliases: dict[str, list[str]] = {}
    kept: list[tuple[HtmlPage, str | None]] = []
    for page in read:
        own = _own_address(page, base_url)
        elsewhere = page.address and own and address_key(own) != address_key(page.address)
        if elsewhere and address_key(own or "") in there:
            skipped.append(Skipped(source, page.path, f"not-rendered: its own address is {own}"))
            aliases.setdefault(address_key(own or ""), []).append(page.address or "")
            continue
        if elsewhere:
            aliases.setdefault(address_key(own or ""), []).append(page.address or "")
        kept.append((page, own))
    for page, own in kept:
        yield Document(
            doc_id=f"{source}:{page.path}",
            source=source,
            path=page.path,
            url=own,
            title=page.title,
            language=page.head.language,
            kind="page",
            sections=page.sections,
            anchors=page.anchors,
            aliases=tuple(aliases.get(address_key(own), ())) if own else (),
            translation_key=_translation_key(page, own),
        )


def _own_address(page: HtmlPage, base_url: str) -> str | None:
    """The address that the page calls its own where that is on the site, else where it lies."""
    try:
        canonical = urldefrag(urljoin(page.address or "", page.head.canonical)).url
    except ValueError:
        return page.address
    origin = origin_of(canonical)
    allowed = {origin_of(page.address or ""), origin_of(base_url)} - {""}
    if page.head.canonical and origin and (origin in allowed or not allowed):
        return canonical
    return page.address


def _translation_key(page: HtmlPage, own: str | None) -> str:
    """The first of the addresses that a page and its translations name alike."""
    try:
        named = {urljoin(own or "", address) for address in page.head.translations}
    except ValueError:
        return ""
    return min(named) if len(named) > 1 else ""


def _first_title(root: Element) -> str:
    for heading in root.iter("h1"):
        title = " ".join("".join(heading.itertext()).split()).rstrip("¶#").rstrip()
        if title:
            return title
    return ""


def _ids(root: Element) -> Iterator[str]:
    seen: set[str] = set()
    for element in root.iter():
        name = element.get("id") or (element.get("name") if tag_of(element) == "a" else None)
        if name and name not in seen and len(seen) < MAX_ANCHORS:
            seen.add(name)
            yield name
