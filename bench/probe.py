"""One part of one generation, opened and timed in a process of its own.

    python -m bench.probe < request.json > result.json

Nothing but what a retrieval process needs is imported before the first answer.
"""

import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from bench.ready_vectors import ReadyVectors
from retrieval.configuration import RetrievalSection
from retrieval.dense import open_dense_index
from retrieval.embedding.base import Vectors
from retrieval.generation import KEYWORD_FOLDER, open_folder
from retrieval.keyword import open_keyword_index
from retrieval.manifest import read_manifest
from retrieval.retriever import HybridRetriever

Part = Literal["dense", "keyword", "hybrid", "baseline", "matrix", "rank_bm25"]
CANDIDATES = 100
RECALL_AT = 10
NOT_NEEDED = ("mistralai", "fastapi")


@dataclass(frozen=True, slots=True)
class Request:
    """What is measured.

    Attributes:
        folder: Of the generation.
        part: An index alone, the whole query, or a plain library in the place of one.
        texts: Queries.
        vectors: File of float32 (len(texts), dimension); "" where nothing is embedded.
        k: Hits of an index; chunks of the whole query.
        repeats: How often each query runs; 0 is the first answer alone.
        launched: Seconds since the epoch, before the process was made.
        nprobe: For ivf-pq, instead of what `sync` chose; 0 for that.
        own_rows: For each query the row that does not count as found; empty for none.
    """

    folder: str
    part: Part
    texts: tuple[str, ...]
    vectors: str
    k: int
    repeats: int
    launched: float
    nprobe: int = 0
    own_rows: tuple[int, ...] = ()


def opened(request: Request, vectors: Vectors) -> Callable[[int], list[int]]:
    """A search by the number of the query, giving rows; for the whole query, sizes of texts."""
    folder = Path(request.folder)
    match request.part:
        case "baseline":
            from bench.baseline import by_hand

            return by_hand(folder, request.texts, vectors, CANDIDATES, request.k)
        case "matrix":
            from bench.baseline import matrix_product

            return matrix_product(folder, vectors)
        case "rank_bm25":
            from bench.plain_bm25 import plain_search

            return plain_search(folder, request.texts, request.k)
        case "hybrid":
            return _hybrid(request, vectors)
        case "keyword":
            manifest = read_manifest(folder)
            keyword = open_keyword_index(manifest.keyword, folder / KEYWORD_FOLDER)
            return lambda number: [h.row for h in keyword.search(request.texts[number], request.k)]
        case "dense":
            return _dense(request, vectors)


def _hybrid(request: Request, vectors: Vectors) -> Callable[[int], list[int]]:
    generation = open_folder(Path(request.folder))
    embedder = None
    if request.vectors:
        embedder = ReadyVectors(generation.manifest.embedder_id, request.texts, vectors)
    retriever = HybridRetriever(generation, embedder, RetrievalSection())

    def retrieve(number: int) -> list[int]:
        found = retriever.retrieve(request.texts[number], request.k)
        return [len(ranked.chunk.text) for ranked in found.chunks]

    return retrieve


def _dense(request: Request, vectors: Vectors) -> Callable[[int], list[int]]:
    folder = Path(request.folder)
    manifest = read_manifest(folder)
    tuning = manifest.dense_tuning
    if tuning and request.nprobe:
        tuning = replace(tuning, nprobe=request.nprobe)
    dense = open_dense_index(manifest.dense, folder, manifest.dimension, tuning)
    return lambda number: [h.row for h in dense.search(vectors[number], request.k)]


def main() -> None:
    """Answer one request."""
    request = Request(**json.load(sys.stdin))
    vectors = np.load(request.vectors) if request.vectors else np.empty((0, 0), dtype=np.float32)
    search = opened(request, vectors)
    search(0)
    first_answer_s = time.time() - request.launched
    from bench.machine import resident_mb
    from bench.timing import Times, measure

    imported = [name for name in NOT_NEEDED if name in sys.modules]
    first_mb = resident_mb()
    numbers = range(len(request.texts))
    times = measure(search, numbers, request.repeats) if request.repeats else Times((), (), 0.0)
    own = request.own_rows or (-1,) * len(request.texts)
    found = [search(number) for number in numbers] if request.repeats else []
    result = {
        "first_answer_s": round(first_answer_s, 3),
        "first_answer_mb": first_mb,
        "not_needed_but_imported": imported,
        "resident_mb": resident_mb(),
        "rows": [
            [row for row in rows if row != mine][:RECALL_AT]
            for rows, mine in zip(found, own, strict=False)
        ],
        **asdict(times),
    }
    sys.stdout.write(json.dumps(result))


if __name__ == "__main__":
    main()
