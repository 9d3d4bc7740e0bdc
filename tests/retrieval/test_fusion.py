import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.fusion import keyword_weight, reciprocal_rank_fusion
from retrieval.types import Hit


def run(*rows: int) -> list[Hit]:
    return [Hit(row, 100.0 - rank, rank) for rank, row in enumerate(rows, start=1)]


A, B, C, D, E, F = range(6)
RUNS = st.lists(st.lists(st.integers(0, 30), unique=True, max_size=20), min_size=1, max_size=4)


def test_scores_are_sums_of_reciprocal_ranks() -> None:
    fused = reciprocal_rank_fusion([run(A, B, C, D), run(C, E, A, F)], [1, 1])
    scores = {hit.row: hit.score for hit in fused}
    assert scores[A] == pytest.approx(1 / (60 + 1) + 1 / (60 + 3))
    assert scores[C] == pytest.approx(1 / (60 + 3) + 1 / (60 + 1))
    assert scores[B] == scores[E] == pytest.approx(1 / (60 + 2))
    assert [hit.row for hit in fused] == [A, C, B, E, D, F]


def test_ranks_tell_where_a_row_was_found() -> None:
    fused = {hit.row: hit.ranks for hit in reciprocal_rank_fusion([run(A, B), run(B)], [1, 1])}
    assert fused == {A: (1, None), B: (2, 1)}


def test_weight_scales_a_run() -> None:
    (first, second) = reciprocal_rank_fusion([run(A), run(B)], [1, 0.25])
    assert (first.row, second.row) == (A, B)
    assert second.score == pytest.approx(0.25 / 61)


def test_tie_key_orders_equal_scores_and_is_not_asked_for_others() -> None:
    asked: list[int] = []

    def key(row: int) -> str:
        asked.append(row)
        return {A: "z", B: "a"}[row]

    fused = reciprocal_rank_fusion([run(A, C), run(B, C)], [1, 1], tie_key=key)
    assert [hit.row for hit in fused] == [C, B, A]
    assert sorted(asked) == [A, B]


def test_no_runs_and_empty_runs_give_nothing() -> None:
    assert reciprocal_rank_fusion([], []) == []
    assert reciprocal_rank_fusion([[], []], [1, 1]) == []


@pytest.mark.parametrize(
    ("runs", "weights", "rrf_k", "message"),
    [
        ([run(A)], [1.0], 0, "rrf_k"),
        ([run(A)], [1.0, 1.0], 60, "weights"),
        ([run(A)], [-1.0], 60, "weight"),
        ([run(A)], [float("nan")], 60, "weight"),
        ([run(A, A)], [1.0], 60, "twice"),
        ([[Hit(A, 1.0, 0)]], [1.0], 60, "rank"),
    ],
)
def test_a_callers_mistake_is_named(
    runs: list[list[Hit]], weights: list[float], rrf_k: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        reciprocal_rank_fusion(runs, weights, rrf_k)


@given(RUNS)
def test_every_row_comes_once_and_best_first(rows: list[list[int]]) -> None:
    fused = reciprocal_rank_fusion([run(*r) for r in rows], [1.0] * len(rows))
    assert {hit.row for hit in fused} == {row for r in rows for row in r}
    assert len({hit.row for hit in fused}) == len(fused)
    keys = [(-hit.score, hit.row) for hit in fused]
    assert keys == sorted(keys)


@given(st.lists(st.integers(0, 50), unique=True, max_size=30))
def test_one_run_keeps_its_order_beside_an_empty_one(rows: list[int]) -> None:
    fused = reciprocal_rank_fusion([run(*rows), []], [1.0, 1.0])
    assert [hit.row for hit in fused] == rows


@given(RUNS, st.integers(1, 200))
def test_inputs_are_not_changed_and_results_repeat(rows: list[list[int]], rrf_k: int) -> None:
    runs = [run(*r) for r in rows]
    before = [list(r) for r in runs]
    weights = [1.0 / (position + 1) for position in range(len(runs))]
    first = reciprocal_rank_fusion(runs, weights, rrf_k)
    assert first == reciprocal_rank_fusion(runs, weights, rrf_k)
    assert runs == before


def test_keyword_weight_is_the_squared_share() -> None:
    assert [keyword_weight(share) for share in (0.0, 0.5, 1.0)] == [0.0, 0.25, 1.0]
