"""What the current generation holds: hashes by document, to plan against.

Where it is damaged, the newest generation that is whole stands in for it: what a source had is
known, so that an empty checkout is still refused, and nothing is embedded anew.
"""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from ingestion.sync import DocumentHashes
from retrieval.chunk_store import STORE_FILE
from retrieval.errors import (
    GenerationCorrupt,
    GenerationError,
    GenerationIncompatible,
    GenerationMissing,
)
from retrieval.generation import (
    CURRENT_FILE,
    GENERATIONS_FOLDER,
    check_files,
    current_name,
    generation_names,
)
from retrieval.manifest import Manifest, file_record, read_manifest


@dataclass(frozen=True)
class StoredCorpus:
    """The current generation as the sync sees it; what the plan needs is read when it is asked for.

    Attributes:
        manifest: None where there is no usable generation.
        store: Its chunks.sqlite; None where that cannot be read.
        doc_ids: In corpus order.
        damage: Why the generation must be built anew; "" where it is whole.
        current: Name in CURRENT; "" where it names none.
    """

    manifest: Manifest | None = None
    store: Path | None = None
    doc_ids: tuple[str, ...] = ()
    damage: str = ""
    current: str = ""

    @property
    def folder(self) -> Path | None:
        """Folder of the generation that `store` belongs to."""
        return self.store.parent if self.store else None

    @cached_property
    def hashes(self) -> Mapping[str, DocumentHashes]:
        """Hashes by doc_id, in corpus order."""
        return {row[0]: DocumentHashes(row[3], row[4], row[5]) for row in self._documents}

    @cached_property
    def sources(self) -> Mapping[str, str]:
        """Source by doc_id, in corpus order."""
        return {row[0]: row[1] for row in self._documents}

    @cached_property
    def paths(self) -> Mapping[str, tuple[str, str]]:
        """(source, path) by doc_id, in corpus order."""
        return {row[0]: (row[1], row[2]) for row in self._documents}

    @cached_property
    def _documents(self) -> list[tuple[str, str, str, bytes, bytes, bytes]]:
        if self.store is None:
            return []
        return _rows(
            self.store,
            "SELECT doc_id, source, path, text_hash, metadata_hash, chunking_hash FROM documents "
            "ORDER BY doc",
        )


def read_stored_corpus(knowledge: Path) -> StoredCorpus:
    """The generation that CURRENT names, or one that stands in for it.

    Raises:
        GenerationIncompatible: It was written by another format: it is not built over.
    """
    current = ""
    try:
        current = current_name(knowledge)
        return replace(_read(knowledge / GENERATIONS_FOLDER / current), current=current)
    except GenerationIncompatible:
        raise
    except GenerationError as error:
        return _stand_in(knowledge, current, error)


def without_torn_store(stored: StoredCorpus, knowledge: Path) -> StoredCorpus:
    """`stored`, or its stand-in where the store that texts are copied from was changed."""
    if stored.store is None or stored.manifest is None:
        return stored
    if file_record(stored.store) == stored.manifest.files[STORE_FILE]:
        return stored
    error = GenerationCorrupt(f"{stored.store} was changed after it was published")
    return _stand_in(knowledge, stored.current, error)


def _stand_in(knowledge: Path, current: str, error: GenerationError) -> StoredCorpus:
    names = [name for name in reversed(generation_names(knowledge)) if name != current]
    if isinstance(error, GenerationMissing):
        if not names:
            return StoredCorpus()
        error = GenerationCorrupt(f"{knowledge / CURRENT_FILE} is missing")
    for name in names:
        folder = knowledge / GENERATIONS_FOLDER / name
        try:
            found = _read(folder)
            intact = not found.damage and without_torn_store(found, knowledge) is found
        except GenerationError:
            continue
        if intact:
            return replace(found, damage=str(error), current=current)
    return StoredCorpus(damage=str(error), current=current)


def _read(folder: Path) -> StoredCorpus:
    """A generation whose store can be read; other damage is told in `damage`.

    Raises:
        GenerationError: The manifest or the store cannot be used.
    """
    manifest = read_manifest(folder)
    store = folder / STORE_FILE
    damage = ""
    try:
        check_files(folder, manifest)
    except GenerationCorrupt as error:
        damage = str(error)
        expected = manifest.files.get(STORE_FILE)
        if not store.is_file() or file_record(store) != expected:
            raise
    if STORE_FILE not in manifest.files:
        raise GenerationCorrupt(f"{folder}: the manifest names no {STORE_FILE}")
    try:
        rows = _rows(store, "SELECT doc_id FROM documents ORDER BY doc")
    except sqlite3.Error as error:
        raise GenerationCorrupt(f"{store} cannot be read: {error}") from error
    return StoredCorpus(
        manifest=manifest,
        store=store,
        doc_ids=tuple(chain.from_iterable(rows)),
        damage=damage,
    )


def _rows(store: Path, query: str) -> list[Any]:
    uri = f"{store.absolute().as_uri()}?mode=ro&immutable=1"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        return connection.execute(query).fetchall()
