"""How are several ranked lists of one query merged into one?"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from retrieval.types import Hit


@dataclass(frozen=True, slots=True)
class FusedHit:
    """A row with its fused score and its rank in every run, None where a run lacks it."""

    row: int
    score: float
    ranks: tuple[int | None, ...]


def reciprocal_rank_fusion(
    runs: Sequence[Sequence[Hit]],
    weights: Sequence[float],
    rrf_k: int = 60,
    tie_key: Callable[[int], Any] | None = None,
    head: int | None = None,
) -> list[FusedHit]:
    """Fuse ranked lists by reciprocal rank: score(d) = sum of weight / (rrf_k + rank).

    Ranks count from 1; a run that lacks a row adds nothing to it, so that an empty run changes
    nothing. A run of weight 0 still contributes its rows, with score 0, behind all others.

    Args:
        runs: Ranked hits, one list for each index; a row at most once in a list.
        weights: One for each run, finite and not negative; all 1 is plain fusion.
        rrf_k: Damping constant (not top-k); 60 as in the source.
        tie_key: Sort key of a row, called for rows of equal score only; the row itself if None.
        head: Hits from the best on whose ties are broken by `tie_key`, behind them by row; None
            for all.

    Returns:
        Fused hits, best first.

    Raises:
        ValueError: rrf_k below 1, a row twice in a run, weights that do not fit.

    Source: Cormack, Clarke, Büttcher, SIGIR 2009, doi 10.1145/1571941.1572114.
    """
    _check(runs, weights, rrf_k)
    scores: dict[int, float] = {}
    ranks: dict[int, list[int | None]] = {}
    for position, (run, weight) in enumerate(zip(runs, weights, strict=True)):
        for hit in run:
            scores[hit.row] = scores.get(hit.row, 0.0) + weight / (rrf_k + hit.rank)
            ranks.setdefault(hit.row, [None] * len(runs))[position] = hit.rank
    fused = [FusedHit(row, score, tuple(ranks[row])) for row, score in scores.items()]
    return _ordered(fused, tie_key or (lambda row: row), len(fused) if head is None else head)


def keyword_weight(known_share: float) -> float:
    """Weight of the keyword list beside a dense list of weight 1: `known_share` squared.

    `known_share` is the share of the query's distinct terms that the keyword index knows. A query
    in another language than the corpus shares only stray terms with it, and plain fusion then
    buries the good dense hits. Measured nDCG@10 on XQuAD (FACTS.md, Fusion): Spanish questions on
    English passages .652 plain, .879 with this weight; one language .979 and .980.
    """
    return known_share**2


def _check(runs: Sequence[Sequence[Hit]], weights: Sequence[float], rrf_k: int) -> None:
    if rrf_k < 1:
        raise ValueError(f"rrf_k must be at least 1, got {rrf_k}")
    if len(weights) != len(runs):
        raise ValueError(f"{len(runs)} runs need as many weights, got {len(weights)}")
    for weight in weights:
        if not 0 <= weight < float("inf"):
            raise ValueError(f"a weight must be finite and not negative, got {weight}")
    for position, run in enumerate(runs):
        if len({hit.row for hit in run}) != len(run):
            raise ValueError(f"run {position} holds a row twice")
        if any(hit.rank < 1 for hit in run):
            raise ValueError(f"run {position} holds a rank below 1")


def _ordered(fused: list[FusedHit], tie_key: Callable[[int], Any], head: int) -> list[FusedHit]:
    fused.sort(key=lambda hit: (-hit.score, hit.row))
    ordered: list[FusedHit] = []
    start = 0
    while start < min(head, len(fused)):
        end = start + 1
        while end < len(fused) and fused[end].score == fused[start].score:
            end += 1
        tied = fused[start:end]
        ordered += sorted(tied, key=lambda hit: tie_key(hit.row)) if len(tied) > 1 else tied
        start = end
    return ordered + fused[start:]
