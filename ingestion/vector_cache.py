"""`embeddings.sqlite`: vectors by embedder and hash of the embedded text, written as they arrive.

An interrupted sync resumes without paying again. Vectors are float16, as in `vectors.f16`.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ingestion.errors import SyncError
from retrieval.embedding.base import Vectors

CACHE_FILE = "embeddings.sqlite"
DAMAGED_SUFFIX = ".damaged"
_BATCH = 500
# The index of the key holds no vectors: which there are is read without them. A file of before, a
# table WITHOUT ROWID in which they lie in the key, is used as it is.
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS vectors (embedder TEXT NOT NULL, hash BLOB NOT NULL, "
    "vector BLOB NOT NULL, PRIMARY KEY (embedder, hash))"
)
_FLOAT16 = np.dtype("<f2")


class VectorCache:
    """Stored vectors of one embedder."""

    def __init__(self, connection: sqlite3.Connection, embedder_id: str) -> None:
        """Over an open file; see `open_cache` and `peek_cache`."""
        self._connection = connection
        self._embedder_id = embedder_id

    def missing(self, hashes: Iterable[bytes]) -> set[bytes]:
        """Those of `hashes` that have no vector yet."""
        absent = set(hashes)
        # Hardly more are stored than the kept generations use: one pass beats as many look-ups.
        stored = self._connection.execute(
            "SELECT hash FROM vectors WHERE embedder = ?", (self._embedder_id,)
        )
        absent.difference_update(chain.from_iterable(stored))
        return absent

    def put(self, hashes: Sequence[bytes], vectors: Vectors | NDArray[np.float16]) -> None:
        """Store (len(hashes), dimension) vectors durably.

        Raises:
            sqlite3.Error: The disk is full; `run` says so with what to do.
        """
        rows = [
            (self._embedder_id, key, vector.astype(_FLOAT16).tobytes())
            for key, vector in zip(hashes, vectors, strict=True)
        ]
        with self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)

    def get(self, hashes: Sequence[bytes], dimension: int) -> NDArray[np.float16]:
        """float16 (len(hashes), dimension); a row of zeros where no vector is stored.

        Raises:
            SyncError: A stored vector has another length: the model answers otherwise than before.
        """
        found: dict[bytes, bytes] = {}
        for start in range(0, len(hashes), _BATCH):
            marks, values = self._query(hashes[start : start + _BATCH])
            found |= self._connection.execute(
                f"SELECT hash, vector FROM vectors WHERE embedder = ? AND hash IN ({marks})", values
            ).fetchall()
        vectors = np.zeros((len(hashes), dimension), dtype=_FLOAT16)
        for position, key in enumerate(hashes):
            if key in found:
                vector = np.frombuffer(found[key], dtype=_FLOAT16)
                if len(vector) != dimension:
                    raise SyncError(
                        f"{CACHE_FILE} holds vectors of {len(vector)} and of {dimension} numbers "
                        f"by {self._embedder_id}: remove the file to embed everything anew"
                    )
                vectors[position] = vector
        return vectors

    def dimension(self) -> int:
        """Length of the stored vectors; 0 where there is none."""
        row = self._connection.execute(
            "SELECT length(vector) FROM vectors WHERE embedder = ? LIMIT 1", (self._embedder_id,)
        ).fetchone()
        return int(row[0]) // _FLOAT16.itemsize if row else 0

    def _query(self, hashes: Sequence[bytes]) -> tuple[str, tuple[object, ...]]:
        return ",".join("?" * len(hashes)), (self._embedder_id, *hashes)


def connected_cache(file: Path) -> sqlite3.Connection:
    """A connection to the file, made where there is none.

    Raises:
        sqlite3.Error: It cannot be opened, or is no database.
    """
    connection = sqlite3.connect(file.absolute().as_uri(), uri=True)
    try:
        connection.execute(_SCHEMA)
        connection.execute("SELECT 1 FROM vectors LIMIT 1").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


@contextmanager
def open_cache(file: Path, embedder_id: str) -> Iterator[VectorCache]:
    """Open or make the file; one that is no database any more is put aside.

    Raises:
        SyncError: It cannot be written.
    """
    try:
        connection = connected_cache(file)
    except sqlite3.OperationalError as error:  # full, locked, read-only
        raise SyncError(f"{file} cannot be opened: {error}") from error
    except sqlite3.DatabaseError:  # torn, by a copy that was broken off
        _put_aside(file)
        connection = connected_cache(file)
    try:
        with closing(connection):
            yield VectorCache(connection, embedder_id)
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError as error:
        aside = _put_aside(file)
        raise SyncError(
            f"{file} is damaged ({error}) and was put aside as {aside.name}: run `askfolio sync` "
            "again, what the current generation holds is not embedded anew"
        ) from error


@contextmanager
def peek_cache(file: Path, embedder_id: str) -> Iterator[VectorCache]:
    """Read what is stored and write nothing; an empty one where the file cannot be read."""
    try:
        connection = sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)
        with closing(connection):
            connection.execute("SELECT 1 FROM vectors LIMIT 1").fetchone()
    except sqlite3.Error:
        uri = ":memory:"
    else:
        uri = f"{file.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        if uri == ":memory:":
            connection.execute(_SCHEMA)
        yield VectorCache(connection, embedder_id)


def _put_aside(file: Path) -> Path:
    aside = file.with_name(file.name + DAMAGED_SUFFIX)
    file.with_name(file.name + "-journal").unlink(missing_ok=True)
    return file.replace(aside)
