"""`chunks.sqlite`: here is my row, give me the chunk; here is an address, is it a real page?

Opened read-only and immutable. Rows count from 0 without a gap: they are the key in every index.
"""

import json
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np

from retrieval.dense.base import Allowed
from retrieval.errors import GenerationCorrupt
from retrieval.manifest import REPAIR
from retrieval.types import Chunk, LinkTarget, RankedChunk, StoredDocument

STORE_FILE = "chunks.sqlite"
SCHEMA = """
CREATE TABLE documents (
    doc INTEGER PRIMARY KEY, doc_id TEXT NOT NULL UNIQUE, source TEXT NOT NULL, path TEXT NOT NULL,
    url TEXT, title TEXT NOT NULL, language TEXT NOT NULL, kind TEXT NOT NULL,
    translation_key TEXT NOT NULL, text_hash BLOB NOT NULL, metadata_hash BLOB NOT NULL,
    chunking_hash BLOB NOT NULL, chunks INTEGER NOT NULL, tokens INTEGER NOT NULL,
    context_tokens INTEGER NOT NULL
);
CREATE TABLE chunks (
    row INTEGER PRIMARY KEY, doc INTEGER NOT NULL, chunk_id TEXT NOT NULL, url TEXT,
    anchor TEXT NOT NULL, headings TEXT NOT NULL, ordinal INTEGER NOT NULL, text TEXT NOT NULL,
    tokens INTEGER NOT NULL, start_line INTEGER, end_line INTEGER, content_hash BLOB NOT NULL,
    overlap_chars INTEGER NOT NULL, context TEXT NOT NULL
);
CREATE INDEX chunks_by_document ON chunks (doc);
CREATE TABLE anchors (
    doc INTEGER NOT NULL, anchor TEXT NOT NULL, heading TEXT NOT NULL, PRIMARY KEY (doc, anchor)
) WITHOUT ROWID;
CREATE TABLE addresses (
    address TEXT NOT NULL, doc INTEGER NOT NULL, alias TEXT NOT NULL,
    PRIMARY KEY (address, doc)
) WITHOUT ROWID;
CREATE TABLE origins (origin TEXT PRIMARY KEY) WITHOUT ROWID;
"""
_DOCUMENT = (
    "d.doc_id, d.source, d.path, d.url, d.title, d.language, d.kind, d.translation_key, "
    "d.chunks, d.tokens, d.context_tokens"
)
_CHUNK = (
    "c.chunk_id, d.doc_id, c.url, c.anchor, c.headings, c.ordinal, c.text, c.tokens, "
    "c.start_line, c.end_line, c.content_hash, c.overlap_chars, c.context"
)
_CHUNK_COLUMNS = 13
_MAX_ADDRESS_CHARS = 2048
_Row = tuple[Any, ...]


def address_key(url: str) -> str:
    """The form in which addresses are compared: host lower-cased, path percent-decoded.

    A trailing slash and `index.html` make no difference; a fragment is kept.
    """
    parts = urlsplit(url)
    path = unquote(parts.path).removesuffix("index.html").rstrip("/")
    fragment = f"#{unquote(parts.fragment)}" if parts.fragment else ""
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme.lower()}://{parts.netloc.lower()}{path}{query}{fragment}"


class ChunkStore:
    """Read access to the documents, chunks, real pages and anchors of a generation."""

    def __init__(self, file: Path) -> None:
        """Open the file.

        Raises:
            GenerationCorrupt: It is absent or no chunk store.
        """
        self._file = file
        self._lock = threading.Lock()
        try:
            self._connection = sqlite3.connect(
                f"{file.absolute().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False
            )
            self._count = self._one("SELECT count(*) FROM chunks")
            self._document_count = self._one("SELECT count(*) FROM documents")
        except sqlite3.Error as error:
            raise GenerationCorrupt(f"{file} cannot be read: {error}. {REPAIR}") from error

    def __len__(self) -> int:
        """Number of chunks."""
        return self._count

    @property
    def document_count(self) -> int:
        """Number of documents."""
        return self._document_count

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def ranked(self, rows: Sequence[int]) -> list[RankedChunk]:
        """The chunks of `rows`, in their order, with score 0."""
        found: dict[int, RankedChunk] = {}
        for row in self._rows(
            f"SELECT c.row, {_CHUNK}, {_DOCUMENT} FROM chunks c JOIN documents d USING (doc) "
            f"WHERE c.row IN ({','.join('?' * len(rows))})",
            tuple(int(row) for row in rows),
        ):
            found[row[0]] = _ranked(row[1:])
        return [found[row] for row in rows]

    def all_chunks(self, sources: frozenset[str] | None = None) -> Iterator[RankedChunk]:
        """Every chunk in corpus order, of the named sources or of all."""
        where = ""
        values: tuple[str, ...] = ()
        if sources is not None:
            where = f"WHERE d.source IN ({','.join('?' * len(sources))})"
            values = tuple(sorted(sources))
        query = (
            f"SELECT {_CHUNK}, {_DOCUMENT} FROM chunks c JOIN documents d USING (doc) {where} "
            "ORDER BY c.row"
        )
        return map(_ranked, self._rows(query, values))

    def chunk_ids(self, rows: Sequence[int]) -> dict[int, str]:
        """The chunk ids of `rows`: read for final hits and ties only."""
        query = f"SELECT row, chunk_id FROM chunks WHERE row IN ({','.join('?' * len(rows))})"
        return dict(self._rows(query, tuple(int(row) for row in rows)))

    def content_hashes(self, rows: Sequence[int]) -> dict[int, bytes]:
        """What makes chunks of `rows` twins, by row: equal bytes for those that say the same.

        For code it is the text alone: the same file lies in other places under other names.
        """
        query = (
            "SELECT c.row, CASE d.kind WHEN 'code' THEN CAST(c.text AS BLOB) ELSE c.content_hash "
            "END FROM chunks c JOIN documents d USING (doc) "
            f"WHERE c.row IN ({','.join('?' * len(rows))})"
        )
        return dict(self._rows(query, tuple(int(row) for row in rows)))

    def allowed(self, source: str | None, language: str | None, kind: str | None) -> Allowed | None:
        """Rows that pass the filters, bool (len(self),); None without a filter."""
        conditions = {"source": source, "language": language, "kind": kind}
        given = {name: value for name, value in conditions.items() if value is not None}
        if not given:
            return None
        where = " AND ".join(f"d.{name} = ?" for name in given)
        # Rows are given out document by document, so that documents alone are read.
        found = self._rows(
            f"SELECT chunks, {where} FROM documents d ORDER BY doc", tuple(given.values())
        )
        counts = np.fromiter((chunks for chunks, _ in found), np.int64, len(found))
        passes = np.fromiter((bool(match) for _, match in found), np.bool_, len(found))
        return np.repeat(passes, counts)

    def documents(self) -> list[StoredDocument]:
        """Every document in corpus order."""
        rows = self._rows(f"SELECT {_DOCUMENT} FROM documents d ORDER BY doc")
        return [StoredDocument(*row) for row in rows]

    def anchors(self, doc_id: str) -> dict[str, str]:
        """Anchors of a document with the titles of their headings."""
        return dict(
            self._rows(
                "SELECT anchor, heading FROM anchors JOIN documents USING (doc) WHERE doc_id = ?",
                (doc_id,),
            )
        )

    def link_target(self, address: str) -> LinkTarget | None:
        """The real page at an absolute or site-relative address, or None.

        An anchor that the page does not have leads to the page itself; an alias to its page.
        """
        if len(address) > _MAX_ADDRESS_CHARS:
            return None
        candidates = [address]
        if address.startswith("/") and not address.startswith("//"):
            candidates = [origin + address for (origin,) in self._rows("SELECT * FROM origins")]
        for candidate in candidates:
            try:
                target = self._target(candidate)
            except ValueError:  # urlsplit: an address that is none, such as http://[
                continue
            if target is not None:
                return target
        return None

    def _target(self, url: str) -> LinkTarget | None:
        row = self._document_at(address_key(url))
        if row is not None:  # a document that is itself an anchor, such as a data row
            document = StoredDocument(*row[1:])
            return LinkTarget(document.url or "", document.title, "", document)
        page, _, anchor = url.partition("#")
        row = self._document_at(address_key(page))
        if row is None:
            return None
        document = StoredDocument(*row[1:])
        heading = self._heading(row[0], unquote(anchor)) if anchor else None
        if heading is None:
            return LinkTarget(document.url or "", document.title, "", document)
        return LinkTarget(f"{document.url}#{unquote(anchor)}", document.title, heading, document)

    def _document_at(self, key: str) -> _Row | None:
        query = (
            f"SELECT d.doc, {_DOCUMENT} FROM addresses a JOIN documents d USING (doc) "
            "WHERE a.address = ? ORDER BY a.alias, d.doc LIMIT 1"
        )
        return next(iter(self._rows(query, (key,))), None)

    def _heading(self, doc: object, anchor: str) -> str | None:
        rows = self._rows("SELECT heading FROM anchors WHERE doc = ? AND anchor = ?", (doc, anchor))
        return next((heading for (heading,) in rows), None)

    def _rows(self, query: str, values: tuple[object, ...] = ()) -> list[_Row]:
        try:
            with self._lock:
                return self._connection.execute(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise GenerationCorrupt(f"{self._file} cannot be read: {error}. {REPAIR}") from error

    def _one(self, query: str, values: tuple[object, ...] = ()) -> int:
        return int(self._connection.execute(query, values).fetchone()[0])


def _ranked(row: _Row) -> RankedChunk:
    values = list(row[:_CHUNK_COLUMNS])
    values[4] = tuple(json.loads(values[4]))
    values[10] = values[10].hex()
    return RankedChunk(
        chunk=Chunk(*values), document=StoredDocument(*row[_CHUNK_COLUMNS:]), score=0.0
    )
