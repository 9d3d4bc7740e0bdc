"""Which sentences does a passage hold, as a reader of the page would see them?

Headings, code, images and HTML give none; a table gives one a row.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

MAX_SENTENCE_CHARS = 360
_SHORTCODE = re.compile(r"\{\{[<%].*?[%>]\}\}", re.DOTALL)
# A reference whose definition is in another chunk; GitHub's alerts.
_REFERENCE = re.compile(r"\[([^\[\]]+)\]\[[^\[\]]*\]")
_ALERT = re.compile(r"\[!(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*")
_END = re.compile(
    r"(?<=[.!?…])[\"'”’)\]]*\s+(?=[\"'“‘(\[¿¡]*[^\W_a-z])|(?<=[。！？])[」』）]*(?=\S)"
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:[A-Za-z]|e\.g|i\.e|z\.B|d\.h|u\.a|p\.ej|etc|vs|cf|approx|Dr|Mr|Mrs|Ms|Prof|St|"
    r"No|Nr|bzw|ca|Sr|Sra|Jr|Fig|Inc|Ltd)\.\Z"
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")
_MIN_WORDS = 3
_MIN_LETTERS = 0.6


def sentences(markdown: str) -> list[str]:
    """Sentences in order, each on one line, at most MAX_SENTENCE_CHARS long."""
    found: list[str] = []
    for text, is_row in _blocks(_tree(_SHORTCODE.sub(" ", markdown))):
        parts = [text] if is_row else _split(text)
        found += [_cut(part) for part in parts if is_row or _is_prose(part)]
    return found


def _blocks(node: "SyntaxTreeNode") -> Iterator[tuple[str, bool]]:
    """Text of every paragraph, list item and table row; True for a row."""
    if node.type == "table":
        yield from ((row, True) for row in _rows(node))
    elif node.type == "inline":
        yield _inline(node), False
    elif node.type != "heading":
        for child in node.children:
            yield from _blocks(child)


def _rows(table: "SyntaxTreeNode") -> Iterator[str]:
    lines = [
        [_inline(cell.children[0]) if cell.children else "" for cell in row.children]
        for part in table.children
        for row in part.children
    ]
    for cells in lines[1:]:
        yield _row(lines[0], cells)


def _row(heads: list[str], cells: list[str]) -> str:
    named = zip(heads, cells, strict=False)
    return "; ".join(f"{head}: {cell}" if head else cell for head, cell in named if cell)


def _inline(node: "SyntaxTreeNode") -> str:
    text = _ALERT.sub("", _REFERENCE.sub(r"\1", "".join(_texts(node))))
    return " ".join(text.split()).removeprefix(": ").replace(" : ", ": ")


def _texts(node: "SyntaxTreeNode") -> Iterator[str]:
    if node.type in ("text", "code_inline"):
        yield node.content
    elif node.type in ("softbreak", "hardbreak"):
        yield " "
    elif node.type != "image":
        for child in node.children:
            yield from _texts(child)


def _split(text: str) -> list[str]:
    parts, start = [], 0
    for end in _END.finditer(text):
        if not _ABBREVIATION.search(text[start : end.start()]):
            parts.append(text[start : end.end()].strip())
            start = end.end()
    return [*parts, text[start:].strip()]


def _is_prose(sentence: str) -> bool:
    if not sentence:
        return False
    letters = sum(character.isalpha() or character == " " for character in sentence)
    has_words = len(_WORD.findall(sentence)) >= _MIN_WORDS or _WIDE.search(sentence) is not None
    return has_words and letters >= _MIN_LETTERS * len(sentence)


def _cut(sentence: str) -> str:
    if len(sentence) <= MAX_SENTENCE_CHARS:
        return sentence
    head = sentence[: MAX_SENTENCE_CHARS - 1]
    return (head.rsplit(" ", 1)[0] if " " in head[-60:] else head) + "…"


def _tree(markdown: str) -> "SyntaxTreeNode":
    from markdown_it.tree import SyntaxTreeNode

    return SyntaxTreeNode(_parser().parse(markdown))


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": True}).enable("table")
