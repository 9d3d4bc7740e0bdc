"""Where does the address of a Markdown link end?

Source: CommonMark 0.31, 6.3: link destination and link title.
"""

from service.markup.construct import BREAK

_NONE = ("", -1)
_MAX_DEPTH = 32
_SPACE = " \t\r\n"
_TITLES = {'"': '"', "'": "'", "(": ")"}


def destination(text: str) -> tuple[str, int]:
    """The address in `(address "title")` at the start of `text`, and the index behind it.

    Returns:
        ("", -1) where the text cannot be such a parenthesis, however it goes on.

    Raises:
        IndexError: It ends before that is known.
    """
    if text[0] != "(":
        return _NONE
    start = _skip_space(text, 1)
    end = _pointed(text, start) if text[start] == "<" else _plain(text, start)
    if end < 0:
        return _NONE
    address = text[start:end].strip("<>") if text[start] == "<" else text[start:end]
    behind = _skip_space(text, end)
    if text[behind] == ")":
        return address, behind + 1
    if behind == end or text[behind] not in _TITLES:
        return _NONE
    behind = _skip_space(text, _title(text, behind))
    return (address, behind + 1) if text[behind] == ")" else _NONE


def _skip_space(text: str, at: int) -> int:
    while text[at] in _SPACE:
        at += 1
    return at


def _pointed(text: str, at: int) -> int:
    at += 1
    while text[at] != ">":
        if text[at] in "<\n":
            return -1
        at += 1
    return at + 1


def _plain(text: str, at: int) -> int:
    depth = 0
    while text[at] not in _SPACE:
        if text[at] == "\\":
            at += 1
        elif text[at] == "(":
            depth += 1
        elif text[at] == ")":
            depth -= 1
        if depth < 0:
            return at
        if depth > _MAX_DEPTH or text[at] == BREAK:
            return -1
        at += 1
    return at if depth == 0 else -1


def _title(text: str, at: int) -> int:
    closing = _TITLES[text[at]]
    at += 1
    while text[at] != closing:
        at += 2 if text[at] == "\\" else 1
    return at + 1
