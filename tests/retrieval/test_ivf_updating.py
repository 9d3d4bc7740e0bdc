from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import faiss
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from retrieval.dense import (
    DENSE_KINDS,
    DenseIndex,
    DenseTuning,
    VectorFile,
    build_dense_index,
    open_dense_index,
    update_dense_index,
)
from retrieval.dense.base import Rows
from retrieval.dense.ivf_pq import FILE_NAME
from retrieval.dense.ivf_updating import fits
from retrieval.dense.sizes import MIN_VECTORS
from retrieval.dense.vector_file import VECTORS_FILE
from retrieval.embedding.base import Vectors
from retrieval.errors import DenseIndexError, GenerationCorrupt
from tests.contracts.dense_index import DIMENSION, unit

KIND = "ivf-pq"
COUNT = 1000
NEW = -1
UNCHANGED = np.arange(COUNT)


def vector_file(vectors: Vectors, folder: Path) -> VectorFile:
    folder.mkdir(exist_ok=True)
    (folder / VECTORS_FILE).write_bytes(vectors.astype("<f2").tobytes())
    return VectorFile(folder / VECTORS_FILE, vectors.shape[1])


class Trained:
    """An index that was trained once, and how to change it."""

    def __init__(self, folder: Path) -> None:
        self.vectors = unit(COUNT)
        self.folder = folder
        tuning = build_dense_index(KIND, vector_file(self.vectors, folder), folder)
        assert tuning is not None
        # All lists are looked into, so that no new vector lies outside of them.
        self.tuning = replace(tuning, nprobe=tuning.nlist)

    def update(
        self, old_rows: Rows, folder: Path, new: Vectors | None = None
    ) -> DenseTuning | None:
        """Into `folder`; `new` are those that `old_rows` has no row for."""
        vectors = changed(self.vectors, old_rows, unit(0) if new is None else new)
        halves = vector_file(vectors, folder)
        return update_dense_index(KIND, self.folder, self.tuning, old_rows, halves, folder)


def changed(before: Vectors, old_rows: Rows, new: Vectors) -> Vectors:
    after = np.empty((len(old_rows), before.shape[1]), dtype=np.float32)
    after[old_rows != NEW] = before[old_rows[old_rows != NEW]]
    after[old_rows == NEW] = new
    return after


def opened(folder: Path, tuning: DenseTuning | None) -> DenseIndex:
    return open_dense_index(KIND, folder, DIMENSION, tuning)


def all_found(index: DenseIndex, vectors: Vectors) -> None:
    """Each row once, and each vector by itself."""
    hits = index.search(vectors[0], len(vectors) + 100)
    assert sorted(hit.row for hit in hits) == list(range(len(vectors)))
    for row, vector in enumerate(vectors):
        assert index.search(vector, 1)[0].row == row


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return Trained(tmp_path_factory.mktemp("trained"))


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_updates_hold_the_rows_of_a_model(
    trained: Trained, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    vectors, folder, tuning, count = trained.vectors, trained.folder, trained.tuning, 0
    for removed, added in data.draw(
        st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=3)
    ):
        kept = random.permutation(len(vectors))[removed:]
        old_rows = random.permutation(np.concatenate((kept, np.full(added, NEW))))
        new = unit(added, seed=int(random.integers(2**32)))
        vectors = changed(vectors, old_rows, new)
        results = []
        for name in ("one", "two"):
            place = tmp_path_factory.mktemp(name)
            halves = vector_file(vectors, place)
            after = update_dense_index(KIND, folder, tuning, old_rows, halves, place)
            results.append((after, (place / FILE_NAME).read_bytes()))
        assert results[0] == results[1]
        count += removed + added
        assert after == replace(trained.tuning, changed=count)
        folder, tuning = place, after
    all_found(opened(folder, tuning), vectors)


@pytest.mark.parametrize(
    "order",
    [np.arange, lambda n: np.arange(n)[::-1].copy(), lambda n: np.roll(np.arange(n), 7)],
    ids=["none", "reversed", "shifted"],
)
def test_new_numbers_alone_change_nothing_else(
    order: Callable[[int], Rows], trained: Trained, tmp_path: Path
) -> None:
    old_rows = order(COUNT)
    tuning = trained.update(old_rows, tmp_path)
    assert tuning == trained.tuning
    before, after = opened(trained.folder, tuning), opened(tmp_path, tuning)
    for query in unit(20, seed=5):
        hits = [(int(old_rows[hit.row]), hit.score) for hit in after.search(query, 10)]
        assert hits == [(hit.row, hit.score) for hit in before.search(query, 10)]


def test_without_a_change_the_file_is_the_same(trained: Trained, tmp_path: Path) -> None:
    trained.update(UNCHANGED, tmp_path)
    assert (tmp_path / FILE_NAME).read_bytes() == (trained.folder / FILE_NAME).read_bytes()


def test_rows_may_only_go(trained: Trained, tmp_path: Path) -> None:
    old_rows = np.flatnonzero(UNCHANGED % 12)
    tuning = trained.update(old_rows, tmp_path)
    assert tuning == replace(trained.tuning, changed=84)
    all_found(opened(tmp_path, tuning), trained.vectors[old_rows])


def test_rows_without_a_vector_come_and_stay(trained: Trained, tmp_path: Path) -> None:
    old_rows = np.concatenate((UNCHANGED, [NEW, NEW]))
    nothing = np.zeros((2, DIMENSION), dtype=np.float32)
    tuning = trained.update(old_rows, tmp_path, nothing)
    index = opened(tmp_path, tuning)
    assert {hit.row for hit in index.search(nothing[0], COUNT + 2)} == set(range(COUNT + 2))
    assert index.search(trained.vectors[3], 1)[0].row == 3


def test_the_index_before_is_left_as_it_was(trained: Trained, tmp_path: Path) -> None:
    content = (trained.folder / FILE_NAME).read_bytes()
    trained.update(UNCHANGED[5:], tmp_path)
    assert (trained.folder / FILE_NAME).read_bytes() == content


@pytest.mark.parametrize(
    ("removed", "added", "is_updated"),
    [
        (50, 50, True),
        (50, 51, False),
        (0, 111, True),
        (0, 112, False),
        (90, 0, True),
        (91, 0, False),
    ],
)
def test_a_tenth_of_the_vectors_may_change(
    removed: int, added: int, is_updated: bool, trained: Trained, tmp_path: Path
) -> None:
    old_rows = np.concatenate((UNCHANGED[removed:], np.full(added, NEW)))
    new = unit(added, seed=3)
    assert (trained.update(old_rows, tmp_path, new) is not None) is is_updated
    assert (tmp_path / FILE_NAME).exists() is is_updated


def test_what_changed_earlier_counts(trained: Trained, tmp_path: Path) -> None:
    halves = vector_file(trained.vectors, tmp_path)
    for earlier, is_updated in ((100, True), (101, False)):
        tuning = replace(trained.tuning, changed=earlier)
        after = update_dense_index(KIND, trained.folder, tuning, UNCHANGED, halves, tmp_path)
        assert after == (tuning if is_updated else None)


def test_a_manifest_from_before_the_count_is_read() -> None:
    stored = {"nlist": 16, "m": 8, "nprobe": 8, "reranked": 100, "recall": 1.0, "queries": 256}
    assert TypeAdapter(DenseTuning).validate_python(stored).changed == 0


def test_all_new_or_too_few_vectors_are_built_anew(trained: Trained, tmp_path: Path) -> None:
    assert trained.update(np.full(COUNT, NEW), tmp_path, unit(COUNT, seed=9)) is None
    assert trained.update(UNCHANGED[: MIN_VECTORS - 1], tmp_path) is None
    assert trained.update(UNCHANGED[:0], tmp_path) is None
    assert not (tmp_path / FILE_NAME).exists()


def test_new_vectors_that_no_list_was_trained_for_are_built_anew(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    centres, half = unit(60, 32), np.zeros((2000, 64), dtype=np.float32)
    half[:, :32] = centres[random.integers(60, size=2000)] + 0.05 * unit(2000, 32, seed=2)
    (tmp_path / "after").mkdir()
    tuning = build_dense_index(KIND, vector_file(half, tmp_path), tmp_path)
    assert tuning is not None
    assert tuning.nprobe < tuning.nlist
    old_rows = np.concatenate((np.arange(2000), np.full(60, NEW)))
    for columns, is_updated in ((slice(0, 32), True), (slice(32, 64), False)):
        new = np.zeros((60, 64), dtype=np.float32)
        new[:, columns] = centres + 0.05 * unit(60, 32, seed=4)
        after = vector_file(np.concatenate((half, new)), tmp_path / "after")
        made = update_dense_index(KIND, tmp_path, tuning, old_rows, after, tmp_path / "after")
        assert (made is not None) is is_updated


@pytest.mark.parametrize("kind", [kind for kind in DENSE_KINDS if kind != KIND])
def test_kinds_that_are_copies_are_built_anew(kind: str, trained: Trained, tmp_path: Path) -> None:
    halves = vector_file(trained.vectors, tmp_path)
    assert update_dense_index(kind, tmp_path, None, UNCHANGED, halves, tmp_path) is None


def test_an_index_that_no_manifest_tells_about_is_built_anew(
    trained: Trained, tmp_path: Path
) -> None:
    halves = vector_file(trained.vectors, tmp_path)
    assert update_dense_index(KIND, trained.folder, None, UNCHANGED, halves, tmp_path) is None


@pytest.mark.parametrize(
    ("nlist", "m", "count", "expected"),
    [
        (256, 8, 10_000, True),
        (128, 8, 10_000, True),
        (512, 8, 10_000, True),
        (64, 8, 10_000, False),
        (1024, 8, 10_000, False),
        (256, 16, 10_000, False),
        (16, 8, MIN_VECTORS, True),
        (16, 8, MIN_VECTORS - 1, False),
    ],
)
def test_sizes_must_be_near_those_of_a_build(
    nlist: int, m: int, count: int, expected: bool
) -> None:
    tuning = DenseTuning(nlist, m, nprobe=8, reranked=100, recall=1.0, queries=256)
    assert fits(tuning, 0, count, DIMENSION) is expected


def test_a_row_that_is_taken_twice_is_refused(trained: Trained, tmp_path: Path) -> None:
    old_rows = UNCHANGED.copy()
    old_rows[7] = 8
    with pytest.raises(DenseIndexError, match="each of 1000 rows once"):
        trained.update(old_rows, tmp_path)


def test_an_index_of_other_rows_is_refused(trained: Trained, tmp_path: Path) -> None:
    index = faiss.read_index(str(trained.folder / FILE_NAME))
    index.remove_ids(faiss.IDSelectorBatch(np.array([3])))
    faiss.write_index(index, str(tmp_path / FILE_NAME))
    halves = vector_file(trained.vectors[1:], tmp_path / "after")
    with pytest.raises(DenseIndexError, match="each of 999 rows once"):
        update_dense_index(
            KIND, tmp_path, trained.tuning, UNCHANGED[:-1], halves, tmp_path / "after"
        )


def test_values_that_are_not_finite_are_refused(trained: Trained, tmp_path: Path) -> None:
    old_rows = np.concatenate((UNCHANGED, [NEW]))
    with pytest.raises(DenseIndexError, match="finite"):
        trained.update(old_rows, tmp_path, np.full((1, DIMENSION), np.inf, dtype=np.float32))


def test_an_absent_index_or_another_tuning_is_corrupt(trained: Trained, tmp_path: Path) -> None:
    halves = vector_file(trained.vectors, tmp_path)
    with pytest.raises(GenerationCorrupt, match="absent"):
        update_dense_index(KIND, tmp_path, trained.tuning, UNCHANGED, halves, tmp_path)
    other = replace(trained.tuning, nlist=trained.tuning.nlist * 2)
    with pytest.raises(GenerationCorrupt, match="run a sync"):
        update_dense_index(KIND, trained.folder, other, UNCHANGED, halves, tmp_path)


def test_saving_where_nothing_can_be_written_is_an_os_error(
    trained: Trained, tmp_path: Path
) -> None:
    halves = vector_file(trained.vectors, tmp_path)
    absent = tmp_path / "absent"
    with pytest.raises(OSError, match="dense"):
        update_dense_index(KIND, trained.folder, trained.tuning, UNCHANGED, halves, absent)
