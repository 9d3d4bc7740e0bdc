"""Which words of a visitor's question say nothing about its subject?

To rank, those of the grammar are left out. Whether a sentence answers is not told either by the
words with which one asks for something, which a page may well have as its subject.
"""

from functools import cache

from retrieval.function_words import function_words
from retrieval.words import without_accents

_REQUESTS = """
list long make made get give put show tell write explain describe please use used using many much
like now own per same
"""


@cache
def asking_words() -> frozenset[str]:
    """Words of the grammar and of requests, lower case, without accents."""
    return function_words() | frozenset(map(without_accents, _REQUESTS.split()))
