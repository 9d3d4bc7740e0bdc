"""Which elements does an HTML page have? The one place that parses HTML and XML."""

import codecs
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ingestion.errors import DocumentUnreadable
from retrieval.errors import ConfigurationError

if TYPE_CHECKING:
    from lxml.etree import _Element as Element
else:
    Element = object

MAX_ELEMENTS = 25_000
MAX_DEPTH = 200
"""A reader descends one call a level; libxml2 itself stops at 256."""
_META_CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"),
          (codecs.BOM_UTF16_BE, "utf-16"))  # fmt: skip
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")

__all__ = ["Element", "check_extra", "decoded", "parse_html", "sitemap_entries", "tag_of"]


def check_extra() -> None:
    """Refuse kind html where its packages are not installed.

    Raises:
        ConfigurationError: Names the extra.
    """
    try:
        import lxml.html  # noqa: F401
        import trafilatura  # noqa: F401
    except ImportError as error:
        raise ConfigurationError(
            f'kind = "html" needs the extra html ({error.name} is not installed): '
            "python -m pip install 'askfolio[html]'"
        ) from error


def decoded(content: bytes, charset: str = "") -> str:
    """The text of a page: by its byte order mark, the header, its own meta element, or UTF-8.

    Raises:
        DocumentUnreadable: It is in none of them; the message starts with `encoding`.
    """
    named = next((name for mark, name in _MARKS if content.startswith(mark)), charset)
    if not named:
        meta = _META_CHARSET.search(content[:2048])
        named = meta[1].decode("ascii") if meta else "utf-8"
    try:
        return content.decode(named)
    except (UnicodeDecodeError, LookupError) as error:
        raise DocumentUnreadable(f"encoding: not {named}: {error}") from error


def parse_html(text: str) -> Element:
    """The root element of a page.

    Raises:
        DocumentUnreadable: It has no element, or nests deeper than any page.
    """
    from lxml import etree, html

    try:
        root = html.document_fromstring(
            _CONTROL.sub(" ", text), parser=html.HTMLParser(remove_comments=True, remove_pis=True)
        )
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise DocumentUnreadable(f"parse-error: {error}") from error
    _refuse_too_much(root)
    return root


def sitemap_entries(content: bytes) -> Iterator[tuple[str, str]]:
    """`("sitemap" or "url", address)` for every entry of a sitemap or a sitemap index.

    Raises:
        DocumentUnreadable: It is no XML.
    """
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(content, parser=parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise DocumentUnreadable(f"parse-error: no sitemap: {error}") from error
    for entry in root:
        place = next((child.text for child in entry if tag_of(child) == "loc"), None)
        if place and tag_of(entry) in {"sitemap", "url"}:
            yield tag_of(entry), place.strip()


def tag_of(element: Element) -> str:
    """The element's name without its namespace; "" for a comment."""
    tag = element.tag
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""


def _refuse_too_much(root: Element) -> None:
    """Counts without descending by calls."""
    from lxml import etree

    depth = elements = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        elements += event == "start"
        if depth > MAX_DEPTH:
            raise DocumentUnreadable(f"too-large: elements nest deeper than {MAX_DEPTH}")
        if elements > MAX_ELEMENTS:
            raise DocumentUnreadable(f"too-large: more than {MAX_ELEMENTS} elements")
