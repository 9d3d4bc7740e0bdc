"""Which stored vectors does no generation use any more?"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from ingestion.vector_cache import connected_cache

# Freed pages are used again; the file is only written anew where most of it is free.
_MOSTLY_FREE = 0.5


def prune_cache(file: Path, stores: Iterable[tuple[str, Path]]) -> int:
    """Delete the vectors that nothing uses; returns how many.

    Args:
        file: The cache.
        stores: Embedder and chunks.sqlite of each generation that is kept; one that cannot be read
            uses nothing.

    Raises:
        sqlite3.Error: The file cannot be written; nothing was deleted.
    """
    with closing(connected_cache(file)) as connection:
        connection.execute("CREATE TEMP TABLE unused AS SELECT embedder, hash FROM vectors")
        for embedder_id, store in stores:
            with _attached(connection, store) as readable, connection:
                if readable:
                    connection.execute(
                        "DELETE FROM unused WHERE embedder = ? AND hash IN "
                        "(SELECT content_hash FROM generation.chunks)",
                        (embedder_id,),
                    )
        with connection:
            deleted = connection.execute(
                "DELETE FROM vectors WHERE (embedder, hash) IN (SELECT embedder, hash FROM unused)"
            ).rowcount
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        (free,) = connection.execute("PRAGMA freelist_count").fetchone()
        if free > _MOSTLY_FREE * pages:
            connection.execute("VACUUM")
    return deleted


@contextmanager
def _attached(connection: sqlite3.Connection, store: Path) -> Iterator[bool]:
    """Attach a chunk store as `generation`; yields whether it can be read.

    A store that turns out to be torn ends the block; a full disk is none of its faults.
    """
    uri = f"{store.absolute().as_uri()}?mode=ro&immutable=1"
    try:
        connection.execute("ATTACH ? AS generation", (uri,))
    except sqlite3.Error:
        yield False
        return
    try:
        yield _has_hashes(connection)
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError:  # torn
        pass
    finally:
        connection.execute("DETACH generation")


def _has_hashes(connection: sqlite3.Connection) -> bool:
    try:
        connection.execute("SELECT content_hash FROM generation.chunks LIMIT 1").fetchone()
    except sqlite3.Error:
        return False
    return True
