"""Where does each block of a knowledge text start, and what does a list of links hold?"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from retrieval.export.block_format import LANGUAGE_LINE, SOURCE_LINE, fence_after

_NEWLINES = re.compile(r"\r\n?")
_LINKED = re.compile(r"[-*][ \t]+\[((?:\\.|[^\]\\])+)\]\(<?([^()\s<>]+)>?\)(?::[ \t]*(.*))?")
_UNESCAPED = re.compile(r"\\([\\\[\]])")


@dataclass(frozen=True, slots=True)
class Block:
    """One block of the file.

    Attributes:
        address: What its `Source:` line names; "" for what stands above the first one.
        text: Everything below that line, up to the next block.
        first_line: Line of the file on which `text` starts, from 1.
        language: Of its `Language:` line, lower case; "" where it has none.
        title: Where the file gives one beside the text; "" where it does not.
    """

    address: str
    text: str
    first_line: int
    language: str = ""
    title: str = ""


def split_blocks(text: str) -> Iterator[Block]:
    """The blocks of a knowledge text."""
    address, first_line = "", 1
    lines: list[str] = []
    fence = ""
    for number, line in enumerate(_NEWLINES.sub("\n", text).split("\n"), 1):
        heads = SOURCE_LINE.fullmatch(line) if not fence else None
        if heads and (not lines or not lines[-1].strip()):
            if address or any(kept.strip() for kept in lines):
                yield _block(address, lines, first_line)
            address, first_line, lines = heads[1], number + 1, []
            continue
        fence = fence_after(line, fence)
        lines.append(line)
    if address or any(line.strip() for line in lines):
        yield _block(address, lines, first_line)


def split_links(text: str) -> Iterator[Block]:
    """The entries `- [title](address): note` of a text such as llms.txt, each as a block."""
    for number, line in enumerate(_NEWLINES.sub("\n", text).split("\n"), 1):
        entry = _LINKED.fullmatch(line.strip())
        if entry:
            title = _UNESCAPED.sub(r"\1", entry[1])
            yield Block(entry[2], (entry[3] or "").strip() or title, number, title=title)


def _block(address: str, lines: list[str], first_line: int) -> Block:
    language = LANGUAGE_LINE.fullmatch(lines[0]) if lines and address else None
    if language is None:
        return Block(address, "\n".join(lines), first_line)
    return Block(address, "\n".join(lines[1:]), first_line + 1, language[1].lower())
