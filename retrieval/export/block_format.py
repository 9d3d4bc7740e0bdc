"""How does a text of blocks tell where a block starts? One rule for its writer and its reader.

A block starts with a line `Source: <url>` behind a blank line, outside a code fence. A line
`Language: <code>` may follow.
"""

import re
from collections.abc import Iterator
from typing import BinaryIO

SOURCE_LINE = re.compile(r"Source:[ \t]+(\S+)[ \t]*")
LANGUAGE_LINE = re.compile(r"Language:[ \t]+([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)[ \t]*")
_LINE_BREAKS = re.compile(r"\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_MARKS = re.compile(r"^Source:|```|~~~", re.MULTILINE)
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_START = b"\nSource:"
_SCANNED_BYTES = 1 << 20


def block_starts(text: BinaryIO) -> Iterator[int]:
    """Offsets of the blocks of a text that was written here, read once from its beginning.

    Nothing but a block starts such a line in it: `contained` sees to that.
    """
    before = b"\n"  # the first line follows no other
    offset = 0
    while piece := text.read(_SCANNED_BYTES):
        window = before + piece
        found = window.find(_START)
        while found >= 0:
            yield offset - len(before) + found + 1
            found = window.find(_START, found + 1)
        offset += len(piece)
        before = window[1 - len(_START) :]


def fence_after(line: str, fence: str) -> str:
    """The code fence that is open behind `line`, given the one before it; "" for none."""
    mark = _FENCE.match(line)
    if not fence:
        return mark[1] if mark else ""
    closes = mark and mark[1].startswith(fence) and not line.strip().strip(fence[0])
    return "" if closes else fence


def contained(text: str) -> str:
    """`text`, so that nothing in it starts a block or hides the block behind it.

    A line that reads `Source: …` is indented by one space; a fence that nobody closed is closed.
    What any program takes for a line break becomes one.
    """
    text = _LINE_BREAKS.sub("\n", text)
    if not _MARKS.search(text):
        return text
    lines: list[str] = []
    fence = ""
    for line in text.split("\n"):
        fence = fence_after(line, fence)
        lines.append(f" {line}" if line.startswith("Source:") else line)
    if fence:
        lines.append(fence)
    return "\n".join(lines)


def fenced(text: str) -> str:
    """`text` in a code fence that nothing in it can close."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"
