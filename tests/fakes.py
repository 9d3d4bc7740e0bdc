"""Deterministic stand-ins for an embedder and a token counter, with no model behind them."""

import hashlib
import math
import re
from collections.abc import Iterator, Sequence

import numpy as np

from retrieval.embedding.base import EmbeddedBatch, Vectors

WORD = re.compile(r"\w+")


def hashing_vector(text: str, dimension: int) -> Vectors:
    """Bag of words hashed into `dimension` signed buckets: float32, unit length.

    Texts that share words are near; a text without a word hashes as a whole.
    """
    vector = np.zeros(dimension, dtype=np.float32)
    for word in WORD.findall(text.lower()) or [text]:
        digest = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest()
        number = int.from_bytes(digest, "little")
        vector[number % dimension] += 1.0 if number >> 63 else -1.0
    norm = float(np.linalg.norm(vector))
    if norm == 0.0:
        vector[0] = norm = 1.0
    return vector / np.float32(norm)


class HashingEmbedder:
    """Embedder without a model; counts what it was asked for.

    Attributes:
        passages: Every passage that was embedded, in order.
        queries: Every query that was embedded, in order.
    """

    def __init__(
        self, dimension: int = 64, embedder_id: str = "hashing:bag-of-words", batch: int = 16
    ) -> None:
        self._dimension = dimension
        self._embedder_id = embedder_id
        self._batch = batch
        self.passages: list[str] = []
        self.queries: list[str] = []

    @property
    def embedder_id(self) -> str:
        return self._embedder_id

    @property
    def dimension(self) -> int:
        return self._dimension

    def embed_passages(self, texts: Sequence[str]) -> Iterator[EmbeddedBatch]:
        for start in range(0, len(texts), self._batch):
            batch = texts[start : start + self._batch]
            self.passages += batch
            vectors = np.stack([hashing_vector(text, self._dimension) for text in batch])
            yield EmbeddedBatch(tuple(range(start, start + len(batch))), vectors)

    def embed_query(self, text: str) -> Vectors:
        self.queries.append(text)
        return hashing_vector(text, self._dimension)


class CharacterCounter:
    """TokenCounter that takes `characters_per_token` characters for a token, rounded up."""

    def __init__(self, characters_per_token: int = 4) -> None:
        self._characters_per_token = characters_per_token

    def count(self, text: str) -> int:
        return math.ceil(len(text) / self._characters_per_token)

    def count_all(self, texts: Sequence[str]) -> list[int]:
        return [self.count(text) for text in texts]
