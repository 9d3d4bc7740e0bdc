"""How is text from outside shown at a terminal, where some characters are commands?

A file's name or a page's title may hold an escape code that rewrites the screen, or a mark that
turns the direction of what follows.
"""

import re

# C0 but tab and line feed, DEL, C1, line and paragraph separators, and the marks of direction.
_COMMANDS = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def shown(text: str) -> str:
    r"""`text` with such characters written out: `\x1b`, `\u202e`."""
    return _COMMANDS.sub(lambda match: repr(match[0])[1:-1], text)


def shown_json(document: str) -> str:
    """A JSON text with the same value and no such character but in its white space."""
    return _COMMANDS.sub(lambda match: f"\\u{ord(match[0]):04x}", document)
