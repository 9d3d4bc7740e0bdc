"""A site that was read before: only what differs is parsed, and the documents are the same."""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ingestion.hugo.authority import own_rules
from ingestion.sources.base import KnownSource, Listing
from ingestion.sources.hugo_site import HugoSite
from retrieval.configuration import Site
from retrieval.types import Document
from tests.sites import write_files

NOW = datetime(2030, 1, 1, tzinfo=UTC)
CONFIGURATION = 'baseURL = "https://portfolio.example/"\ntitle = "Portfolio"\n'
FILES = {
    "hugo.toml": CONFIGURATION,
    "content/posts/_index.md": "---\ntitle: Posts\n---\nAll posts.\n",
    "content/posts/gauge.md": "---\ntitle: Gauge\n---\nIntro.\n\n## Wiring\n\nThree pins.\n",
    "content/posts/kiln.md": "---\ntitle: Kiln\naliases: [/old-kiln/]\n---\nRamps slowly.\n",
    "content/posts/whole.md": '---\ntitle: Whole\n---\nIntro.\n\n{{% include "posts/kiln.md" %}}\n',
    "content/about.md": "---\ntitle: About\ndescription: Who I am\n---\nI build things.\n",
}
ALL = frozenset(f"site:{path}" for path in FILES if path.startswith("content/"))
ALWAYS_READ = "site:content/posts/whole.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_files(tmp_path, FILES)
    return tmp_path


def listing(root: Path, known: KnownSource = KnownSource()) -> Listing:  # noqa: B008
    return HugoSite(Site(), root, NOW, own_rules, known).listing()


def known_of(found: Listing) -> KnownSource:
    return KnownSource(found.state, frozenset(document.doc_id for document in found.documents))


def by_id(found: Listing) -> dict[str, Document]:
    return {document.doc_id: document for document in found.documents}


def test_without_a_change_only_pages_that_include_others_are_read(root: Path) -> None:
    first = listing(root)
    again = listing(root, known_of(first))
    assert set(by_id(first)) == ALL
    assert set(by_id(again)) == {ALWAYS_READ}
    assert again.unchanged == ALL - {ALWAYS_READ}
    assert again.state == first.state


def edit(path: str, old: str, new: str) -> Callable[[Path], None]:
    def change(root: Path) -> None:
        text = (root / path).read_text(encoding="utf-8")
        assert old in text
        (root / path).write_text(text.replace(old, new), encoding="utf-8")

    return change


def append(path: str, text: str) -> Callable[[Path], None]:
    return lambda root: write_files(root, {path: (root / path).read_text("utf-8") + text})


def built(root: Path) -> None:
    page = '<h2 id="pins">Wiring</h2>'
    write_files(root, {"public/posts/gauge/index.html": page})
    os.utime(root / "content/posts/gauge.md", (1_000_000_000, 1_000_000_000))


CHANGES: dict[str, tuple[Callable[[Path], object], set[str]]] = {
    "a body": (edit("content/posts/gauge.md", "Three", "Four"), {"posts/gauge.md"}),
    "a line above the body": (
        edit("content/posts/gauge.md", "title: Gauge\n", "title: Gauge\nweight: 2\n"),
        {"posts/gauge.md"},
    ),
    "a title": (edit("content/about.md", "title: About", "title: Me"), {"about.md"}),
    "a description": (edit("content/about.md", "Who I am", "What I do"), {"about.md"}),
    "an included page": (edit("content/posts/kiln.md", "slowly", "fast"), {"posts/kiln.md"}),
    "a slug": (edit("content/about.md", "title: About", "title: About\nslug: me"), {"about.md"}),
    "a cascade of a title": (
        edit("content/posts/_index.md", "title: Posts", "title: Posts\ncascade: {slug: x}"),
        {"posts/_index.md", "posts/gauge.md", "posts/kiln.md"},
    ),
    "an address that another page's alias had": (
        lambda root: write_files(root, {"content/old-kiln.md": "---\ntitle: Old\n---\nOld.\n"}),
        {"old-kiln.md", "posts/kiln.md"},
    ),
    "permalinks": (
        append("hugo.toml", '[permalinks]\nposts = "/p/:slug/"\n'),
        {"posts/gauge.md", "posts/kiln.md"},
    ),
    "how headings get their ids": (
        append("hugo.toml", "[markup.goldmark.parser]\nautoHeadingID = false\n"),
        {"about.md", "posts/_index.md", "posts/gauge.md", "posts/kiln.md"},
    ),
    "a built page": (built, {"posts/gauge.md"}),
    "a deleted page": (lambda root: (root / "content/posts/gauge.md").unlink(), set()),
    "a draft": (edit("content/about.md", "title: About", "title: About\ndraft: true"), set()),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_decides_about_a_page_has_it_read_and_no_other(root: Path, what: str) -> None:
    change, read = CHANGES[what]
    first = listing(root)
    change(root)
    again = listing(root, known_of(first))
    assert set(by_id(again)) - {ALWAYS_READ} == {f"site:content/{path}" for path in read}
    before = by_id(first)
    together = {doc_id: before[doc_id] for doc_id in again.unchanged} | by_id(again)
    assert together == by_id(listing(root))


def test_where_a_page_names_a_pdf_all_are_read(root: Path) -> None:
    append("content/about.md", "\n[CV](/cv.PDF)\n")(root)
    first = listing(root)
    again = listing(root, known_of(first))
    assert (first.state, again.unchanged) == ("", frozenset())
    assert by_id(again) == by_id(first)


@pytest.mark.parametrize("state", ["", "x", "[]", '{"rules": 0, "pages": {}}', '{"rules": 1}'])
def test_a_state_that_cannot_be_read_has_every_page_read(root: Path, state: str) -> None:
    assert set(by_id(listing(root, KnownSource(state, ALL)))) == ALL


def test_a_page_that_is_not_stored_is_read_though_its_digest_is_known(root: Path) -> None:
    known = known_of(listing(root))
    fewer = KnownSource(known.state, known.documents - {"site:content/about.md"})
    assert set(by_id(listing(root, fewer))) == {ALWAYS_READ, "site:content/about.md"}


def test_a_page_without_text_is_named_by_every_sync_and_stays_a_page(root: Path) -> None:
    write_files(root, {"content/bare.md": "---\ntitle: Bare\n---\n\n"})
    first = listing(root)
    again = listing(root, known_of(first))
    for found in (first, again):
        assert "site:content/bare.md" in by_id(found)
        assert [(left.path, left.reason) for left in found.skipped] == [
            ("content/bare.md", "empty")
        ]
