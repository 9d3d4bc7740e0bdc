"""Which lines belong to a private key?"""

import re
from collections.abc import Iterator, Sequence

_BEGIN = re.compile(
    r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|^PuTTY-User-Key-File-"
)
_END = re.compile(r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|^Private-MAC:")
_KEY_LINE = re.compile(r"[\s\"'+#/*>|]*+[A-Za-z0-9+/=]{16,}+[\s\"'+,;\\n]*")
_HEADER_LINE = re.compile(r"[\s#*>|]*+[A-Z][A-Za-z-]+: .*|[\s#*>|]*")
_MAX_LINES = 200


def key_lines(lines: Sequence[str]) -> Iterator[int]:
    """Indexes of the lines of private keys, of which the begin or the end may be missing."""
    edges = (
        number
        for number, line in enumerate(lines)
        if "PRIVATE KEY" in line or line.startswith(("PuTTY-", "Private-"))
    )
    last = -1
    for number in edges:
        if number <= last:
            continue
        if _BEGIN.search(lines[number]):
            last = _last_line(lines, number)
            yield from range(number, last + 1)
        elif _END.search(lines[number]):
            last = number
            yield from range(_first_line(lines, number), number + 1)


def _last_line(lines: Sequence[str], first: int) -> int:
    for number in range(first, min(first + _MAX_LINES, len(lines))):
        if _END.search(lines[number]):
            return number
    begin = first
    while begin + 1 < len(lines) and _HEADER_LINE.fullmatch(lines[begin + 1]):
        begin += 1
    number = begin
    while number + 1 < len(lines) and _KEY_LINE.fullmatch(lines[number + 1]):
        number += 1
    return number if number > begin else first


def _first_line(lines: Sequence[str], last: int) -> int:
    number = last
    while number > max(0, last - _MAX_LINES) and _KEY_LINE.fullmatch(lines[number - 1]):
        number -= 1
    return number
