"""What do a commit's .gitattributes say about its files?"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ingestion.git.clone import Clone
from ingestion.git.program import Git, GitFailed
from ingestion.git.tree import TreeEntry

_EXPORT_IGNORE = b"export-ignore"
_GENERATED = b"linguist-generated"
_VENDORED = b"linguist-vendored"
_SAID: Mapping[bytes, bool] = {b"set": True, b"true": True, b"unset": False, b"false": False}


@dataclass(frozen=True, slots=True)
class Attributes:
    """What is said about paths; a path that nothing is said about is in no mapping.

    Attributes:
        generated: linguist-generated.
        vendored: linguist-vendored.
        ignored: Files and folders (with `/` behind) that export-ignore leaves out.
    """

    generated: Mapping[bytes, bool] = field(default_factory=dict)
    vendored: Mapping[bytes, bool] = field(default_factory=dict)
    ignored: frozenset[bytes] = frozenset()

    def is_export_ignored(self, name: bytes) -> bool:
        """Whether `git archive` would leave the file out, by itself or with its folder."""
        return bool(self.ignored) and not self.ignored.isdisjoint((name, *_folders(name)))


def read_attributes(git: Git, clone: Clone, entries: Sequence[TreeEntry]) -> Attributes:
    """Attributes of every entry, by git's own rules.

    They are read through a temporary index, since `check-attr --source` came with git 2.41.
    """
    if not any(entry.name.rpartition(b"/")[2] == b".gitattributes" for entry in entries):
        return Attributes()
    names = {entry.name for entry in entries}
    names.update(folder for name in tuple(names) for folder in _folders(name))
    wanted = (_EXPORT_IGNORE, _GENERATED, _VENDORED)
    with tempfile.TemporaryDirectory(prefix="askfolio-index-") as folder:
        index = Path(folder) / "index"
        try:
            git.run("read-tree", clone.commit, folder=clone.folder, index=index)
            output = git.run(
                "check-attr",
                "--cached",
                "-z",
                "--stdin",
                *(name.decode() for name in wanted),
                folder=clone.folder,
                index=index,
                given=b"".join(name + b"\0" for name in sorted(names)),
            )
        except GitFailed:
            # A tree with a name such as `.git` cannot be an index: such a commit has no say.
            return Attributes()
    return _attributes(output)


def _attributes(output: bytes) -> Attributes:
    said: dict[bytes, dict[bytes, bool]] = {_EXPORT_IGNORE: {}, _GENERATED: {}, _VENDORED: {}}
    fields = output.split(b"\0")
    for name, attribute, value in zip(fields[0::3], fields[1::3], fields[2::3], strict=False):
        if value in _SAID:
            said[attribute][name] = _SAID[value]
    ignored = frozenset(name for name, is_set in said[_EXPORT_IGNORE].items() if is_set)
    return Attributes(said[_GENERATED], said[_VENDORED], ignored)


def _folders(name: bytes) -> Iterator[bytes]:
    parts = name.split(b"/")[:-1]
    for depth in range(1, len(parts) + 1):
        yield b"/".join(parts[:depth]) + b"/"
