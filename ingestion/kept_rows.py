"""Which passages of a new store were in the one before, and under which row?

What was indexed of such a passage, its vector, its terms and its labels, can be taken over.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ingestion.stored_corpus import StoredCorpus
from retrieval.keyword.merging import NEW

Rows = NDArray[np.int64]


class _Place(NamedTuple):
    """Rows of a document: `first` up to `first + chunks`."""

    first: int
    chunks: int


class _Kind(NamedTuple):
    """What makes two documents of one doc_id give the same passages under the same labels."""

    doc_id: str
    source: str
    language: str
    kind: str
    text_hash: bytes
    chunking_hash: bytes
    chunks: int


def kept_rows(stored: StoredCorpus, store: Path) -> Rows | None:
    """For each row of `store` the row before of an equal passage, each once, or NEW.

    Passages are equal where content hash, source, language and kind are. Documents of equal text
    are told by their hashes alone; the passages of the others are compared one by one.

    Args:
        stored: The generation before.
        store: chunks.sqlite of the new one.

    Returns:
        int64 (chunks,); None where there is nothing to compare.
    """
    if stored.store is None:
        return None
    old, new = _documents(stored.store), _documents(store)
    count = sum(place.chunks for place in new.values())
    if not count:
        return None
    rows = np.full(count, NEW, dtype=np.int64)
    same = old.keys() & new.keys()
    for document in same:
        place = new[document]
        first = old[document].first
        rows[place.first : place.first + place.chunks] = np.arange(first, first + place.chunks)
    waiting: dict[tuple[bytes, str, str, str], list[int]] = defaultdict(list)
    for row, passage in _passages(stored.store, _others(old, same)):
        waiting[passage].append(row)
    for candidates in waiting.values():
        candidates.reverse()  # so that the first one is taken first
    for row, passage in _passages(store, _others(new, same)):
        if places := waiting.get(passage):
            rows[row] = places.pop()
    return rows


def _others(documents: dict[_Kind, _Place], same: set[_Kind]) -> list[_Place]:
    return [place for document, place in documents.items() if document not in same]


def _documents(store: Path) -> dict[_Kind, _Place]:
    """In corpus order; rows are given out document by document."""
    found = {}
    first = 0
    with closing(_opened(store)) as connection:
        for values in connection.execute(
            "SELECT doc_id, source, language, kind, text_hash, chunking_hash, chunks "
            "FROM documents ORDER BY doc"
        ):
            document = _Kind(*values)
            found[document] = _Place(first, document.chunks)
            first += document.chunks
    return found


def _passages(
    store: Path, places: Iterable[_Place]
) -> Iterator[tuple[int, tuple[bytes, str, str, str]]]:
    with closing(_opened(store)) as connection:
        for place in places:
            for row, *passage in connection.execute(
                "SELECT row, content_hash, source, language, kind FROM chunks "
                "JOIN documents USING (doc) WHERE row >= ? AND row < ? ORDER BY row",
                (place.first, place.first + place.chunks),
            ):
                yield row, tuple(passage)


def _opened(store: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{store.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
