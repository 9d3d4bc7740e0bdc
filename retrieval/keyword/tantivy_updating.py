"""How is the inverted index of a corpus written of which most passages were indexed before?

As a new one: nothing is deleted in the index before, so that the scores are those of a fresh build
and no file holds a word of a passage that is gone. Only the analysis is spared.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import tantivy
from numpy.typing import NDArray
from tantivy import Query

from retrieval.errors import GenerationCorrupt
from retrieval.keyword.base import Passage
from retrieval.keyword.merging import NEW
from retrieval.keyword.tantivy_building import (
    FORMAT,
    KEY,
    TABLE_FILE,
    analysed,
    write_documents,
    write_table,
)
from retrieval.keyword.tantivy_opening import open_tantivy, read_table
from retrieval.manifest import REPAIR

ROWS_AT_ONCE = 4096


def holds_terms(folder: Path) -> bool:
    """Whether the index in `folder` stores what `update_tantivy` takes over.

    Raises:
        GenerationCorrupt: Its table is absent, torn or foreign.
        GenerationIncompatible: Another format.
    """
    return read_table(folder / TABLE_FILE).format == FORMAT


def update_tantivy(
    before: Path,
    old_rows: NDArray[np.int64],
    fresh: Iterable[Passage],
    languages: tuple[str, ...],
    folder: Path,
) -> None:
    """Write what `build_tantivy` would, without analysing again what `before` has."""
    index, _, _ = open_tantivy(before)
    documents = _documents(_StoredDocuments(index, before), old_rows, analysed(fresh))
    write_table(folder, languages, write_documents(documents, folder))


class _StoredDocuments:
    """Terms and labels of the rows of an index, whatever its segments and their order."""

    def __init__(self, index: tantivy.Index, folder: Path) -> None:
        self._searcher = index.searcher()
        self._schema = index.schema
        self._folder = folder

    def of(self, rows: list[int]) -> Iterator[tantivy.Document]:
        """Documents of distinct rows, in their order."""
        try:
            addresses = self._addresses(rows)
            for row in rows:
                yield self._searcher.doc(addresses[row])
        except (KeyError, ValueError) as error:  # tantivy's only error is a ValueError
            raise GenerationCorrupt(f"{self._folder} lacks passages. {REPAIR}") from error

    def _addresses(self, rows: list[int]) -> dict[int, tantivy.DocAddress]:
        if not rows:
            return {}
        chosen = Query.const_score_query(Query.term_set_query(self._schema, KEY, rows), 0.0)
        hits = self._searcher.search(chosen, limit=len(rows), count=False).hits
        addresses = [address for _, address in hits]
        found = np.array(self._searcher.fast_field_values(KEY, addresses), dtype=np.int64)
        return dict(zip(found.tolist(), addresses, strict=True))


def _documents(
    stored: _StoredDocuments, old_rows: NDArray[np.int64], fresh: Iterator[tantivy.Document]
) -> Iterator[tantivy.Document]:
    """In row order, from one or the other.

    Raises:
        ValueError: `fresh` has another number of passages than `old_rows` has NEW.
    """
    for start in range(0, len(old_rows), ROWS_AT_ONCE):
        some = old_rows[start : start + ROWS_AT_ONCE]
        kept = stored.of(some[some != NEW].tolist())
        for row in some.tolist():
            document = next(fresh if row == NEW else kept, None)
            if document is None:
                raise ValueError("fewer new passages than rows that have none before")
            yield document
    if next(fresh, None) is not None:
        raise ValueError("more new passages than rows that have none before")
