"""Which lines of a text hold a secret? They are left out before anything else sees the text."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from math import log2
from typing import Protocol

from ingestion.git.content import NotText
from ingestion.git.secret_patterns import (
    BARE,
    BASE64,
    BEGIN,
    CODE_VALUE,
    END,
    HEADER,
    HEX,
    HEX_WORD,
    IN_ADDRESS,
    KEY_LINE,
    MAX_KEY_LINES,
    PLACE,
    QUOTED,
    REFERENCE,
    STAND_INS,
    TOKEN,
    UNQUOTED_FILES,
    VARIABLE,
    WORD,
)

PLACEHOLDER = "[secret left out]"
_WINDOW_CHARS = 2000
_OVERLAP_CHARS = 200
_MAX_LISTED_LINES = 20
# Their findings need a second look (below), are no secrets (addresses), or say too much.
_UNUSED_PLUGINS = frozenset(
    {"Base64HighEntropyString", "HexHighEntropyString", "IPPublicDetector", "KeywordDetector",
     "BasicAuthDetector"}
)  # fmt: skip


class _Detector(Protocol):
    def analyze_string(self, string: str) -> Iterator[str]: ...


@dataclass(frozen=True, slots=True)
class CheckedText:
    """A text without its secrets.

    Attributes:
        text: The text; a line with a secret is replaced, so that line numbers hold.
        lines: The lines that were left out, from 1.
    """

    text: str
    lines: tuple[int, ...]

    @property
    def reasons(self) -> tuple[str, ...]:
        """What a report says, if anything; it names lines and no content."""
        if not self.lines:
            return ()
        shown = ", ".join(map(str, self.lines[:_MAX_LISTED_LINES]))
        more = len(self.lines) - _MAX_LISTED_LINES
        return (f"secret: line {shown}{f' and {more} more' if more > 0 else ''} left out",)


def without_secrets(text: str, path: str) -> CheckedText:
    """Replace every line that holds a secret.

    Found are private keys as blocks, tokens by their published forms and by the detectors of
    detect-secrets (its verification, which sends findings out, is never called), values that are
    assigned to a name such as password or token, credentials in addresses, and random strings.

    Raises:
        NotText: `secret-file`, where nothing else is in it.
    """
    lines = text.split("\n")
    found = set(_key_blocks(lines))
    windows = [
        (number, line[start : start + _WINDOW_CHARS])
        for number, line in enumerate(lines)
        if number not in found
        for start in range(0, max(len(line), 1), _WINDOW_CHARS - _OVERLAP_CHARS)
    ]
    found |= set(_found(windows, bare=UNQUOTED_FILES.search(path) is not None))
    found |= set(_detected(windows))
    if not found:
        return CheckedText(text, ())
    kept = [_replaced(line) if number in found else line for number, line in enumerate(lines)]
    if all(number in found or not line.strip() for number, line in enumerate(lines)):
        raise NotText("secret-file")
    return CheckedText("\n".join(kept), tuple(number + 1 for number in sorted(found)))


def _replaced(line: str) -> str:
    return line[: len(line) - len(line.lstrip())] + PLACEHOLDER


def _key_blocks(lines: Sequence[str]) -> Iterator[int]:
    number = 0
    while number < len(lines):
        if not BEGIN.search(lines[number]):
            number += 1
            continue
        last = _block_end(lines, number)
        yield from range(number, last + 1)
        number = last + 1


def _block_end(lines: Sequence[str], first: int) -> int:
    for number in range(first, min(first + MAX_KEY_LINES, len(lines))):
        if END.search(lines[number]):
            return number
    number = first
    while number + 1 < len(lines) and KEY_LINE.fullmatch(lines[number + 1]):
        number += 1
    return number


def _found(windows: Sequence[tuple[int, str]], *, bare: bool) -> Iterator[int]:
    whole = "\n".join(piece for _, piece in windows)
    starts = list(accumulate((len(piece) + 1 for _, piece in windows), initial=0))
    for match in _matches(whole, bare=bare):
        first = bisect_right(starts, match.start()) - 1
        last = bisect_right(starts, match.end() - 1) - 1
        yield from (number for number, _ in windows[first : last + 1])


def _matches(text: str, *, bare: bool) -> Iterator[re.Match[str]]:
    yield from TOKEN.finditer(text)
    for expression, is_secret in (
        (QUOTED, _is_assigned),
        (HEADER, _is_random),
        (BASE64, _is_random),
        (IN_ADDRESS, _is_password),
    ):
        yield from (match for match in expression.finditer(text) if is_secret(match["value"]))
    for match in BARE.finditer(text):
        # In code the value may be an expression; a line as the environment has it is none.
        may_be = bare or VARIABLE.match(match[0]) or _is_random(match["value"])
        if may_be and _is_assigned(match["value"]) and not CODE_VALUE.search(match["value"]):
            yield match
    for match in HEX.finditer(text):
        begin = text.rfind("\n", 0, match.start()) + 1
        if HEX_WORD.search(text, begin, match.start()):
            yield match


def _is_password(value: str) -> bool:
    """Whether the password of an address is more than a stand-in."""
    return value.lower() not in STAND_INS and REFERENCE.search(value) is None


def _is_assigned(value: str) -> bool:
    """Whether a value given to a name such as `password` is one, and no word or reference."""
    if REFERENCE.search(value) or value.startswith("."):
        return False
    if any(character.isdigit() for character in value):
        return PLACE.fullmatch(value) is None or "/" not in value
    return re.search(r"[^\w\s./:,;?\[\]|-]", value) is not None


def _is_random(value: str) -> bool:
    """Whether a string is made of mixed characters and not of words."""
    kinds = (str.isdigit, str.isupper, str.islower)
    counts = [sum(kind(character) for character in value) for kind in kinds]
    words = sum(map(len, WORD.findall(value)))
    return min(counts) >= 2 and 2 * words < len(value) and _entropy_bits(value) > 3.8


def _entropy_bits(value: str) -> float:
    shares = (value.count(character) / len(value) for character in set(value))
    return -sum(share * log2(share) for share in shares)


def _detected(windows: Sequence[tuple[int, str]]) -> Iterator[int]:
    whole = "\n".join(piece for _, piece in windows)
    for detector in _detectors():
        if any(detector.analyze_string(whole)):
            for number, piece in windows:
                if any(detector.analyze_string(piece)):
                    yield number


@cache
def _detectors() -> tuple[_Detector, ...]:
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class

    classes: Mapping[str, type[_Detector]] = get_mapping_from_secret_type_to_class()
    return tuple(kind() for kind in classes.values() if kind.__name__ not in _UNUSED_PLUGINS)
