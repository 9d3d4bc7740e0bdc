"""Is a site's folder as it was at the last sync? Then its pages need not be read again.

One digest stands for the block, the rules, and every file below the folder that may decide about
a page: texts and configuration by their bytes, built pages and PDF files by size and time. Where a
page falls due or expires between the two syncs, the site is read.
"""

import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from ingestion.hugo.program import find_hugo
from ingestion.knowledge_folder import LOCK_FILE
from ingestion.sources.base import (
    DocumentSource,
    KnownSource,
    Listing,
    ReportProgress,
    no_progress,
)
from retrieval.configuration import Site
from retrieval.types import Skipped

SITE_RULES_VERSION = 2
"""Raise it when the same files would give other documents: every site is then read again."""

MAX_HASHED_BYTES = 4 << 20
_READ = frozenset(
    {".md", ".markdown", ".mdown", ".mdx", ".html", ".htm", ".org", ".adoc", ".asciidoc", ".rst"}
    | {".toml", ".yaml", ".yml", ".json", ".csv", ".txt", ".pandoc", ".pdc", ".gotmpl"}
)
_SEEN = frozenset({".pdf"})
_LEFT_OUT = frozenset({"node_modules", "__pycache__", "resources"})


@dataclass(frozen=True, slots=True)
class _State:
    digest: str
    read_at: datetime
    changes_at: datetime | None
    skipped: tuple[tuple[str, str], ...]
    pages: str = ""


_ADAPTER = TypeAdapter(_State)


class UnchangedSite:
    """A site that is read only where something changed."""

    def __init__(
        self,
        site: Site,
        root: Path,
        now: datetime,
        known: KnownSource,
        source: DocumentSource,
        changes_at: Callable[[], datetime | None] = lambda: None,
    ) -> None:
        """Wrap a source.

        Args:
            site: The configured block.
            root: The site's folder.
            now: Aware.
            known: What the current generation holds of the site.
            source: Reads the site where something changed; it may keep a state of its own.
            changes_at: Asked behind a listing: when a page falls due or expires by itself.
        """
        self._site = site
        self._root = root
        self._now = now
        self._known = known
        self._source = source
        self._changes_at = changes_at

    @property
    def name(self) -> str:
        """Name of the source."""
        return self._source.name

    def listing(self, report: ReportProgress = no_progress) -> Listing:
        """See `DocumentSource`: all documents are unchanged, or everything is read."""
        digest = site_digest(self._site, self._root)
        before = _state(self._known.state)
        if before and before.digest == digest and _holds(before, self._now):
            skipped = tuple(Skipped(self.name, path, why) for path, why in before.skipped)
            return Listing((), skipped, (), self._known.documents, self._known.state)
        listing = self._source.listing(report)
        if listing.errors:
            return replace(listing, state="")
        state = _State(
            digest=digest,
            read_at=self._now,
            changes_at=self._changes_at(),
            skipped=tuple((each.path, each.reason) for each in listing.skipped),
            pages=listing.state,
        )
        return replace(listing, state=_ADAPTER.dump_json(state).decode("utf-8", "replace"))


def known_pages(known: KnownSource) -> KnownSource:
    """What the wrapped source said of its pages."""
    state = _state(known.state)
    return KnownSource(state.pages, known.documents) if state else KnownSource()


def site_digest(site: Site, root: Path) -> str:
    """SHA-256 (hex) over everything that decides about the documents of a site."""
    digest = hashlib.sha256()
    hugo = find_hugo()
    parts = [
        str(SITE_RULES_VERSION),
        site.model_dump_json(),
        str(hugo and (hugo, hugo.stat().st_mtime_ns)),
        str(find_spec("pypdf") is not None),
    ]
    digest.update("\0".join(parts).encode("utf-8", "surrogateescape"))
    for path, content in _files(root, site.public):
        digest.update(f"\0{path}\0".encode("utf-8", "surrogateescape"))
        digest.update(content)
    return digest.hexdigest()


def _files(root: Path, public: str) -> Iterator[tuple[str, bytes]]:
    """(path, what stands for the content) of every file that may decide about a page."""
    built = os.path.normpath(root / public)
    for parent, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if _is_site_folder(parent, name))
        is_built = os.path.commonpath((built, parent)) == built
        for name in sorted(files):
            file = Path(parent, name)
            suffix = file.suffix.lower()
            if suffix in _READ or suffix in _SEEN:
                yield str(file), _content(file, by_time=is_built or suffix in _SEEN)


def _is_site_folder(parent: str, name: str) -> bool:
    if name.startswith(".") or name in _LEFT_OUT:
        return False
    return not Path(parent, name, LOCK_FILE).is_file()  # a knowledge folder


def _content(file: Path, *, by_time: bool) -> bytes:
    try:
        entry = file.lstat()
        if by_time or entry.st_size > MAX_HASHED_BYTES or stat.S_ISLNK(entry.st_mode):
            return f"{entry.st_size} {entry.st_mtime_ns} {entry.st_mode}".encode()
        return hashlib.sha256(file.read_bytes()).digest()
    except OSError as error:
        return f"unreadable {error.errno}".encode()


def _state(text: str) -> _State | None:
    if not text:
        return None
    try:
        return _ADAPTER.validate_json(text)
    except ValidationError:
        return None


def _holds(state: _State, now: datetime) -> bool:
    """No page fell due or expired since, and the clock did not go back over such a moment."""
    return state.read_at <= now and (state.changes_at is None or now < state.changes_at)
