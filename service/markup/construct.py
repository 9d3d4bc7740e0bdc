"""What can a scanner find at one position of a text that is still growing?"""

from dataclasses import dataclass
from typing import Literal

BREAK = "\x00"
"""Stands where something was rewritten; taken out of a model's text before it is scanned."""


@dataclass(frozen=True, slots=True)
class Construct:
    """Something recognised.

    Attributes:
        kind: text (stays as it is), code (a span), fence (opens or closes a block), marker
            (numbers of passages), link (a label with an address), url (a bare address), drop.
        end: Index behind it.
        text: Visible text: literal, label, or the first part of `address` that may stand alone.
        address: Where a link or url leads, as written.
        numbers: Passages that a marker names.
        fence: The run of characters that opened a block; "" where it closes.
    """

    kind: Literal["text", "code", "fence", "marker", "link", "url", "drop"]
    end: int
    text: str = ""
    address: str = ""
    numbers: tuple[int, ...] = ()
    fence: str = ""


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a text that may decide what stands at `at`.

    Attributes:
        text: At most `limit` characters from `at` on.
        at: Index in the whole text.
        is_open: More characters may come that belong to it.
    """

    text: str
    at: int
    is_open: bool


def window(text: str, at: int, limit: int, final: bool) -> Window:
    """The next `limit` characters: no decision looks further, so that none waits for ever."""
    return Window(text[at : at + limit], at, not final and len(text) - at < limit)
