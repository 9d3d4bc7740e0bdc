"""How does an inverted file follow a changed corpus without being trained again?

Lists and codes are kept; rows that are gone leave their list, the others get their new numbers,
and new vectors join the list in which a query would look for them. Where those lie too scattered
for the lists that a query looks into, or too many changed, it is trained again after all.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from retrieval.dense.base import DenseTuning, Rows
from retrieval.dense.index_file import read_index, write_index
from retrieval.dense.ivf_pq import FILE_NAME, tuned_lists
from retrieval.dense.ivf_tuning import share_within_probes
from retrieval.dense.queries import NO_ROW, use_every_core
from retrieval.dense.sizes import code_bytes, enough_to_train, list_count
from retrieval.dense.vector_file import VectorFile
from retrieval.errors import DenseIndexError

if TYPE_CHECKING:
    import faiss

MAX_CHANGED = 0.1  # share of the vectors; what was measured of the others holds for them all
# Share of the neighbours of new vectors that must lie in the lists looked into. 60 pages, each put
# into 4,300 passages of e5-small: 1.0, the least .96; clusters that were not trained on: .4 to .8.
LEAST_SHARE = 0.95
MAX_LISTS_OFF = 2  # times as many lists as a build would make, or as few


def update_ivf_pq(
    before: Path, tuning: DenseTuning, old_rows: Rows, vectors: VectorFile, folder: Path
) -> DenseTuning | None:
    """Write `dense.ivf-pq` into `folder`, from the one in `before`.

    Equal arguments give equal bytes. Memory: the index, and a slice of the new vectors.

    Args:
        before: Folder of the index before.
        tuning: Of the index before.
        old_rows: As for `update_dense_index`.
        vectors: All of them.
        folder: Another one.

    Returns:
        How to search it; None where it is to be trained: nothing was written.

    Raises:
        GenerationCorrupt: The index before cannot be read.
        DenseIndexError: A value is not finite, or an index would not hold each row once.
        OSError: The file cannot be written.
    """
    import faiss

    is_new = old_rows == NO_ROW
    new, kept = np.flatnonzero(is_new), old_rows[~is_new]
    if not fits(tuning, len(new), len(vectors), vectors.dimension):
        return None
    path = before / FILE_NAME
    index = read_index(path, vectors.dimension, to_change=True)
    lists, _ = tuned_lists(index, tuning, path)
    changed = tuning.changed + len(new) + index.ntotal - len(kept)
    if not fits(tuning, changed, len(vectors), vectors.dimension):
        return None
    _check_rows(lists, index.ntotal, path)
    moved = np.full(index.ntotal, NO_ROW, dtype=np.int64)
    moved[kept] = np.flatnonzero(~is_new)
    use_every_core()
    index.remove_ids(faiss.IDSelectorBatch(np.flatnonzero(moved == NO_ROW)))
    for rows in _rows_of_lists(lists):
        rows[:] = moved[rows]
    for some, halves in vectors.slices_of(new):
        index.add_with_ids(halves.astype(np.float32), some)
    _check_rows(lists, len(vectors), folder / FILE_NAME)
    if len(new) and share_within_probes(index, tuning, new, vectors) < LEAST_SHARE:
        return None
    write_index(index, folder / FILE_NAME)
    return replace(tuning, changed=changed)


def fits(tuning: DenseTuning, changed: int, count: int, dimension: int) -> bool:
    """Whether lists and codes that were trained earlier are those for `count` vectors.

    Args:
        tuning: What was trained.
        changed: Vectors that were added or removed since.
        count: Vectors now.
        dimension: Length of a vector.
    """
    if not enough_to_train(count) or tuning.m != code_bytes(dimension):
        return False
    off = list_count(count) / tuning.nlist
    return changed <= MAX_CHANGED * count and 1 / MAX_LISTS_OFF <= off <= MAX_LISTS_OFF


def _rows_of_lists(lists: "faiss.IndexIVFPQ") -> Iterator[Rows]:
    """The ids in each list that has some: views, good until the list changes its length."""
    import faiss

    inverted = lists.invlists
    assert inverted is not None
    for position in range(lists.nlist):
        if size := inverted.list_size(position):
            yield faiss.rev_swig_ptr(inverted.get_ids(position), size)


def _check_rows(lists: "faiss.IndexIVFPQ", count: int, path: Path) -> None:
    rows = np.concatenate([np.empty(0, dtype=np.int64), *_rows_of_lists(lists)])
    if not np.array_equal(np.sort(rows), np.arange(count)):
        raise DenseIndexError(
            f"{path} would not hold each of {count} rows once: remove the generation before, so "
            "that the index is built anew"
        )
