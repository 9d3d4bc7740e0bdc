"""Which files of a commit are read, and why is each of the others left out?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ingestion.git.attributes import Attributes
from ingestion.git.content import LFS_POINTER_MAX_BYTES
from ingestion.git.filenames import is_binary_name, name_reason, size_limit_bytes
from ingestion.git.globs import PathPatterns
from ingestion.git.secrets import masked_paths
from ingestion.git.symlinks import BROKEN, MAX_TARGET_BYTES, LinkMap
from ingestion.git.tree import SUBMODULE, SYMLINK, Blobs, TreeEntry

_NO_NAMES = frozenset({b"", b".", b"..", b".git"})


@dataclass(frozen=True, slots=True)
class Selection:
    """What the owner wants of a repository; empty patterns take every file in.

    Attributes:
        include: Only what these match.
        exclude: Nothing that these match.
    """

    include: PathPatterns = field(default_factory=lambda: PathPatterns(()))
    exclude: PathPatterns = field(default_factory=lambda: PathPatterns(()))

    def reason(self, path: str) -> str:
        """Why the owner does not want it: `not-included`, `excluded` or nothing."""
        if self.exclude.matches(path):
            return "excluded"
        return "not-included" if self.include and not self.include.matches(path) else ""


@dataclass(frozen=True, slots=True)
class Choice:
    """What is decided about an entry.

    Attributes:
        entry: The entry; its path is masked where it holds a secret.
        reason: Why it is left out; "" where its content is to be read.
        is_hand_written: .gitattributes says that it is not generated, whatever it looks like.
    """

    entry: TreeEntry
    reason: str
    is_hand_written: bool = False


def choose(
    entries: Sequence[TreeEntry], attributes: Attributes, selection: Selection, blobs: Blobs
) -> Iterator[Choice]:
    """Decide about every entry by its kind, name, attributes and size, in the order given.

    A file whose name says that it is a secret is decided about before anything could read it, and
    one whose name holds a secret is named nowhere.
    """
    links = _link_map(entries, blobs)
    masked = masked_paths([entry.path for entry in entries])
    seen: set[str] = set()
    for entry in entries:
        if entry.path in masked:
            yield Choice(replace(entry, path=masked[entry.path]), "secret-file")
            continue
        reason = _kind_reason(entry, links) or selection.reason(entry.path)
        reason = reason or _name_reason(entry, attributes) or _size_reason(entry)
        # Only a name that is not UTF-8 can look like another.
        if not reason and entry.path in seen:
            reason = "name-collision"
        seen.add(entry.path)
        yield Choice(entry, reason, attributes.generated.get(entry.name) is False)


def _link_map(entries: Sequence[TreeEntry], blobs: Blobs) -> LinkMap:
    targets: dict[bytes, bytes] = {}
    for entry in entries:
        if entry.mode == SYMLINK:
            readable = entry.size_bytes is not None and entry.size_bytes <= MAX_TARGET_BYTES
            targets[entry.name] = blobs.read(entry) if readable else b""
    return LinkMap((entry.name for entry in entries), targets)


def _kind_reason(entry: TreeEntry, links: LinkMap) -> str:
    # Only a tree that was made by hand holds them, and no host opens an address with them.
    if not _NO_NAMES.isdisjoint(entry.name.lower().split(b"/")):
        return "unsafe-name"
    if entry.mode == SUBMODULE:
        return "submodule"
    if entry.mode == SYMLINK:
        return links.reason(entry.name) if entry.size_bytes else BROKEN
    return ""


def _name_reason(entry: TreeEntry, attributes: Attributes) -> str:
    by_name = name_reason(entry.path)
    if by_name == "secret-file":
        return by_name
    if attributes.is_export_ignored(entry.name):
        return "export-ignore"
    said: Mapping[str, bool | None] = {
        "vendored": attributes.vendored.get(entry.name),
        "generated": attributes.generated.get(entry.name),
    }
    for reason, value in said.items():
        if value:
            return reason
    return "" if by_name in said and said[by_name] is False else by_name


def _size_reason(entry: TreeEntry) -> str:
    size = entry.size_bytes
    # A small one may be the pointer that Git LFS leaves in the file's place.
    if is_binary_name(entry.path) and (size is None or size > LFS_POINTER_MAX_BYTES):
        return "binary"
    if size is None or size > size_limit_bytes(entry.path):
        return "too-large"
    return "empty" if size == 0 else ""
