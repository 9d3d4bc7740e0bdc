import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ingestion.sources.base import KnownSource, Listing, ReportProgress, no_progress
from ingestion.sources.unchanged_site import UnchangedSite
from retrieval.configuration import Site
from retrieval.types import Skipped, Unreadable
from tests.sites import write_site

NOW = datetime(2030, 1, 1, tzinfo=UTC)
SKIPPED = (Skipped("site", "content/draft.md", "draft"),)
KNOWN = frozenset({"site:content/gauge.md", "site:cv.pdf"})


class CountingSource:
    """Says the same whenever it is read, and how often that was."""

    name = "site"

    def __init__(self, errors: tuple[Unreadable, ...] = ()) -> None:
        self.readings = 0
        self.errors = errors

    def listing(self, report: ReportProgress = no_progress) -> Listing:
        self.readings += 1
        return Listing((), SKIPPED, self.errors)


def readings(root: Path, change: Callable[[], object]) -> int:
    source = CountingSource()
    first = UnchangedSite(Site(), root, NOW, KnownSource(), source).listing()
    change()
    known = KnownSource(first.state, KNOWN)
    UnchangedSite(Site(), root, NOW, known, source).listing()
    return source.readings


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_site(tmp_path)
    return tmp_path


def test_a_folder_without_a_change_is_not_read_and_says_the_same(root: Path) -> None:
    source = CountingSource()
    first = UnchangedSite(Site(), root, NOW, KnownSource(), source).listing()
    known = KnownSource(first.state, KNOWN)
    listing = UnchangedSite(Site(), root, NOW, known, source).listing()
    assert source.readings == 1
    assert listing.documents == ()
    assert listing.unchanged == KNOWN
    assert listing.skipped == SKIPPED


def touched(file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("changed", encoding="utf-8")


@pytest.mark.parametrize(
    "path",
    [
        "content/gauge.md",
        "content/new.md",
        "content/posts/index.org",
        "hugo.toml",
        "config/_default/params.yaml",
        "data/projects.json",
        "themes/blue/theme.toml",
        "list.csv",
        "public/gauge/index.html",
        "static/cv.pdf",
    ],
)
def test_whatever_may_decide_about_a_page_has_the_site_read_again(root: Path, path: str) -> None:
    assert readings(root, lambda: touched(root / path)) == 2


def test_a_deleted_and_a_renamed_page_are_changes(root: Path) -> None:
    content = root / "content"
    assert readings(root, (content / "kiln.md").unlink) == 2
    assert readings(root, lambda: (content / "gauge.md").rename(content / "tide.md")) == 2


def test_the_bytes_of_a_page_decide_and_not_its_time(root: Path) -> None:
    later = (NOW.timestamp(), NOW.timestamp())
    assert readings(root, lambda: os.utime(root / "content/gauge.md", later)) == 1


@pytest.mark.parametrize(
    "path", [".git/HEAD.md", "node_modules/x/README.md", "knowledge/x.json", "layouts/single.css"]
)
def test_what_is_no_part_of_the_site_is_not_looked_at(root: Path, path: str) -> None:
    touched(root / "knowledge/sync.lock")
    assert readings(root, lambda: touched(root / path)) == 1


@pytest.mark.parametrize(
    ("later", "count"),
    [(timedelta(hours=1), 1), (timedelta(days=1), 2), (timedelta(days=2), 2), (timedelta(-1), 2)],
)
def test_a_page_that_falls_due_or_a_clock_that_goes_back_has_the_site_read(
    root: Path, later: timedelta, count: int
) -> None:
    source = CountingSource()

    def listing(now: datetime, known: KnownSource) -> Listing:
        due = NOW + timedelta(days=1)
        return UnchangedSite(Site(), root, now, known, source, lambda: due).listing()

    first = listing(NOW, KnownSource())
    listing(NOW + later, KnownSource(first.state, KNOWN))
    assert source.readings == count


def test_another_block_has_the_site_read(root: Path) -> None:
    source = CountingSource()
    first = UnchangedSite(Site(), root, NOW, KnownSource(), source).listing()
    known = KnownSource(first.state, KNOWN)
    UnchangedSite(Site(base_url="https://other.example/"), root, NOW, known, source).listing()
    assert source.readings == 2


def test_a_site_with_an_unreadable_page_keeps_no_state(root: Path) -> None:
    source = CountingSource((Unreadable("site", "content/b.md", "front-matter-error"),))
    listing = UnchangedSite(Site(), root, NOW, KnownSource(), source).listing()
    assert (listing.state, listing.errors) == ("", source.errors)


@pytest.mark.parametrize("state", ["", "{", "[]", '{"digest": 3}', "\ud800"])
def test_a_state_that_cannot_be_read_has_the_site_read(root: Path, state: str) -> None:
    source = CountingSource()
    UnchangedSite(Site(), root, NOW, KnownSource(state, KNOWN), source).listing()
    assert source.readings == 1
