"""The folder of generations: one writer at a time, published whole, pruned when nobody reads.

A generation is built in a staging folder, made durable, renamed, and only then named by CURRENT.
Nothing here depends on a clock or on a file's time: generations are ordered by their number.
"""

import fcntl
import json
import os
import secrets
import shutil
import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from ingestion.durable_files import (
    NEW_SUFFIX,
    make_durable,
    remove_file,
    replace_file,
    sync_folder,
)
from ingestion.errors import SyncError, SyncRunning
from retrieval.errors import GenerationError
from retrieval.generation import (
    CURRENT_FILE,
    GENERATIONS_FOLDER,
    current_name,
    generation_names,
    generation_number,
)
from retrieval.manifest import MANIFEST_FILE
from retrieval.status import LAST_SYNC_FILE

LOCK_FILE = "sync.lock"
HOLD_FILE = "HOLD"
STAGING_PREFIX = ".building-"
REMOVING_PREFIX = ".removing-"
_MAX_HOLDER_BYTES = 200
_MAX_HOLD_BYTES = 200


class KnowledgeFolder:
    """Write access to a knowledge folder, under its lock."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.generations = path / GENERATIONS_FOLDER

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the exclusive lock of the folder; leftovers of a killed sync are removed.

        Raises:
            SyncRunning: Another sync holds it; the message says who.
            SyncError: The folder cannot be written.
        """
        try:
            self._make()
            lock = os.open(self.path / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise SyncError(f"{self.path} cannot be written: {error.strerror}") from error
        try:
            self._take(lock)
            self._remove_leftovers()
            yield
        finally:
            os.close(lock)

    def current(self) -> str:
        """Name of the generation that serves; "" where CURRENT names none."""
        try:
            return current_name(self.path)
        except GenerationError:
            return ""

    def stage(self) -> Path:
        """An empty folder for a generation in the making, on the file system of the others."""
        name = f"{STAGING_PREFIX}{os.getpid()}-{secrets.token_hex(4)}"
        folder = self.generations / name
        folder.mkdir()
        return folder

    def next_number(self) -> int:
        """One more than the highest number in use, that of an absent current one included."""
        names = [*generation_names(self.path), self.current(), self.held_at() or ""]
        return max(generation_number(name) or 0 for name in names) + 1

    def publish(self, staging: Path, name: str) -> bool:
        """Make a finished staging folder durable, and then the one that serves.

        Returns:
            False where CURRENT is held: the generation is there and does not serve.

        Raises:
            OSError: The disk is full; what served before still does.
        """
        make_durable(staging)
        staging.rename(self.generations / name)
        sync_folder(self.generations)
        if self.held_at() is not None:
            return False
        try:
            self.make_current(name)
        except OSError:
            if self.current() != name:
                shutil.rmtree(self.generations / name, ignore_errors=True)
            raise
        return True

    def make_current(self, name: str) -> None:
        """Let CURRENT name a generation that lies in the folder, whole and durable."""
        replace_file(self.path / CURRENT_FILE, f"{name}\n")

    def held_at(self) -> str | None:
        """Newest generation at the time of a `rollback --hold`; None where nothing is held."""
        try:
            with (self.path / HOLD_FILE).open("rb") as stream:
                return stream.read(_MAX_HOLD_BYTES).decode("ascii", "replace").strip()
        except FileNotFoundError:
            return None

    def hold(self) -> None:
        """Keep CURRENT where it is until `release`."""
        newest = max(generation_names(self.path), key=lambda name: generation_number(name) or 0)
        replace_file(self.path / HOLD_FILE, f"{newest}\n")

    def release(self) -> bool:
        """End a hold; False where there was none."""
        return remove_file(self.path / HOLD_FILE)

    def prune(self, keep: int, previous: str = "") -> tuple[str, ...]:
        """Remove generations that nothing goes back to; those in use stay.

        Args:
            keep: How many stay that are older than the current one.
            previous: The one that served before: what lies between the two was never served, or
                was rolled back from.
        """
        removed = []
        for name in self._superfluous(keep, previous):
            if self._remove_unused(self.generations / name):
                removed.append(name)
        return tuple(removed)

    def write_last_sync(self, content: object) -> None:
        """Replace `last_sync.json`."""
        text = json.dumps(content, ensure_ascii=False, indent=1)
        try:
            replace_file(self.path / LAST_SYNC_FILE, f"{text}\n")
        except FileNotFoundError:  # the next sync has begun and tidied up
            replace_file(self.path / LAST_SYNC_FILE, f"{text}\n")

    def _make(self) -> None:
        if not self.generations.is_dir():
            self.generations.mkdir(parents=True, exist_ok=True)
            sync_folder(self.path)
            sync_folder(self.path.parent)

    def _take(self, lock: int) -> None:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.pread(lock, _MAX_HOLDER_BYTES, 0).decode("utf-8", "replace").strip()
            raise SyncRunning(
                f"another sync of {self.path} is running ({holder or 'unknown'}): wait for it"
            ) from error
        since = datetime.now(UTC).isoformat(timespec="seconds")
        os.ftruncate(lock, 0)
        os.pwrite(lock, f"process {os.getpid()} on {socket.gethostname()}, {since}\n".encode(), 0)

    def _remove_leftovers(self) -> None:
        for prefix in (STAGING_PREFIX, REMOVING_PREFIX):
            for leftover in self.generations.glob(f"{prefix}*"):
                shutil.rmtree(leftover, ignore_errors=True)
        for leftover in self.path.glob(f".*{NEW_SUFFIX}"):
            leftover.unlink(missing_ok=True)

    def _superfluous(self, keep: int, previous: str) -> Iterable[str]:
        names = generation_names(self.path)
        current = generation_number(self.current())
        if current is None:
            return ()
        before = generation_number(previous)
        abandoned = [
            name for name in names if before is not None and before < _number(name) < current
        ]
        older = [name for name in names if _number(name) < current and name not in abandoned]
        newer = [name for name in names if _number(name) > current]
        return (*older[: max(0, len(older) - keep)], *abandoned, *newer[:-1])

    def _remove_unused(self, folder: Path) -> bool:
        """Remove a generation that no process has open; its name goes first, as a whole."""
        try:
            manifest = os.open(folder / MANIFEST_FILE, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return self._remove(folder)
        except OSError:
            return False
        try:
            fcntl.flock(manifest, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return self._remove(folder)
        except OSError:  # in use
            return False
        finally:
            os.close(manifest)

    def _remove(self, folder: Path) -> bool:
        doomed = folder.with_name(f"{REMOVING_PREFIX}{folder.name}")
        try:
            folder.rename(doomed)
        except OSError:
            return False
        shutil.rmtree(doomed, ignore_errors=True)
        return True


def _number(name: str) -> int:
    return generation_number(name) or 0
