"""How do the pieces of a text fill slices of bounded size, each overlapping the one before?"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from ingestion.splitting import MeasuredSpan, borders, fitting_spans
from retrieval.types import TokenCounter

_OVERLAP_CHARS_PER_TOKEN = 6


@dataclass(frozen=True, slots=True)
class Slice:
    """`text[begin:end]`, of which `text[begin:body]` repeats the end of the slice before."""

    begin: int
    body: int
    end: int
    tokens: int


def split_text(
    text: str, counter: TokenCounter, max_tokens: int, overlap_tokens: int, *, code: bool = False
) -> Iterator[Slice]:
    """Slices of `text` that together hold every non-blank character, in order.

    Each has at most `max_tokens` tokens, unless one single character has more.
    """
    packer = _Packer(text, counter, max_tokens, overlap_tokens, code=code)
    coming = fitting_spans(text, counter, max_tokens, code=code)
    spans: list[MeasuredSpan] = []
    previous: Slice | None = None
    while _filled(spans, coming, max_tokens):
        part, taken = packer.next_slice(spans, previous)
        del spans[:taken]
        if part is not None:
            yield part
            previous = part


def _filled(
    spans: list[MeasuredSpan], coming: Iterator[MeasuredSpan], max_tokens: int
) -> list[MeasuredSpan]:
    """`spans`, with enough of the next ones that no slice could take them all."""
    tokens = sum(span[2] for span in spans)
    while tokens <= max_tokens and (span := next(coming, None)):
        spans.append(span)
        tokens += span[2]
    return spans


class _Packer:
    """Fills one slice after the other."""

    def __init__(
        self, text: str, counter: TokenCounter, max_tokens: int, overlap_tokens: int, *, code: bool
    ) -> None:
        self._text = text
        self._counter = counter
        self._max_tokens = max_tokens
        self._overlap_tokens = overlap_tokens
        self._code = code

    def next_slice(
        self, spans: list[MeasuredSpan], previous: Slice | None
    ) -> tuple[Slice | None, int]:
        """The slice whose body starts with the first span, and how many spans it takes."""
        body = spans[0][0]
        room = self._max_tokens - spans[0][2]
        begin, tokens = self._overlap(body, min(room, self._overlap_tokens), previous)
        taken = 0
        while taken < len(spans) and (taken == 0 or tokens + spans[taken][2] <= self._max_tokens):
            tokens += spans[taken][2]
            taken += 1
        return self._checked(spans, taken, begin)

    def _checked(
        self, spans: list[MeasuredSpan], taken: int, begin: int
    ) -> tuple[Slice | None, int]:
        """The counts of pieces need not add up: the exact text decides."""
        body = spans[0][0]
        while True:
            first, last = self._trimmed(begin, spans[taken - 1][1])
            if first == last:
                return None, taken
            tokens = self._counter.count(self._text[first:last])
            if tokens <= self._max_tokens or (taken == 1 and begin == body):
                return Slice(first, max(first, body), last, tokens), taken
            if taken > 1:
                taken -= 1
            else:
                begin = body

    def _overlap(self, body: int, budget: int, previous: Slice | None) -> tuple[int, int]:
        """Where the repeated text starts, and its tokens; (body, 0) for none."""
        if previous is None or budget < 1:
            return body, 0
        earliest = max(previous.body, body - budget * _OVERLAP_CHARS_PER_TOKEN)
        places, better = borders(self._text, earliest, body, code=self._code)
        place = self._earliest_fitting(places, body, budget)
        if place is None:
            return body, 0
        good = bisect_left(better, place)
        if good < len(better) and body - better[good] >= (body - place) / 2:
            place = better[good]
        return place, self._counter.count(self._text[place:body])

    def _earliest_fitting(self, places: list[int], body: int, budget: int) -> int | None:
        low, high = 0, len(places)
        while low < high:
            middle = (low + high) // 2
            if self._counter.count(self._text[places[middle] : body]) <= budget:
                high = middle
            else:
                low = middle + 1
        return places[low] if low < len(places) and places[low] < body else None

    def _trimmed(self, begin: int, end: int) -> tuple[int, int]:
        """Without blank lines at either end; the first line keeps its indentation."""
        text = self._text[begin:end]
        last = begin + len(text.rstrip())
        blank = len(text) - len(text.lstrip())
        if begin + blank >= last:
            return begin, begin
        newline = text.rfind("\n", 0, blank)
        indented = newline >= 0 or begin == 0 or self._text[begin - 1] == "\n"
        return begin + (newline + 1 if indented else blank), last
