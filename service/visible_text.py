"""What of a model's text gets out, and how are the gaps closed that dropped parts leave?"""

from service.citations import Citation

Piece = str | Citation
_CLOSING = ".,;:!?)]}»”’\n\r"
_TAIL_CHARS = 3
_BLOCK_PREFIX = " \t>*+-.)0123456789"
"""What may stand before a definition on its line: quotes and lists."""


class VisibleText:
    """Collects visible text and citations; holds spaces back until it is known what follows.

    Attributes:
        written: Characters that got out so far.
    """

    def __init__(self) -> None:
        self._pieces: list[Piece] = []
        self.written = 0
        self._spaces = ""
        self._tail = ""
        self._marker = ""
        self._line_is_blank = True
        self._line_is_bracket = False
        self._gap = False
        self._vanished = False
        self._is_spaced = False

    @property
    def has_vanished(self) -> bool:
        """Whether nothing visible was written since something was dropped."""
        return self._vanished

    def take(self) -> list[Piece]:
        """What was collected since the last call."""
        pieces, self._pieces = self._pieces, []
        return pieces

    def space(self, spaces: str) -> None:
        """Blanks or tabs."""
        if not self._is_spaced:
            self._spaces += spaces

    def write(self, text: str, in_code: bool = False) -> None:
        """Anything else that is visible; in code nothing can become a link."""
        if self._vanished and text[0] in _CLOSING:
            self._spaces = ""
        if not (in_code or self._spaces) and self._joins_badly(text[0]):
            self._spaces = " "
        self._vanished = self._gap = self._is_spaced = False
        self._marker = ""
        self._flush_spaces()
        self._put(text)

    def cite(self, citation: Citation, is_new: bool, marker: str) -> None:
        """A citation, before its first marker; the same marker is not repeated side by side."""
        if is_new:
            self._pieces.append(citation)
        if not marker or marker == self._marker:
            self.vanish()
            return
        self.write(marker)
        self._marker = marker
        self._gap = True

    def vanish(self) -> None:
        """Something was dropped here: one space is enough around it."""
        self._vanished = self._gap = True
        self._is_spaced = bool(self._spaces) or self._tail[-1:] in ("", "\n")

    def boundary(self) -> None:
        """Something was rewritten here: no new markup may come to be."""
        self._gap = True

    def finish(self) -> None:
        """No more text will come."""
        if not self._vanished:
            self._flush_spaces()
        self._spaces = ""

    def _flush_spaces(self) -> None:
        spaces, self._spaces = self._spaces, ""
        if spaces:
            self._put(spaces)

    def _put(self, text: str) -> None:
        self.written += len(text)
        if self._pieces and isinstance(self._pieces[-1], str):
            self._pieces[-1] += text
        else:
            self._pieces.append(text)
        _, newline, line = text.rpartition("\n")
        if newline:
            self._line_is_blank, self._line_is_bracket = True, False
        begun = line.lstrip(_BLOCK_PREFIX)
        if self._line_is_blank and begun:
            self._line_is_blank, self._line_is_bracket = False, begun.startswith("[")
        self._tail = (self._tail + text)[-_TAIL_CHARS:]

    def _joins_badly(self, after: str) -> bool:
        before = self._tail[-1:]
        # Also without a gap: what is dropped later could make a link of it.
        if before == "]" and after in ("(:" if self._line_is_bracket else "("):
            return True
        if not self._gap:
            return False
        pairs = {
            "[": "[^0123456789",
            "<": "/!abcdefghijklmnopqrstuvwxyz",
            "`": "`",
            "!": "[",
        }
        if before and after.lower() in pairs.get(before, ""):
            return True
        if before in (":", "/") and not after.isspace() and after not in _CLOSING:
            return True  # the beginning of an address gets no host
        if before.isdigit() and after == "]":
            return True
        tail = self._tail.lower()
        if (tail == "www" and after == ".") or (tail == "ww." and not after.isspace()):
            return True
        return before == "\\" or (_is_word(before) and _is_word(after))


def _is_word(character: str) -> bool:
    return character.isascii() and character.isalnum()
