"""Which ids does the built page have?

Where the site's built folder is at hand and not older than the content, it is the authority: an
older Hugo, or a theme's own rule, may have made other ids than the current Hugo would.
"""

from dataclasses import dataclass, replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

from ingestion.hugo.page_text import PageText
from retrieval.types import Section

MAX_PAGE_BYTES = 8 << 20

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


@dataclass(frozen=True, slots=True)
class BuiltPage:
    """The ids of a built page.

    Attributes:
        headings: (id, letters and digits of the text) of the headings with an id, in order.
        ids: All ids.
    """

    headings: tuple[tuple[str, str], ...]
    ids: frozenset[str]


class BuiltPages:
    """The folder that Hugo wrote the site to.

    Args:
        folder: Usually `public`; it need not be there.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder if folder.is_dir() else None

    def page(self, url: str, base_url: str, content: Path) -> bytes | None:
        """The HTML of `url`; None where there is none, or it is older than `content`."""
        if self._folder is None or not url.startswith(base_url):
            return None
        path = unquote(url.removeprefix(base_url).partition("?")[0]).lstrip("/")
        file = self._folder / (f"{path}index.html" if not path or path.endswith("/") else path)
        try:
            outside = not file.resolve().is_relative_to(self._folder.resolve())
            state = file.stat()
            if outside or state.st_size > MAX_PAGE_BYTES:
                return None
            if state.st_mtime < content.stat().st_mtime:
                return None
            return file.read_bytes()
        except OSError:
            return None


def read_built_page(html: bytes) -> BuiltPage:
    """The ids of an HTML page."""
    reader = _Reader()
    reader.feed(html.decode("utf-8", "replace"))
    reader.close()
    return BuiltPage(tuple(reader.headings), frozenset(reader.ids))


def with_built_anchors(text: PageText, built: BuiltPage) -> PageText:
    """`text` with the ids of the built page; a section whose heading is not there has none."""
    titles = dict(reversed(built.headings))
    sections: list[Section] = []
    place = 0
    for section in text.sections:
        title = _plain(section.headings[-1]) if section.headings else ""
        anchor = section.anchor
        if title and titles.get(anchor) != title:
            anchor = next((name for name, known in built.headings[place:] if known == title), "")
        if anchor in titles:
            place = [name for name, _ in built.headings].index(anchor) + 1
        sections.append(replace(section, anchor=anchor))
    anchors = (name for name, _ in built.headings)
    kept = (anchor for anchor in text.anchors if anchor in built.ids)
    return PageText(tuple(sections), tuple(dict.fromkeys((*anchors, *kept))), text.first_heading)


def _plain(text: str) -> str:
    # Themes put links and signs beside the text of a heading.
    return "".join(char for char in text.lower() if char.isalnum())


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.headings: list[tuple[str, str]] = []
        self.ids: list[str] = []
        self._heading = ""
        self._text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = next((value for name, value in attrs if name == "id" and value), "")
        if found:
            self.ids.append(found)
        if tag in _HEADINGS:
            self._heading, self._text = found, []

    def handle_endtag(self, tag: str) -> None:
        if tag in _HEADINGS and self._heading:
            self.headings.append((self._heading, _plain("".join(self._text))))
            self._heading = ""

    def handle_data(self, data: str) -> None:
        if self._heading:
            self._text.append(data)
