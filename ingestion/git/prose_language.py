"""Which language is a README written in? Told by its commonest words; "" where they do not agree.

A model that names one of a hundred languages for any text is often wrong about a README, which is
short and full of code; a wrong answer would stem its words by another language's rules.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from retrieval.types import Section

_MAX_CHARS = 20_000
_MIN_HITS = 2
_MIN_SHARE = 0.06
_LEAD = 1.5
_WORD = re.compile(r"[^\W\d_]+")
_ADDRESS = re.compile(r"[a-z]+://[^\s<>()\[\]]+")
_CODE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_COMMON: Mapping[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": "the and of to is in for with this that are be can it you as from by or on",
        "de": "der die das und ist nicht mit für ein eine den von zu auf sich wird werden im dem",
        "fr": "le la les et des est une dans pour que qui sur pas avec du au ce vous sont",
        "es": "el la los las y de que en una para con por se del es un como está más",
        "it": "il la gli e di che è per una con del non sono della nel si le questo",
        "pt": "o a os as e de que em uma para com não do da é um por se como",
        "nl": "de het een en van is dat niet voor met zijn op te aan wordt deze die",
        "sv": "och att det som en är för på av med inte den till ett har",
        "pl": "i w na z się nie jest do to że od dla przez oraz jak",
    }.items()
}


def prose_language(sections: Iterable[Section]) -> str:
    """Lower-case code of the language, or ""."""
    text = "\n".join(section.text for section in sections)[:_MAX_CHARS]
    words = Counter(_WORD.findall(_ADDRESS.sub("", _CODE.sub("", text)).lower()))
    total = sum(words.values())
    hits = {language: sum(words[word] for word in common) for language, common in _COMMON.items()}
    best, second = sorted(hits, key=lambda language: -hits[language])[:2]
    if hits[best] < max(_MIN_HITS, _MIN_SHARE * total) or hits[best] < _LEAD * hits[second]:
        return ""
    return best
