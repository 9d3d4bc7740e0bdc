"""Where does a word begin and end, and what is it made of? Spelling only, no language.

`words` cuts text into words; `spellings` gives the forms under which one word is indexed:
`getAverageValue` as the whole and as `get`, `average`, `value`; `C++` as it is; `v2.10.1` also
as `2.10.1` and `2.10`; Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese as bigrams.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

MAX_WORD_CHARS = (
    64  # a longer chain is taken as its links; a longer link is encoded data and is cut
)
MAX_PARTS = 12  # more are encoded data as well: base64 changes case at every second letter

# Letters without a canonical decomposition that writers replace by plain ones.
_PLAIN_LATIN = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h"}
)
# Soft hyphen, joiners and byte order mark are invisible inside a word.
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200c\u200d\u2060\ufeff"))
_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3041-\u30ff\u31f0-\u31ff"
    "\ua9e0-\ua9ff\uaa60-\uaa7f\uac00-\ud7af" + _HAN
)
_IDEOGRAPH = re.compile(f"[{_HAN}]")
_UNSPACED_START = re.compile(f"[{_UNSPACED}]")
_VERSION = re.compile(r"v?(\d+(?:\.\d+)+)\Z")
_PIECES = re.compile(r"[^\W\d_]+|\d+")
_JOINERS = re.compile(r"[-._'’‐]")
_HARD_JOINERS = re.compile(r"[-'’‐&]")
_SOFT_JOINERS = re.compile(r"[._]")  # they hold a version together as well
_ANY_JOINER = re.compile(r"[-._'’‐&]")


@dataclass(frozen=True, slots=True)
class Spelling:
    """How one word is spelled in the index, every string case-folded.

    Attributes:
        whole: The word without joiners: `readflowmeter`, `nodejs`, `c++`, `2.10.1`; "" for a run
            of an unspaced script, which its bigrams stand for.
        variants: Other spellings of the whole, the closest first.
        parts: What the word is made of; empty for a plain word.
        ideographs: Single characters of a run, so that a query for one of them finds it.
    """

    whole: str
    variants: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    ideographs: tuple[str, ...] = ()


def words(text: str) -> Iterator[str]:
    """Words of `text` in order, NFKC, case kept; a run of an unspaced script is one word."""
    clean = unicodedata.normalize("NFKC", text).translate(_INVISIBLE)
    for match in _word_pattern().finditer(clean):
        word = match[0]
        if len(word) > MAX_WORD_CHARS and not _UNSPACED_START.match(word):
            yield from filter(None, _ANY_JOINER.split(word))
        else:
            yield word


def without_accents(word: str) -> str:
    """Remove the accents of Latin letters from a case-folded word: größe -> grosse, ё stays."""
    if word.isascii():
        return word
    kept: list[str] = []
    for character in unicodedata.normalize("NFD", word):
        latin = kept and (kept[-1] < "\u0250" or "\u1e00" <= kept[-1] <= "\u1eff")
        if not (latin and unicodedata.combining(character)):
            kept.append(character)
    return unicodedata.normalize("NFC", "".join(kept)).translate(_PLAIN_LATIN)


def spelling(word: str) -> Spelling:
    """Take apart a word that `words` gave, before its case is folded."""
    if _UNSPACED_START.match(word):
        return _bigrams(word.casefold())
    if len(word) > MAX_WORD_CHARS:
        return Spelling(word[:MAX_WORD_CHARS].casefold())
    return _spaced(word)


def _bigrams(run: str) -> Spelling:
    if len(run) == 1:
        return Spelling(run)
    pairs = tuple(run[start : start + 2] for start in range(len(run) - 1))
    return Spelling("", (), pairs, tuple(_IDEOGRAPH.findall(run)))


@lru_cache(maxsize=16_384)
def _spaced(word: str) -> Spelling:
    folded = word.casefold()
    if version := _VERSION.match(folded):
        numbers = version[1].split(".")
        variants = dict.fromkeys((version[1], ".".join(numbers[:2])))
        return Spelling(folded, tuple(variant for variant in variants if variant != folded))
    if folded.startswith("."):
        return Spelling(folded, (folded[1:],))
    if folded.endswith(("+", "#")):
        base = folded.rstrip("+#")
        return Spelling(folded, (base,) if len(base) > 1 else ())
    return _identifier(word, folded)


def _identifier(word: str, folded: str) -> Spelling:
    pieces: list[str] = []
    for component in _HARD_JOINERS.split(word):
        if version := _VERSION.match(component.casefold()):
            pieces += dict.fromkeys((component, version[1]))
        else:
            for name in _SOFT_JOINERS.split(component):
                pieces += _pieces(name)
    if len(pieces) < 2:
        return Spelling(folded.strip("_"))
    parts = dict.fromkeys(piece.casefold() for piece in pieces if len(piece) > 1)
    if not all(piece.isdigit() for piece in pieces):
        folded = _JOINERS.sub("", folded)
    return Spelling(folded, (), tuple(parts))


def _pieces(name: str) -> list[str]:
    """Letters apart from digits, and letters at their changes of case."""
    pieces = [piece for run in _PIECES.findall(name) for piece in _camel(run)]
    return pieces if len(pieces) <= MAX_PARTS else [name]


def _camel(run: str) -> list[str]:
    """`getHTTPResponse` -> get, HTTP, Response."""
    if run.islower() or run.isupper() or run[1:].islower():
        return [run]
    pieces, start = [], 0
    for position in range(1, len(run)):
        before, here, after = run[position - 1], run[position], run[position + 1 : position + 2]
        if here.isupper() and (not before.isupper() or after.islower()):
            pieces.append(run[start:position])
            start = position
    return [*pieces, run[start:]]


@cache
def _word_pattern() -> re.Pattern[str]:
    """Compiled at first use; `re` leaves marks out of words, without which Hindi falls apart."""
    blocks = [*range(0x300, 0x1E00), *range(0xA600, 0xAC00)]
    marks = "".join(chr(point) for point in blocks if unicodedata.category(chr(point))[0] == "M")
    spaced = rf"[^\W{_UNSPACED}]"
    word = rf"(?>{spaced}+(?:[{marks}]+{spaced}*)*)"
    symbol = r"(?:\+\+|#(?![^\W\d]))"  # C++, C#, C#12
    return re.compile(
        rf"[{_UNSPACED}]+"
        rf"|{word}{symbol}"
        rf"|(?<![\w.])\.(?=[^\W\d_]){word}"  # .NET
        rf"|{word}(?:[-._'’‐&]{word}(?!{symbol}))*"
    )
