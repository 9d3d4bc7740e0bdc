"""What text does a page show, cut at its headings, and which anchors does it have?"""

from dataclasses import dataclass, replace

from ingestion.anchors import HugoIds
from ingestion.dialects import HUGO, Dialect
from ingestion.errors import DocumentUnreadable
from ingestion.hugo.definition_terms import definition_terms
from ingestion.hugo.hidden_text import HiddenText, SourceLines, holds_hidden
from ingestion.hugo.raw_html import hide_raw_html
from ingestion.hugo.shortcodes import Include, hide_shortcodes, no_include
from ingestion.hugo.site_configuration import Rendering
from ingestion.markdown import MAX_LINES, parse_markdown
from retrieval.types import Section


@dataclass(frozen=True, slots=True)
class PageText:
    """The text of one page.

    Attributes:
        sections: In order, none of them empty.
        anchors: All ids that a link may use, in order.
        first_heading: Plain text; "" for none.
    """

    sections: tuple[Section, ...]
    anchors: tuple[str, ...]
    first_heading: str


class _PageIds:
    """Hugo's ids, but none for a heading with a shortcode.

    Hugo numbers such a heading's id by the page's place in the build: no link can rely on it.
    """

    def __init__(self, rendering: Rendering, terms: list[list[str]]) -> None:
        self._ids = HugoIds(rendering.id_kind, auto=rendering.auto_ids)
        self._attributes = rendering.attributes
        self._terms = iter(terms)
        self.anchors: list[str] = []

    @property
    def dialect(self) -> Dialect:
        """How Hugo reads the heading."""
        return HUGO if self._attributes else replace(HUGO, attributes="none")

    def next_id(self, rendered_text: str, custom_id: str | None) -> str:
        """See `HeadingIds`."""
        self.take_terms()
        return self._take(rendered_text, custom_id)

    def take_terms(self) -> None:
        """Give ids to the definition terms up to the next heading."""
        for term in next(self._terms, ()):
            self._take(term, None)

    def _take(self, text: str, custom_id: str | None) -> str:
        found = self._ids.next_id(text, custom_id)
        if custom_id is None and holds_hidden(text):
            return ""
        self.anchors.append(found)
        return found


def markdown_text(
    body: str, body_line: int, rendering: Rendering, include: Include = no_include
) -> PageText:
    """Read the Markdown body of a page.

    Args:
        body: Behind the front matter.
        body_line: Line of the file on which it starts, from 1.
        rendering: The site's settings.
        include: Finds the text of included pages.

    Raises:
        DocumentUnreadable: The page exceeds a limit of the parser.
    """
    lines = body.count("\n") + 1
    if lines > MAX_LINES:
        raise DocumentUnreadable(f"too-large: {lines} lines, more than {MAX_LINES}")
    hidden = HiddenText()
    text = hide_shortcodes(body.replace("\r\n", "\n"), hidden, include)
    text, html_ids = hide_raw_html(text, hidden, shown=rendering.raw_html)
    terms = definition_terms(text) if rendering.definition_ids else []
    ids = _PageIds(rendering, terms)
    parsed = parse_markdown(text, ids, 1)
    ids.take_terms()
    source_lines = hidden.lines(text)
    sections = (_restored(section, hidden, source_lines, body_line) for section in parsed.sections)
    return PageText(
        sections=tuple(section for section in sections if section.text.strip()),
        anchors=tuple(dict.fromkeys(filter(None, (*ids.anchors, *html_ids)))),
        first_heading=" ".join(hidden.restore(parsed.first_heading).split()),
    )


def _restored(section: Section, hidden: HiddenText, lines: SourceLines, body_line: int) -> Section:
    start = section.start_line
    return replace(
        section,
        headings=tuple(" ".join(hidden.restore(h).split()) for h in section.headings),
        text=hidden.restore(section.text),
        start_line=None if start is None else body_line + lines.source_line(start - 1),
    )
