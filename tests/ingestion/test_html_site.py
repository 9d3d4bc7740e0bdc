from collections.abc import Mapping
from pathlib import Path

import pytest

from ingestion.errors import SourceMissing
from ingestion.sources.base import Listing
from ingestion.sources.html_site import MAX_PAGE_BYTES, HtmlSite
from retrieval.configuration import Site
from tests.sites import write_files

BASE = "https://x.example/sub/"


def page(body: str = "<p>Text.</p>", head: str = "", title: str = "T", lang: str = "en") -> str:
    return (
        f"<!doctype html><html lang='{lang}'><head><title>{title} | Site</title>{head}</head>"
        f"<body><main><h1 id='top'>{title}</h1>{body}</main></body></html>"
    )


def listing(root: Path, files: Mapping[str, str], base: str = BASE) -> Listing:
    root.mkdir(exist_ok=True)
    write_files(root, files)
    return HtmlSite(Site(kind="html", base_url=base), root).listing()


def reasons(found: Listing) -> dict[str, str]:
    return {skipped.path: skipped.reason.split(":")[0] for skipped in found.skipped}


def test_every_page_has_the_address_where_it_lies(tmp_path: Path) -> None:
    found = listing(
        tmp_path,
        {
            "index.html": page(title="Home"),
            "a b/index.html": page(title="A"),
            "c.html": page(title="C"),
            "style.css": "p{}",
            ".git/x.html": page(),
        },
    )
    assert [(d.doc_id, d.url, d.title, d.language) for d in found.documents] == [
        ("site:a b/index.html", f"{BASE}a%20b/", "A", "en"),
        ("site:c.html", f"{BASE}c.html", "C", "en"),
        ("site:index.html", BASE, "Home", "en"),
    ]


def test_every_id_of_the_page_is_an_anchor(tmp_path: Path) -> None:
    body = "<section id='s'><h2>S</h2><p>x <span id='in'>y</span> <a name='n'></a></p></section>"
    (document,) = listing(tmp_path, {"a.html": page(body)}).documents
    assert document.anchors == ("top", "s", "in", "n")
    assert [s.anchor for s in document.sections] == ["s"]


def test_what_is_not_to_be_listed_is_left_out_with_its_reason(tmp_path: Path) -> None:
    found = listing(
        tmp_path,
        {
            "404.html": page(),
            "hidden.html": page(head="<meta name='Robots' content='NOINDEX, follow'>"),
            "none.html": page(head="<meta name=robots content=none>"),
            "old/index.html": '<html><head><meta http-equiv="refresh" content="0; url=/sub/a/">',
            "empty.html": "<html><body><main> </main></body></html>",
            "large.html": page("x" * MAX_PAGE_BYTES),
            "ok.html": page(),
        },
    )
    assert [d.path for d in found.documents] == ["ok.html"]
    assert reasons(found) == {
        "404.html": "not-rendered",
        "hidden.html": "not-rendered",
        "none.html": "not-rendered",
        "old/index.html": "not-rendered",
        "empty.html": "empty",
        "large.html": "too-large",
    }


def test_a_page_leaves_its_text_to_its_canonical_address(tmp_path: Path) -> None:
    canonical = f"<link rel='canonical' href='{BASE}a/'>"
    found = listing(
        tmp_path,
        {
            "a/index.html": page(head=canonical),
            "print/a/index.html": page(head=canonical),
            "b.html": page(head="<link rel=canonical href='/sub/b/'>"),
            "c.html": page(head="<link rel=canonical href='https://evil.example/c/'>"),
            "d.html": page(head="<link rel=canonical href='http://[broken'>"),
        },
    )
    assert [(d.path, d.url, d.aliases) for d in found.documents] == [
        ("a/index.html", f"{BASE}a/", (f"{BASE}print/a/",)),
        ("b.html", f"{BASE}b/", (f"{BASE}b.html",)),
        ("c.html", f"{BASE}c.html", ()),
        ("d.html", f"{BASE}d.html", ()),
    ]
    assert reasons(found) == {"print/a/index.html": "not-rendered"}


def test_pages_that_name_each_other_or_a_page_that_leads_back_are_not_lost(tmp_path: Path) -> None:
    def named(target: str) -> str:
        return page(head=f"<link rel=canonical href='{BASE}{target}'>")

    found = listing(
        tmp_path,
        {
            "a.html": named("b.html"),
            "b.html": named("a.html"),
            "c.html": named("old.html"),
            "old.html": f'<html><head><meta http-equiv="refresh" content="0; url={BASE}c.html">',
            "d.html": named("gone.html"),
            "e.html": named("gone.html"),
        },
    )
    assert [d.url for d in found.documents] == [
        f"{BASE}{name}.html" for name in ("b", "a", "old", "gone")
    ]
    assert set(reasons(found)) == {"old.html", "e.html"}


def test_a_page_that_leads_to_another_one_is_an_alias_of_it(tmp_path: Path) -> None:
    refresh = '<html><head><meta http-equiv="refresh" content="0; url={}"></head></html>'
    found = listing(
        tmp_path,
        {
            "a/index.html": page(),
            "old/index.html": refresh.format("/sub/a/"),
            "out/index.html": refresh.format("https://other.example/"),
            "bad/index.html": refresh.format("http://[x"),
        },
    )
    assert [(d.url, d.aliases) for d in found.documents] == [(f"{BASE}a/", (f"{BASE}old/",))]
    assert set(reasons(found).values()) == {"not-rendered"}
    assert len(found.skipped) == 3


def test_without_a_base_url_only_a_canonical_address_makes_a_link(tmp_path: Path) -> None:
    files = {"a.html": page(head=f"<link rel=canonical href='{BASE}a/'>"), "b.html": page()}
    found = listing(tmp_path, files, base="")
    assert [d.url for d in found.documents] == [f"{BASE}a/", None]


def test_translations_that_name_each_other_belong_together(tmp_path: Path) -> None:
    links = (
        f"<link rel=alternate hreflang=en href='{BASE}a/'>"
        f"<link rel=alternate hreflang=es href='{BASE}es/a/'>"
        f"<link rel=alternate hreflang=x-default href='{BASE}'>"
    )
    files = {
        "a/index.html": page(head=links),
        "es/a/index.html": page(head=links, lang="ES"),
        "b.html": page(),
    }
    english, other, spanish = listing(tmp_path, files).documents
    assert english.translation_key == spanish.translation_key != ""
    assert other.translation_key == ""
    assert spanish.language == "es"


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.html").write_text(page(), encoding="utf-8")
    root = tmp_path / "public"
    root.mkdir()
    (root / "x.html").symlink_to(tmp_path / "secret.html")
    assert reasons(listing(root, {})) == {"x.html": "symlink-outside"}


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceMissing, match="public"):
        HtmlSite(Site(kind="html"), tmp_path / "public").listing()
