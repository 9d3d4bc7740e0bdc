"""What stands at this position of a text outside a code block?"""

import re

from service.markup.addresses import angle, bare_url, scheme_rest
from service.markup.brackets import bracket, closing_bracket, definition, escaped, image
from service.markup.code import code_span, fence_closing, fence_opening
from service.markup.construct import BREAK, Construct

_WORD = re.compile(r"\w+", re.ASCII)
_SPACE = re.compile(r"[ \t]+")
_REWRITTEN = re.compile(rf"{BREAK}\d*{BREAK}")
_OPENING = {
    "[": bracket,
    "]": closing_bracket,
    "!": image,
    "<": angle,
    ":": scheme_rest,
    "\\": escaped,
}
# Only quotes and lists may stand before what opens a block.
_PREFIX = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t>]+)*")


def next_construct(text: str, at: int, final: bool, line: str) -> Construct | None:
    """What begins at `at`; None where more text must come first.

    Args:
        text: The text so far.
        at: Below its length.
        final: No more text will come.
        line: What stands before `at` on its line.
    """
    if begins_block(line):
        found, decided = _block(text, at, final)
        if found or not decided:
            return found
    character = text[at]
    if character == "`":
        return code_span(text, at, final, line)
    if character in _OPENING:
        return _OPENING[character](text, at, final)
    return _plain(text, at, final, line)


def next_in_code(
    text: str, at: int, final: bool, line: str, fence: str, prefix: str
) -> Construct | None:
    """The same inside a block that `fence` opened behind `prefix`: its end and addresses alone."""
    if not line:
        found, decided = fence_closing(text, at, final, fence, prefix)
        if found or not decided:
            return found
    if text[at] == ":":
        return scheme_rest(text, at, final)
    return _plain(text, at, final, line)


def begins_block(line: str) -> bool:
    """Whether a block can still begin behind what stands on a line so far."""
    return _PREFIX.fullmatch(line) is not None


def _block(text: str, at: int, final: bool) -> tuple[Construct | None, bool]:
    found, decided = fence_opening(text, at, final)
    if found or not decided:
        return found, decided
    if text[at] in "[ \t":
        return definition(text, at, final)
    return None, True


def _plain(text: str, at: int, final: bool, line: str) -> Construct | None:
    character = text[at]
    if character in "hHfFwW" and not _WORD.fullmatch(line[-1:]):
        return bare_url(text, at, final)
    run = _REWRITTEN.match(text, at) or _WORD.match(text, at) or _SPACE.match(text, at)
    return Construct("text", run.end() if run else at + 1, run.group() if run else character)
