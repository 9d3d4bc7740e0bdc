"""Is a staged folder whole, and how does it become the generation that serves?"""

import sqlite3
from itertools import zip_longest
from pathlib import Path
from typing import BinaryIO

from ingestion.durable_files import link_instead
from ingestion.errors import SyncError
from ingestion.knowledge_folder import KnowledgeFolder
from ingestion.stored_corpus import StoredCorpus
from ingestion.vector_cache import CACHE_FILE
from ingestion.vector_pruning import prune_cache
from retrieval.chunk_store import STORE_FILE
from retrieval.errors import GenerationError
from retrieval.export.block_format import block_starts
from retrieval.export.knowledge_text import block_address
from retrieval.generation import (
    KNOWLEDGE_TEXT_FILE,
    Generation,
    check_ids,
    generation_names,
    open_folder,
)
from retrieval.manifest import file_record, read_manifest


def reconcile(staging: Path) -> None:
    """Open a staged folder as the service would, and check that all parts hold the same ids.

    Raises:
        SyncError: They do not; the folder must not be published.
    """
    try:
        generation = open_folder(staging)
        try:
            check_ids(generation)
            difference = _text_difference(generation)
        finally:
            generation.close()
    except GenerationError as error:
        raise SyncError(
            f"the generation that was built is not whole and was not published: {error}"
        ) from error
    if difference:
        raise SyncError(
            f"the generation that was built was not published: its {KNOWLEDGE_TEXT_FILE} "
            f"{difference}"
        )


def link_unchanged(staging: Path, stored: StoredCorpus) -> tuple[str, ...]:
    """Replace staged files by hard links to equal files of the generation before; their paths.

    Published files are never written again, so that a link cannot change under the new generation.
    The older file is read once more: a link to one that was changed would spread the damage.
    """
    if stored.folder is None or stored.manifest is None:
        return ()
    manifest = read_manifest(staging)
    linked = []
    for path, record in manifest.files.items():
        original = stored.folder / path
        if stored.manifest.files.get(path) != record or not original.is_file():
            continue
        if file_record(original) == record and link_instead(staging / path, original):
            linked.append(path)
    return tuple(linked)


def prune_vectors(folder: KnowledgeFolder) -> int:
    """Delete stored vectors that no generation in the folder uses; returns how many.

    A generation that cannot be read uses nothing: it is never served as it is.
    """
    file = folder.path / CACHE_FILE
    if not file.exists():
        return 0
    stores = []
    for name in reversed(generation_names(folder.path)):  # the newest uses most
        path = folder.generations / name
        try:
            stores.append((read_manifest(path).embedder_id, path / STORE_FILE))
        except GenerationError:
            continue
    try:
        return prune_cache(file, stores)
    except sqlite3.Error:  # what was published serves; the next sync tidies up
        return 0


def _text_difference(generation: Generation) -> str:
    """How the blocks of the corpus as text differ from the documents; "" where they do not."""
    documents = (document for document in generation.store.documents() if document.chunks)
    file = generation.folder / KNOWLEDGE_TEXT_FILE
    with file.open("rb") as text, file.open("rb") as heads:
        found = (_address_at(heads, start) for start in block_starts(text))
        for wanted, address in zip_longest(map(block_address, documents), found):
            if wanted != address:
                return f"has the block {address!r} where the chunk store has {wanted!r}"
    return ""


def _address_at(heads: BinaryIO, start: int) -> str:
    heads.seek(start)
    return heads.readline().decode("utf-8", "replace").removeprefix("Source: ").rstrip("\n")
