"""What every kind of dense index promises; a kind's test class inherits it."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from retrieval.dense import DenseIndex, VectorFile, build_dense_index, open_dense_index
from retrieval.dense.vector_file import VECTORS_FILE
from retrieval.embedding.base import Vectors
from retrieval.errors import DenseIndexError, DimensionMismatch, GenerationCorrupt

DIMENSION = 16


def unit(count: int, dimension: int = DIMENSION, seed: int = 7) -> Vectors:
    vectors = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / norms, dtype=np.float32)


def stored(vectors: Vectors) -> Vectors:
    """What float16 makes of them."""
    return np.asarray(vectors.astype("<f2"), dtype=np.float32)


def write_index(kind: str, vectors: Vectors, folder: Path) -> DenseIndex:
    """Write `vectors.f16` and an index of `kind`, and open it."""
    (folder / VECTORS_FILE).write_bytes(vectors.astype("<f2").tobytes())
    dimension = vectors.shape[1]
    tuning = build_dense_index(kind, VectorFile(folder / VECTORS_FILE, dimension), folder)
    return open_dense_index(kind, folder, dimension, tuning)


class DenseIndexContract:
    kind: str
    count = 60

    @property
    def vectors(self) -> Vectors:
        return unit(self.count)

    @pytest.fixture
    def index(self, tmp_path: Path) -> DenseIndex:
        return write_index(self.kind, self.vectors, tmp_path)

    def index_file(self, folder: Path) -> Path:
        return next(path for path in folder.iterdir() if path.name.startswith("dense."))

    def test_knows_its_kind_size_and_dimension(self, index: DenseIndex) -> None:
        assert (index.kind, len(index), index.dimension) == (self.kind, self.count, DIMENSION)

    def test_each_vector_is_its_own_first_hit(self, index: DenseIndex) -> None:
        for row, vector in enumerate(self.vectors):
            assert index.search(vector, 1)[0].row == row

    def test_ranks_count_from_one_and_scores_fall(self, index: DenseIndex) -> None:
        hits = index.search(self.vectors[0], 10)
        assert [hit.rank for hit in hits] == list(range(1, 11))
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)

    def test_scores_are_inner_products_with_the_stored_vectors(self, index: DenseIndex) -> None:
        query, vectors = self.vectors[0], stored(self.vectors)
        for hit in index.search(query, 20):
            assert hit.score == pytest.approx(float(vectors[hit.row] @ query), abs=1e-6)

    def test_the_nearest_ten_of_new_queries_are_found(self, index: DenseIndex) -> None:
        vectors = stored(self.vectors)
        found = 0
        for query in unit(50, seed=11):
            truth = set(np.argsort(-(vectors @ query))[:10].tolist())
            found += len(truth & {hit.row for hit in index.search(query, 10)})
        assert found >= 0.95 * 500

    def test_more_hits_than_vectors_are_never_invented(self, index: DenseIndex) -> None:
        hits = index.search(self.vectors[3], self.count + 400)
        assert sorted(hit.row for hit in hits) == list(range(self.count))

    def test_only_allowed_rows_are_found(self, index: DenseIndex) -> None:
        allowed = np.zeros(self.count, dtype=np.bool_)
        allowed[[4, 17, 59]] = True
        assert {hit.row for hit in index.search(self.vectors[0], 10, allowed)} == {4, 17, 59}
        assert index.search(self.vectors[17], 1, allowed)[0].row == 17
        assert index.search(self.vectors[0], 10, np.zeros(self.count, dtype=np.bool_)) == []

    @pytest.mark.parametrize("share", [2, 3, 10])
    def test_a_filter_never_costs_hits(self, index: DenseIndex, share: int) -> None:
        allowed = np.arange(self.count) % share == 0
        for row in (0, share, 2 * share):
            hits = index.search(self.vectors[row], int(allowed.sum()), allowed)
            assert hits[0].row == row
            assert sorted(hit.row for hit in hits) == np.flatnonzero(allowed).tolist()

    def test_allowed_of_another_length_is_a_callers_mistake(self, index: DenseIndex) -> None:
        with pytest.raises(ValueError, match="allowed"):
            index.search(self.vectors[0], 1, np.ones(self.count + 1, dtype=np.bool_))

    def test_equal_vectors_come_in_the_order_of_their_rows(self, tmp_path: Path) -> None:
        same = np.repeat(unit(1), self.count // 2, axis=0)
        others = unit(self.count, seed=3)
        index = write_index(self.kind, np.concatenate([others, same]), tmp_path)
        for k in (1, 5, len(same) - 1):
            rows = [hit.row for hit in index.search(same[0], k)]
            assert rows == list(range(self.count, self.count + k))

    def test_wrong_dimension_names_both(self, index: DenseIndex) -> None:
        with pytest.raises(DimensionMismatch, match=r"9.*16"):
            index.search(unit(1, 9)[0], 3)

    def test_values_that_are_not_finite_are_refused(
        self, index: DenseIndex, tmp_path: Path
    ) -> None:
        broken = self.vectors
        broken[5, 2] = np.nan
        with pytest.raises(DenseIndexError, match="finite"):
            index.search(broken[5], 3)
        with pytest.raises(DenseIndexError, match="finite"):
            write_index(self.kind, broken, tmp_path)

    def test_k_below_one_is_a_callers_mistake(self, index: DenseIndex) -> None:
        with pytest.raises(ValueError, match="k must be"):
            index.search(self.vectors[0], 0)

    @pytest.mark.parametrize("dimension", [1, 3, 8, 13, 24, 100])
    def test_any_dimension_can_be_indexed(self, dimension: int, tmp_path: Path) -> None:
        vectors = unit(self.count, dimension)
        index = write_index(self.kind, vectors, tmp_path)
        assert index.dimension == dimension
        best = float((stored(vectors) @ vectors[7]).max())
        assert index.search(vectors[7], 1)[0].score == pytest.approx(best, abs=1e-3)

    def test_two_builds_are_byte_identical(self, tmp_path: Path) -> None:
        contents = []
        for name in ("one", "two"):
            (tmp_path / name).mkdir()
            write_index(self.kind, self.vectors, tmp_path / name)
            contents.append(self.index_file(tmp_path / name).read_bytes())
        assert contents[0] == contents[1]

    def test_threads_share_an_index(self, index: DenseIndex) -> None:
        def rows(row: int) -> list[int]:
            return [hit.row for hit in index.search(self.vectors[row], 10)]

        alone = [rows(row) for row in range(self.count)]
        with ThreadPoolExecutor(max_workers=8) as pool:
            assert list(pool.map(rows, range(self.count))) == alone

    def test_missing_file_is_corrupt(self, tmp_path: Path) -> None:
        with pytest.raises(GenerationCorrupt, match="dense"):
            open_dense_index(self.kind, tmp_path, DIMENSION)

    @pytest.mark.parametrize("damage", ["empty", "cut", "foreign", "header"])
    def test_damaged_file_is_corrupt_and_named(
        self, index: DenseIndex, damage: str, tmp_path: Path
    ) -> None:
        assert len(index) == self.count
        path = self.index_file(tmp_path)
        content = path.read_bytes()
        damaged = {
            "empty": b"",
            "cut": content[: len(content) // 2],
            "foreign": b"SQLite format 3\0" * 100,
            "header": content[:40],
        }
        path.unlink()
        path.write_bytes(damaged[damage])
        with pytest.raises(GenerationCorrupt, match=path.name):
            open_dense_index(self.kind, tmp_path, DIMENSION)

    def test_file_of_another_dimension_is_corrupt(self, index: DenseIndex, tmp_path: Path) -> None:
        assert len(index) == self.count
        with pytest.raises(GenerationCorrupt, match=r"16.*1024"):
            open_dense_index(self.kind, tmp_path, 1024)

    def test_saving_where_nothing_can_be_written_is_an_os_error(self, tmp_path: Path) -> None:
        (tmp_path / VECTORS_FILE).write_bytes(self.vectors.astype("<f2").tobytes())
        vectors = VectorFile(tmp_path / VECTORS_FILE, DIMENSION)
        with pytest.raises(OSError, match="dense"):
            build_dense_index(self.kind, vectors, tmp_path / "absent")


class UntrainedContract:
    """Of kinds that take any number of vectors."""

    kind: str

    def test_empty_index_finds_nothing(self, tmp_path: Path) -> None:
        index = write_index(self.kind, unit(0), tmp_path)
        assert len(index) == 0
        assert index.search(unit(1)[0], 3) == []

    def test_one_vector_is_found(self, tmp_path: Path) -> None:
        index = write_index(self.kind, unit(1), tmp_path)
        assert [hit.row for hit in index.search(unit(1)[0], 3)] == [0]


class ComparingContract:
    """Of kinds that compare their candidates with the raw vectors."""

    kind: str
    count = 60

    @pytest.mark.parametrize("damage", ["absent", "cut", "shorter"])
    def test_raw_vectors_that_do_not_fit_are_corrupt_and_named(
        self, damage: str, tmp_path: Path
    ) -> None:
        (tmp_path / VECTORS_FILE).write_bytes(unit(self.count).astype("<f2").tobytes())
        vectors = VectorFile(tmp_path / VECTORS_FILE, DIMENSION)
        tuning = build_dense_index(self.kind, vectors, tmp_path)
        content = (tmp_path / VECTORS_FILE).read_bytes()
        (tmp_path / VECTORS_FILE).unlink()
        if damage != "absent":
            end = -2 * DIMENSION if damage == "shorter" else -7
            (tmp_path / VECTORS_FILE).write_bytes(content[:end])
        with pytest.raises(GenerationCorrupt, match=VECTORS_FILE):
            open_dense_index(self.kind, tmp_path, DIMENSION, tuning)
