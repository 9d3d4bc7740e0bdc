"""Which outcome does the model name, and what is left of its text without the marker?"""

import re
from typing import Literal

Outcome = Literal["answered", "unknown", "declined", "contact"]
_MARKER = re.compile(r"<<\s{0,3}(unknown|declined|contact|answered)\s{0,3}>>", re.IGNORECASE)
_BEGUN = re.compile(r"<(?:<\s{0,3}(?:\w{1,8}(?:\s{0,3}>?)?)?)?", re.IGNORECASE)
_LEADING = re.compile(rf"\s*(?:{_BEGUN.pattern})?", re.IGNORECASE)
_LEADING_MARKER = re.compile(rf"\s*({_MARKER.pattern})", re.IGNORECASE)
_MAX_MARKER_CHARS = 20


class OutcomeMarkers:
    """Takes `<<unknown>>` and its like out of a text that arrives in any splits.

    Attributes:
        outcome: What the first marker said; None without one.
    """

    def __init__(self) -> None:
        self.outcome: Outcome | None = None
        self._waiting = ""
        self._skips_space = False
        self._has_begun = False

    def feed(self, text: str) -> str:
        """Take more text; what of it can go on."""
        self._waiting += text
        return self._scan(final=False)

    def finish(self) -> str:
        """The rest, once no more text comes."""
        return self._scan(final=True)

    def _scan(self, final: bool) -> str:
        out: list[str] = []
        at = 0
        if not self._has_begun and not final and _LEADING.fullmatch(self._waiting):
            return ""  # space before a marker goes with it
        if not self._has_begun:
            self._has_begun = True
            marker = _LEADING_MARKER.match(self._waiting)
            at = marker.start(1) if marker else 0
        while at < len(self._waiting):
            if self._skips_space and self._waiting[at].isspace():
                at += 1
                continue
            self._skips_space = False
            start = self._waiting.find("<", at)
            if start < 0:
                start = len(self._waiting)
            out.append(self._waiting[at:start])
            at = start
            view = self._waiting[at : at + _MAX_MARKER_CHARS]
            marker = _MARKER.match(view)
            if marker:
                self._name(marker.group(1))
                at += marker.end()
            elif not final and view and _BEGUN.fullmatch(view):
                break
            else:
                out.append(self._waiting[at : at + 1])
                at += 1
        self._waiting = self._waiting[at:]
        return "".join(out)

    def _name(self, word: str) -> None:
        lowered = word.lower()
        for outcome in ("unknown", "declined", "contact"):
            if lowered == outcome and self.outcome is None:
                self.outcome = outcome
        self._skips_space = True
