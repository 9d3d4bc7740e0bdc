"""Which files lie in the content folders, and which of them are pages?"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ingestion.errors import SourceMissing, SourceUnreachable
from ingestion.hugo.casts import lowered
from ingestion.hugo.mounts import Mount
from ingestion.hugo.site_configuration import HugoConfiguration

MARKDOWN = frozenset({"md", "markdown", "mdown"})
HTML = frozenset({"html", "htm"})
OTHER_FORMATS = frozenset({"org", "adoc", "asciidoc", "ad", "rst", "pandoc", "pdc"})
_FORMATS = MARKDOWN | HTML | OTHER_FORMATS
MAX_DEPTH = 60

_INDEXES = frozenset({"index", "_index"})

_ADAPTER = "_content.gotmpl"
"""A template that makes pages of data; only Hugo can run it."""


@dataclass(frozen=True, slots=True)
class ContentFile:
    """A file of a content format, where Hugo sees it.

    Attributes:
        path: Relative to the site's root, with `/`.
        folders: Folders below `content`, as they are spelled.
        name: Without language and extension: `index`, `_index` or a page's own name.
        language: Code.
        extension: Lower-case.
        size: Bytes.
        explicit: Whether its name or its folder says its language.
    """

    path: str
    folders: tuple[str, ...]
    name: str
    language: str
    extension: str
    size: int
    explicit: bool = False

    @property
    def key(self) -> tuple[str, ...]:
        """Its folders as Hugo's logical path has them."""
        return tuple(map(logical, self.folders))


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file that is no page, and why."""

    path: str
    reason: str


def logical(segment: str) -> str:
    """A segment of a logical path: lower case, each space a hyphen."""
    return lowered(segment).replace(" ", "-")


def content_files(root: Path, site: HugoConfiguration) -> Iterator[ContentFile | LeftOut]:
    """All files of content formats, mount by mount, in the order of their names.

    Symbolic links are never followed, as in Hugo since 0.123.

    Raises:
        SourceMissing: No content folder is there.
        SourceUnreachable: A folder cannot be read.
    """
    found = False
    sources = {mount.source for mount in site.mounts}
    for mount in site.mounts:
        start = root / mount.source
        if not start.exists():
            continue
        found = True
        if start.is_symlink() and not start.resolve().is_relative_to(root.resolve()):
            yield LeftOut(mount.source, "symlink-outside")
            continue
        reader = _Reader(root, site, mount, sources - {mount.source})
        yield from reader.single() if start.is_file() else reader.folder(start, ())
    if not found:
        names = ", ".join(sorted(sources)) or "content"
        raise SourceMissing(
            f"the site in {root} has no content folder ({names}): set site.path to the folder "
            "that holds the Hugo configuration"
        )


class _Reader:
    """Walks one mount."""

    def __init__(self, root: Path, site: HugoConfiguration, mount: Mount, others: set[str]) -> None:
        self._root = root
        self._site = site
        self._mount = mount
        self._others = others
        self._target = tuple(part for part in mount.target.split("/") if part)

    def single(self) -> Iterator[ContentFile | LeftOut]:
        """A mount of one file: its target is its name."""
        file = self._root / self._mount.source
        *folders, name = self._target or (file.name,)
        content = self._content(name, self._mount.source, tuple(folders), file.stat().st_size)
        if content:
            yield content

    def folder(self, folder: Path, below: tuple[str, ...]) -> Iterator[ContentFile | LeftOut]:
        """One folder and all below it."""
        for entry in _entries(folder):
            path = "/".join((*filter(None, [self._mount.source]), *below, entry.name))
            ignored = entry.name.startswith((".", "#")) or self._site.ignore_files(entry.path)
            reason = "" if ignored else _reason_left_out(entry, path, self._root)
            if reason:
                shown = path.encode("utf-8", "replace").decode()
                yield from [LeftOut(shown, reason)] if _may_be_content(entry) else []
            elif not ignored and entry.is_dir():
                if path not in self._others and len(below) < MAX_DEPTH:
                    yield from self.folder(Path(entry.path), (*below, entry.name))
            elif not ignored and self._mount.holds("/".join((*below, entry.name))):
                size = entry.stat().st_size
                content = self._content(entry.name, path, (*self._target, *below), size)
                yield from [content] if content else []

    def _content(
        self, name: str, path: str, folders: tuple[str, ...], size: int
    ) -> ContentFile | None:
        stem, _, extension = name.rpartition(".")
        extension = extension.lower()
        if not stem or extension not in _FORMATS:
            return None
        named = _language(stem, {*self._site.languages, *self._site.unpublished_languages})
        language = self._mount.language or self._site.default_language
        explicit = bool(named or self._mount.language)
        if named:
            spelled, (stem, language) = stem, named
            upper = spelled == f"{stem}.{language.upper()}"
            if upper and not self._site.lower_paths and stem not in _INDEXES:
                stem = spelled
        return ContentFile(path, folders, stem, language, extension, size, explicit)


def _language(stem: str, known: set[str]) -> tuple[str, str] | None:
    """Name and language of `name.fr`: of its parts the last one that is a language.

    What stands behind the language is dropped, but a language that is the first of several
    parts stays in the name, as in Hugo 0.168.
    """
    parts = stem.split(".")
    for index in range(len(parts) - 1, -1, -1):
        if lowered(parts[index]) in known and len(parts) > 1:
            name = ".".join(parts[:index]) if index else stem
            return name, lowered(parts[index])
    return None


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as scan:
            return sorted(scan, key=lambda entry: entry.name)
    except OSError as error:
        raise SourceUnreachable(f"{folder} cannot be read: {error.strerror}") from error


def _reason_left_out(entry: os.DirEntry[str], path: str, root: Path) -> str:
    if entry.name == _ADAPTER:
        return "generated"
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return "encoding"
    if not entry.is_symlink():
        return ""
    try:
        target = Path(entry.path).resolve(strict=True)
    except FileNotFoundError:
        return "symlink-broken"
    except (OSError, RuntimeError):
        return "symlink-loop"
    return "not-rendered" if target.is_relative_to(root.resolve()) else "symlink-outside"


def _may_be_content(entry: os.DirEntry[str]) -> bool:
    """Whether a reader of the report would miss the file: images and the like are no pages."""
    extension = entry.name.rpartition(".")[2].lower()
    return extension in _FORMATS or entry.name == _ADAPTER or entry.is_dir()
