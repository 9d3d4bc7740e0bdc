"""How is the keyword index written, and which of its passages are indexed already?"""

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ingestion.chunking import embedded_text
from ingestion.stored_corpus import StoredCorpus
from retrieval.chunk_store import STORE_FILE, ChunkStore
from retrieval.generation import KEYWORD_FOLDER
from retrieval.keyword import (
    UPDATABLE_KINDS,
    Passage,
    build_keyword_index,
    label,
    update_keyword_index,
)
from retrieval.keyword.merging import NEW
from retrieval.manifest import file_record

_READ_ROWS = 4096
# With more new passages than this an update is hardly faster than a build.
_MOST_NEW = 0.5
Rows = NDArray[np.int64]


def write_keyword_index(
    kind: str, staging: Path, store: ChunkStore, stored: StoredCorpus, settings: str
) -> None:
    """Write the keyword index of a staged store; texts that were indexed before are not read.

    Args:
        kind: Of the index.
        staging: Folder of the generation in the making.
        store: Its chunk store.
        stored: The generation before.
        settings: Configuration hash of the new generation: with another one, analyzer included,
            everything is indexed anew.
    """
    folder = staging / KEYWORD_FOLDER
    folder.mkdir()
    rows = None
    if kind in UPDATABLE_KINDS and _is_usable(stored, kind, settings):
        rows = _old_rows(stored, staging / STORE_FILE)
    if rows is None or (rows == NEW).mean() > _MOST_NEW:
        build_keyword_index(kind, _passages(store, range(len(store))), folder)
        return
    assert stored.folder is not None
    fresh = _passages(store, np.flatnonzero(rows == NEW).tolist())
    languages = {document.language for document in store.documents() if document.chunks}
    update_keyword_index(
        kind, stored.folder / KEYWORD_FOLDER, rows, fresh, tuple(sorted(languages)), folder
    )


def _is_usable(stored: StoredCorpus, kind: str, settings: str) -> bool:
    """The generation before has such an index, made by the same rules, with its own checksums."""
    manifest, folder = stored.manifest, stored.folder
    if manifest is None or folder is None or stored.damage or manifest.keyword != kind:
        return False
    if manifest.configuration_hash != settings:
        return False
    prefix = f"{KEYWORD_FOLDER}/"
    return all(
        file_record(folder / path) == record
        for path, record in manifest.files.items()
        if path.startswith(prefix)
    )


def _old_rows(stored: StoredCorpus, store: Path) -> Rows | None:
    """int64 (chunks,): the row before of an equal text in an equal language, each once, or NEW."""
    if stored.store is None:
        return None
    places: dict[tuple[bytes, str], list[int]] = defaultdict(list)
    for row, key, language in _texts(stored.store):
        places[key, language].append(row)
    for rows in places.values():
        rows.reverse()  # so that the first one is taken first
    texts = _texts(store)
    found = [
        waiting.pop() if (waiting := places.get((key, language))) else NEW
        for _, key, language in texts
    ]
    return np.array(found, dtype=np.int64) if found else None


def _texts(store: Path) -> list[tuple[int, bytes, str]]:
    uri = f"{store.absolute().as_uri()}?mode=ro&immutable=1"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        return connection.execute(
            "SELECT row, content_hash, language FROM chunks JOIN documents USING (doc) ORDER BY row"
        ).fetchall()


def _passages(store: ChunkStore, rows: Sequence[int]) -> Iterator[Passage]:
    """The passages of `rows`, read in slices."""
    for start in range(0, len(rows), _READ_ROWS):
        for ranked in store.ranked(rows[start : start + _READ_ROWS]):
            chunk, document = ranked.chunk, ranked.document
            yield Passage(
                embedded_text(document.title, chunk.headings, chunk.text, chunk.context),
                document.language,
                (
                    label("source", document.source),
                    label("language", document.language),
                    label("kind", document.kind),
                ),
            )
