"""What are the postings of a corpus of which most passages were indexed before?

The same arrays as `collect_postings` would make of all passages, without their terms.
"""

import numpy as np
from numpy.typing import NDArray

from retrieval.keyword.postings import Postings

NEW = -1


def merged_postings(old: Postings, old_rows: NDArray[np.int64], fresh: Postings) -> Postings:
    """Postings of the passages that `old_rows` and `fresh` describe together.

    Args:
        old: Of the corpus before.
        old_rows: int64 (passages,): the row that a passage had there, NEW for one of `fresh`; a
            row at most once.
        fresh: Of the new passages alone, in their order.

    Returns:
        Its languages are those of `fresh`.

    Raises:
        ValueError: `fresh` has another number of passages than `old_rows` has NEW.
    """
    is_new = old_rows == NEW
    if int(is_new.sum()) != len(fresh.lengths):
        raise ValueError(f"{int(is_new.sum())} new passages, {len(fresh.lengths)} are indexed")
    lengths = np.empty(len(old_rows), dtype=np.int32)
    lengths[~is_new] = old.lengths[old_rows[~is_new]]
    lengths[is_new] = fresh.lengths
    moved = np.full(len(old.lengths), NEW, dtype=np.int64)
    moved[old_rows[~is_new]] = np.flatnonzero(~is_new)
    names = sorted(old.terms.keys() | fresh.terms.keys())
    number = {name: position for position, name in enumerate(names)}
    parts = (
        _entries(old, number, moved),
        _entries(fresh, number, np.flatnonzero(is_new)),
    )
    terms, rows, frequencies = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    # Both parts are nearly in order, which a stable sort turns to account.
    order = np.argsort(terms * max(1, len(old_rows)) + rows, kind="stable")
    counts = np.bincount(terms, minlength=len(names))
    alive = counts > 0
    left = [name for name, is_alive in zip(names, alive.tolist(), strict=True) if is_alive]
    return Postings(
        fresh.languages,
        {name: position for position, name in enumerate(left)},
        np.concatenate(([0], np.cumsum(counts[alive], dtype=np.int64))).astype(np.int64),
        rows[order].astype(np.int32),
        frequencies[order].astype(np.int32),
        lengths,
    )


def _entries(
    postings: Postings, number: dict[str, int], new_rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """(term, row, frequency) of every entry whose row is still there."""
    numbers = np.fromiter((number[name] for name in postings.terms), np.int64, len(postings.terms))
    terms = np.repeat(numbers, np.diff(postings.starts))
    rows = new_rows[postings.rows] if len(new_rows) else np.empty(0, dtype=np.int64)
    stays = rows != NEW
    return terms[stays], rows[stays], postings.frequencies[stays].astype(np.int64)
