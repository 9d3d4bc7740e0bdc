"""Which files of a folder may be read, and why are the others left out?"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ingestion.errors import DocumentUnreadable, SourceError

MAX_FILE_BYTES = 1 << 20
MAX_FOLDER_DEPTH = 64


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file of the tree.

    Attributes:
        path: Relative to the root, with `/`.
        file: Where it lies.
        reason: Why it is left out; "" where it is not.
    """

    path: str
    file: Path
    reason: str = ""


def walk(root: Path, start: Path, wanted: Callable[[str], bool]) -> Iterator[FoundFile]:
    """Every file below `start` whose name is `wanted`, in a fixed order.

    Hidden names are passed over. Links that stay in the tree are followed; the others, broken ones
    and circles come with their reason.

    Args:
        root: The tree that links must not leave; paths are relative to it.
        start: `root` or a folder in it.
        wanted: Says whether a file, or a folder (its name ends with `/`), is looked at.

    Raises:
        SourceError: A folder cannot be read.
    """
    yield from _Walk(root.resolve(), root, wanted).folder(start, (start.resolve(),))


def read_text(file: Path) -> str:
    """The text of a file of at most `MAX_FILE_BYTES` bytes, without its byte order mark.

    Raises:
        DocumentUnreadable: Its message starts with the reason: too-large, encoding.
    """
    try:
        with file.open("rb") as stream:
            content = stream.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise DocumentUnreadable(f"unreadable: {error.strerror}") from error
    if len(content) > MAX_FILE_BYTES:
        raise DocumentUnreadable(f"too-large: more than {MAX_FILE_BYTES} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DocumentUnreadable(
            f"encoding: not UTF-8 at byte {error.start}: save the file as UTF-8"
        ) from error


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir(), key=lambda entry: entry.name)
    except OSError as error:
        raise SourceError(f"the folder {folder} cannot be read: {error.strerror}") from error


def _name_reason(name: str) -> str:
    return "" if name == _shown(name) else "encoding: the file's name is not UTF-8"


def _shown(path: str) -> str:
    """`path` without the lone surrogates that stand for undecodable bytes."""
    return path.encode("utf-8", "replace").decode()


class _Walk:
    """One walk; knows the tree's borders."""

    def __init__(self, real_root: Path, root: Path, wanted: Callable[[str], bool]) -> None:
        self._real_root = real_root
        self._root = root
        self._wanted = wanted

    def folder(self, folder: Path, above: tuple[Path, ...]) -> Iterator[FoundFile]:
        for entry in _entries(folder):
            name = f"{entry.name}/" if entry.is_dir() else entry.name
            if name.startswith(".") or not self._wanted(name):
                continue
            reason = _name_reason(name) or self._link_reason(entry, above)
            if reason:
                yield FoundFile(_shown(self._path(entry)), entry, reason)
            elif entry.is_dir():
                yield from self.folder(entry, (*above, entry.resolve()))
            elif entry.is_file():
                yield FoundFile(self._path(entry), entry)

    def _link_reason(self, entry: Path, above: tuple[Path, ...]) -> str:
        if not entry.is_symlink():
            return ""
        try:
            target = entry.resolve(strict=True)
        except FileNotFoundError:
            return "symlink-broken"
        except (OSError, RuntimeError):
            return "symlink-loop"
        if not target.is_relative_to(self._real_root):
            return "symlink-outside"
        loops = target in above or any(target in part.parents for part in above)
        return "symlink-loop" if loops or len(above) > MAX_FOLDER_DEPTH else ""

    def _path(self, entry: Path) -> str:
        return entry.relative_to(self._root).as_posix()
