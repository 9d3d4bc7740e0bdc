"""How is the keyword index written, and is the one before good enough to take it from?"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ingestion.chunking import embedded_text
from ingestion.stored_corpus import StoredCorpus
from retrieval.chunk_store import ChunkStore
from retrieval.generation import KEYWORD_FOLDER
from retrieval.keyword import (
    Passage,
    build_keyword_index,
    is_updatable,
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
    kind: str,
    staging: Path,
    store: ChunkStore,
    stored: StoredCorpus,
    settings: str,
    rows: Rows | None,
) -> None:
    """Write the keyword index of a staged store; passages that were indexed before are not read.

    Args:
        kind: Of the index.
        staging: Folder of the generation in the making.
        store: Its chunk store.
        stored: The generation before.
        settings: Configuration hash of the new generation: with another one, analyzer included,
            everything is indexed anew.
        rows: int64 (chunks,): the row before of an equal passage, each once, or NEW; None where
            nothing can be taken over.
    """
    folder = staging / KEYWORD_FOLDER
    folder.mkdir()
    before = _usable(stored, kind, settings) if _is_mostly_kept(rows) else None
    if rows is None or before is None:
        build_keyword_index(kind, _passages(store, range(len(store))), folder)
        return
    fresh = _passages(store, np.flatnonzero(rows == NEW).tolist())
    languages = {document.language for document in store.documents() if document.chunks}
    update_keyword_index(kind, before, rows, fresh, tuple(sorted(languages)), folder)


def _is_mostly_kept(rows: Rows | None) -> bool:
    return rows is not None and bool((rows == NEW).mean() <= _MOST_NEW)


def _usable(stored: StoredCorpus, kind: str, settings: str) -> Path | None:
    """The index before, if it is of this kind, made by the same rules, with its own checksums."""
    manifest, folder = stored.manifest, stored.folder
    if manifest is None or folder is None or stored.damage or manifest.keyword != kind:
        return None
    if manifest.configuration_hash != settings:
        return None
    prefix = f"{KEYWORD_FOLDER}/"
    whole = all(
        file_record(folder / path) == record
        for path, record in manifest.files.items()
        if path.startswith(prefix)
    )
    before = folder / KEYWORD_FOLDER
    return before if whole and is_updatable(kind, before) else None


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
