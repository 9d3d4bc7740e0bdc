"""Which files does a commit hold, and what is in them?"""

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from ingestion.errors import SourceUnreachable
from ingestion.git.clone import Clone, CloneDamaged
from ingestion.git.program import Git, GitFailed, end

MAX_FILES = 200_000
SYMLINK, SUBMODULE = "120000", "160000"
_ENTRY = re.compile(rb"(?P<mode>\d+) (?P<type>\w+) (?P<oid>[0-9a-f]+) +(?P<size>\d+|-|BAD)")


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file, a symbolic link or a submodule of a commit.

    Attributes:
        name: Its path as git holds it.
        path: The same as text; see `shown_path`.
        mode: As git writes it, such as 100644.
        oid: Id of its content.
        size_bytes: None where the content was too large to be transferred, and for a submodule.
    """

    name: bytes
    path: str
    mode: str
    oid: str
    size_bytes: int | None


def shown_path(name: bytes) -> str:
    """The path as text. Where it is not UTF-8, its bytes above 0x7F and `%` are percent-encoded."""
    try:
        return name.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(
            chr(byte) if byte < 0x80 and byte != 0x25 else f"%{byte:02X}" for byte in name
        )


def list_tree(git: Git, clone: Clone) -> tuple[TreeEntry, ...]:
    """Every entry of the commit, in git's order.

    Raises:
        CloneDamaged: A folder or the size of a file is missing from the local copy.
        SourceUnreachable: More than `MAX_FILES` files.
    """
    try:
        output = git.run(
            "ls-tree", "-r", "-z", "-l", "--full-tree", clone.commit, folder=clone.folder
        )
    except GitFailed as error:
        raise CloneDamaged(str(error)) from error
    records = output.split(b"\0")[:-1]
    if len(records) > MAX_FILES:
        raise SourceUnreachable(
            f"the repository holds {len(records)} files; the limit is {MAX_FILES}"
        )
    return tuple(_entry(record, clone) for record in records)


def changed_names(git: Git, clone: Clone, earlier: str) -> frozenset[bytes] | None:
    """Paths whose content, mode or existence differs from an earlier commit's.

    Returns:
        None where the local copy does not hold the earlier commit.
    """
    try:
        output = git.run(
            "diff-tree", "-r", "-z", "--name-only", "--no-renames", earlier, clone.commit, "--",
            folder=clone.folder,
        )  # fmt: skip
    except GitFailed:
        return None
    return frozenset(output.split(b"\0")[:-1])


def _entry(record: bytes, clone: Clone) -> TreeEntry:
    head, _, name = record.partition(b"\t")
    found = _ENTRY.fullmatch(head)
    if found is None:
        raise CloneDamaged(f"git ls-tree wrote {head[:80]!r}")
    if found["size"] == b"BAD" and not clone.filtered:
        raise CloneDamaged(f"{shown_path(name)} is missing from {clone.folder}")
    size = int(found["size"]) if found["size"].isdigit() else None
    return TreeEntry(name, shown_path(name), found["mode"].decode(), found["oid"].decode(), size)


class Blobs:
    """Contents of a clone, read through one process."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def read(self, entry: TreeEntry) -> bytes:
        """The content of one entry.

        Raises:
            CloneDamaged: It is missing or cannot be read.
        """
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise ValueError("the process has no pipes")
        try:
            stdin.write(f"{entry.oid}\n".encode("ascii"))
            stdin.flush()
        except BrokenPipeError as error:
            raise CloneDamaged(f"git cat-file ended before {entry.path}") from error
        head = stdout.readline().split()
        if len(head) != 3 or head[1] != b"blob" or int(head[2]) != entry.size_bytes:
            raise CloneDamaged(f"{entry.path} cannot be read from the local copy")
        content = stdout.read(int(head[2]) + 1)[:-1]
        if len(content) != entry.size_bytes:
            raise CloneDamaged(f"{entry.path} is torn in the local copy")
        return content


@contextmanager
def open_blobs(git: Git, clone: Clone) -> Iterator[Blobs]:
    """Contents of a clone while the block lasts."""
    process = git.open_batch(clone.folder)
    try:
        yield Blobs(process)
    finally:
        end(process)
        for pipe in (process.stdin, process.stdout):
            with suppress(BrokenPipeError):
                if pipe is not None:
                    pipe.close()
