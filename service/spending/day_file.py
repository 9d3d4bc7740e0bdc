"""How much was spent today (UTC)? One number in a file, shared by workers, kept over restarts."""

import fcntl
import json
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

SPEND_FILE = "spend.json"
_MAX_BYTES = 200
_log = logging.getLogger(__name__)


class DayFile:
    """The amount of one day under an exclusive lock."""

    def __init__(self, file: Path) -> None:
        """Nothing is read or written before the first `locked`."""
        self._file = file
        self._known = ("", 0.0)
        self._has_warned = False

    @contextmanager
    def locked(self) -> Iterator["DayAmount"]:
        """The amount of today; what was added to it is written at the end of the block.

        Where the file cannot be written, this process goes on with what it knows itself.
        """
        descriptor = self._open()
        try:
            amount = DayAmount(self._read(descriptor))
            before = amount.value
            yield amount
            self._known = (today(), max(0.0, amount.value))
            if amount.value != before:
                self._write(descriptor)
        finally:
            if descriptor is not None:
                os.close(descriptor)

    def _open(self) -> int | None:
        try:
            descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        except OSError as error:
            self._warn(error)
            return None
        return descriptor

    def _read(self, descriptor: int | None) -> float:
        day = today()
        known = self._known[1] if self._known[0] == day else 0.0
        if descriptor is None:
            return known
        written = _parsed(os.pread(descriptor, _MAX_BYTES, 0), day)
        return known if written is None else written

    def _write(self, descriptor: int | None) -> None:
        if descriptor is None:
            return
        day, amount = self._known
        content = json.dumps({"day": day, "amount": round(amount, 9)}) + "\n"
        try:
            # Padded to one length: a shorter number leaves nothing of a longer one behind.
            os.pwrite(descriptor, content.rjust(_MAX_BYTES // 2).encode(), 0)
        except OSError as error:
            self._warn(error)

    def _warn(self, error: OSError) -> None:
        if not self._has_warned:
            self._has_warned = True
            _log.warning(
                "%s cannot be written (%s): the daily budget counts for this process alone",
                self._file,
                error.strerror,
            )


class DayAmount:
    """A number that can grow and shrink while its file is locked."""

    def __init__(self, value: float) -> None:
        self.value = value


def read_spent(knowledge: Path) -> float | None:
    """What was spent today, for whoever only looks; None where that cannot be read."""
    try:
        with (knowledge / SPEND_FILE).open("rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_SH)
            return _parsed(stream.read(_MAX_BYTES), today())
    except FileNotFoundError:
        return 0.0
    except OSError:
        return None


def today() -> str:
    """The date in UTC."""
    return datetime.now(UTC).date().isoformat()


def _parsed(content: bytes, day: str) -> float | None:
    """The amount of `day`, 0 for another day, None for something unreadable."""
    if not content.strip():
        return 0.0
    try:
        stored = json.loads(content)
        amount = float(stored["amount"])
        is_today = stored["day"] == day
    except (ValueError, KeyError, TypeError):
        return None
    return max(0.0, amount) if is_today else 0.0
