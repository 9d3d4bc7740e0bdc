"""Which kinds `auto` takes, and what is refused before it is built or loaded."""

from pathlib import Path

import numpy as np
import pytest

from retrieval.configuration import RetrievalSection
from retrieval.dense import VectorFile, build_dense_index
from retrieval.dense.sizes import dense_bytes
from retrieval.dense.vector_file import VECTORS_FILE
from retrieval.errors import ConfigurationError, TooFewTrainingVectors
from retrieval.sizing import (
    KEYWORD_BYTES_PER_CHUNK,
    ChosenKinds,
    choose_kinds,
    most_chunks,
    resident_bytes,
    swap_bytes,
)
from tests.contracts.dense_index import unit

DIMENSION = 1024


def chosen(chunks: int, memory_mb: int = 700, **kinds: str) -> ChosenKinds:
    settings = RetrievalSection.model_validate({"memory_mb": memory_mb, **kinds})
    return choose_kinds(settings, settings.dense, chunks, DIMENSION)


@pytest.mark.parametrize(
    ("chunks", "memory_mb", "expected"),
    [
        (0, 700, ("flat", "rank-bm25")),
        (5_000, 700, ("flat", "rank-bm25")),
        (10_000, 700, ("flat", "rank-bm25")),
        (10_001, 700, ("flat", "tantivy")),
        (50_000, 700, ("flat", "tantivy")),
        (50_000, 326, ("sq8", "tantivy")),
        (50_000, 226, ("ivf-pq", "tantivy")),
        (100_000, 700, ("ivf-pq", "tantivy")),
        (1_000_000, 800, ("ivf-pq", "tantivy")),
    ],
)
def test_auto_goes_by_size_and_budget(
    chunks: int, memory_mb: int, expected: tuple[str, str]
) -> None:
    kinds = chosen(chunks, memory_mb)
    assert (kinds.dense, kinds.keyword) == expected


def test_auto_stays_exact_where_there_is_too_little_to_train_on() -> None:
    assert chosen(600, 164).dense == "flat"
    assert chosen(600, 163).dense == "sq8"
    with pytest.raises(ConfigurationError, match="tantivy"):
        chosen(600, 162)


def test_without_vectors_there_is_no_dense_kind() -> None:
    settings = RetrievalSection()
    assert choose_kinds(settings, "", 100, 0) == ChosenKinds("", "rank-bm25")
    assert choose_kinds(settings, "auto", 100, 0) == ChosenKinds("", "rank-bm25")


def test_too_few_vectors_for_a_trained_kind_are_refused_by_name() -> None:
    with pytest.raises(TooFewTrainingVectors, match=r"624.*has 50.*flat"):
        chosen(50, dense="ivf-pq")


@pytest.mark.parametrize(
    ("dense", "keyword", "advice"),
    [
        ("flat", "tantivy", 'choose dense = "sq8"'),
        ("sq8", "tantivy", 'choose dense = "ivf-pq"'),
        ("ivf-pq", "tantivy", "set it to"),
        ("ivf-pq", "rank-bm25", 'choose keyword = "tantivy"'),
    ],
)
def test_what_does_not_fit_is_refused_with_what_to_choose(
    dense: str, keyword: str, advice: str
) -> None:
    with pytest.raises(ConfigurationError, match=rf"1000000 chunks.*memory_mb is 300.*{advice}"):
        chosen(1_000_000, 300, dense=dense, keyword=keyword)


def test_the_advised_budget_is_enough() -> None:
    with pytest.raises(ConfigurationError) as refused:
        chosen(1_000_000, 300, dense="ivf-pq", keyword="tantivy")
    advised = int(str(refused.value).rsplit(" ", 1)[1])
    assert chosen(1_000_000, advised, dense="ivf-pq", keyword="tantivy").dense == "ivf-pq"


def test_the_most_that_fits_fits_and_one_more_does_not() -> None:
    settings = RetrievalSection()
    for dense in ("flat", "sq8", "ivf-pq"):
        kinds = ChosenKinds(dense, "tantivy")
        most = most_chunks(settings, kinds, DIMENSION)
        budget = settings.memory_mb * 1_000_000
        assert swap_bytes(dense, "tantivy", most, DIMENSION) <= budget
        assert swap_bytes(dense, "tantivy", most + 1, DIMENSION) > budget


def test_a_swap_counts_the_indexes_twice_and_the_service_once() -> None:
    one = resident_bytes("flat", "tantivy", 1000, DIMENSION)
    assert swap_bytes("flat", "tantivy", 1000, DIMENSION) - one == (
        1000 * (2 * DIMENSION + KEYWORD_BYTES_PER_CHUNK["tantivy"])
    )


@pytest.mark.parametrize("kind", ["flat", "sq8", "ivf-pq"])
@pytest.mark.parametrize("dimension", [16, 100])
def test_expected_bytes_are_those_of_the_file(kind: str, dimension: int, tmp_path: Path) -> None:
    vectors = unit(3000, dimension)
    (tmp_path / VECTORS_FILE).write_bytes(vectors.astype(np.dtype("<f2")).tobytes())
    build_dense_index(kind, VectorFile(tmp_path / VECTORS_FILE, dimension), tmp_path)
    size = (tmp_path / f"dense.{kind}").stat().st_size
    assert dense_bytes(kind, 3000, dimension) == pytest.approx(size, rel=0.1)
