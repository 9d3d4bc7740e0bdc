from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from retrieval.dense import DenseTuning, VectorFile, build_dense_index, open_dense_index
from retrieval.dense.sizes import MIN_VECTORS, code_bytes, dense_bytes, list_count
from retrieval.dense.vector_file import VECTORS_FILE
from retrieval.embedding.base import Vectors
from retrieval.errors import GenerationCorrupt, TooFewTrainingVectors
from tests.contracts.dense_index import (
    DIMENSION,
    ComparingContract,
    DenseIndexContract,
    unit,
    write_index,
)


class TestInvertedIndex(DenseIndexContract, ComparingContract):
    kind = "ivf-pq"
    count = 700

    @pytest.mark.parametrize("count", [0, 1, 60, MIN_VECTORS - 1])
    def test_too_few_vectors_are_refused_by_name(self, count: int, tmp_path: Path) -> None:
        with pytest.raises(TooFewTrainingVectors, match=rf"{MIN_VECTORS}.*has {count}.*flat"):
            write_index(self.kind, unit(count), tmp_path)

    def test_training_on_few_vectors_says_nothing(
        self, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        write_index(self.kind, unit(MIN_VECTORS), tmp_path)
        captured = capfd.readouterr()
        assert (captured.out, captured.err) == ("", "")

    def test_a_filter_that_leaves_a_share_of_many_rows_costs_no_hits(self, tmp_path: Path) -> None:
        vectors = unit(9000)
        index = write_index(self.kind, vectors, tmp_path)
        allowed = np.arange(9000) % 4 == 1  # more than are compared one by one
        for query in unit(20, seed=5):
            hits = index.search(query, 300, allowed)
            assert len(hits) == 300
            assert all(allowed[hit.row] for hit in hits)
            truth = np.flatnonzero(allowed)[np.argsort(-(vectors[allowed] @ query))[:10]]
            assert len(set(truth.tolist()) & {hit.row for hit in hits}) >= 8

    def test_hits_outside_the_first_lists_are_found_where_k_needs_them(
        self, tmp_path: Path
    ) -> None:
        vectors = unit(9000)
        index = write_index(self.kind, vectors, tmp_path)
        assert len(index.search(vectors[0], 9000)) == 9000

    def test_many_equal_vectors_come_in_the_order_of_their_rows(self, tmp_path: Path) -> None:
        vectors = np.concatenate([unit(700), np.repeat(unit(1, seed=9), 1500, axis=0)])
        index = write_index(self.kind, vectors, tmp_path)
        rows = [hit.row for hit in index.search(vectors[-1], 100)]
        assert rows == list(range(700, 800))

    @pytest.mark.parametrize("change", [None, {"nlist": 8}, {"m": 4}])
    def test_a_manifest_that_does_not_fit_is_corrupt(
        self, change: dict[str, int] | None, tmp_path: Path
    ) -> None:
        (tmp_path / VECTORS_FILE).write_bytes(self.vectors.astype("<f2").tobytes())
        vectors = VectorFile(tmp_path / VECTORS_FILE, DIMENSION)
        tuning = build_dense_index(self.kind, vectors, tmp_path)
        assert tuning is not None
        wrong = replace(tuning, **change) if change else None
        with pytest.raises(GenerationCorrupt, match="run a sync"):
            open_dense_index(self.kind, tmp_path, DIMENSION, wrong)

    def test_the_file_is_as_large_as_was_computed_before(self, tmp_path: Path) -> None:
        write_index(self.kind, unit(4000, 256), tmp_path)
        expected = dense_bytes(self.kind, 4000, 256)
        assert self.index_file(tmp_path).stat().st_size == pytest.approx(expected, rel=0.03)

    def test_the_tuning_says_what_was_measured(self, tmp_path: Path) -> None:
        tuning = write_tuned(unit(2000), tmp_path)
        assert tuning.recall >= 0.98
        assert tuning.nprobe <= tuning.nlist == 32
        assert (tuning.m, tuning.queries) == (8, 256)

    def test_where_no_number_of_lists_reaches_the_target_the_last_hundredth_is_spared(
        self, tmp_path: Path
    ) -> None:
        vectors = unit(16_000, 64)  # without clusters, so that short codes tell neighbours badly
        tuning = write_tuned(vectors, tmp_path)
        assert tuning.recall < 0.98
        assert tuning.nprobe < tuning.nlist
        everything = replace(tuning, nprobe=tuning.nlist)
        chosen, best = (found_share(tmp_path, each, vectors) for each in (tuning, everything))
        assert chosen >= best - 0.02  # of other queries than it was measured on


def write_tuned(vectors: Vectors, folder: Path) -> DenseTuning:
    file = folder / VECTORS_FILE
    file.write_bytes(vectors.astype("<f2").tobytes())
    tuning = build_dense_index("ivf-pq", VectorFile(file, vectors.shape[1]), folder)
    assert tuning is not None
    return tuning


def found_share(folder: Path, tuning: DenseTuning, vectors: Vectors) -> float:
    """Recall@10 of 200 queries that are no stored vector."""
    index = open_dense_index("ivf-pq", folder, vectors.shape[1], tuning)
    queries = unit(200, vectors.shape[1], seed=5)
    true = np.argsort(-(queries @ vectors.T), axis=1)[:, :10]
    found = [{hit.row for hit in index.search(query, 10)} for query in queries]
    shared = [len(rows & set(ten)) for rows, ten in zip(found, true.tolist(), strict=True)]
    return sum(shared) / (10 * len(queries))


@pytest.mark.parametrize(
    ("count", "lists"), [(MIN_VECTORS, 16), (10_000, 256), (100_000, 1024), (1_000_000, 4096)]
)
def test_lists_grow_with_the_root_of_the_corpus(count: int, lists: int) -> None:
    assert list_count(count) == lists


@pytest.mark.parametrize(
    ("dimension", "m"), [(1, 1), (8, 8), (16, 8), (384, 48), (1024, 128), (1031, 129)]
)
def test_codes_have_a_byte_for_eight_dimensions(dimension: int, m: int) -> None:
    assert code_bytes(dimension) == m
