"""How does Hugo write a name or a path into an address?"""

import re
import unicodedata
from urllib.parse import quote

from ingestion.hugo.casts import lowered

_ALLOWED = frozenset("./\\_#+~-@")
_PLAIN_PATH = re.compile(r"[A-Za-z0-9./_+~@-]*")
_HEX_PAIR = re.compile(r"%[0-9A-Fa-f]{2}")
_BARE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_UNESCAPED = "/:@!$&'()*+,;=~?%"


def sanitized(text: str) -> str:
    """Drop what Hugo drops from paths; white space becomes one hyphen, unless one is there."""
    if _PLAIN_PATH.fullmatch(text):
        return text
    kept: list[str] = []
    gap = False
    for position, rune in enumerate(text):
        if _is_allowed(text, position, rune):
            if gap and rune != "-":
                kept.append("-")
            gap = False
            kept.append(rune)
        elif rune.isspace() and kept and kept[-1] != "-":
            gap = True
    return "".join(kept)


def path_name(text: str, *, lower: bool, accents: bool) -> str:
    """`text` as a part of a path: sanitized, lower case and without accents as configured."""
    name = sanitized(text)
    if not accents:
        name = without_accents(name)
    return lowered(name) if lower else name


def without_accents(text: str) -> str:
    """`text` without combining marks; letters that only look accented (ø, ł) stay."""
    decomposed = unicodedata.normalize("NFD", text)
    bare = "".join(rune for rune in decomposed if unicodedata.category(rune) != "Mn")
    return unicodedata.normalize("NFC", bare)


def escaped(path: str) -> str:
    """`path` percent-encoded as in Hugo's permalinks; what is encoded already stays."""
    return quote(_BARE_PERCENT.sub("%25", path), safe=_UNESCAPED)


def _is_allowed(text: str, position: int, rune: str) -> bool:
    if rune in _ALLOWED:
        return True
    if rune == "%":
        return _HEX_PAIR.match(text, position) is not None
    category = unicodedata.category(rune)
    return category[0] in "LM" or category == "Nd"
