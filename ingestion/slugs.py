"""What does a heading's text look like as an id, before repeated ones are numbered?"""

import re
import unicodedata
from typing import Literal

HugoIdKind = Literal["github", "github-ascii", "blackfriday"]

_CIRCLED_LETTERS = ((0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189))


def hugo_slug(text: str, kind: HugoIdKind) -> str:
    """Slug of Hugo's `autoIDType`; "" where no character is kept."""
    if kind == "blackfriday":
        return _blackfriday_slug(text)
    if kind == "github-ascii":
        text = _without_accents(text)
    kept = []
    for char in text.strip():
        if kind == "github-ascii" and not char.isascii():
            continue
        if char in "- ":
            kept.append("-")
        elif char == "_" or unicodedata.category(char)[0] == "L" or _is_decimal(char):
            kept.append(_lower(char))
    return "".join(kept)


def github_slug(text: str) -> str:
    """Slug of github.com and github-slugger; "" where no character is kept."""
    lowered = text.strip().lower()
    return "".join("-" if char == " " else char for char in lowered if _github_keeps(char))


def _blackfriday_slug(text: str) -> str:
    words = "".join(_lower(c) if unicodedata.category(c)[0] in "LN" else " " for c in text)
    return "-".join(words.split())


def python_markdown_slug(text: str, *, ascii_only: bool) -> str:
    """Slug of Python-Markdown's `toc`; "" where no character is kept."""
    if ascii_only:
        text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", text).strip().lower())


def _without_accents(text: str) -> str:
    decomposed = unicodedata.normalize("NFD", text)
    bare = "".join(char for char in decomposed if unicodedata.category(char) != "Mn")
    return unicodedata.normalize("NFC", bare)


def _lower(char: str) -> str:
    # Go lowers rune by rune: İ becomes one rune, not the two of Python's full mapping.
    return char.lower()[0]


def _is_decimal(char: str) -> bool:
    return unicodedata.category(char) == "Nd"


def _github_keeps(char: str) -> bool:
    category = unicodedata.category(char)
    if category[0] in "LM" or category in {"Nd", "Nl", "Pc"} or char in "- ":
        return True
    return any(first <= ord(char) <= last for first, last in _CIRCLED_LETTERS)
