"""What are the postings of a corpus of which most passages were indexed before?

The same arrays as `collect_postings` would make of all passages, without their terms. Entries of
passages whose order is unchanged stay where they are; those of the others are taken out, and put in
again with the new ones, so that only they are sorted.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from retrieval.keyword.postings import Ints, Postings

NEW = -1
Longs = NDArray[np.int64]


class _Entries(NamedTuple):
    """Some entries of postings, in any order: number of the term, row, frequency."""

    terms: Longs
    rows: Ints
    frequencies: Ints


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

    novel = fresh.terms.keys() - old.terms.keys()
    number = {name: at for at, name in enumerate(sorted([*old.terms, *novel]))}
    old_numbers = np.delete(np.arange(len(number)), [number[name] for name in novel])
    fresh_numbers = np.array([number[name] for name in fresh.terms], dtype=np.int64)

    stays = ~is_new
    stays[stays] = _in_order(old_rows[stays])
    rows = _moved(old, old_rows, stays)[old.rows]
    out = np.flatnonzero(rows == NEW)
    out_terms = np.searchsorted(old.starts, out, side="right") - 1
    sizes = np.zeros(len(number), dtype=np.int64)
    sizes[old_numbers] = np.diff(old.starts) - np.bincount(out_terms, minlength=len(old.terms))

    again = _moved(old, old_rows, ~stays & ~is_new)[old.rows[out]]
    back = again != NEW
    put_in = _sorted(
        _Entries(old_numbers[out_terms[back]], again[back], old.frequencies[out[back]]),
        _Entries(
            np.repeat(fresh_numbers, np.diff(fresh.starts)),
            np.flatnonzero(is_new).astype(np.int32)[fresh.rows],
            fresh.frequencies,
        ),
    )
    rows = np.delete(rows, out)
    places = _places(rows, _starts(sizes), put_in)
    sizes += np.bincount(put_in.terms, minlength=len(number))
    alive = sizes > 0
    if not alive.all():
        left = [name for name, is_alive in zip(number, alive.tolist(), strict=True) if is_alive]
        number = {name: at for at, name in enumerate(left)}
    return Postings(
        fresh.languages,
        number,
        _starts(sizes[alive]),
        np.insert(rows, places, put_in.rows),
        np.insert(np.delete(old.frequencies, out), places, put_in.frequencies),
        lengths,
    )


def _in_order(rows: Longs) -> NDArray[np.bool_]:
    """A choice of rows that ascend: those above all before, or those below all behind them.

    The first leaves out what moved back, the second what moved forward, such as a renamed page.
    """
    above: NDArray[np.bool_] = rows == np.maximum.accumulate(rows)
    below: NDArray[np.bool_] = rows == np.minimum.accumulate(rows[::-1])[::-1]
    return above if above.sum() >= below.sum() else below


def _moved(old: Postings, old_rows: Longs, chosen: NDArray[np.bool_]) -> Ints:
    """The new row by the old one, NEW for a row that is not among the chosen."""
    moved = np.full(len(old.lengths), NEW, dtype=np.int32)
    moved[old_rows[chosen]] = np.flatnonzero(chosen)
    return moved


def _sorted(*parts: _Entries) -> _Entries:
    """All entries by term, then row."""
    terms = np.concatenate([part.terms for part in parts])
    rows = np.concatenate([part.rows for part in parts])
    frequencies = np.concatenate([part.frequencies for part in parts])
    order = np.argsort(terms * (int(rows.max(initial=0)) + 1) + rows)
    return _Entries(terms[order], rows[order], frequencies[order])


def _starts(sizes: Longs) -> Longs:
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)


def _places(rows: Ints, starts: Longs, entries: _Entries) -> Longs:
    """Before which of `rows` each entry belongs: binary search in the stretches of their terms."""
    low, high = starts[entries.terms], starts[entries.terms + 1]
    while (searched := np.flatnonzero(low < high)).size:
        middle = (low[searched] + high[searched]) // 2
        is_below = rows[middle] < entries.rows[searched]
        low[searched] = np.where(is_below, middle + 1, low[searched])
        high[searched] = np.where(is_below, high[searched], middle)
    return low
