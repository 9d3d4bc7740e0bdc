"""What does a bracket open: a marker, `[[address|Label]]`, a Markdown link, a definition?

Source: CommonMark 0.31, 4.7 (link reference definitions) and 6.3 (links).
"""

import re

from service.markup.construct import Construct, window
from service.markup.destination import destination

MAX_LABEL_CHARS = 600
MAX_LINK_CHARS = 2600
MAX_RANGE = 20
_NUMBERS = r"(?:passages?|sources?)?[\s:#]*\^?\d{1,6}(?:\s*[,;&–—-]\s*\^?\d{1,6})*"
_MARKER = re.compile(rf"\s*({_NUMBERS})\s*", re.IGNORECASE)
_ESCAPED_MARKER = re.compile(rf"\\\[\s*({_NUMBERS})\s*\\?\]", re.IGNORECASE)
_HALF_ESCAPED = re.compile(rf"\[\s*({_NUMBERS})\s*\\\]", re.IGNORECASE)
_ESCAPED_BEGUN = re.compile(r"\\(?:\[[^\[\]\n]*)?")
_RANGE = re.compile(r"(\d+)(?:\s*[–—-]\s*\^?(\d+))?")
_DEFINITION = re.compile(
    r"[ \t]*\[((?:[^\[\]\\\n]|\\.)+)\]:[ \t]*(?:\r?\n[ \t]*)?(<[^<>\n]*>|[^\s\x00]+)"
    r"(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\)))?[ \t\x00\d]*(?=\r?\n|\Z)"
)
_DEFINITION_BEGUN = re.compile(r"[ \t]*\[(?:[^\[\]\\\n]|\\.)*\\?(?:\](?::.*)?)?", re.DOTALL)
_BLANK_LINE = re.compile(r"\n[ \t]*\r?\n")
_URL_BEGINS = re.compile(r"://|www\.", re.IGNORECASE)
_ADDRESS = re.compile(r"<|[/#?.]|www\.|[A-Za-z][\w+.-]*:|[^\s]*/")


def bracket(text: str, at: int, final: bool) -> Construct | None:
    """The marker, link or wiki link at `[`, or the bracket as text; None: wait for more."""
    view = window(text, at, MAX_LABEL_CHARS, final)
    if view.text == "[" and view.is_open:
        return None
    if view.text.startswith("[["):
        found, decided = _wiki(text, at, final)
        if found or not decided:
            return found
    half_escaped = _HALF_ESCAPED.match(view.text)
    if half_escaped:
        numbers = _numbers(half_escaped.group(1))
        return Construct("marker", at + half_escaped.end(), half_escaped.group(), numbers=numbers)
    close, decided = _matching(view.text, "[", "]")
    if close < 0:
        return Construct("text", at + 1, "[") if decided or not view.is_open else None
    address, end, decided = _destination(text, at + close + 1, final)
    return _labelled(text[at : at + close + 1], address, at, end) if decided else None


def _labelled(written: str, address: str | None, at: int, end: int) -> Construct:
    marker = _MARKER.fullmatch(written[1:-1])
    if marker:
        return Construct("marker", end, written, numbers=_numbers(marker.group(1)))
    if address is None:
        return Construct("text", at + 1, "[")
    return Construct("link", end, written[1:-1], address)


def closing_bracket(text: str, at: int, final: bool) -> Construct | None:
    """`](address)` whose opening bracket was not understood: the address never gets out."""
    address, end, decided = _destination(text, at + 1, final)
    if not decided:
        return None
    if address is None:
        return Construct("text", at + 1, "]")
    return Construct("link", end, "]", address)


def image(text: str, at: int, final: bool) -> Construct | None:
    """`![alt](address)`: its description alone stays."""
    view = window(text, at, 2, final)
    if len(view.text) < 2 and view.is_open:
        return None
    if view.text != "![":
        return Construct("text", at + 1, "!")
    found = bracket(text, at + 1, final)
    if found is None or found.kind != "link":
        return found and Construct("text", at + 1, "!")
    return Construct("link", found.end, found.text, "")


def escaped(text: str, at: int, final: bool) -> Construct | None:
    r"""A backslash: `\[1\]` is a marker all the same, a backtick behind it opens no code."""
    view = window(text, at, 80, final)
    marker = _ESCAPED_MARKER.match(view.text)
    if marker:
        written = marker.group()
        return Construct("marker", at + marker.end(), written, numbers=_numbers(marker.group(1)))
    if view.is_open and _ESCAPED_BEGUN.fullmatch(view.text):
        return None
    length = 2 if view.text[1:2] in ("\\", "`") and len(view.text) > 1 else 1
    return Construct("text", at + length, view.text[:length])


def definition(text: str, at: int, final: bool) -> tuple[Construct | None, bool]:
    """`[label]: address` on a line of its own, and whether that is decided."""
    view = window(text, at, MAX_LABEL_CHARS, final)
    found = _DEFINITION.match(view.text)
    if found is None or (found.end() == len(view.text) and view.is_open):
        begun = _DEFINITION_BEGUN.fullmatch(view.text)
        lines = view.text.count("\n") if begun else 2
        return None, not (view.is_open and begun and lines < 2)
    label, address = found.groups()
    if _ADDRESS.match(address):
        return Construct("drop", at + found.end()), True
    if _MARKER.fullmatch(label) or _URL_BEGINS.search(label):
        return None, True
    # A space before the colon keeps it from defining a link for every renderer.
    written = view.text[: found.start(1) + len(label) + 1]
    return Construct("text", at + len(written), written + " "), True


def _wiki(text: str, at: int, final: bool) -> tuple[Construct | None, bool]:
    view = window(text, at, MAX_LABEL_CHARS, final)
    end = view.text.find("]]", 2)
    line = view.text.find("\n")
    if end < 0 or 0 <= line < end:
        return None, not (view.is_open and line < 0)
    while view.text[end + 2 : end + 3] == "]":
        end += 1
    if end + 2 == len(view.text) and view.is_open:
        return None, False
    body = view.text[2:end]
    address, separator, label = (part.strip() for part in body.partition("|"))
    marker = _MARKER.fullmatch(address)
    if "[[" in body or not (marker or separator or _ADDRESS.match(address)):
        return None, True
    _, after, decided = _destination(text, at + end + 2, final)
    if not decided:
        return None, False
    if marker:
        numbers = _numbers(marker.group(1))
        return Construct("marker", after, text[at : at + end + 2], numbers=numbers), True
    return Construct("link", after, label, address or "/"), True


def _destination(text: str, at: int, final: bool) -> tuple[str | None, int, bool]:
    """The address in parentheses at `at` or None, the index behind it, whether it is decided."""
    view = window(text, at, MAX_LINK_CHARS, final)
    try:
        address, end = destination(view.text)
    except IndexError:  # the text ends before the parenthesis does
        return None, at, not view.is_open
    return (None, at, True) if end < 0 else (address.replace("\\", ""), at + end, True)


def _matching(text: str, opening: str, closing: str) -> tuple[int, bool]:
    """Index of the bracket that closes the first one or -1, and whether that can change."""
    depth, index = 0, 0
    while index < len(text):
        character = text[index]
        if character == "\\":
            index += 1
        elif character == opening:
            depth += 1
        elif character == closing:
            depth -= 1
            if depth == 0:
                return index, True
        elif character == "\n" and _BLANK_LINE.match(text, index):
            return -1, True
        index += 1
    return -1, False


def _numbers(written: str) -> tuple[int, ...]:
    numbers: list[int] = []
    for first, last in _RANGE.findall(written):
        low, high = int(first), int(last or first)
        numbers += range(low, high + 1) if 0 < high - low <= MAX_RANGE else [low]
        if high < low or high - low > MAX_RANGE:
            numbers.append(high)
    return tuple(dict.fromkeys(numbers))
