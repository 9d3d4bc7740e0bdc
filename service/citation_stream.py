"""How does a model's text become visible text with citations, however it arrives?

Markers of passages and links to real pages become citations; every other link loses its address
and keeps its label. In code numbers are left alone, and an address stays only where a passage
holds it. Nothing gets out before it is understood, and no decision depends on how the text is
split: each is a function of a bounded window of the whole.
"""

import re

from service.citations import URL, Citation, CitationStyle, Cited, Ledger, Sources, trimmed_url
from service.markup.construct import BREAK, Construct
from service.markup.scanner import begins_block, next_construct, next_in_code
from service.visible_text import Piece, VisibleText

_MAX_LINE_CHARS = 64
_MAX_MARKER = 999
_REMOVED = "…"
_UNSAFE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_BREAKS = re.compile(rf"{BREAK}\d*{BREAK}")
_PLAIN_LABEL = re.compile(r"[^\[\]|`<>\\!:/\n\r\x00]+")
_LINK_PARTS = str.maketrans({"[": "(", "]": ")", "|": "-", "\n": " ", "\r": " "})


class CitationStream:
    """Reads the text of one answer and gives out what a visitor may see."""

    def __init__(self, sources: Sources, style: CitationStyle = "numbers") -> None:
        """Begin an answer.

        Args:
            sources: What can be cited.
            style: `[n]`, `[[url|title]]`, or no markers.
        """
        self._sources = sources
        self._style = style
        self._ledger = Ledger()
        self._visible = VisibleText()
        self._waiting = ""
        self._half_character = ""
        self._line = ""
        self._fence = ""
        self._prefix = ""
        self._rewritten: list[Cited] = []

    def feed(self, text: str) -> list[Piece]:
        """Take more text; what can be shown now, each citation before its first marker."""
        self._waiting += self._clean(text)
        self._scan(final=False)
        return self._visible.take()

    def finish(self) -> list[Piece]:
        """The rest, once no more text comes."""
        if self._half_character:
            self._half_character = ""
            self._waiting += "\ufffd"
        self._scan(final=True)
        self._visible.finish()
        return self._visible.take()

    def citations(self) -> tuple[Citation, ...]:
        """Every citation so far, with its further places."""
        return self._ledger.citations()

    def _clean(self, text: str) -> str:
        text = self._half_character + text
        self._half_character = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._half_character = text[:-1], text[-1]
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return _UNSAFE.sub("", whole)

    def _scan(self, final: bool) -> None:
        at = 0
        while at < len(self._waiting):
            found = (
                next_in_code(self._waiting, at, final, self._line, self._fence, self._prefix)
                if self._fence
                else next_construct(self._waiting, at, final, self._line)
            )
            if found is None:
                break
            at = self._apply(found, at)
        self._waiting = self._waiting[at:]

    def _apply(self, found: Construct, at: int) -> int:
        """Act on a construct; the index from which the scan goes on."""
        written = self._visible.written
        end = self._act(found)
        if end == 0:
            return end
        source = self._waiting[at:end]
        if self._visible.has_vanished and self._visible.written == written:
            # What was dropped does not keep a block from beginning behind it.
            source = "" if begins_block(self._line) else BREAK
        self._advance(source)
        return end

    def _act(self, found: Construct) -> int:
        """Show what a construct shows; the index behind what was used of it, 0 if rewritten."""
        match found.kind:
            case "link":
                return self._link(found)
            case "url":
                return self._url(found)
            case "marker":
                self._marker(found)
            case "drop":
                self._visible.vanish()
            case "code":
                self._code(found.text)
            case "fence":
                self._fence_line(found)
            case "text":
                self._text(found.text)
        return found.end

    def _advance(self, source: str) -> None:
        line = (self._line + _BREAKS.sub(BREAK, source)).rsplit("\n", 1)[-1]
        # A long line can open no block: its end is enough to know what stands before.
        self._line = line if len(line) <= _MAX_LINE_CHARS else f"{line[:32]}x{line[-1]}"

    def _text(self, text: str) -> None:
        if _BREAKS.fullmatch(text):
            self._rewrite_end(text.strip(BREAK))
            return
        text = _BREAKS.sub("", text).replace(BREAK, "")
        if text.strip(" \t"):
            self._visible.write(text, in_code=bool(self._fence))
        else:
            self._visible.space(text)

    def _code(self, span: str) -> None:
        span = _BREAKS.sub("", span)
        kept = URL.sub(self._quoted_url, span)
        if kept != span and not kept.strip(f"`{_REMOVED} \t\r\n"):
            self._visible.vanish()
        else:
            self._visible.write(kept)

    def _fence_line(self, found: Construct) -> None:
        if found.text:
            line = URL.sub(self._quoted_url, _BREAKS.sub("", found.text))
            self._visible.write(line, in_code=True)
        self._fence, self._prefix = found.fence, self._line if found.fence else ""

    def _quoted_url(self, found: re.Match[str]) -> str:
        url = trimmed_url(found.group())
        if self._may_quote(url):
            return found.group()
        return _REMOVED + found.group()[len(url) :]

    def _may_quote(self, url: str) -> bool:
        return self._sources.is_written(url) or self._sources.page(url) is not None

    def _url(self, found: Construct) -> int:
        short_end = found.end - len(found.address) + len(found.text)
        if self._fence:
            quotable = self._may_quote(found.address)
            self._visible.write(found.address if quotable else _REMOVED, in_code=True)
            return found.end if quotable else short_end
        for address, end in ((found.address, found.end), (found.text, short_end)):
            cited = self._sources.page(address)
            if cited:
                if self._style != "wiki":
                    self._visible.write(_flat(cited.title))
                    self._visible.space(" ")
                self._cite(cited)
                return end
        self._visible.vanish()
        return short_end

    def _link(self, found: Construct) -> int:
        """Put the label back to be scanned, with what it leads to behind it."""
        cited = self._sources.page(found.address.strip())
        in_marker = self._style == "wiki" and _PLAIN_LABEL.fullmatch(found.text)
        if not found.text or (cited and cited.url and in_marker):
            if cited:
                self._cite(cited, found.text)
            else:
                self._visible.vanish()
            return found.end
        number = ""
        if cited:
            number = str(len(self._rewritten))
            self._rewritten.append(cited)
        rest = self._waiting[found.end :]
        self._waiting = f"{found.text}{BREAK}{number}{BREAK}{rest}"
        self._visible.boundary()
        return 0

    def _rewrite_end(self, number: str) -> None:
        self._visible.boundary()
        if number:
            if self._style != "none":
                self._visible.space(" ")
            self._cite(self._rewritten[int(number)])

    def _marker(self, found: Construct) -> None:
        valid = [cited for n in found.numbers if (cited := self._sources.passage(n))]
        if not valid and not any(1 <= n <= _MAX_MARKER for n in found.numbers):
            self._visible.write(found.text)  # [0] or [2024]: no marker that a model was given
            return
        if not valid:
            self._visible.vanish()
        for cited in valid:
            self._cite(cited)

    def _cite(self, cited: Cited, label: str = "") -> None:
        citation, is_new = self._ledger.cite(cited)
        if self._style == "numbers":
            marker = f"[{citation.n}]"
        elif self._style == "none":
            marker = ""
        elif cited.url is None:
            marker = f"({_flat(cited.title)})"
        else:
            url = cited.url.replace("|", "%7C").replace("[", "%5B").replace("]", "%5D")
            marker = f"[[{url}|{label or _flat(cited.title)}]]"
        self._visible.cite(citation, is_new, marker)


def _flat(title: str) -> str:
    return title.translate(_LINK_PARTS)
