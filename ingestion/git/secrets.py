"""Which lines of a text hold a secret? They are left out before anything else sees the text."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import Protocol

from ingestion.git.content import INVISIBLE, NotText
from ingestion.git.secret_keys import key_lines
from ingestion.git.secret_patterns import (
    AFTER_A_NAME,
    ANYWHERE,
    HEX,
    UNQUOTED_FILES,
    WORDS,
    Rule,
)
from ingestion.git.secret_tokens import TOKEN

PLACEHOLDER = "[secret left out]"
_WINDOW_CHARS = 2000
_OVERLAP_CHARS = 200
_MAX_LISTED_LINES = 20
# Their findings need a second look (secret_values.py), are no secrets (addresses), or say too much.
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
    found = set(key_lines(lines))
    windows = _windows(text.translate(INVISIBLE).split("\n"), found)
    found |= set(_found(windows, in_settings=UNQUOTED_FILES.search(path) is not None))
    found |= set(_detected(windows))
    if not found:
        return CheckedText(text, ())
    kept = [_replaced(line) if number in found else line for number, line in enumerate(lines)]
    if all(number in found or not line.strip() for number, line in enumerate(lines)):
        raise NotText("secret-file")
    return CheckedText("\n".join(kept), tuple(number + 1 for number in sorted(found)))


def masked_paths(paths: Sequence[str]) -> Mapping[str, str]:
    """How paths that hold a token are to be written; the others are not in it.

    A name says too little for anything but the published forms of tokens to be sure.
    """
    parts = sorted({part for path in paths for part in path.split("/")})
    windows = [(number, part.replace("\n", " ")) for number, part in enumerate(parts)]
    tokens = {number for number, part in windows if TOKEN.search(part)}
    found = {parts[number] for number in tokens.union(_detected(windows))}
    if not found:
        return {}
    masked = {
        path: "/".join(PLACEHOLDER if part in found else part for part in path.split("/"))
        for path in paths
    }
    return {path: shown for path, shown in masked.items() if shown != path}


def _replaced(line: str) -> str:
    return line[: len(line) - len(line.lstrip())] + PLACEHOLDER


def _windows(lines: Sequence[str], but: set[int]) -> list[tuple[int, str]]:
    """Pieces of lines with the index of each."""
    return [
        (number, line[start : start + _WINDOW_CHARS])
        for number, line in enumerate(lines)
        if number not in but
        for start in range(0, max(len(line), 1), _WINDOW_CHARS - _OVERLAP_CHARS)
    ]


def _found(windows: Sequence[tuple[int, str]], *, in_settings: bool) -> Iterator[int]:
    whole = "\n".join(piece for _, piece in windows)
    starts = list(accumulate((len(piece) + 1 for _, piece in windows), initial=0))
    for begin, end in _spans(whole, in_settings=in_settings):
        first = bisect_right(starts, begin) - 1
        last = bisect_right(starts, end - 1) - 1
        yield from (number for number, _ in windows[first : last + 1])


def _spans(text: str, *, in_settings: bool) -> Iterator[tuple[int, int]]:
    # Of all characters only İ becomes two in lower case.
    words = list(WORDS.finditer(text.replace("İ", "I").lower()))
    for match in TOKEN.finditer(text):
        yield match.span()
    for rule in ANYWHERE:
        for match in rule.expression.finditer(text):
            if rule.is_secret(match["value"]):
                yield match.span()
    names = [match for match in words if match["name"]]
    for rule in AFTER_A_NAME:
        if rule.in_settings in (None, in_settings):
            yield from _after_names(text, names, rule)
    yield from _digests(text, [match.start() for match in words])


def _after_names(
    text: str, names: Sequence[re.Match[str]], rule: Rule
) -> Iterator[tuple[int, int]]:
    end = 0
    for name in names:
        if name.start() < end:  # part of a value
            continue
        match = rule.expression.match(text, name.end())
        if match:
            end = match.end()
            if rule.is_secret(match["value"]):
                yield name.start(), end


def _digests(text: str, words: Sequence[int]) -> Iterator[tuple[int, int]]:
    for match in HEX.finditer(text):
        before = bisect_left(words, match.start()) - 1
        if before >= 0 and text.find("\n", words[before], match.start()) < 0:
            yield match.span()


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
