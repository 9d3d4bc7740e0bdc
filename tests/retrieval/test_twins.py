import pytest

from retrieval.fusion import FusedHit
from retrieval.twins import different, without_twins

HITS = [FusedHit(row, 1.0 / (row + 1), (row + 1, None)) for row in range(6)]
TEXTS = {0: b"a", 1: b"a", 2: b"b", 3: b"a", 4: b"c", 5: b"b"}


@pytest.mark.parametrize(
    ("k", "rows"),
    [
        (1, [0]),
        (2, [0, 2]),
        (3, [0, 2, 4]),
        (4, [0, 1, 2, 4]),
        (5, [0, 1, 2, 3, 4]),
        (6, [0, 1, 2, 3, 4, 5]),
        (9, [0, 1, 2, 3, 4, 5]),
    ],
)
def test_twins_are_given_only_where_nothing_else_is_left(k: int, rows: list[int]) -> None:
    assert [hit.row for hit in without_twins(HITS, TEXTS, k)] == rows


def test_different_texts_are_counted() -> None:
    assert different(HITS, TEXTS) == 3
    assert different([], {}) == 0
    assert without_twins([], {}, 3) == []
