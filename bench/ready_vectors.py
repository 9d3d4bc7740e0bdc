"""An embedder that knows every vector already: what is timed is everything but the embedding."""

from collections.abc import Iterator, Sequence

import numpy as np

from retrieval.embedding.base import EmbeddedBatch, Vectors


class ReadyVectors:
    """Embedder over given texts and vectors."""

    def __init__(self, embedder_id: str, texts: Sequence[str], vectors: Vectors) -> None:
        """Take the vectors float32 (len(texts), dimension)."""
        self.embedder_id = embedder_id
        self.dimension = int(vectors.shape[1])
        self._vectors = dict(zip(texts, vectors, strict=True))

    def embed_passages(self, texts: Sequence[str]) -> Iterator[EmbeddedBatch]:
        """The vectors that were given with the texts."""
        yield EmbeddedBatch(
            tuple(range(len(texts))), np.stack([self._vectors[text] for text in texts])
        )

    def embed_query(self, text: str) -> Vectors:
        """The vector that was given with the text."""
        vector: Vectors = self._vectors[text]
        return vector
