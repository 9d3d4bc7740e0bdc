"""Which file operations does a sync make below a folder, and what if it ends before one of them?

An audit hook sees each `open`, `rename`, `link`, `remove`, … before it happens. It cannot be taken
away again, so there is one for the process, idle until `watched` or `interrupted_before`.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

EVENTS = frozenset(
    {
        "open",
        "os.link",
        "os.listdir",
        "os.mkdir",
        "os.remove",
        "os.rename",
        "os.rmdir",
        "os.scandir",
        "os.truncate",
        "sqlite3.connect",
    }
)
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
NEEDS_SPACE = ("write", "os.link", "os.mkdir", "os.rename")
_PATH_ARGUMENTS = 2


class Interruption(KeyboardInterrupt):
    """Stands for Ctrl-C at a chosen place."""


class _Watch:
    """What is watched now."""

    def __init__(self) -> None:
        self.folder = ""
        self.before: Callable[[str], None] | None = None
        self.is_installed = False

    def hook(self, event: str, arguments: tuple[object, ...]) -> None:
        before = self.before
        if before is None or event not in EVENTS:
            return
        for argument in arguments[:_PATH_ARGUMENTS]:
            if isinstance(argument, str | bytes) and self.folder in os.fsdecode(argument):
                before(f"{_named(event, arguments)} {os.fsdecode(argument)}")
                return


def _named(event: str, arguments: tuple[object, ...]) -> str:
    """The event; `write` for a file that is opened to be written."""
    flags = arguments[_PATH_ARGUMENTS] if event == "open" else 0
    return "write" if isinstance(flags, int) and flags & WRITING else event


_WATCH = _Watch()


@contextmanager
def watched(folder: Path, before: Callable[[str], None]) -> Iterator[None]:
    """Call `before` with a description of every file operation below `folder`, before it is made.

    What `before` raises is raised by the operation.
    """
    if not _WATCH.is_installed:
        sys.addaudithook(_WATCH.hook)
        _WATCH.is_installed = True
    _WATCH.folder, _WATCH.before = str(folder), before
    try:
        yield
    finally:
        _WATCH.before = None


@contextmanager
def interrupted_before(folder: Path, number: int) -> Iterator[None]:
    """Raise Interruption in the place of the operation of this number, from 1; it is suppressed."""
    count = 0

    def before(_: str) -> None:
        nonlocal count
        count += 1
        if count == number:
            _WATCH.before = None
            raise Interruption

    try:
        with watched(folder, before):
            yield
    except Interruption:
        return
