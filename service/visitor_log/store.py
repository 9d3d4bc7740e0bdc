"""Where does the log lie? One SQLite file that keeps no byte of what was deleted.

secure_delete overwrites what is deleted; the file is rewritten behind every deletion, since pages
that SQLite rebalances can keep remains. Rows are keyed by the hash of their receipt: their order
in the file tells nothing about the order in which visitors came.
"""

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from service.errors import VisitorLogError

LOG_FILE = "log.sqlite"
_BUSY_S = 5.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS kept (
    receipt BLOB PRIMARY KEY, day TEXT NOT NULL, question TEXT NOT NULL, outcome TEXT NOT NULL,
    language TEXT NOT NULL, pages TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS counts (
    day TEXT NOT NULL, outcome TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (day, outcome)
) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class Kept:
    """One question.

    Attributes:
        day: UTC date; the time is not kept.
        question: Masked.
        outcome: Of the answer.
        language: Of the answer.
        pages: Addresses that the answer cited.
    """

    day: str
    question: str
    outcome: str
    language: str
    pages: tuple[str, ...]


class LogStore:
    """Opens the file for each operation, so that several processes can share it."""

    def __init__(self, folder: Path) -> None:
        """Nothing is written before the first row."""
        self._folder = folder
        self._file = folder / LOG_FILE

    @property
    def exists(self) -> bool:
        """Whether anything was ever kept."""
        return self._file.exists()

    def add(self, receipt: str, row: Kept) -> None:
        """Keep a question under a receipt.

        Raises:
            VisitorLogError: The file cannot be written.
        """
        values = (row.day, row.question, row.outcome, row.language, json.dumps(row.pages))
        with self._transaction() as database:
            database.execute("INSERT INTO kept VALUES (?, ?, ?, ?, ?, ?)", (_key(receipt), *values))

    def count(self, day: str, outcome: str) -> None:
        """Count an answer, without text.

        Raises:
            VisitorLogError: The file cannot be written.
        """
        with self._transaction() as database:
            database.execute(
                "INSERT INTO counts VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET n = n + 1",
                (day, outcome),
            )

    def erase(self, receipt: str) -> bool:
        """Delete the row of a receipt; whether there was one."""
        return self._delete(("DELETE FROM kept WHERE receipt = ?",), (_key(receipt),)) > 0

    def purge(self, before: str | None) -> int:
        """Delete the days before `before`, or everything; the number of rows."""
        condition, values = ("WHERE day < ?", (before,)) if before else ("", ())
        return self._delete(
            (f"DELETE FROM kept {condition}", f"DELETE FROM counts {condition}"),
            values,
        )

    def rows(self, since: str) -> list[Kept]:
        """What was kept from a day on."""
        found = self._read(
            "SELECT day, question, outcome, language, pages FROM kept WHERE day >= ?", since
        )
        return [
            Kept(
                str(day), str(question), str(outcome), str(language), tuple(json.loads(str(pages)))
            )
            for day, question, outcome, language, pages in found
        ]

    def counts(self, since: str) -> list[tuple[str, str, int]]:
        """(day, outcome, number) from a day on."""
        found = self._read("SELECT day, outcome, n FROM counts WHERE day >= ?", since)
        return [(str(day), str(outcome), int(str(n))) for day, outcome, n in found]

    def _read(self, query: str, since: str) -> list[tuple[object, ...]]:
        if not self.exists:
            return []
        with self._open() as database:
            return database.execute(query, (since,)).fetchall()

    def _delete(self, statements: tuple[str, ...], values: tuple[object, ...]) -> int:
        if not self.exists:
            return 0
        with self._transaction() as database:
            count = sum(database.execute(text, values).rowcount for text in statements)
        if count:
            with self._open() as database:
                database.execute("VACUUM")
        return count

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._open() as database:
            database.execute("BEGIN IMMEDIATE")
            try:
                yield database
            except BaseException:
                database.execute("ROLLBACK")
                raise
            database.execute("COMMIT")

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            with closing(
                sqlite3.connect(self._file, timeout=_BUSY_S, isolation_level=None)
            ) as database:
                database.execute("PRAGMA secure_delete = ON")
                database.execute("PRAGMA temp_store = MEMORY")
                database.executescript(_SCHEMA)
                yield database
        except (sqlite3.Error, OSError) as error:
            raise VisitorLogError(
                f"the visitor log {self._file} cannot be used: {error}; see [log] path"
            ) from error


def _key(receipt: str) -> bytes:
    return hashlib.sha256(receipt.encode("utf-8", "replace")).digest()
