"""Which part of a page is its main text?

Where its author says so, with a `main` element or one `article`, that is it. Elsewhere trafilatura
tells it from menus and footers, unless it would lose a heading, as it does on pages of cards; then
it is the body without what calls itself a menu or a footer. Trafilatura drops ids: marks in the
text carry them through.
"""

import copy
import hashlib
import logging
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count

from ingestion.html.tree import Element, tag_of

UNSEEN = frozenset({
    "script", "style", "template", "noscript", "svg", "nav", "head", "iframe", "object", "canvas",
    "button", "input", "select", "textarea", "dialog", "math",
})  # fmt: skip
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_MAX_MARKS = 10_000
_BESIDE = frozenset({"nav", "footer", "aside"})
_BESIDE_NAMES = re.compile(
    r"(?:^|[\s_-])(?:sidebar|related|comments?|share|social|cookies?|newsletter|menu|navbar|navigation"
    r"|breadcrumbs?|pagination|toc|footer)(?:$|[\s_-])",
    re.IGNORECASE,
)
_HTML_NAMES = {"list": "ul", "item": "li", "row": "tr", "cell": "td", "quote": "blockquote",
               "lb": "br", "hi": "b", "ref": "a", "del": "s"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class MainText:
    """The main text.

    Attributes:
        element: Holds it.
        marks: By the marks in its text the ids of the page; empty where elements have them.
        mark: Finds a mark in a text.
    """

    element: Element
    marks: Mapping[str, str] = field(default_factory=dict)
    mark: re.Pattern[str] | None = None


def main_text(root: Element) -> MainText:
    """Find the main text of the page `root`."""
    named = _named(root)
    if named is not None:
        return MainText(named)
    return _told_apart(root) or MainText(_without_surroundings(root))


def _named(root: Element) -> Element | None:
    for path in (".//main", ".//*[@role='main']", ".//article"):
        found = [element for element in root.iterfind(path) if _words(element)]
        if len(found) == 1:
            return found[0]
    return None


def _body(root: Element) -> Element:
    body = root.find("body")
    return root if body is None else body


def _words(element: Element) -> bool:
    return bool("".join(element.itertext()).strip())


def _told_apart(root: Element) -> MainText | None:
    """The main text as trafilatura sees it; None where it finds none, or loses a heading."""
    import trafilatura
    from lxml import html

    # It logs what it decides about each page; here a page without main text is no warning.
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    marked = copy.deepcopy(root)
    seed = hashlib.sha256(html.tostring(root)).hexdigest()[:8]
    names = list(_insert_marks(marked, f"xq{seed}n{{}}x "))
    found = trafilatura.bare_extraction(
        html.tostring(marked, encoding="unicode"),
        include_comments=False,
        include_formatting=True,
        include_links=True,
        favor_recall=True,
    )
    if found is None or isinstance(found, dict) or found.body is None:
        return None
    mark = re.compile(rf"xq{seed}n(\d+)x ?")
    kept = Counter(_letters(mark.sub("", text)) for text in _heading_texts(found.body, ("head",)))
    wanted = Counter(map(_letters, _heading_texts(_without_surroundings(root), HEADINGS)))
    if wanted - kept:
        return None
    _as_html(found.body)
    return MainText(found.body, dict(zip(map(str, count()), names, strict=False)), mark)


def _heading_texts(element: Element, tags: Iterable[str]) -> Iterator[str]:
    for heading in element.iter(*tags):
        text = "".join(heading.itertext())
        if _letters(text):
            yield text


def _letters(text: str) -> str:
    return "".join(re.findall(r"\w", text))


def _as_html(body: Element) -> None:
    """Trafilatura's names of elements become those of HTML."""
    for element in body.iter("code"):
        if "\n" in "".join(element.itertext()):
            element.tag = "pre"
    for element in body.iter(*_HTML_NAMES):
        element.tag = _HTML_NAMES[element.tag]
    for element in body.iter("head"):
        element.tag = element.get("rend") if element.get("rend") in HEADINGS else "h2"


def _without_surroundings(root: Element) -> Element:
    """The body without what its elements or their names call a menu, a footer and the like."""
    body = copy.deepcopy(_body(root))
    for element in list(body.iter()):
        tag = tag_of(element)
        names = f"{element.get('class') or ''} {element.get('id') or ''}"
        beside = tag in _BESIDE or (tag == "header" and element.find(".//h1") is None)
        if (beside or _BESIDE_NAMES.search(names)) and element is not body:
            _drop(element)
    return body


def _drop(element: Element) -> None:
    """Take the element out; the text behind it stays."""
    parent = element.getparent()
    if parent is None:
        return
    before = element.getprevious()
    tail = f" {element.tail or ''}"
    if before is None:
        parent.text = (parent.text or "") + tail
    else:
        before.tail = (before.tail or "") + tail
    parent.remove(element)


def _insert_marks(root: Element, mark: str) -> Iterator[str]:
    """Put a mark for every id in front of the first text that follows; yields the ids."""
    waiting: list[str] = []
    number = 0
    for holder, where, name in list(_places(root)):
        if where == "id":
            waiting.append(name)
            continue
        marks = ""
        for name_waiting in waiting[: _MAX_MARKS - number]:
            marks += mark.format(number)
            number += 1
            yield name_waiting
        waiting.clear()
        setattr(holder, where, marks + getattr(holder, where))


def _places(element: Element) -> Iterator[tuple[Element, str, str]]:
    """Ids and texts in document order: (element, "id", its id) or (element, "text"/"tail", "")."""
    if tag_of(element) in UNSEEN:
        return
    name = element.get("id") or (element.get("name") if tag_of(element) == "a" else "")
    if name:
        yield element, "id", name
    if element.text and element.text.strip():
        yield element, "text", ""
    for child in element:
        yield from _places(child)
        if child.tail and child.tail.strip():
            yield child, "tail", ""
