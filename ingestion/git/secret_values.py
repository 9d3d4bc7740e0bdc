"""Is a string a secret, or a word, a place, a reference to one or a piece of code?"""

import re
from math import log2

# What a template, a shell, a format or a call will put there, what only stands for a secret, and
# regular expressions.
_REFERENCE = re.compile(
    r"(?<!\w)\$|\$[{(]|\{\{|\}\}|^\{|\{[\w.,!:\[\]()\"' -]*\}"
    r"|%\(|%\w+%|%\.?\d?[sdrvxqfi](?!\w)"
    r"|<[^<>]*>|^\[.*\]$|^[A-Za-z_.]{3,}\d?\(|\w\([^()]*\)|\($"
    r"|\*{3}|\.{3}|[xX]{4}|^(?:\\n)?(?:https?|file)://|\(\?|\[[^\]]*\][*+{?]|\\[dwsDWS]"
)
# An index, an attribute of what usually holds settings, a sum of names, a pointer, an alias or a
# tag of YAML.
_EXPRESSION = re.compile(
    r"\[[^\]]*\]|^(?:self|os|process|config|settings|env|this|secrets|vars)\."
    r"|^(?:[A-Za-z_.]+\d?[+|&]{1,2})+[A-Za-z_.]+\d?$|^[&*]+\w*$|^!+[A-Za-z]*$"
)
_IN_CODE = re.compile(r"[^\w/=.~-]")
_PLACE = re.compile(r"\.{0,2}/?[a-z]+(?:[./:_-]+[a-z0-9]+)*/?")
_ODD = re.compile(r"[^\w\s./:,;?\[\]|\"'`\\-]")
_WORD = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{4,}")
_INNER_DIGIT = re.compile(r"[A-Za-z]\d+[A-Za-z]")
_STAND_INS = frozenset({"pass", "password", "passwd", "pwd", "pw", "secret", "token", "user"})
_TRAILING = ",;.:*`_|)]}>"
_MIN_CHARS = 6
_RANDOM_BITS = 3.8


def is_assigned(value: str) -> bool:
    """Whether a quoted value given to a name such as `password` is one, and no word."""
    value = value.strip()
    if not value or _REFERENCE.search(value) or value.startswith("."):
        return False
    words = value.split()
    if len(words) > 1:
        return any(is_scrambled(word) for word in words)
    if any(character.isdigit() for character in value):
        return _PLACE.fullmatch(value) is None or "/" not in value
    return _ODD.search(value) is not None or _changes_case(value)


def is_bare(value: str) -> bool:
    """The same of a value without quotes: it may be an expression, and text may follow on it."""
    if _REFERENCE.search(value) or _EXPRESSION.search(value):
        return False
    trimmed = value.rstrip(_TRAILING)
    return len(trimmed) >= _MIN_CHARS and is_assigned(trimmed)


def is_bare_in_code(value: str) -> bool:
    """The same in a programming language, where almost every such value is an expression."""
    trimmed = value.rstrip(_TRAILING)
    return _IN_CODE.search(trimmed) is None and is_random(trimmed) and is_bare(value)


def is_password(value: str) -> bool:
    """Whether the password of an address is more than a stand-in."""
    return value.lower() not in _STAND_INS and _REFERENCE.search(value) is None


def is_mixed(value: str) -> bool:
    """Whether letters and digits alternate, as in a token of one case."""
    digits = sum(character.isdigit() for character in value)
    letters = sum(character.isalpha() for character in value)
    return min(digits, letters) >= 3 and _word_share(value) < 0.67 and is_password(value)


def is_scrambled(value: str) -> bool:
    """Whether a short string is as random as its length allows, such as a generated password."""
    trimmed = value.strip(_TRAILING)
    if len(trimmed) < _MIN_CHARS or not _INNER_DIGIT.search(trimmed) or not is_password(trimmed):
        return False
    return _is_random(trimmed, 1, 0.6, min(_RANDOM_BITS, log2(len(trimmed)) - 0.6))


def is_random(value: str) -> bool:
    """Whether a string is made of mixed characters and not of words."""
    return _is_random(value, 2, 0.5, _RANDOM_BITS)


def _is_random(value: str, digits: int, words: float, bits: float) -> bool:
    return (
        sum(map(str.isdigit, value)) >= digits
        and min(sum(map(str.isupper, value)), sum(map(str.islower, value))) >= 2
        and _word_share(value) < words
        and _entropy_bits(value) > bits
    )


def _changes_case(value: str) -> bool:
    """Whether upper and lower case alternate as in no words; such a password needs no digit."""
    cases = min(sum(map(str.isupper, value)), sum(map(str.islower, value)))
    return len(value) >= 12 and cases >= 4 and _word_share(value) < 0.5


def _word_share(value: str) -> float:
    return sum(map(len, _WORD.findall(value))) / len(value)


def _entropy_bits(value: str) -> float:
    shares = (value.count(character) / len(value) for character in set(value))
    return -sum(share * log2(share) for share in shares)
