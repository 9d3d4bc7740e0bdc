"""What does the main text of a page say below each heading, and at each element with an id?"""

import re
from dataclasses import dataclass, field

from ingestion.html.main_text import HEADINGS, UNSEEN, MainText
from ingestion.html.tree import Element, tag_of
from retrieval.export.block_format import fenced
from retrieval.types import Section

MAX_SECTIONS = 10_000
_DEEPEST = 7
_BLOCKS = frozenset({
    "p", "div", "section", "article", "aside", "header", "footer", "main", "blockquote", "figure",
    "figcaption", "table", "ul", "ol", "dl", "details", "summary", "address", "form", "fieldset",
    "hr", "body", "dd", "dt", "li", "tr",
})  # fmt: skip
_FILE = re.compile(r"^[^\s()]+\.pdf(?:[?#][^\s()]*)?$", re.IGNORECASE)
_TIGHT = frozenset({"li", "tr", "dt", "dd", "summary"})
_CELLS = frozenset({"td", "th"})


@dataclass(slots=True)
class _Place:
    """Where the reader is."""

    path: tuple[tuple[int, str], ...] = ()
    anchor: str = ""


@dataclass(slots=True)
class _Written:
    """What was read since the last border."""

    lines: list[str] = field(default_factory=list)
    inline: list[str] = field(default_factory=list)
    heading_level: int = 0


def page_sections(main: MainText) -> tuple[Section, ...]:
    """The main text cut at its headings and at its elements with an id."""
    reader = _Reader(main)
    reader.read(main.element)
    reader.end_section()
    return tuple(reader.sections)


class _Reader:
    def __init__(self, main: MainText) -> None:
        self.sections: list[Section] = []
        self._main = main
        self._place = _Place()
        self._written = _Written()
        self._waiting = ""
        self._prefixes: list[str] = []
        self._heading: list[str] | None = None

    def read(self, element: Element) -> None:
        tag = tag_of(element)
        if tag in UNSEEN or element.get("hidden") is not None:
            return
        if element.get("aria-hidden") == "true" or self._is_permalink(element, tag):
            return
        name = element.get("id") or (element.get("name") if tag == "a" else "") or ""
        if self._heading is not None:
            self._enter(name)
            self._read_inline(element, tag)
        elif tag in HEADINGS:
            self._read_heading(element, int(tag[1]), name)
        elif tag == "pre":
            self._enter(name)
            self._block(fenced(self._unmarked("".join(element.itertext())).strip("\n")))
        elif tag in _BLOCKS:
            self._read_block(element, tag, name)
        else:
            if tag == "a" or not "".join(element.itertext()).strip():
                self._enter(name)
            self._read_inline(element, tag)

    def end_section(self, next_level: int = 0) -> None:
        """Keep what was read; a heading alone is kept in the path of a deeper one that follows."""
        self._end_line()
        written, self._written = self._written, _Written()
        text = "\n".join(written.lines).strip("\n")
        alone = written.heading_level and "\n" not in text
        if not text or (alone and next_level > written.heading_level):
            return
        if len(self.sections) < MAX_SECTIONS:
            titles = tuple(title for _, title in self._place.path)
            self.sections.append(Section(titles, self._place.anchor, text))

    def _read_heading(self, element: Element, level: int, name: str) -> None:
        waiting = self._waiting
        self.end_section(level)
        self._waiting = name
        self._heading = []
        self._read_children(element)
        title = " ".join("".join(self._heading).split())
        self._heading = None
        anchor, self._waiting = self._waiting or waiting, ""
        above = tuple(entry for entry in self._place.path if entry[0] < level)
        self._place = _Place((*above, (level, title)) if title else above, anchor)
        if title:
            self._written = _Written([f"{'#' * level} {title}", ""], [], level)

    def _read_block(self, element: Element, tag: str, name: str) -> None:
        self._end_line()
        before = self._place
        self._enter(name)
        if tag == "li":
            self._prefixes.append("- ")
        self._read_children(element)
        self._end_line()
        if tag == "li":
            self._prefixes.pop()
        if tag not in _TIGHT:
            self._blank()
        if name and tag != "dt":  # a definition belongs to its term
            self.end_section()
            self._place = before
            self._waiting = ""

    def _read_inline(self, element: Element, tag: str) -> None:
        if tag == "br":
            self._end_line()
        elif tag == "img":
            self._text(element.get("alt") or "")
        if tag in _CELLS and "".join(self._written.inline).strip():
            self._written.inline.append(" | ")
        target = (element.get("href") or element.get("target") or "") if tag == "a" else ""
        if _FILE.search(target) and self._heading is None:
            label = " ".join("".join(element.itertext()).split())
            self._text(f"[{label}]({target})")
            return
        self._read_children(element)

    def _read_children(self, element: Element) -> None:
        self._marked_text(element.text or "")
        for child in element:
            self.read(child)
            self._marked_text(child.tail or "")

    def _marked_text(self, text: str) -> None:
        mark = self._main.mark
        parts = mark.split(text) if mark else [text]
        for index, part in enumerate(parts):
            if index % 2:
                self._enter(self._main.marks.get(part, ""))
            else:
                self._text(part)

    def _unmarked(self, text: str) -> str:
        """`text` without its marks; the first of them is entered."""
        mark = self._main.mark
        if mark is None:
            return text
        if first := mark.search(text):
            self._enter(self._main.marks.get(first[1], ""))
        return mark.sub("", text)

    def _enter(self, name: str) -> None:
        """An id: the next text starts a section, or the next heading has it."""
        if name and (self._heading is not None or not "".join(self._written.inline).strip()):
            self._waiting = name

    def _text(self, text: str) -> None:
        if self._heading is not None:
            self._heading.append(text)
            return
        if self._waiting and text.strip():
            self.end_section(_DEEPEST)
            self._place = _Place(self._place.path, self._waiting)
            self._waiting = ""
        self._written.inline.append(text)

    def _end_line(self) -> None:
        line = " ".join("".join(self._written.inline).split())
        self._written.inline.clear()
        if line and line != "|":
            self._written.lines.append("".join(self._prefixes) + line)
            if self._prefixes:
                self._prefixes[-1] = "  "

    def _block(self, text: str) -> None:
        """Lines that are kept as they are."""
        self._end_line()
        if text.strip("`\n "):
            self._text(" ")
            self._written.inline.clear()
            self._blank()
            self._written.lines += [*text.split("\n"), ""]

    def _blank(self) -> None:
        if self._written.lines and self._written.lines[-1]:
            self._written.lines.append("")

    def _is_permalink(self, element: Element, tag: str) -> bool:
        """The sign beside a heading that links to the heading itself."""
        if tag != "a" or self._heading is None or "#" not in (element.get("href") or ""):
            return False
        return not re.search(r"\w", "".join(element.itertext()))
