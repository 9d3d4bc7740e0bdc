"""What is measured, and what one measurement says."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """What is measured.

    Attributes:
        sizes: Chunks of each corpus.
        dimension: Of a vector.
        queries: Different queries.
        repeats: How often each runs.
        seed: Of vectors and queries.
        clustered: Whether the vectors lie in clusters.
        out: Where raw results go.
    """

    sizes: tuple[int, ...] = (1_000, 10_000)
    dimension: int = 1024
    queries: int = 100
    repeats: int = 5
    seed: int = 1
    clustered: bool = True
    out: Path | None = None


@dataclass(frozen=True, slots=True)
class Measurement:
    """One part of one corpus, with every raw time.

    Attributes:
        chunks: Size of the corpus.
        part: dense, keyword or hybrid.
        kind: Of the index; both kinds for hybrid.
        nprobe: Of ivf-pq, 0 for the others.
        chosen: Whether `sync` would search it like that.
        build: Seconds and peak memory of the sync that made it.
        disk_bytes: Of the index.
        recall: Recall@10 against flat; None where there is none.
        times: What the probe gave, without rows.
    """

    chunks: int
    part: str
    kind: str
    nprobe: int
    chosen: bool
    build: Mapping[str, object]
    disk_bytes: int
    recall: float | None
    times: Mapping[str, object]
