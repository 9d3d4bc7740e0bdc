"""Where are the headings of a Markdown text, and which stretch belongs to each?"""

import re
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field

from markdown_it.token import Token

from ingestion.anchors import HeadingIds
from ingestion.errors import DocumentUnreadable
from ingestion.heading_attributes import written_id
from ingestion.heading_text import goldmark_text, visible_text
from ingestion.html_comments import without_comments
from ingestion.markdown_parser import markdown_parser, parsed_blocks, plain_text
from retrieval.types import Section

MAX_CHARS = 2 << 20
MAX_LINES = 25_000
"""The parser takes up to 60 µs and 3 KB a line: list items, footnotes and headings cost most."""
MAX_HEADINGS = 10_000
MAX_HEADING_CHARS = 1_000
MAX_HEADING_BRACKETS = 40
"""Inline parsing is quadratic in open brackets; a heading beyond these limits has no anchor."""

__all__ = ["ParsedMarkdown", "parse_markdown", "plain_text"]

_NEWLINES = re.compile(r"\r\n?")


@dataclass(frozen=True, slots=True)
class ParsedMarkdown:
    """A Markdown text cut at its headings.

    Attributes:
        sections: In order; together they hold every visible character.
        anchors: Ids of all headings, in order, without the empty ones.
        first_heading: Plain text of the first heading; "" for none.
        opening_title: Plain text of the level-1 heading that the text starts with; "" for none.
    """

    sections: tuple[Section, ...]
    anchors: tuple[str, ...]
    first_heading: str
    opening_title: str = ""


@dataclass(frozen=True, slots=True)
class _Heading:
    level: int
    title: str
    anchor: str
    first_line: int
    body_line: int
    nested: bool


def parse_markdown(text: str, ids: HeadingIds, first_line: int | None = None) -> ParsedMarkdown:
    """Cut `text` at its top-level headings.

    A heading in a quote or a list item has an anchor, but does not end the section it is in. HTML
    comments are left out, and so is a heading directly above a deeper one, whose `headings`
    repeat it; everything else is kept to the character, line by line.

    Args:
        text: Markdown without front matter.
        ids: The ids of this page; one object a page.
        first_line: Line of the file on which `text` starts; None: sections have no lines.

    Raises:
        DocumentUnreadable: More text, lines or headings than a page can have.
    """
    source = _NEWLINES.sub("\n", text)
    _refuse_too_much(source)
    blocks = parsed_blocks(source, definition_lists=ids.dialect.definition_lists)
    tokens = blocks.tokens
    lines = source.split("\n")
    headings = _headings(tokens, lines, ids, deepcopy(blocks.env))
    visible = without_comments(lines, tokens)
    return ParsedMarkdown(
        sections=tuple(_sections(visible, headings, first_line)),
        anchors=tuple(dict.fromkeys(h.anchor for h in headings if h.anchor)),
        first_heading=next((h.title for h in headings if h.title), ""),
        opening_title=headings[0].title if tokens and tokens[0].tag == "h1" else "",
    )


def _refuse_too_much(source: str) -> None:
    for what, count, limit in (
        ("characters", len(source), MAX_CHARS),
        ("lines", source.count("\n") + 1, MAX_LINES),
    ):
        if count > limit:
            raise DocumentUnreadable(
                f"too-large: {count} {what}, more than {limit}: split the page"
            )


def _headings(
    tokens: Sequence[Token], lines: Sequence[str], ids: HeadingIds, env: dict[str, object]
) -> list[_Heading]:
    headings: list[_Heading] = []
    for index, token in enumerate(tokens):
        if token.type != "heading_open" or token.map is None:
            continue
        if len(headings) == MAX_HEADINGS:
            raise DocumentUnreadable(
                f"too-large: more than {MAX_HEADINGS} headings: split the page"
            )
        closed = _closed_by_hashes(token, tokens[index + 1].content, lines)
        title, anchor = _read_heading(tokens[index + 1].content, ids, env, closed=closed)
        first, end = token.map
        level = int(token.tag[1:])
        headings.append(_Heading(level, title, anchor, first, end, token.level > 0))
    return headings


def _read_heading(
    content: str, ids: HeadingIds, env: dict[str, object], *, closed: bool
) -> tuple[str, str]:
    """Title and anchor."""
    dialect = ids.dialect
    brackets = sum(map(content.count, "[{<"))
    if len(content) > MAX_HEADING_CHARS or brackets > MAX_HEADING_BRACKETS:
        return " ".join(content[:MAX_HEADING_CHARS].split()), ""
    bare, custom = (content, None) if closed else written_id(content, dialect.attributes)
    children: list[Token] = []
    parser = markdown_parser(guillemets=dialect.typographer)
    parser.inline.parse(bare, parser, env, children)
    title = " ".join(visible_text(children, typographer=dialect.typographer).split())
    if not dialect.goldmark_ids:
        return title, ids.next_id(visible_text(children), custom)
    rendered = goldmark_text(children, typographer=dialect.typographer)
    return title, ids.next_id(rendered.rsplit("\n", 1)[-1], custom)


def _closed_by_hashes(token: Token, content: str, lines: Sequence[str]) -> bool:
    if not token.markup.startswith("#") or token.map is None:
        return False
    line = lines[token.map[0]].rstrip()
    return line.endswith("#") and not content.endswith("#")


@dataclass(slots=True)
class _Path:
    """The headings above a place."""

    titles: list[tuple[int, str]] = field(default_factory=list)

    def enter(self, level: int, title: str) -> tuple[str, ...]:
        while self.titles and self.titles[-1][0] >= level:
            self.titles.pop()
        if title:
            self.titles.append((level, title))
        return tuple(title for _, title in self.titles)


def _sections(
    lines: Sequence[str], headings: Sequence[_Heading], first_line: int | None
) -> list[Section]:
    top = [heading for heading in headings if not heading.nested]
    start = _Heading(0, "", "", 0, 0, nested=False)
    ends = [heading.first_line for heading in top] + [len(lines)]
    sections: list[Section] = []
    path = _Path()
    for index, (heading, end) in enumerate(zip([start, *top], ends, strict=True)):
        titles = path.enter(heading.level, heading.title)
        deeper = index < len(top) and top[index].level > heading.level
        body = any(line.strip() for line in lines[heading.body_line : end])
        if not body and (heading is start or (deeper and heading.title)):
            continue
        section = _section(lines, heading.first_line, end, first_line)
        if section:
            text, line = section
            sections.append(Section(titles, heading.anchor, text, line))
    return sections


def _section(
    lines: Sequence[str], begin: int, end: int, first_line: int | None
) -> tuple[str, int | None] | None:
    """Text without blank lines around it, and the line it starts on."""
    while begin < end and not lines[begin].strip():
        begin += 1
    while end > begin and not lines[end - 1].strip():
        end -= 1
    if begin == end:
        return None
    return "\n".join(lines[begin:end]), None if first_line is None else first_line + begin
