"""One part of one generation, opened and timed in a process of its own.

    python -m bench.probe < request.json > result.json

Nothing but what a retrieval process needs is imported before the first answer.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from retrieval.configuration import RetrievalSection
from retrieval.dense import open_dense_index
from retrieval.embedding.base import EmbeddedBatch, Vectors
from retrieval.generation import KEYWORD_FOLDER, open_folder
from retrieval.keyword import open_keyword_index
from retrieval.manifest import read_manifest
from retrieval.retriever import HybridRetriever

Part = Literal["dense", "keyword", "hybrid", "baseline"]
CANDIDATES = 100
RECALL_AT = 10


@dataclass(frozen=True, slots=True)
class Request:
    """What is measured.

    Attributes:
        folder: Of the generation.
        part: An index alone, or the whole query.
        texts: Queries.
        vectors: File of float32 (len(texts), dimension).
        k: Hits of an index; chunks of the whole query.
        repeats: How often each query runs.
        launched: Seconds since the epoch, before the process was made.
        nprobe: For ivf-pq, instead of what `sync` chose; 0 for that.
    """

    folder: str
    part: Part
    texts: tuple[str, ...]
    vectors: str
    k: int
    repeats: int
    launched: float
    nprobe: int = 0


class ReadyVectors:
    """Embedder that knows the queries' vectors already."""

    def __init__(self, embedder_id: str, texts: Sequence[str], vectors: Vectors) -> None:
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


def opened(request: Request, vectors: Vectors) -> Callable[[int], list[int]]:
    """A search by the number of the query, giving rows or positions of chunks."""
    folder = Path(request.folder)
    if request.part == "baseline":
        from bench.baseline import by_hand

        return by_hand(folder, request.texts, vectors, CANDIDATES, request.k)
    if request.part == "hybrid":
        generation = open_folder(folder)
        embedder = ReadyVectors(generation.manifest.embedder_id, request.texts, vectors)
        retriever = HybridRetriever(generation, embedder, RetrievalSection())

        def retrieve(number: int) -> list[int]:
            found = retriever.retrieve(request.texts[number], request.k)
            return [len(ranked.chunk.text) for ranked in found.chunks]

        return retrieve
    manifest = read_manifest(folder)
    if request.part == "keyword":
        keyword = open_keyword_index(manifest.keyword, folder / KEYWORD_FOLDER)
        return lambda number: [h.row for h in keyword.search(request.texts[number], request.k)]
    tuning = manifest.dense_tuning
    if tuning and request.nprobe:
        tuning = replace(tuning, nprobe=request.nprobe)
    dense = open_dense_index(manifest.dense, folder, manifest.dimension, tuning)
    return lambda number: [h.row for h in dense.search(vectors[number], request.k)]


def main() -> None:
    """Answer one request."""
    request = Request(**json.load(sys.stdin))
    vectors = np.load(request.vectors)
    search = opened(request, vectors)
    search(0)
    first_answer_s = time.time() - request.launched
    from bench.machine import resident_mb
    from bench.timing import measure

    first_mb = resident_mb()
    numbers = range(len(request.texts))
    times = measure(search, numbers, request.repeats)
    result = {
        "first_answer_s": round(first_answer_s, 3),
        "first_answer_mb": first_mb,
        "resident_mb": resident_mb(),
        "rows": [search(number)[:RECALL_AT] for number in numbers],
        **asdict(times),
    }
    sys.stdout.write(json.dumps(result))


if __name__ == "__main__":
    main()
