"""Which text of a Markdown page is hidden in an HTML comment?"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence

from markdown_it.token import Token

_MARKS = re.compile(r"\\.|`+|<!--", re.DOTALL)
_OPENING, _CLOSING = "<!--", "-->"


def without_comments(lines: Sequence[str], tokens: Sequence[Token]) -> list[str]:
    """The lines without their comments; the number of lines stays.

    Args:
        lines: The source.
        tokens: Its block tokens; a comment never reaches beyond its block, and code has none.
    """
    kept = list(lines)
    for token in tokens:
        if token.type not in {"inline", "html_block"} or token.map is None:
            continue
        begin, end = token.map
        block = "\n".join(kept[begin:end])
        if _OPENING not in block:
            continue
        cuts = _raw_comments(block) if token.type == "html_block" else _inline_comments(block)
        kept[begin:end] = _without(block, cuts).split("\n")
    return kept


def _without(block: str, cuts: Iterator[tuple[int, int]]) -> str:
    parts: list[str] = []
    position = 0
    for begin, end in cuts:
        parts += [block[position:begin], "\n" * block.count("\n", begin, end)]
        position = end
    return "".join([*parts, block[position:]])


def _raw_comments(block: str) -> Iterator[tuple[int, int]]:
    """Comments of a raw HTML block; one that is never closed hides the rest."""
    begin = block.find(_OPENING)
    while begin >= 0:
        closing = block.find(_CLOSING, begin + 2)
        end = len(block) if closing < 0 else closing + len(_CLOSING)
        yield begin, end
        begin = block.find(_OPENING, end)


def _inline_comments(block: str) -> Iterator[tuple[int, int]]:
    """Comments in running text, outside code spans and escapes."""
    runs: dict[int, list[int]] = defaultdict(list)
    for run in re.finditer("`+", block):
        runs[len(run[0])].append(run.start())
    position = 0
    while mark := _MARKS.search(block, position):
        position = mark.end()
        if mark[0][0] == "`":
            same = runs[len(mark[0])]
            closing = bisect_right(same, mark.start())
            if closing < len(same):
                position = same[closing] + len(mark[0])
        elif mark[0] == _OPENING:
            end = block.find(_CLOSING, mark.start() + 2)
            if end < 0:
                return
            position = end + len(_CLOSING)
            yield mark.start(), position
