"""What is measured, and what one measurement says."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from retrieval.dense import DENSE_KINDS
from retrieval.errors import ConfigurationError
from retrieval.keyword import KEYWORD_KINDS, TANTIVY_EXTRA, tantivy_installed


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """What is measured.

    Attributes:
        sizes: Chunks of each synthetic corpus; not used with `knowledge`.
        dimension: Of a synthetic vector.
        queries: Different queries.
        repeats: How often each runs.
        seed: Of vectors and queries.
        clustered: Whether synthetic vectors lie in clusters.
        dense: Kinds of dense index that are built.
        keyword: Kinds of keyword index that are built.
        beside: Whether plain libraries are timed beside the product.
        vectors: .npy file of float (n, dimension) in place of synthetic vectors.
        knowledge: A knowledge folder in place of a synthetic corpus.
        work: Where a synthetic corpus is kept, and used again by the next run; "" for nowhere.
        out: Where raw results go.
    """

    sizes: tuple[int, ...] = (1_000, 10_000)
    dimension: int = 1024
    queries: int = 100
    repeats: int = 5
    seed: int = 1
    clustered: bool = True
    dense: tuple[str, ...] = DENSE_KINDS
    keyword: tuple[str, ...] = KEYWORD_KINDS
    beside: bool = True
    vectors: Path | None = None
    knowledge: Path | None = None
    work: Path | None = None
    out: Path | None = None

    def check(self) -> None:
        """Refuse what cannot be measured.

        Raises:
            ConfigurationError: A number is below 1, a kind is unknown, or tantivy is missing.
        """
        if not tantivy_installed():
            raise ConfigurationError(f"the bench needs {TANTIVY_EXTRA}")
        numbers = (*self.sizes, self.dimension, self.queries, self.repeats)
        if not self.sizes or min(numbers) < 1:
            raise ConfigurationError(
                f"sizes, dimension, queries and repeats must be at least 1, got {self.sizes}, "
                f"{self.dimension}, {self.queries} and {self.repeats}"
            )
        for kind in (*self.dense, *self.keyword):
            if kind not in (*DENSE_KINDS, *KEYWORD_KINDS):
                raise ConfigurationError(
                    f"unknown kind of index {kind!r}; dense: {', '.join(DENSE_KINDS)}; keyword: "
                    f"{', '.join(KEYWORD_KINDS)}"
                )


@dataclass(frozen=True, slots=True)
class Measurement:
    """One part of one corpus, with every raw time.

    Attributes:
        chunks: Size of the corpus.
        part: dense, keyword, hybrid, or change: one document replaced.
        kind: Of the index; both kinds for hybrid.
        nprobe: Of ivf-pq, 0 for the others.
        chosen: Whether the product would search it like that.
        build: Seconds and peak memory of what made it.
        disk_bytes: Of the index.
        recall: Recall@10 against exact search, of queries that tuned nothing; None where it has
            no meaning.
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
