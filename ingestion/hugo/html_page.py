"""What text does an HTML content file show, and which anchors does it have?"""

from dataclasses import dataclass, field
from html.parser import HTMLParser

from ingestion.hugo.hidden_text import HiddenText
from ingestion.hugo.page_text import PageText
from ingestion.hugo.shortcodes import hide_shortcodes
from retrieval.types import Section

_INVISIBLE = frozenset({"script", "style", "template", "head", "svg"})
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_BLOCKS = frozenset({"p", "div", "li", "ul", "ol", "table", "tr", "br", "section", "article",
                     "blockquote", "pre", "dt", "dd", "figure", "hr", *_HEADINGS})  # fmt: skip


def html_text(body: str, body_line: int) -> PageText:
    """The visible text of an HTML page, cut at its headings; ids are anchors.

    Raises:
        DocumentUnreadable: Too many shortcodes have no end.
    """
    hidden = HiddenText()
    reader = _Reader(body_line)
    reader.feed(hidden.restore(hide_shortcodes(body, hidden)))
    reader.close()
    reader.end_section()
    return PageText(tuple(reader.sections), tuple(dict.fromkeys(reader.ids)), reader.first_heading)


@dataclass(slots=True)
class _Open:
    """The section that is being read."""

    headings: tuple[str, ...] = ()
    anchor: str = ""
    line: int = 1
    parts: list[str] = field(default_factory=list)


class _Reader(HTMLParser):
    def __init__(self, first_line: int) -> None:
        super().__init__()
        self.sections: list[Section] = []
        self.ids: list[str] = []
        self.first_heading = ""
        self._first_line = first_line
        self._open = _Open(line=first_line)
        self._hidden = 0
        self._heading: list[str] | None = None
        self._path: list[tuple[int, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in _INVISIBLE
        found = {name: value for name, value in attrs if value}
        anchor = found.get("id") or (found.get("name", "") if tag == "a" else "")
        if anchor:
            self.ids.append(anchor)
        if tag in _HEADINGS:
            self.end_section()
            line = self._first_line + self.getpos()[0] - 1
            self._open = _Open(self._open.headings, found.get("id", ""), line)
            self._heading = []
        elif tag in _BLOCKS:
            self._open.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _INVISIBLE:
            self._hidden = max(0, self._hidden - 1)
        if tag in _HEADINGS and self._heading is not None:
            title = " ".join("".join(self._heading).split())
            level = int(tag[1])
            self._path = [entry for entry in self._path if entry[0] < level]
            self._path += [(level, title)] if title else []
            self._open.headings = tuple(name for _, name in self._path)
            self.first_heading = self.first_heading or title
            self._heading = None
        if tag in _BLOCKS:
            self._open.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if self._hidden:
            return
        self._open.parts.append(data)
        if self._heading is not None:
            self._heading.append(data)

    def end_section(self) -> None:
        """Keep what was read since the last heading, if there is text."""
        lines = (" ".join(line.split()) for line in "".join(self._open.parts).split("\n"))
        text = "\n".join(line for line in lines if line)
        if text:
            section = Section(self._open.headings, self._open.anchor, text, self._open.line)
            self.sections.append(section)
