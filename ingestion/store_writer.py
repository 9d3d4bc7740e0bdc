"""Writes `chunks.sqlite`: new documents from their chunks, unchanged ones from the old file."""

import json
import sqlite3
from pathlib import Path
from urllib.parse import urlsplit

from ingestion.stored_runs import OldPlaces, Run
from ingestion.sync import DocumentHashes
from retrieval.chunk_store import SCHEMA, address_key
from retrieval.types import Chunk, Document

_SITE_KINDS = frozenset({"page", "data"})
_COPY = (
    "INSERT INTO documents SELECT doc + :doc_shift, doc_id, source, path, url, title, language, "
    "kind, translation_key, text_hash, metadata_hash, chunking_hash, chunks, tokens, "
    "context_tokens FROM old.documents WHERE doc BETWEEN :first_doc AND :last_doc",
    "INSERT INTO chunks SELECT row + :row_shift, doc + :doc_shift, chunk_id, url, anchor, "
    "headings, ordinal, text, tokens, start_line, end_line, content_hash, overlap_chars, context "
    "FROM old.chunks WHERE row BETWEEN :first_row AND :last_row",
    "INSERT INTO anchors SELECT doc + :doc_shift, anchor, heading FROM old.anchors "
    "WHERE doc BETWEEN :first_doc AND :last_doc",
    "INSERT OR IGNORE INTO addresses SELECT address, doc + :doc_shift, alias FROM old.addresses "
    "WHERE doc BETWEEN :first_doc AND :last_doc",
)


class StoreWriter:
    """Rows are given out in the order in which documents are added."""

    def __init__(self, file: Path, old: Path | None = None) -> None:
        """Make the file; `old` is the store of the current generation."""
        self._connection = sqlite3.connect(file.absolute().as_uri(), uri=True)
        self._old: OldPlaces | None = None
        try:
            self._connection.executescript(
                f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;{SCHEMA}"
            )
            if old is not None:
                self._connection.execute(
                    "ATTACH ? AS old", (f"{old.absolute().as_uri()}?mode=ro&immutable=1",)
                )
                self._old = OldPlaces(
                    self._connection.execute(
                        "SELECT doc_id, doc, chunks FROM old.documents ORDER BY doc"
                    )
                )
            self._connection.execute("BEGIN")
        except sqlite3.Error:
            self._connection.close()
            raise
        self._doc = 0
        self._row = 0
        self._run: Run | None = None

    def add(
        self,
        document: Document,
        hashes: DocumentHashes,
        chunks: tuple[Chunk, ...],
        context_tokens: int,
    ) -> None:
        """Write a new or changed document."""
        self._write_run()
        self._connection.execute(
            f"INSERT INTO documents VALUES ({','.join('?' * 15)})",
            (
                self._doc,
                document.doc_id,
                document.source,
                document.path,
                document.url,
                document.title,
                document.language,
                document.kind,
                document.translation_key,
                hashes.text,
                hashes.metadata,
                hashes.chunking,
                len(chunks),
                sum(chunk.tokens for chunk in chunks),
                context_tokens,
            ),
        )
        self._connection.executemany(
            f"INSERT INTO chunks VALUES ({','.join('?' * 14)})",
            [self._chunk_row(self._row + n, chunk) for n, chunk in enumerate(chunks)],
        )
        self._write_addresses(document)
        self._doc += 1
        self._row += len(chunks)

    def copy(self, doc_id: str) -> None:
        """Take an unchanged document over from the old store.

        Raises:
            KeyError: There is no old store, or it has no such document.
        """
        if self._old is None:
            raise KeyError(doc_id)
        run = self._old.run(doc_id, self._doc, self._row)
        joined = self._run.followed_by(run) if self._run else None
        if joined is None:
            self._write_run()
        self._run = joined or run
        self._doc += 1
        self._row += run.rows

    def finish(self) -> None:
        """Commit and close.

        Raises:
            sqlite3.Error: The disk is full; `run` says so with what to do.
        """
        try:
            self._write_run()
            self._connection.commit()
        finally:
            self.close()

    def close(self) -> None:
        """Close the file as it is: without `finish` it holds nothing of use."""
        self._connection.close()

    def _write_run(self) -> None:
        run, self._run = self._run, None
        if run is None:
            return
        for statement in _COPY:
            self._connection.execute(statement, run.values())
        pages = self._connection.execute(
            "SELECT DISTINCT url, kind FROM old.documents "
            "WHERE doc BETWEEN :first_doc AND :last_doc AND url IS NOT NULL",
            run.values(),
        ).fetchall()
        for url, kind in pages:
            self._write_origin(url, kind)

    def _chunk_row(self, row: int, chunk: Chunk) -> tuple[object, ...]:
        return (
            row,
            self._doc,
            chunk.chunk_id,
            chunk.url,
            chunk.anchor,
            json.dumps(chunk.headings, ensure_ascii=False),
            chunk.ordinal,
            chunk.text,
            chunk.tokens,
            chunk.start_line,
            chunk.end_line,
            bytes.fromhex(chunk.content_hash),
            chunk.overlap_chars,
            chunk.context,
        )

    def _write_addresses(self, document: Document) -> None:
        titles = {
            section.anchor: section.headings[-1]
            for section in reversed(document.sections)
            if section.anchor and section.headings
        }
        self._connection.executemany(
            "INSERT OR IGNORE INTO anchors VALUES (?, ?, ?)",
            [(self._doc, anchor, titles.get(anchor, "")) for anchor in document.anchors],
        )
        addresses = [(alias, alias) for alias in document.aliases]
        if document.url is not None:
            addresses.insert(0, (document.url, ""))
        self._connection.executemany(
            "INSERT OR IGNORE INTO addresses VALUES (?, ?, ?)",
            [(address_key(address), self._doc, alias) for address, alias in addresses],
        )
        self._write_origin(document.url, document.kind)

    def _write_origin(self, url: str | None, kind: str) -> None:
        if url is None or kind not in _SITE_KINDS:
            return
        parts = urlsplit(url)
        self._connection.execute(
            "INSERT OR IGNORE INTO origins VALUES (?)", (f"{parts.scheme}://{parts.netloc}",)
        )
