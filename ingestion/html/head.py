"""What does a page say about itself: its title, language, own address, and whether to list it?"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ingestion.html.tree import Element

_REFRESH = re.compile(r"\s*\d+(?:\.\d+)?\s*[;,]\s*url\s*=\s*[\"']?([^\"']+)", re.IGNORECASE)
_UNLISTED = frozenset({"noindex", "none"})


@dataclass(frozen=True, slots=True)
class Head:
    """What stands in the head of a page; addresses as written.

    Attributes:
        title: Of og:title, else of the title element; "" for none.
        language: Lower case; "" where it is not named.
        canonical: The address that the page calls its own; "" for none.
        unlisted: It asks not to be indexed.
        leads_to: Where it redirects to; "" where it does not.
        translations: Addresses of it in every language, itself included.
    """

    title: str
    language: str
    canonical: str
    unlisted: bool
    leads_to: str
    translations: tuple[str, ...]


def read_head(root: Element) -> Head:
    """Read the head of the page `root`."""
    metas = {name: content for name, content in reversed(list(_metas(root)))}
    links = list(_links(root))
    titles = [" ".join(t.text_content().split()) for t in root.iterfind(".//title")]
    robots = {word.strip() for word in metas.get("robots", "").lower().split(",")}
    refresh = _REFRESH.match(metas.get("refresh", ""))
    return Head(
        title=metas.get("og:title", "").strip() or next(iter(titles), ""),
        language=(root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or "")
        .strip()
        .lower()
        .replace("_", "-"),
        canonical=next((href for rel, href, _ in links if "canonical" in rel), ""),
        unlisted=bool(robots & _UNLISTED),
        leads_to=refresh[1].strip() if refresh else "",
        translations=tuple(href for rel, href, lang in links if lang and "alternate" in rel),
    )


def _metas(root: Element) -> Iterator[tuple[str, str]]:
    for meta in root.iter("meta"):
        name = meta.get("name") or meta.get("property") or meta.get("http-equiv") or ""
        yield name.strip().lower(), meta.get("content") or ""


def _links(root: Element) -> Iterator[tuple[list[str], str, str]]:
    """(relations, address, language other than x-default) of every link element."""
    for link in root.iter("link"):
        language = (link.get("hreflang") or "").lower()
        href = (link.get("href") or "").strip()
        if href:
            relations = (link.get("rel") or "").lower().split()
            yield relations, href, "" if language == "x-default" else language
