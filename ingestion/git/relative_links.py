"""Where in a Markdown text do relative links stand, and how is each made absolute?"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, html_inline, image, link
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin

Resolve = Callable[[str, bool], str]
"""Called with (destination, whether it is an image); gives the address, or "" to leave it."""

MAX_INLINE_COST = 1_000_000
"""Characters times open brackets: inline parsing is quadratic in brackets that nobody closes."""
MAX_TEXT_COST = 40_000_000
"""Of all paragraphs of a text, about two seconds; links behind it stay as they are."""
_Rule = Callable[[StateInline, bool], bool]
_Edit = tuple[int, int, str]
_TAG = re.compile(r"<(?:a|img|source|video|audio|picture)\s[^<>]*>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"\s(href|src|poster)\s*=\s*(?:\"([^\"<>]*)\"|'([^'<>]*)')", re.IGNORECASE)
_DEFINITION = re.compile(r"\[(?:[^\[\]\\]|\\.)+\]:\s*")
_IMAGE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|avif|ico)(?:[?#]|$)", re.IGNORECASE)
_FOUND, _LENGTH = "destinations", "length of the outermost text"


def with_absolute_links(text: str, resolve: Resolve) -> str:
    r"""`text` with the destinations of its relative links and images replaced, line by line.

    Found are Markdown's inline links, reference definitions and the attributes of HTML tags;
    whatever stands in code is no link. Nothing else changes, and no line is added or lost.

    Args:
        text: Markdown with `\n` at line ends.
        resolve: Gives the address of a destination.
    """
    source = text.replace("\0", "\ufffd")
    env: dict[str, object] = {}
    tokens: list[Token] = []
    parser = _parser()
    parser.block.parse(source, parser, env, tokens)
    lines = text.split("\n")
    editor = _Editor(lines, resolve)
    for token in tokens:
        if token.map is None:
            continue
        if token.type == "inline":
            _edit_inline(editor, token, env)
        elif token.type == "html_block":
            editor.edit_tags("\n".join(lines[slice(*token.map)]), token.map[0])
    for first, last in _definition_rows(env):
        _edit_definition(editor, "\n".join(lines[first:last]), first)
    return editor.text()


class _Editor:
    """Replacements in the lines of a text."""

    def __init__(self, lines: Sequence[str], resolve: Resolve) -> None:
        self.lines = lines
        self._resolve = resolve
        self._edits: dict[int, set[_Edit]] = {}
        self._budget = MAX_TEXT_COST

    def affords(self, content: str) -> bool:
        """Whether a text may be parsed; what it costs is taken from the budget."""
        cost = len(content) * (content.count("[") + content.count("<") + 1)
        if cost > min(MAX_INLINE_COST, self._budget):
            return False
        self._budget -= cost
        return True

    def replace(self, row: int, begin: int, end: int, destination: str, *, is_image: bool) -> None:
        if address := self._resolve(destination, is_image):
            self._edits.setdefault(row, set()).add((begin, end, address))

    def edit_tags(self, block: str, first_row: int, column: int = 0) -> None:
        """Attributes of the tags in `block`, which begins at a place in the lines."""
        for tag in _TAG.finditer(block):
            for attribute in _ATTRIBUTE.finditer(tag[0]):
                group = 2 if attribute[2] is not None else 3
                begin = tag.start() + attribute.start(group)
                row = block.count("\n", 0, begin)
                shift = column if row == 0 else -(block.rindex("\n", 0, begin) + 1)
                value = attribute[group]
                is_image = attribute[1].lower() != "href"
                start = begin + shift
                self.replace(first_row + row, start, start + len(value), value, is_image=is_image)

    def text(self) -> str:
        edited = list(self.lines)
        for row, edits in self._edits.items():
            for begin, end, address in sorted(edits, reverse=True):
                edited[row] = edited[row][:begin] + address + edited[row][end:]
        return "\n".join(edited)


def _edit_inline(editor: _Editor, token: Token, env: dict[str, object]) -> None:
    """Links of one paragraph or heading, whose lines are those of the file without a prefix."""
    first_row = token.map[0] if token.map else 0
    pieces = [(first_row, token.content)]
    if not editor.affords(token.content):
        rows = enumerate(token.content.split("\n"), start=first_row)
        pieces = [(row, line) for row, line in rows if editor.affords(line)]
    for row, content in pieces:
        places = _places(editor.lines, row, content)
        for begin, end, destination, is_image in _destinations(content, env):
            line = content.count("\n", 0, begin)
            shift = places[line]
            if shift is None:
                continue
            if destination is None:
                editor.edit_tags(content[begin:end], row + line, begin + shift)
            else:
                editor.replace(
                    row + line, begin + shift, end + shift, destination, is_image=is_image
                )


def _places(lines: Sequence[str], row: int, content: str) -> list[int | None]:
    """For each line of `content` what leads from its offsets to columns of the file's line."""
    places: list[int | None] = []
    offset = 0
    for number, line in enumerate(content.split("\n")):
        stripped = line.strip()
        column = lines[row + number].find(stripped) if row + number < len(lines) else -1
        lead = len(line) - len(line.lstrip())
        places.append(None if column < 0 else column - offset - lead)
        offset += len(line) + 1
    return places


def _destinations(
    content: str, env: dict[str, object]
) -> Iterator[tuple[int, int, str | None, bool]]:
    """(begin, end, destination, is an image) in `content`; destination None for an HTML tag."""
    found: list[tuple[int, int, str | None, bool]] = []
    parser = _parser()
    given = {"references": env.get("references", {}), _FOUND: found, _LENGTH: len(content)}
    parser.inline.parse(content, parser, given, [])
    yield from dict.fromkeys(found)


def _edit_definition(editor: _Editor, block: str, first_row: int) -> None:
    label = _DEFINITION.search(block)
    if label is None:
        return
    found = _parser().helpers.parseLinkDestination(block, label.end(), len(block))
    if found.ok and found.str:
        row = block.count("\n", 0, label.end())
        shift = block.rfind("\n", 0, label.end()) + 1
        # What is referred to by `![…][label]` is not known here.
        is_image = _IMAGE.search(found.str) is not None
        editor.replace(
            first_row + row, label.end() - shift, found.pos - shift, found.str, is_image=is_image
        )


def _definition_rows(env: dict[str, object]) -> Iterator[tuple[int, int]]:
    references = env.get("references")
    for reference in references.values() if isinstance(references, dict) else ():
        first, last = reference["map"]
        yield first, last


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").use(footnote_plugin, inline=False)
    parser.inline.ruler.at("link", _recorded_link(link, is_image=False))
    parser.inline.ruler.at("image", _recorded_link(image, is_image=True))
    parser.inline.ruler.at("html_inline", _recorded_tag)
    return parser


def _recorded_link(rule: _Rule, *, is_image: bool) -> _Rule:
    def recorded(state: StateInline, silent: bool) -> bool:
        start, limit = state.pos, state.posMax
        if not rule(state, silent):
            return False
        # The text of an image is parsed by itself: a link in it is none.
        if not silent and len(state.src) == state.env.get(_LENGTH):
            _record(state, start + is_image, limit, is_image=is_image)
        return True

    return recorded


def _record(state: StateInline, bracket: int, limit: int, *, is_image: bool) -> None:
    end, behind = state.pos, state.posMax
    state.posMax = limit
    place = state.md.helpers.parseLinkLabel(state, bracket, not is_image) + 1
    state.pos, state.posMax = end, behind
    if place >= end or state.src[place] != "(":
        return  # by reference
    place += 1
    while place < end and state.src[place].isspace():
        place += 1
    found = state.md.helpers.parseLinkDestination(state.src, place, end)
    if found.ok and found.str and found.pos < end:
        state.env[_FOUND].append((place, found.pos, found.str, is_image))


def _recorded_tag(state: StateInline, silent: bool) -> bool:
    start = state.pos
    if not html_inline(state, silent):
        return False
    if not silent and len(state.src) == state.env.get(_LENGTH):
        state.env[_FOUND].append((start, state.pos, None, False))
    return True
