"""Stored vectors: which are missing, which does no generation use, whatever made the file."""

import hashlib
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from ingestion.store_writer import StoreWriter
from ingestion.sync import document_hashes
from ingestion.vector_cache import open_cache, peek_cache
from ingestion.vector_pruning import prune_cache
from retrieval.types import Chunk, Document

FIRST_LAYOUT = (
    "CREATE TABLE vectors (embedder TEXT NOT NULL, hash BLOB NOT NULL, vector BLOB NOT NULL, "
    "PRIMARY KEY (embedder, hash)) WITHOUT ROWID"
)
EMBEDDER = "mistral:mistral-embed"
OTHER = "local:other"
DIMENSION = 8


def key(number: int) -> bytes:
    return hashlib.sha256(str(number).encode()).digest()


def vectors(count: int) -> np.ndarray:
    return np.arange(count * DIMENSION, dtype=np.float16).reshape(count, DIMENSION)


@pytest.fixture(params=["", FIRST_LAYOUT])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Vectors 0 to 9 of one embedder and 0 to 2 of another; by the layouts of now and of before."""
    file = tmp_path / "a folder #1" / "embeddings.sqlite"
    file.parent.mkdir()
    if request.param:
        with closing(sqlite3.connect(file)) as connection:
            connection.execute(request.param)
    for embedder, count in ((EMBEDDER, 10), (OTHER, 3)):
        with open_cache(file, embedder) as cache:
            cache.put([key(number) for number in range(count)], vectors(count))
    return file


def stored(file: Path) -> set[tuple[str, bytes]]:
    with closing(sqlite3.connect(file)) as connection:
        return set(connection.execute("SELECT embedder, hash FROM vectors"))


def pairs(embedder: str, numbers: Iterable[int]) -> set[tuple[str, bytes]]:
    return {(embedder, key(number)) for number in numbers}


def chunk_store(file: Path, numbers: Iterable[int]) -> Path:
    """A chunk store that uses the texts `numbers`."""
    document = Document("s:a", "s", "a", None, "T", "en", "page", ())
    chunks = [
        Chunk(f"s:a#0.{n}", "s:a", None, "", (), n, "x" * 900, 1, None, None, key(n).hex())
        for n in numbers
    ]
    with closing(StoreWriter(file)) as writer:
        writer.add(document, document_hashes(document), tuple(chunks), 0)
        writer.finish()
    return file


@pytest.mark.parametrize("opened", [open_cache, peek_cache])
def test_what_is_missing_is_missing_for_this_embedder(file: Path, opened: type) -> None:
    wanted = [key(number) for number in (1, 5, 5, 11)]
    with opened(file, EMBEDDER) as cache:
        assert cache.missing(wanted) == {key(11)}
        assert cache.get(wanted, DIMENSION).tolist() == [
            *vectors(10)[[1, 5, 5]].tolist(),
            [0.0] * DIMENSION,
        ]
    with opened(file, OTHER) as cache:
        assert cache.missing(wanted) == {key(5), key(11)}
        assert cache.missing([]) == set()


def test_what_no_generation_uses_is_deleted(file: Path, tmp_path: Path) -> None:
    stores = [
        (EMBEDDER, chunk_store(tmp_path / "1", [0, 1, 2, 77])),
        (EMBEDDER, chunk_store(tmp_path / "2", [2, 3, 2])),
        (OTHER, chunk_store(tmp_path / "3", [1, 9])),
        ("", chunk_store(tmp_path / "4", [5])),
    ]
    assert prune_cache(file, stores) == 8
    assert stored(file) == pairs(EMBEDDER, range(4)) | pairs(OTHER, [1])
    assert prune_cache(file, stores) == 0
    assert prune_cache(file, []) == 5
    assert stored(file) == set()


@pytest.mark.parametrize("damage", ["absent", "empty", "no database", "torn"])
def test_a_generation_that_cannot_be_read_uses_nothing(
    file: Path, tmp_path: Path, damage: str
) -> None:
    bad = chunk_store(tmp_path / "bad", range(5, 10) if damage != "torn" else range(5, 500))
    content = bad.read_bytes()
    match damage:
        case "absent":
            bad.unlink()
        case "empty":
            bad.write_bytes(b"")
        case "no database":
            bad.write_bytes(b"no database" * 1000)
        case _:  # the first rows can be read, later ones cannot
            middle = len(content) // 2
            bad.write_bytes(content[:middle] + b"\xff" * (len(content) - middle))
    good = chunk_store(tmp_path / "good", [1, 2])
    assert prune_cache(file, [(EMBEDDER, bad), (EMBEDDER, good)]) == 11
    assert stored(file) == pairs(EMBEDDER, [1, 2])


def test_a_torn_cache_is_left_as_it_is(file: Path, tmp_path: Path) -> None:
    file.write_bytes(b"no database" * 1000)
    with pytest.raises(sqlite3.DatabaseError):
        prune_cache(file, [(EMBEDDER, chunk_store(tmp_path / "good", [1]))])
    assert file.read_bytes() == b"no database" * 1000
