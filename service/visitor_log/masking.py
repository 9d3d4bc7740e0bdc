"""Which parts of a question could name a person? They are masked before anything is written.

Masking is a help, not a promise: names in running text stay.
"""

import re

MAX_KEPT_CHARS = 1000
_LINKS = re.compile(r"(?i)\b(?:https?://|www\.)\S+")
_EMAIL = re.compile(
    r"(?i)[\w.+%'-]+\s{0,2}(?:@|＠|\(at\)|\[at\]|\{at\})\s{0,2}[\w-]+"
    r"(?:\s{0,1}(?:\.|。|\(dot\)|\[dot\]|\(punkt\)|\[punkt\])\s{0,1}[\w-]+)+"
)
_HANDLE = re.compile(r"(?<![\w/])@\w[\w.-]+")
_IPV6 = re.compile(r"(?i)(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])")
_IPV4 = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")
# At least seven digits with what people write between them: phones, accounts, cards, ids.
_DIGITS = re.compile(r"(?<!\w)[+(]{0,2}\d(?:[\s().\-/–\u00a0\u202f]{0,3}\d){6,}(?!\w)")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?:\s?[A-Z0-9]{2,4}){3,8}\b")


def masked(text: str) -> str:
    """The text on one line, shortened, with what could name a person replaced."""
    text = " ".join(text.split())[: 2 * MAX_KEPT_CHARS]
    for pattern, label in (
        (_EMAIL, "[e-mail]"),
        (_LINKS, "[link]"),
        (_HANDLE, "[name]"),
        (_IBAN, "[number]"),
        (_IPV4, "[address]"),
        (_IPV6, "[address]"),
        (_DIGITS, "[number]"),
    ):
        text = pattern.sub(label, text)
    return text[:MAX_KEPT_CHARS]
