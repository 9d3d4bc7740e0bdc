"""Where may a text be cut, so that every piece fits and as little as possible is torn apart?

Borders are tried from coarse to fine: blocks (a whole fence is one), list items, lines, sentences,
words, and characters as the last resort; in code paragraphs, statements, lines and words.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from ingestion.statements import statement_starts
from retrieval.types import TokenCounter

Span = tuple[int, int]
MeasuredSpan = tuple[int, int, int]
"""Begin, end and tokens of a piece."""

CHARS_PER_TOKEN = 12
"""A text with more characters a token is not counted as a whole: tokenisers may be quadratic in an
unbroken run, and such a text is cut without knowing its exact size."""

_FENCE = re.compile(r"^ {0,3}(?:[-*+>] +)*(`{3,}(?=[^`\n]*$)|~{3,})", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")
_ITEM = re.compile(r"\n(?=[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t])")
_LINE = re.compile(r"\n")
_SENTENCE = re.compile(r"(?<=[.!?…])[\"'”’)\]]{0,2}(?=\s)|(?<=[。！？])")
_WORD = re.compile(r"(?<=\S)(?=\s)")
_NESTED_BLOCKS = 6
_JOINERS = "\u200d\ufe0e\ufe0f"
_LONGEST_CLUSTER = 16
_PIECES_AT_ONCE = 4096
"""Pieces that are counted together: a paragraph of a million words takes the memory of these."""


def fitting_spans(
    text: str, counter: TokenCounter, max_tokens: int, *, code: bool
) -> Iterator[MeasuredSpan]:
    """Contiguous pieces of `text`, in order, each of at most `max_tokens` tokens.

    Only a single character of more tokens than that is larger.

    Args:
        text: The text to cut.
        counter: Counts tokens.
        max_tokens: Size of a piece.
        code: Code knows no list items and no sentences.
    """
    levels = _CODE_LEVELS if code else _PROSE_LEVELS
    yield from _Cutter(text, counter, max_tokens, levels).spans((0, len(text)), 0)


def borders(text: str, begin: int, end: int, *, code: bool) -> tuple[list[int], list[int]]:
    """Places in `text[begin:end]` where an overlap may start: (any border, the better ones).

    The better ones are starts of lines and sentences; in code a line is the only border.
    """
    window = text[begin:end]
    starts_line = begin == 0 or text[begin - 1] == "\n"
    lines = [begin] if starts_line else []
    lines += [begin + match.end() for match in _LINE.finditer(window)]
    if code:
        return lines, lines
    sentences = [match.end() for match in _SENTENCE.finditer(text, begin, end)]
    words = [match.end() for match in _WORD.finditer(text, begin, end)]
    return sorted({*lines, *sentences, *words}), sorted({*lines, *sentences})


class _Cutter:
    """One text, cut recursively."""

    def __init__(
        self, text: str, counter: TokenCounter, max_tokens: int, levels: Sequence["_Cuts"]
    ) -> None:
        self._text = text
        self._counter = counter
        self._max_tokens = max_tokens
        self._levels = levels

    def spans(self, span: Span, level: int) -> Iterator[MeasuredSpan]:
        if level == len(self._levels):
            yield from self._characters(span)
            return
        pieces = self._pieces(span, self._levels[level])
        while batch := list(islice(pieces, _PIECES_AT_ONCE)):
            if batch == [span] and level:
                yield from self.spans(span, level + 1)
                return
            for piece, tokens in zip(batch, self._measured(batch), strict=True):
                if tokens is not None and tokens <= self._max_tokens:
                    yield (*piece, tokens)
                else:
                    yield from self.spans(piece, level + 1)

    def _pieces(self, span: Span, cuts: "_Cuts") -> Iterator[Span]:
        begin, end = span
        last = begin
        for cut in cuts(self._text, begin, end):
            if last < cut < end:
                yield last, cut
                last = cut
        yield last, end

    def _measured(self, pieces: Sequence[Span]) -> Iterator[int | None]:
        """Tokens of each piece; None for one that is too long to be counted."""
        longest = self._max_tokens * CHARS_PER_TOKEN
        short = [self._text[b:e] for b, e in pieces if e - b <= longest]
        counts = iter(self._counter.count_all(short))
        for begin, end in pieces:
            tokens = next(counts) if end - begin <= longest else None
            if tokens is not None and tokens > self._max_tokens:
                tokens = self._without_end(self._text[begin:end], tokens)
            yield tokens

    def _without_end(self, piece: str, tokens: int) -> int:
        """A piece that fits but for the line break behind it fits, and fills a chunk."""
        fits = self._counter.count(piece.rstrip()) <= self._max_tokens
        return self._max_tokens if fits else tokens

    def _characters(self, span: Span) -> Iterator[MeasuredSpan]:
        begin, end = span
        while begin < end:
            cut, tokens = self._longest_fitting(begin, end)
            yield begin, cut, tokens
            begin = cut

    def _longest_fitting(self, begin: int, end: int) -> tuple[int, int]:
        """By bisection; assumes that a longer text has no fewer tokens."""
        good, tokens = begin + 1, self._counter.count(self._text[begin : begin + 1])
        bad = min(end, begin + self._max_tokens * CHARS_PER_TOKEN) + 1
        while bad - good > 1:
            middle = (good + bad) // 2
            count = self._counter.count(self._text[begin:middle])
            if count <= self._max_tokens:
                good, tokens = middle, count
            else:
                bad = middle
        cut = _cluster_start(self._text, begin, good) if good < end else good
        return cut, tokens if cut == good else self._counter.count(self._text[begin:cut])


def _cluster_start(text: str, begin: int, cut: int) -> int:
    """`cut`, moved back out of the middle of an accented letter or a joined emoji."""
    for place in range(cut, max(begin, cut - _LONGEST_CLUSTER), -1):
        joined = text[place] in _JOINERS or text[place - 1] == "\u200d"
        if not joined and not unicodedata.combining(text[place]):
            return place
    return cut


_Cuts = Callable[[str, int, int], Iterator[int]]


def _after(pattern: re.Pattern[str]) -> _Cuts:
    def cuts(text: str, begin: int, end: int) -> Iterator[int]:
        return (match.end() for match in pattern.finditer(text, begin, end))

    return cuts


def _blocks(text: str, begin: int, end: int) -> Iterator[int]:
    """Blank lines outside fences, and the borders of fences."""
    position = begin
    for fence_begin, fence_end in _fences(text, begin, end):
        yield from _blank(text, position, fence_begin)
        yield fence_begin
        yield fence_end
        position = fence_end
    yield from _blank(text, position, end)


def _blank(text: str, begin: int, end: int) -> Iterator[int]:
    return (match.end() for match in _BLANK_LINES.finditer(text, begin, end))


def _fences(text: str, begin: int, end: int) -> Iterator[Span]:
    position = begin
    while opening := _FENCE.search(text, position, end):
        mark = opening[1]
        closing = re.compile(rf"^[ \t>]*{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$", re.MULTILINE)
        found = closing.search(text, opening.end(), end)
        position = found.end() if found else end
        yield opening.start(), position


_PROSE_LEVELS = (_blocks, _after(_ITEM), _after(_LINE), _after(_SENTENCE), _after(_WORD))
# The statements of a block, then those of the blocks inside one that is too large, and so on.
_CODE_LEVELS = (
    _after(_BLANK_LINES),
    *(statement_starts for _ in range(_NESTED_BLOCKS)),
    _after(_LINE),
    _after(_WORD),
)
