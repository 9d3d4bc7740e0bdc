"""How many tokens is a text, for the models that answer and for the one that embeds?

The answering models use Mistral's tekken vocabulary, which lies in this package
(`tekken.ranks.xz`, made by scripts/make_tekken_ranks.py): counts are exact and need no network.
Loading takes about 0.4 s and 63 MB, so that `sync` loads it and the service does not.
"""

import json
import lzma
import math
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    import tiktoken

RANKS_FILE = "tekken.ranks.xz"
# Mistral's older vocabularies (mistral-embed, and 7B models behind a compatible server) give 1.0 to
# 1.53 times as many tokens for prose and code in Latin script as tekken does.
EMBEDDING_TOKEN_MARGIN = 1.6
# They spell rare scripts byte by byte: up to .6 tokens a byte in Greek, Hebrew, Arabic and Korean,
# where tekken has whole words; and one token for every tab or line break, and for the stacked
# accents of Vietnamese, which tekken joins.
WIDE_BYTE_TOKENS = 0.65
ASCII_TOKENS = 0.25
_SINGLE_TOKENS = re.compile(r"[\t\n\r\u1e00-\u1eff]")


class TekkenCounter:
    """Counts tokens exactly as Mistral's chat models do; implements `TokenCounter`."""

    def __init__(self, encoding: "tiktoken.Encoding") -> None:
        self._encoding = encoding

    @classmethod
    def load(cls) -> Self:
        """The counter over the vocabulary in this package; read once in a process."""
        return cls(_tekken())

    def count(self, text: str) -> int:
        """Number of tokens; special-token strings are ordinary text.

        A lone surrogate counts as the replacement character.
        """
        return len(self._encoding.encode_ordinary(text))

    def count_all(self, texts: Sequence[str]) -> list[int]:
        """`count` for many texts."""
        return [self.count(text) for text in texts]

    def embedding_tokens(self, text: str) -> int:
        """Upper estimate of `text`'s tokens in Mistral's older vocabularies."""
        return embedding_tokens(text, self.count(text))


def embedding_tokens(text: str, tekken_tokens: int) -> int:
    """Upper estimate of tokens in Mistral's older vocabularies, mistral-embed's among them.

    Compared with the vocabulary of 2023 (the files of v1 and v3 in mistral-common) on 40 kinds of
    text it is never below and at most 4 times the true count; a long run of one letter is the
    exception, at 6 times.

    Args:
        text: What is counted.
        tekken_tokens: Its exact count by `TekkenCounter`.
    """
    ascii_chars = sum(map(str.isascii, text)) if not text.isascii() else len(text)
    wide_bytes = len(text.encode("utf-8", "replace")) - ascii_chars
    by_spelling = (
        WIDE_BYTE_TOKENS * wide_bytes
        + ASCII_TOKENS * ascii_chars
        + len(_SINGLE_TOKENS.findall(text))
    )
    return math.ceil(max(EMBEDDING_TOKEN_MARGIN * tekken_tokens, by_spelling)) + 1


@cache
def _tekken() -> "tiktoken.Encoding":
    import tiktoken

    content = lzma.decompress(files("retrieval").joinpath(RANKS_FILE).read_bytes())
    header, _, table = content.partition(b"\n")
    described = json.loads(header)
    position = count = int(described["count"])
    ranks: dict[bytes, int] = {}
    for rank, length in enumerate(table[:count]):
        ranks[table[position : position + length]] = rank
        position += length
    return tiktoken.Encoding(
        "tekken", pat_str=described["pattern"], mergeable_ranks=ranks, special_tokens={}
    )
