"""How does a file get to disk so that a crash leaves the old or the new content, never a part?"""

import os
import secrets
from pathlib import Path

NEW_SUFFIX = ".new"


def make_durable(folder: Path) -> None:
    """Sync to disk every file and folder below `folder`, itself included.

    Raises:
        OSError: One of them cannot be read or synced.
    """
    for parent, _, files in os.walk(folder, onerror=_raise):
        for name in files:
            _sync_path(Path(parent) / name, os.O_RDONLY)
        sync_folder(Path(parent))


def sync_folder(folder: Path) -> None:
    """Sync a folder to disk, so that its entries survive a crash."""
    _sync_path(folder, os.O_RDONLY | os.O_DIRECTORY)


def replace_file(file: Path, text: str) -> None:
    """Replace a small file so that a reader sees the old or the new content, never a part.

    Raises:
        OSError: It cannot be written; the old content stays.
    """
    temporary = _beside(file)
    try:
        with temporary.open("w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(file.parent)


def remove_file(file: Path) -> bool:
    """Remove a file for good; False where it was not there."""
    try:
        file.unlink()
    except FileNotFoundError:
        return False
    sync_folder(file.parent)
    return True


def link_instead(file: Path, original: Path) -> bool:
    """Put a hard link to `original` in the place of `file`, which holds the same.

    Returns:
        False where the file system cannot link the two; `file` stays as it is.
    """
    temporary = _beside(file)
    try:
        os.link(original, temporary)
        temporary.replace(file)
    except OSError:  # EXDEV, EPERM, EMLINK, EOPNOTSUPP: the copy is as good
        temporary.unlink(missing_ok=True)
        return False
    return True


def _beside(file: Path) -> Path:
    """A name that no other process uses, on the same file system."""
    return file.with_name(f".{file.name}.{os.getpid()}-{secrets.token_hex(4)}{NEW_SUFFIX}")


def _sync_path(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _raise(error: OSError) -> None:
    raise error
