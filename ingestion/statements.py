"""Where do the statements of a stretch of code begin? Told by its layout, in any language."""

from collections.abc import Iterator

TAB_COLUMNS = 8


def statement_starts(text: str, begin: int, end: int) -> Iterator[int]:
    """Places in `text[begin:end]` at which a line begins a statement of the outermost block.

    The outermost block is that of the least indented lines behind the first one, which may be the
    head of the block. A line of brackets alone, such as the end of a call, belongs to what is
    above it, and so does a line that is indented more deeply.

    Args:
        text: Code.
        begin: Start of the stretch.
        end: End of the stretch.
    """
    lines = list(_lines(text, begin, end))
    written = [column for place, column in lines if place > begin]
    outermost = min(written, default=0)
    yield from (place for place, column in lines if place > begin and column == outermost)


def _lines(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """(start, column of the first character) of every line that holds a word."""
    place = begin
    while place < end:
        newline = text.find("\n", place, end)
        behind = end if newline < 0 else newline + 1
        line = text[place:behind]
        bare = line.lstrip(" \t")
        if any(map(str.isalnum, bare)) and not bare.startswith((")", "]", "}")):
            indent = line[: len(line) - len(bare)]
            yield place, len(indent.expandtabs(TAB_COLUMNS))
        place = behind
