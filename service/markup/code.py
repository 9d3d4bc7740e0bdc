"""Where does code begin and end? In it numbers in brackets are no citations.

Source: CommonMark 0.31, 4.5 (fenced code blocks) and 6.1 (code spans).
"""

import re

from service.markup.construct import Construct, Window, window

MAX_SPAN_CHARS = 2000
MAX_FENCE_CHARS = 300
_RUN = re.compile(r"`+")
_FENCE_OPEN = re.compile(r"[ \t]*(`{3,}|~{3,})([^\n]*)")
_FENCE_BEGUN = re.compile(r"[ \t>]*(?:`*|~*)")
_LEAD = re.compile(r"[ \t>]*")
_BLOCK_BREAK = re.compile(
    r"\n[ \t]*(?:\r?\n|#{1,6}[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t]|~{3}|`{3,}[^`\n]*(?:\n|\Z))"
)
_HEADING = re.compile(r"[ \t>]*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)*#{1,6}[ \t]")


def code_span(text: str, at: int, final: bool, line: str) -> Construct | None:
    """The code span at a backtick, or its run of backticks as text; None: wait for more."""
    view = window(text, at, MAX_SPAN_CHARS, final)
    runs = _RUN.finditer(view.text)
    opening = next(runs).group()
    if len(opening) == len(view.text) and view.is_open:
        return None
    limit, decided = _paragraph_end(view, len(opening), line)
    for run in runs:
        if 0 <= limit < run.start():
            break
        if run.end() == len(view.text) and view.is_open:
            return None
        if len(run.group()) == len(opening):
            return Construct("code", at + run.end(), view.text[: run.end()])
    if view.is_open and not decided:
        return None
    return Construct("text", at + len(opening), opening)


def _paragraph_end(view: Window, start: int, line: str) -> tuple[int, bool]:
    """Index of the line break behind which another block begins or -1; whether it will stay."""
    if _HEADING.match(line):
        end = view.text.find("\n", start)
        return end, end >= 0
    broken = _BLOCK_BREAK.search(view.text, start)
    if broken is None:
        return -1, False
    is_whole = broken.end() < len(view.text) or view.text.endswith("\n")
    return broken.start(), is_whole or "`" not in broken.group()


def fence_opening(text: str, at: int, final: bool) -> tuple[Construct | None, bool]:
    """The fence that opens at `at`, where a line or a list item begins; and if that is decided."""
    view = window(text, at, MAX_FENCE_CHARS, final)
    found = _FENCE_OPEN.match(view.text)
    if not found:
        return None, not (view.is_open and _is_begun(view))
    if found.end() == len(view.text) and view.is_open:
        return None, False
    run, info = found.groups()
    if run[0] == "`" and "`" in info:
        return None, True
    return Construct("fence", at + found.end(), found.group(), fence=run), True


def fence_closing(
    text: str, at: int, final: bool, fence: str, prefix: str
) -> tuple[Construct | None, bool]:
    """The same for the end of a block that the run `fence` opened behind `prefix`.

    A block in a list or a quote ends with its container too.
    """
    view = window(text, at, MAX_FENCE_CHARS, final)
    if prefix:
        lead = _LEAD.match(view.text)
        begin = lead.group() if lead else ""
        if len(begin) == len(view.text) and view.is_open:
            return None, False
        inside = ">" in begin if ">" in prefix else len(begin) >= len(prefix)
        if not inside and view.text[len(begin) :][:1] not in ("", "\r", "\n"):
            return Construct("fence", at), True
    closing = re.match(rf"[ \t>]*{re.escape(fence[0])}{{{len(fence)},}}[ \t\r]*", view.text)
    if not closing:
        return None, not (view.is_open and _is_begun(view))
    if closing.end() == len(view.text) and view.is_open:
        return None, False
    if view.text[closing.end() : closing.end() + 1] not in ("", "\n"):
        return None, True
    return Construct("fence", at + closing.end(), closing.group()), True


def _is_begun(view: Window) -> bool:
    return _FENCE_BEGUN.fullmatch(view.text) is not None
