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
        return HtmlPage(path, address, head, "", (), ())
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
    """A document a page; a page that leads to another one, or names its address, is an alias of it.

    Args:
        source: Name of the source.
        base_url: Of the site; "" where it is not configured.
        pages: All of them.
        skipped: Gets the pages that are left to another.
    """
    owned = [(page, _own_address(page, base_url)) for page in pages]
    taken = {address_key(own) for page, own in owned if own and not _elsewhere(page, own)}
    aliases: dict[str, list[str]] = {}
    kept: list[tuple[HtmlPage, str | None]] = []
    for page, own in owned:
        target = _elsewhere(page, own)
        if target and page.address:
            aliases.setdefault(address_key(target), []).append(page.address)
        if page.head.leads_to:
            reason = f"not-rendered: leads to {page.head.leads_to}"
        elif target and address_key(target) in taken:
            reason = f"not-rendered: its own address is {target}"
        else:
            taken.add(address_key(target))
            kept.append((page, own))
            continue
        skipped.append(Skipped(source, page.path, reason))
    for page, own in kept:
        yield _document(source, page, own, aliases.get(address_key(own), []) if own else [])


def _document(source: str, page: HtmlPage, url: str | None, aliases: list[str]) -> Document:
    return Document(
        doc_id=f"{source}:{page.path}",
        source=source,
        path=page.path,
        url=url,
        title=page.title,
        language=page.head.language,
        kind="page",
        sections=page.sections,
        anchors=page.anchors,
        aliases=tuple(aliases),
        translation_key=_translation_key(page, url),
    )


def _elsewhere(page: HtmlPage, own: str | None) -> str:
    """Where the page says that it really is; "" where that is where it lies."""
    if page.head.leads_to:
        return _joined(page.address, page.head.leads_to)
    if not own or not page.address or address_key(own) == address_key(page.address):
        return ""
    return own


def _own_address(page: HtmlPage, base_url: str) -> str | None:
    """The address that the page calls its own where that is on the site, else where it lies."""
    canonical = _joined(page.address, page.head.canonical) if page.head.canonical else ""
    origin = origin_of(canonical)
    allowed = {origin_of(page.address or ""), origin_of(base_url)} - {""}
    return canonical if origin and (origin in allowed or not allowed) else page.address


def _joined(address: str | None, target: str) -> str:
    """`target` as seen from `address`, without its fragment; "" where it is no address."""
    try:
        return urldefrag(urljoin(address or "", target)).url
    except ValueError:
        return ""


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
