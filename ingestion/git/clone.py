"""Where is the local copy of a repository, and is it as new as the remote?"""

import hashlib
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from ingestion.errors import SourceError, SourceUnreachable
from ingestion.git.address import Address
from ingestion.git.program import (
    MAX_TRANSFER_BYTES,
    TRANSFER_TIMEOUT_S,
    Git,
    GitFailed,
)
from ingestion.git.remote import RemoteHead

MAX_BLOB_BYTES = 1 << 20
"""Files above it are not transferred where the remote can filter."""
MAX_PACKS = 20
"""A fetch adds a pack; above this number a fresh copy is smaller."""
_REF = "refs/askfolio/head"
_REMOTE = "origin"
_FILTER = f"blob:limit={MAX_BLOB_BYTES + 1}"  # git leaves out what is at least that large


class CloneDamaged(SourceError):
    """The local copy lacks an object that it should hold."""


@dataclass(frozen=True, slots=True)
class Clone:
    """A bare, shallow copy of one commit.

    Attributes:
        folder: The bare repository.
        commit: The commit to read.
        filtered: Whether large files may be missing on purpose.
    """

    folder: Path
    commit: str
    filtered: bool


def current_clone(git: Git, address: Address, ref: str, clones: Path, head: RemoteHead) -> Clone:
    """Bring the local copy up to date.

    Nothing is transferred when the copy has the remote's commit already.

    Args:
        git: The program.
        address: Where the repository lies.
        ref: Branch, tag or full commit id; "" for the default branch.
        clones: Folder of the copies.
        head: What the remote has under `ref`.

    Raises:
        SourceUnreachable: The remote does not give it.
    """
    folder = clone_folder(address, ref, clones)
    if _holds(git, folder, head.commit):
        return _clone(folder, head.commit)
    if folder.is_dir() and len(_packs(folder)) < MAX_PACKS:
        try:
            return _clone(folder, _fetch(git, address, folder, head))
        except GitFailed:
            # The remote has answered: the copy is at fault (torn pack, stale lock).
            pass
    return _clone(folder, _clone_anew(git, address, folder, head))


def clone_folder(address: Address, ref: str, clones: Path) -> Path:
    """The folder of the local copy of `ref` of a repository."""
    key = hashlib.sha256(f"{address.url}\0{ref}".encode()).hexdigest()[:12]
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", address.url.rstrip("/").rsplit("/", 1)[-1])
    return clones / f"{name.removesuffix('.git').lstrip('-.')[:40]}-{key}.git"


def discard_clone(folder: Path) -> None:
    """Delete a local copy; the next run makes it anew.

    Raises:
        SourceUnreachable: It cannot be deleted.
    """
    try:
        if folder.exists():
            shutil.rmtree(folder)
    except OSError as error:
        raise SourceUnreachable(
            f"the local copy {folder} cannot be deleted: {error.strerror}"
        ) from error


def _clone_anew(git: Git, address: Address, folder: Path, head: RemoteHead) -> str:
    incoming = folder.with_name(f".incoming-{folder.name}")
    discard_clone(incoming)
    form = "sha256" if len(head.commit) == 64 else "sha1"
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        git.run(
            "init", "--quiet", "--bare", "--template=", f"--object-format={form}", folder=incoming
        )
        commit = _fetch(git, address, incoming, head)
        discard_clone(folder)
        incoming.rename(folder)
    except GitFailed as error:
        discard_clone(incoming)
        raise SourceUnreachable(f"{address.shown} cannot be cloned: {error}") from error
    except OSError as error:
        raise SourceUnreachable(
            f"{address.shown} cannot be cloned into {folder.parent}: {error.strerror}"
        ) from error
    return commit


def _fetch(git: Git, address: Address, folder: Path, head: RemoteHead) -> str:
    # The remote is configured for this one command only: a later command knows no remote that
    # could be asked for an object which the filter left out.
    remote = {
        f"remote.{_REMOTE}.url": address.url,
        f"remote.{_REMOTE}.promisor": "true",
        f"remote.{_REMOTE}.partialCloneFilter": _FILTER,
    }
    git.run(
        "fetch",
        "--quiet",
        "--no-tags",
        "--depth=1",
        f"--filter={_FILTER}",
        "--no-write-fetch-head",
        "--no-recurse-submodules",
        "--no-auto-maintenance",
        "--",
        _REMOTE,
        f"+{head.wanted}:{_REF}",
        folder=folder,
        network=True,
        timeout_s=TRANSFER_TIMEOUT_S,
        max_bytes=MAX_TRANSFER_BYTES,
        settings=remote,
    )
    name = git.run("rev-parse", "--verify", "--quiet", f"{_REF}^{{commit}}", folder=folder)
    return name.decode("ascii").strip()


def _holds(git: Git, folder: Path, commit: str) -> bool:
    if not folder.is_dir():
        return False
    try:
        git.run("cat-file", "-e", f"{commit}^{{tree}}", folder=folder)
    except GitFailed:
        return False
    return True


def _clone(folder: Path, commit: str) -> Clone:
    return Clone(folder, commit, filtered=any(folder.glob("objects/pack/*.promisor")))


def _packs(folder: Path) -> list[Path]:
    return list(folder.glob("objects/pack/*.pack"))
