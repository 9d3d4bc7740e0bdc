"""Which terms does a text hold? The same rules for passages and for queries.

A passage gives the words, their parts, and the stems of its own language. A query gives the stems
of every language in the corpus, since its own need not be known, and leaves out function words.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from retrieval.function_words import function_words
from retrieval.words import Spelling, spelling, without_accents, words

ANALYZER_VERSION = 1  # a change rebuilds every keyword index
MAX_QUERY_TERMS = 256
MIN_STEM_CHARS = 3
# Snowball algorithms by ISO 639-1 code; PyStemmer brings them all.
ALGORITHMS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german",
    "el": "greek", "en": "english", "eo": "esperanto", "es": "spanish", "et": "estonian",
    "eu": "basque", "fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish",
    "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian",
    "lt": "lithuanian", "nb": "norwegian", "ne": "nepali", "nl": "dutch", "nn": "norwegian",
    "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sr": "serbian", "st": "sesotho", "sv": "swedish", "ta": "tamil", "tr": "turkish",
    "yi": "yiddish",
}  # fmt: skip
CODE_ALGORITHM = "english"  # code has no language, and its names are mostly English


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """One term of a query.

    Attributes:
        surface: As it was asked for, folded.
        forms: Under which a passage may hold it, `surface` first.
        compound: It is a whole identifier whose parts are terms of the query as well.
        wholes: Wholes that it is a part of: a passage that holds one of them holds it.
    """

    surface: str
    forms: tuple[str, ...]
    compound: bool = False
    wholes: tuple[str, ...] = ()


class Analyzer:
    """Turns passages and queries into terms; safe to share between threads."""

    def __init__(self, languages: Sequence[str]) -> None:
        """Args: languages: Codes of the corpus such as `en` or `pt-br`; "" for code."""
        self.languages = tuple(sorted(set(languages)))
        known = (algorithm_for(language) for language in self.languages)
        self._algorithms = tuple(sorted({algorithm for algorithm in known if algorithm}))
        # With one stemmer for all, a passage that holds a word holds its stem at least as often,
        # and one that holds a whole holds its variants.
        algorithms = {algorithm_for(language) for language in self.languages}
        self.forms_are_nested = len(algorithms) == 1 and "" not in algorithms
        self._stemmers: dict[str, _Stemmer] = {}
        self._lock = threading.Lock()
        self._passage_word = lru_cache(maxsize=32_768)(self._analyse_word)

    def passage_terms(self, text: str, language: str) -> list[str]:
        """Terms of a passage in order, repeated as they occur."""
        algorithm = algorithm_for(language)
        terms: list[str] = []
        for word in words(text):
            terms += self._passage_word(word, algorithm)
        return terms

    def query_terms(self, text: str) -> tuple[QueryTerm, ...]:
        """Distinct terms of a query, in order; at most MAX_QUERY_TERMS.

        Function words are left out, unless there is nothing else or they stand in capitals (`IT`).
        """
        terms: dict[str, QueryTerm] = {}
        for word in [word for word in words(text) if not _is_function_word(word)] or words(text):
            for term in self._query_word(spelling(word)):
                seen = terms.get(term.surface)
                terms[term.surface] = term if seen is None else _merged(seen, term)
            if len(terms) >= MAX_QUERY_TERMS:
                break
        return tuple(terms.values())[:MAX_QUERY_TERMS]

    def _analyse_word(self, word: str, algorithm: str) -> tuple[str, ...]:
        spelled = spelling(word)
        exact = (*spelled.variants, *spelled.ideographs)
        if spelled.parts:
            exact = (spelled.whole, *exact)
        terms = [without_accents(term) for term in exact if term]
        for part in spelled.parts or (spelled.whole,):
            terms += self._forms(part, (algorithm,)) if part else ()
        return tuple(terms)

    def _query_word(self, spelled: Spelling) -> list[QueryTerm]:
        if not spelled.whole and not spelled.parts:
            return []
        whole = without_accents(spelled.whole)
        variants = tuple(map(without_accents, spelled.variants))
        if not spelled.parts:
            forms = (*self._forms(spelled.whole, self._algorithms), *variants)
            return [QueryTerm(whole, forms)]
        wholes = (whole,) if whole else ()
        terms = [QueryTerm(whole, (whole, *variants), compound=True)] if whole else []
        for part in spelled.parts:
            forms = self._forms(part, self._algorithms)
            terms.append(QueryTerm(forms[0], forms, wholes=wholes))
        return terms

    def _forms(self, word: str, algorithms: Sequence[str]) -> tuple[str, ...]:
        """The word and its stems, without accents, distinct."""
        forms = {without_accents(word): None}
        if len(word) >= MIN_STEM_CHARS and word.isalpha():
            for algorithm in algorithms:
                if algorithm:
                    forms[without_accents(self._stem(word, algorithm))] = None
        return tuple(forms)

    def _stem(self, word: str, algorithm: str) -> str:
        # A PyStemmer object keeps state while it works.
        with self._lock:
            stemmer = self._stemmers.get(algorithm)
            if stemmer is None:
                import Stemmer

                stemmer = self._stemmers[algorithm] = Stemmer.Stemmer(algorithm)
            return stemmer.stemWord(word)


def _is_function_word(word: str) -> bool:
    if len(word) > 1 and word.isupper():
        return False
    return without_accents(word.casefold()) in function_words()


def algorithm_for(language: str) -> str:
    """Snowball algorithm of a language code (`pt-br` -> portuguese), or "" where there is none."""
    if not language:
        return CODE_ALGORITHM
    return ALGORITHMS.get(language.lower().replace("_", "-").split("-")[0], "")


def _merged(first: QueryTerm, second: QueryTerm) -> QueryTerm:
    """One word of a query may be a word by itself and a part of another."""
    forms = tuple(dict.fromkeys((*first.forms, *second.forms)))
    wholes = tuple(dict.fromkeys((*first.wholes, *second.wholes)))
    return QueryTerm(first.surface, forms, first.compound and second.compound, wholes)
