"""Many searches at once, for minutes: does memory grow, does one fail, how long do they wait?

    python -m bench.concurrent_searches [--n 100000] [--dense ivf-pq] [--threads 500]
        [--seconds 300] [--work FOLDER] [--out FILE]

One process with one open generation, and as many threads as searches at once; each asks its next
question as soon as it has an answer. The service takes fewer at once, and says 503 beyond. glibc
keeps some freed memory for each thread, which 500 of them take minutes to fill: to see what else
grows, switch that off by GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.arena_max=2.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from array import array
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bench.machine import anonymous_mb, environment, resident_mb
from bench.measurement import BenchOptions
from bench.ready_vectors import ReadyVectors
from bench.synthetic import SyntheticCorpus
from bench.timing import percentiles
from retrieval.configuration import RetrievalSection
from retrieval.errors import AskfolioError
from retrieval.generation import open_folder
from retrieval.retriever import HybridRetriever

SAMPLES = 60
SETTLED = 0.2  # of the time: threads, caches and the pages of the index are there by then
QUESTIONS = 1000
K = 8


@dataclass(slots=True)
class Tally:
    """What the threads saw.

    Attributes:
        wall_ms: Of every search.
        errors: Names of what was raised, or why an answer was wrong.
    """

    wall_ms: "array[float]" = field(default_factory=lambda: array("f"))
    errors: list[str] = field(default_factory=list)


def main() -> None:
    """Print one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=100_000)
    parser.add_argument("--dense", default="ivf-pq")
    parser.add_argument("--threads", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--work", type=Path, help="keeps the corpus for the next run")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    with ExitStack() as stack:
        work = given.work or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        root = work.absolute() / f"{given.n}"
        root.mkdir(parents=True, exist_ok=True)
        options = BenchOptions(sizes=(given.n,), queries=QUESTIONS)
        corpus = SyntheticCorpus(given.n, options, root)
        result = search_at_once(corpus, given.dense, given.threads, given.seconds)
    text = json.dumps(result, indent=1) + "\n"
    if given.out:
        given.out.write_text(text, encoding="utf-8")
    print(text)


def search_at_once(
    corpus: SyntheticCorpus, dense: str, threads: int, seconds: float
) -> dict[str, Any]:
    """Search for `seconds` with `threads` threads; memory is sampled all along."""
    built = corpus.build(dense, "tantivy")
    generation = open_folder(built.folder)
    asked = corpus.queries
    embedder = ReadyVectors(generation.manifest.embedder_id, asked.texts, np.load(asked.vectors))
    retriever = HybridRetriever(generation, embedder, RetrievalSection())
    end = time.monotonic() + seconds
    tallies = [Tally() for _ in range(threads)]
    before = resident_mb()
    pool = ThreadPoolExecutor(threads)
    asking = [
        pool.submit(_ask, retriever, asked.texts, number, end, tally)
        for number, tally in enumerate(tallies)
    ]
    memory: list[float] = []
    anonymous: list[float] = []
    for _ in range(SAMPLES):
        time.sleep(max(0.0, end - time.monotonic()) / max(1, SAMPLES - len(memory)))
        memory.append(resident_mb())
        anonymous.append(anonymous_mb())
    for one in asking:
        one.result()  # raises what is no error of the product's
    pool.shutdown()
    generation.close()
    wall = [one for tally in tallies for one in tally.wall_ms]
    return {
        "environment": environment(0),
        "chunks": corpus.chunks,
        "dense": dense,
        "threads": threads,
        "thread_caches": "tcache_count=0" not in os.environ.get("GLIBC_TUNABLES", ""),
        "seconds": seconds,
        "searches": len(wall),
        "searches_per_second": round(len(wall) / seconds, 1),
        "errors": sum(len(tally.errors) for tally in tallies),
        "kinds_of_error": sorted({error for tally in tallies for error in tally.errors}),
        "wall_ms": percentiles(wall),
        "before_mb": before,
        "memory_mb": memory,
        "anonymous_mb": anonymous,
        "halves_mb": _halves(memory),
        "anonymous_halves_mb": _halves(anonymous),
    }


def _halves(memory: list[float]) -> tuple[float, float]:
    """Medians of the first and the second half of the time, once it had settled."""
    settled = memory[int(SETTLED * SAMPLES) :]
    half = len(settled) // 2
    return statistics.median(settled[:half]), statistics.median(settled[half:])


def _ask(
    retriever: HybridRetriever, texts: tuple[str, ...], number: int, end: float, tally: Tally
) -> None:
    """Ask one question after the other until `end`; the first of them differs by thread."""
    while time.monotonic() < end:
        started = time.perf_counter()
        try:
            found = retriever.retrieve(texts[number % len(texts)], K, "hybrid")
        except AskfolioError as error:
            tally.errors.append(type(error).__name__)
            continue
        tally.wall_ms.append(round((time.perf_counter() - started) * 1000, 1))
        if len(found.chunks) != K:
            tally.errors.append(f"{len(found.chunks)} of {K} chunks")
        number += 1


if __name__ == "__main__":
    main()
