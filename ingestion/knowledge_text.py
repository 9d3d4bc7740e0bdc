"""`knowledge.txt` of a generation: the corpus as text, every block headed `Source: <url>`.

The blocks of unchanged documents are taken over from the generation before, byte by byte.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ingestion.errors import SyncError
from ingestion.stored_corpus import StoredCorpus
from retrieval.chunk_store import STORE_FILE, ChunkStore
from retrieval.export.block_format import block_starts
from retrieval.export.knowledge_text import knowledge_blocks
from retrieval.generation import KNOWLEDGE_TEXT_FILE
from retrieval.manifest import file_record
from retrieval.types import RankedChunk

_COPIED_BYTES = 1 << 20
_READ_ROWS = 1000


class _Document(NamedTuple):
    """What makes the blocks of two documents equal."""

    doc_id: str
    source: str
    text_hash: bytes
    metadata_hash: bytes
    chunking_hash: bytes
    chunks: int


class _Part(NamedTuple):
    """What comes next, from `start` to `end`: bytes of the text before, or rows of the store."""

    kept: bool
    start: int
    end: int


def write_knowledge_text(
    store: ChunkStore, file: Path, stored: StoredCorpus, settings: str
) -> None:
    """Write every document in corpus order.

    Args:
        store: Chunk store in the folder of `file`.
        file: Where to.
        stored: The generation before.
        settings: Configuration hash of the new generation: with another one, the rules of the
            blocks included, everything is written anew.

    Raises:
        OSError: The disk is full.
        SyncError: The text before was cut short while it was read.
    """
    places = _kept_places(stored, settings)
    documents = _documents(file.with_name(STORE_FILE))
    with file.open("wb") as stream:
        for part in _parts(documents, places):
            if part.kept and stored.folder is not None:
                _copy(stored.folder / KNOWLEDGE_TEXT_FILE, part.start, part.end, stream)
            else:
                for block in knowledge_blocks(_chunks(store, part.start, part.end)):
                    stream.write(block.encode())


def _kept_places(stored: StoredCorpus, settings: str) -> Mapping[_Document, tuple[int, int]]:
    """Where the blocks of the generation before lie in its text; empty where that is of no use."""
    manifest, folder = stored.manifest, stored.folder
    if manifest is None or folder is None or stored.store is None or stored.damage:
        return {}
    file, record = folder / KNOWLEDGE_TEXT_FILE, manifest.files.get(KNOWLEDGE_TEXT_FILE)
    if manifest.configuration_hash != settings or record is None or not file.is_file():
        return {}
    if file_record(file) != record:
        return {}
    documents = _documents(stored.store)
    with file.open("rb") as text:
        starts = list(block_starts(text))
    if len(starts) != len(documents):
        return {}
    return dict(zip(documents, pairwise((*starts, record.bytes)), strict=True))


def _parts(
    documents: Iterable[_Document], places: Mapping[_Document, tuple[int, int]]
) -> Iterator[_Part]:
    """The documents in order, neighbours as one."""
    row = 0
    joined: _Part | None = None
    for document in documents:
        place = places.get(document)
        part = _Part(True, *place) if place else _Part(False, row, row + document.chunks)
        row += document.chunks
        if joined and (joined.kept, joined.end) == (part.kept, part.start):
            joined = joined._replace(end=part.end)
            continue
        if joined:
            yield joined
        joined = part
    if joined:
        yield joined


def _documents(store: Path) -> list[_Document]:
    """Those that have a block, in corpus order."""
    uri = f"{store.absolute().as_uri()}?mode=ro&immutable=1"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        rows = connection.execute(
            "SELECT doc_id, source, text_hash, metadata_hash, chunking_hash, chunks "
            "FROM documents WHERE chunks > 0 ORDER BY doc"
        )
        return [_Document(*row) for row in rows]


def _chunks(store: ChunkStore, start: int, end: int) -> Iterator[RankedChunk]:
    for first in range(start, end, _READ_ROWS):
        yield from store.ranked(range(first, min(end, first + _READ_ROWS)))


def _copy(file: Path, start: int, end: int, stream: BinaryIO) -> None:
    with file.open("rb") as text:
        text.seek(start)
        while start < end:
            piece = text.read(min(end - start, _COPIED_BYTES))
            if not piece:
                raise SyncError(
                    f"{file} was cut short while it was read: run `askfolio sync` again"
                )
            stream.write(piece)
            start += len(piece)
