"""How long will it take, and in how much memory and disk? Said before it starts."""

from collections.abc import Iterator

from bench.measurement import BenchOptions
from retrieval.generation import GENERATIONS_FOLDER, current_name
from retrieval.manifest import read_manifest

# Measured on two cores with 1,024 dimensions, from 1,000 to 1,000,000 chunks.
START_S = 20.0  # of processes, whatever the size
PAGES_S = 0.0005  # a chunk: pages, texts and vectors of a synthetic corpus
BUILD_S = {"flat": 0.0004, "sq8": 0.0004, "ivf-pq": 0.0009, "rank-bm25": 0.0006, "tantivy": 0.0001}
QUERY_S = 4e-7  # a chunk and query: every kind together, three repeats of it
BESIDE_S = 0.004  # a chunk: rank-bm25 as it comes, built six times
SYNC_MB = 400.0
SYNC_BYTES = 3_300  # a chunk, while its page is parsed
DISK_BYTES = 4_000  # a chunk and generation beside its vectors


def estimates(options: BenchOptions) -> Iterator[str]:
    """One sentence for each corpus.

    Raises:
        GenerationError: The knowledge folder holds nothing that could be measured.
    """
    if options.knowledge:
        folder = options.knowledge / GENERATIONS_FOLDER / current_name(options.knowledge)
        manifest = read_manifest(folder)
        yield estimate(manifest.chunks, manifest.dimension, options)
        return
    for chunks in options.sizes:
        yield estimate(chunks, options.dimension, options)


def estimate(chunks: int, dimension: int, options: BenchOptions) -> str:
    """Time, memory and disk of one corpus."""
    kinds = (*options.dense, *options.keyword)
    seconds = START_S + chunks * (
        PAGES_S + sum(BUILD_S[kind] for kind in kinds)
        + QUERY_S * options.queries * (options.repeats + 2) / 3
    )  # fmt: skip
    if options.beside and chunks <= 100_000:
        seconds += chunks * BESIDE_S
    vectors = chunks * dimension
    megabytes = SYNC_MB + max(chunks * SYNC_BYTES, 2 * vectors) / 1e6
    disk = (len(kinds) * (2 * vectors + chunks * DISK_BYTES) + 4 * vectors) / 1e6
    return (
        f"{chunks} chunks of {dimension} dimensions: about {_duration(seconds)}, "
        f"{megabytes:.0f} MB of memory and {disk:.0f} MB of disk"
    )


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} seconds" if seconds < 90 else f"{seconds / 60:.0f} minutes"
