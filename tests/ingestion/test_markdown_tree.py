"""MkDocs' addresses and ids are those of a build of the same files with MkDocs 1.6."""

import os
from pathlib import Path

import pytest

from ingestion.errors import SourceError, SourceMissing
from ingestion.sources.base import Listing
from ingestion.sources.folder_files import MAX_FILE_BYTES
from ingestion.sources.markdown_tree import MarkdownTree
from ingestion.sources.path_patterns import PathPatterns
from ingestion.sources.url_pattern import url_path
from retrieval.configuration import Site
from retrieval.errors import ConfigurationError

BASE = "https://x.example/"


def put(root: Path, path: str, text: str | bytes) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())


def listing(root: Path, **site: object) -> Listing:
    return MarkdownTree(Site.model_validate({"base_url": BASE, **site}), root).listing()


def urls(found: Listing) -> dict[str, str | None]:
    return {document.path: document.url for document in found.documents}


def titles(found: Listing) -> dict[str, str]:
    return {document.path: document.title for document in found.documents}


def skipped(found: Listing) -> dict[str, str]:
    return {item.path: item.reason.split(":")[0] for item in found.skipped}


def test_every_markdown_file_is_a_page(tmp_path: Path) -> None:
    for path in ("index.md", "a.md", "b/README.md", "b/c.markdown", "b/D e é.mdx", "b/pic.png"):
        put(tmp_path, path, "# T\n\ntext")
    assert urls(listing(tmp_path)) == {
        "a.md": BASE + "a/",
        "b/D e é.mdx": BASE + "b/D%20e%20é/",
        "b/README.md": BASE + "b/",
        "b/c.markdown": BASE + "b/c/",
        "index.md": BASE,
    }


def test_a_document_has_all_its_parts(tmp_path: Path) -> None:
    put(tmp_path, "b/a.md", "---\ntitle: My page\nlang: DE\n---\nintro\n\n## Über uns\n\ntext\n")
    page = listing(tmp_path, name="docs").documents[0]
    assert (page.doc_id, page.source, page.path) == ("docs:b/a.md", "docs", "b/a.md")
    assert (page.title, page.language, page.kind) == ("My page", "de", "page")
    assert page.anchors == ("über-uns",)
    assert [(s.headings, s.anchor, s.start_line) for s in page.sections] == [
        ((), "", 5),
        (("Über uns",), "über-uns", 7),
    ]


def test_without_an_address_of_the_site_pages_have_none(tmp_path: Path) -> None:
    put(tmp_path, "a.md", "text")
    assert urls(listing(tmp_path, base_url="")) == {"a.md": None}


def test_titles_come_from_front_matter_then_heading_then_name(tmp_path: Path) -> None:
    put(tmp_path, "a.md", "---\ntitle: 2024\n---\n# H")
    put(tmp_path, "b.md", "text\n\n## H *i*")
    put(tmp_path, "my_long-name.md", "text")
    put(tmp_path, "2024-05-06-post.md", "text")
    put(tmp_path, "guide/index.md", "text")
    assert titles(listing(tmp_path)) == {
        "2024-05-06-post.md": "Post",
        "a.md": "2024",
        "b.md": "H i",
        "guide/index.md": "Guide",
        "my_long-name.md": "My long name",
    }


@pytest.mark.parametrize(
    ("pattern", "path", "values", "url"),
    [
        ("/{path}/", "a/b.md", {}, "a/b/"),
        ("/{path}/", "index.md", {}, ""),
        ("/docs/{path}", "a/README.md", {}, "docs/a"),
        ("/docs/{path}.html", "a/b.md", {}, "docs/a/b.html"),
        ("/{folder}/{slug}/", "a/b.md", {"slug": "own"}, "a/own/"),
        ("/{slug}/", "_posts/2024-05-06-my-post.md", {}, "my-post/"),
        ("/{year}/{month}/{day}/{name}.html", "_posts/2024-5-6-p.md", {}, "2024/05/06/p.html"),
        ("/{year}/{slug}/", "p.md", {"date": "2023-01-02"}, "2023/p/"),
        ("/{path}/", "a.md", {"permalink": "/about/"}, "about/"),
        ("/{path}/", "a.md", {"permalink": "pretty"}, "a/"),
        ("/{path}/", "a b#?%.md", {}, "a%20b%23%3F%25/"),
    ],
)
def test_addresses_follow_the_pattern(
    pattern: str, path: str, values: dict[str, object], url: str
) -> None:
    assert url_path(pattern, path, values) == url


def test_an_unknown_placeholder_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"unknown \{lang\}; known: .*\{path\}"):
        listing(tmp_path, url_pattern="/{lang}/{path}/")


def test_drafts_stay_out(tmp_path: Path) -> None:
    put(tmp_path, "a.md", "---\nDraft: 'true'\n---\nsecret")
    put(tmp_path, "b.md", "---\npublished: false\n---\nsecret")
    put(tmp_path, "c.md", "+++\ndraft = true\n+++\nsecret")
    put(tmp_path, "_drafts/d.md", "secret")
    put(tmp_path, "e.md", "---\ndraft: false\npublished: true\n---\ntext")
    found = listing(tmp_path)
    assert list(urls(found)) == ["e.md"]
    assert skipped(found) == dict.fromkeys(("a.md", "b.md", "c.md", "_drafts/d.md"), "draft")


@pytest.mark.parametrize(
    "text", ["---\n\ntext", "- item\n- b", "{{ x }}", "+ item", "--\n", "+++\nx"]
)
def test_a_page_may_start_with_a_rule_a_list_or_a_brace(tmp_path: Path, text: str) -> None:
    put(tmp_path, "a.md", text)
    assert listing(tmp_path).documents[0].sections[0].text == text.strip("\n")


def test_a_broken_block_is_an_error_and_no_text(tmp_path: Path) -> None:
    put(tmp_path, "docs/a.md", "---\ntitle: a: b\n---\nsecret")
    put(tmp_path, "docs/b.md", "text")
    found = listing(tmp_path)
    assert [(error.path, error.reason.split(":")[:2]) for error in found.errors] == [
        ("docs/a.md", ["front-matter-error", " line 2"])
    ]
    assert list(urls(found)) == ["docs/b.md"]


def test_files_that_cannot_be_pages_are_skipped_with_their_reason(tmp_path: Path) -> None:
    root = tmp_path / "site"
    put(tmp_path, "outside/secret.md", "secret")
    put(root, "big.md", b"x" * (MAX_FILE_BYTES + 1))
    put(root, "latin.md", "Café".encode("latin-1"))
    put(root, "empty.md", "---\ntitle: T\n---\n \n")
    put(root, ".hidden/a.md", "hidden")
    put(root, ".a.md", "hidden")
    put(root, "node_modules/x/README.md", "foreign")
    put(root, "a/ok.md", "ok")
    (root / "out.md").symlink_to(tmp_path / "outside/secret.md")
    (root / "outdir").symlink_to(tmp_path / "outside")
    (root / "gone.md").symlink_to(root / "nowhere.md")
    (root / "self.md").symlink_to(root / "self.md")
    (root / "a/up").symlink_to(root)
    (root / "inside.md").symlink_to(root / "a/ok.md")
    found = listing(root)
    assert sorted(urls(found)) == ["a/ok.md", "inside.md"]
    assert skipped(found) == {
        "a/up": "symlink-loop",
        "big.md": "too-large",
        "empty.md": "empty",
        "gone.md": "symlink-broken",
        "latin.md": "encoding",
        "out.md": "symlink-outside",
        "outdir": "symlink-outside",
        "self.md": "symlink-loop",
    }


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    put(tmp_path, "a.md", "\ufeff---\ntitle: T\n---\ntext")
    assert titles(listing(tmp_path)) == {"a.md": "T"}


def test_a_missing_folder_is_no_empty_site(tmp_path: Path) -> None:
    with pytest.raises(SourceMissing, match=r"site\.path"):
        listing(tmp_path / "none")
    for folder in ("pages", "..", "/"):
        put(tmp_path, "mkdocs.yml", f"docs_dir: {folder}\n")
        with pytest.raises(SourceMissing, match="docs_dir"):
            listing(tmp_path)


def test_a_file_name_that_is_not_utf8_is_skipped(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.md")).write_text("text")
    found = listing(tmp_path)
    assert (found.documents, list(skipped(found).values())) == ((), ["encoding"])


def test_progress_is_reported(tmp_path: Path) -> None:
    put(tmp_path, "a.md", "a")
    put(tmp_path, "b.md", "b")
    seen: list[tuple[int, int]] = []
    MarkdownTree(Site(), tmp_path).listing(lambda done, total: seen.append((done, total)))
    assert seen == [(0, 2), (1, 2), (2, 2)]


MKDOCS = """\
site_name: T
site_url: https://docs.example/base/
theme: {name: material, language: de}
nav:
  - Home: index.md
  - Part:
      - From the menu: guide/one.md
exclude_docs: |
  secret.md
  /sub/deep/*
  !/sub/deep/keep.md
draft_docs: wip/
markdown_extensions:
  - attr_list
  - pymdownx.emoji:
      emoji_index: !!python/name:material.extensions.emoji.twemoji
extra: !ENV [A, b]
"""


@pytest.fixture
def mkdocs(tmp_path: Path) -> Path:
    put(tmp_path, "mkdocs.yml", MKDOCS)
    for path in ("guide/two", "sub/deep/keep", "sub/deep/drop", "templates/t", "wip/a", "secret"):
        put(tmp_path, f"docs/{path}.md", "# H1\n\ntext")
    put(tmp_path, "docs/index.md", "# Welcome\n\n## Setup\n## Setup\n## x {#setup_1}\n## Café\n")
    put(tmp_path, "docs/guide/one.md", "---\ntitle: From the page\n---\n# From the text\n")
    put(tmp_path, "docs/guide/my_page.md", "## No title\n\n# Late\n")
    put(tmp_path, "docs/sub/README.md", "text\n")
    put(tmp_path, "docs/guide/README.md", "text\n")
    put(tmp_path, "docs/guide/index.md", "# Guide\n\ntext")
    put(tmp_path, "README.md", "of the repository")
    return tmp_path


def test_mkdocs_decides_addresses(mkdocs: Path) -> None:
    base = "https://docs.example/base/"
    assert urls(listing(mkdocs, base_url="")) == {
        "docs/guide/index.md": base + "guide/",
        "docs/guide/my_page.md": base + "guide/my_page/",
        "docs/guide/one.md": base + "guide/one/",
        "docs/guide/two.md": base + "guide/two/",
        "docs/index.md": base,
        "docs/sub/README.md": base + "sub/",
        "docs/sub/deep/keep.md": base + "sub/deep/keep/",
    }


def test_mkdocs_decides_what_is_published(mkdocs: Path) -> None:
    assert skipped(listing(mkdocs)) == {
        "docs/guide/README.md": "not-rendered",
        "docs/secret.md": "not-rendered",
        "docs/sub/deep/drop.md": "not-rendered",
        "docs/templates/t.md": "not-rendered",
        "docs/wip/a.md": "draft",
    }


def test_mkdocs_decides_titles_and_language(mkdocs: Path) -> None:
    found = listing(mkdocs)
    assert titles(found) == {
        "docs/guide/index.md": "Guide",
        "docs/guide/my_page.md": "My page",
        "docs/guide/one.md": "From the menu",
        "docs/guide/two.md": "H1",
        "docs/index.md": "Home",
        "docs/sub/README.md": "Sub",
        "docs/sub/deep/keep.md": "H1",
    }
    assert {document.language for document in found.documents} == {"de"}


def test_mkdocs_decides_ids(mkdocs: Path) -> None:
    page = next(d for d in listing(mkdocs).documents if d.path == "docs/index.md")
    assert page.anchors == ("welcome", "setup", "setup_2", "setup_1", "cafe")


def test_mkdocs_without_directory_urls(mkdocs: Path) -> None:
    put(mkdocs, "mkdocs.yml", "use_directory_urls: false\n")
    found = urls(listing(mkdocs))
    assert found["docs/index.md"] == BASE + "index.html"
    assert found["docs/guide/one.md"] == BASE + "guide/one.html"


def test_a_broken_mkdocs_file_stops_the_listing(mkdocs: Path) -> None:
    put(mkdocs, "mkdocs.yml", "site_name: a: b\n")
    with pytest.raises(SourceError, match=r"mkdocs\.yml cannot be read: line 1"):
        listing(mkdocs)


@pytest.mark.parametrize(
    ("patterns", "path", "matched"),
    [
        ("a.md", "x/a.md", True), ("/a.md", "x/a.md", False), ("/a.md", "a.md", True),
        ("x/", "x/a.md", True), ("x/", "y/x/a.md", True), ("x/", "x.md", False),
        ("*.md", "x/a.md", True), ("x/*.md", "x/y/a.md", False), ("x/**/a.md", "x/y/z/a.md", True),
        ("a?.md", "ab.md", True), ("[ab].md", "b.md", True), ("[!ab].md", "b.md", False),
        ("*.md\n!keep.md", "keep.md", False), ("# comment", "# comment", False), (".*", ".a", True),
    ],
)  # fmt: skip
def test_patterns_match_as_in_a_gitignore(patterns: str, path: str, matched: bool) -> None:
    assert PathPatterns.from_text(patterns).match(path) is matched


@pytest.mark.shared
def test_the_starlette_docs_are_read_whole() -> None:
    root = Path(__file__).parents[3] / "shared/data/sites/starlette-mkdocs"
    if not root.is_dir():
        pytest.skip("the shared starlette-mkdocs site is not here")
    found = listing(root, base_url="")
    assert (len(found.documents), found.skipped, found.errors) == (25, (), ())
