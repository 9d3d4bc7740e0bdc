"""How does text stay away from the Markdown parser and come back behind it?

A shortcode is one word for Hugo's parser, whatever it holds. Here it is one character that no
page has, and its text returns into the section that the parser put the character in.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass, field

_FIRST_DIGIT = 0x10FF00
_MARK = chr(0x10FFFD)
_MARKS = re.compile(f"{_MARK}([{chr(_FIRST_DIGIT)}-{chr(_FIRST_DIGIT + 9)}]+){_MARK}")
_OURS = re.compile(f"[{chr(_FIRST_DIGIT)}-{chr(_FIRST_DIGIT + 9)}{_MARK}]")


@dataclass(slots=True)
class HiddenText:
    """The pieces that were taken out of one page, by number."""

    _pieces: list[str] = field(default_factory=list)

    def hide(self, text: str) -> str:
        """A word that stands for `text`; its runes are private, so no anchor holds them."""
        self._pieces.append(text)
        digits = "".join(chr(_FIRST_DIGIT + int(d)) for d in str(len(self._pieces) - 1))
        return f"{_MARK}{digits}{_MARK}"

    def restore(self, text: str) -> str:
        """`text` with every piece back in its place."""
        if _MARK not in text:
            return text
        return _MARKS.sub(lambda match: self._pieces[self._number(match)], text)

    def lines(self, text: str) -> "SourceLines":
        """Where the lines of `text`, as the parser sees it, are once everything is back."""
        starts, shifts, hidden = [], [], 0
        line = position = 0
        for match in _MARKS.finditer(text):
            line += text.count("\n", position, match.start())
            position = match.start()
            added = self._pieces[self._number(match)].count("\n")
            if added:
                hidden += added
                starts.append(line)
                shifts.append(hidden)
        return SourceLines(starts, shifts)

    @staticmethod
    def _number(match: re.Match[str]) -> int:
        return int("".join(str(ord(rune) - _FIRST_DIGIT) for rune in match[1]))


@dataclass(frozen=True, slots=True)
class SourceLines:
    """Lines of the parser's text against lines of the source.

    Attributes:
        starts: Lines, from 0, that hold a piece of several lines.
        shifts: By how many lines what is behind each of them is further down in the source.
    """

    starts: list[int]
    shifts: list[int]

    def source_line(self, line: int) -> int:
        """The source line, from 0, at which the parser's line `line` starts."""
        index = bisect_right(self.starts, line - 1)
        return line + (self.shifts[index - 1] if index else 0)


def holds_hidden(text: str) -> bool:
    """Whether a piece was taken out of `text`."""
    return _MARK in text


def without_marks(text: str) -> str:
    """`text` without the few private characters that are used as marks."""
    return _OURS.sub("", text)
