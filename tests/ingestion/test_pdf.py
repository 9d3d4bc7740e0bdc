from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ingestion.errors import DocumentUnreadable
from ingestion.sources import open_site
from ingestion.sources.base import Listing
from ingestion.sources.pdf_text import MAX_FILE_BYTES, pdf_text
from retrieval.configuration import DataRows, Site
from tests.ingestion.pdf_files import pdf_file

Files = dict[str, str | bytes]
CV = pdf_file([["Ada Example (engineer)", "Lisbon"], [], ["Talks about tide gauges"]], "CV of Ada")
BASE = "https://x.example/sub/"


def site_listing(root: Path, files: Mapping[str, str | bytes], **settings: object) -> Listing:
    for name, content in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    site = Site.model_validate({"base_url": BASE, **settings})
    return open_site(site, root, datetime(2025, 1, 1, tzinfo=UTC)).listing()


def pdfs(listing: Listing) -> list[tuple[str, str | None]]:
    return [(d.path, d.url) for d in listing.documents if d.path.lower().endswith(".pdf")]


def hugo(page: str) -> Files:
    return {"hugo.toml": f'baseURL = "{BASE}"', "content/about.md": page, "static/files/cv.pdf": CV}


def test_a_page_of_the_file_is_a_section_that_a_viewer_opens(tmp_path: Path) -> None:
    (tmp_path / "cv.pdf").write_bytes(CV)
    text = pdf_text(tmp_path / "cv.pdf")
    assert text.title == "CV of Ada"
    assert [(s.headings, s.anchor, s.text) for s in text.sections] == [
        (("p. 1",), "page=1", "Ada Example (engineer)\nLisbon"),
        (("p. 3",), "page=3", "Talks about tide gauges"),
    ]
    assert text.anchors == ("page=1", "page=2", "page=3")


@pytest.mark.parametrize(
    "link",
    [
        "[CV](/sub/files/cv.pdf)",
        "[CV](../files/cv.pdf#page=2)",
        '<a href="https://x.example/sub/files/cv.pdf?v=2">CV</a>',
        "[CV](</sub/files/cv.pdf>)",
        "See https://x.example/sub/files/cv.pdf.",
    ],
)
def test_a_file_that_a_published_page_links_to_is_a_document(tmp_path: Path, link: str) -> None:
    listing = site_listing(tmp_path, hugo(f"---\ntitle: A\n---\n{link}\n"))
    assert pdfs(listing) == [("static/files/cv.pdf", "https://x.example/sub/files/cv.pdf")]
    document = listing.documents[-1]
    assert (document.doc_id, document.title, document.language, document.kind) == (
        "site:static/files/cv.pdf", "CV of Ada", "en", "page",
    )  # fmt: skip


@pytest.mark.parametrize(
    "page",
    [
        "---\ntitle: A\n---\nno link\n",
        "---\ntitle: A\ndraft: true\n---\n[CV](/sub/files/cv.pdf)\n",
        "---\ntitle: A\n---\n[CV](https://other.example/sub/files/cv.pdf)\n",
        "---\ntitle: A\n---\n[CV](/sub/files/other.pdf) [x](/sub/../../etc/x.pdf)\n",
    ],
)
def test_a_file_without_a_published_link_is_not_read(tmp_path: Path, page: str) -> None:
    assert pdfs(site_listing(tmp_path, hugo(page))) == []


def test_a_link_out_of_the_site_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.pdf").write_bytes(CV)
    root = tmp_path / "site"
    files = hugo("---\ntitle: A\n---\n[a](/sub/l.pdf) [b](/sub/%2e%2e/%2e%2e/secret.pdf)\n")
    (root / "static").mkdir(parents=True)
    (root / "static" / "l.pdf").symlink_to(tmp_path / "secret.pdf")
    assert pdfs(site_listing(root, files)) == []


def test_a_file_in_a_page_bundle_and_one_of_a_data_row(tmp_path: Path) -> None:
    files: Files = {
        "hugo.toml": f'baseURL = "{BASE}"',
        "content/talks/tide/index.md": "---\ntitle: T\n---\n[slides](my%20slides.pdf)\n",
        "content/talks/tide/my slides.pdf": CV,
        "content/loose.md": "---\ntitle: L\n---\n[x](x.pdf)\n",
        "content/x.pdf": CV,
        "data/p.yaml": "- {id: e, name: E, paper: /sub/e.pdf}\n",
        "static/e.pdf": CV,
    }
    rows = (DataRows(file="data/p.yaml", url="/p/#{id}"),)
    assert pdfs(site_listing(tmp_path, files, data=rows)) == [
        (
            "content/talks/tide/my slides.pdf",
            "https://x.example/sub/talks/tide/my%20slides.pdf",
        ),
        ("static/e.pdf", "https://x.example/sub/e.pdf"),
    ]


def test_files_of_a_markdown_tree_and_of_a_built_site(tmp_path: Path) -> None:
    markdown: Files = {"about.md": "# A\n\n[CV](cv.pdf)\n", "cv.pdf": CV}
    found = site_listing(tmp_path / "m", markdown, kind="markdown", url_pattern="/{path}.html")
    assert pdfs(found) == [("cv.pdf", "https://x.example/sub/cv.pdf")]
    built: Files = {
        "about/index.html": "<main><h1>A</h1><p>My <a href='/sub/Cv.PDF'>CV</a></p></main>",
        "Cv.PDF": CV,
    }
    assert pdfs(site_listing(tmp_path / "h", built, kind="html")) == [
        ("Cv.PDF", "https://x.example/sub/Cv.PDF")
    ]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "parse-error"),
        (b"%PDF-1.4\nnothing", "parse-error"),
        (CV[: len(CV) // 2], "parse-error"),
        (pdf_file([[]]), "empty"),
        (b"x" * (MAX_FILE_BYTES + 1), "too-large"),
        (pdf_file([["x"]] * 201), "too-large"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "x.pdf").write_bytes(content)
    with pytest.raises(DocumentUnreadable) as caught:
        pdf_text(tmp_path / "x.pdf")
    assert str(caught.value).split(":")[0] == reason


def test_a_broken_file_is_an_error_and_an_empty_one_is_skipped(tmp_path: Path) -> None:
    files = hugo("---\ntitle: A\n---\n[a](/sub/a.pdf) [b](/sub/b.pdf)\n")
    listing = site_listing(
        tmp_path, {**files, "static/a.pdf": b"no", "static/b.pdf": pdf_file([[]])}
    )
    assert [error.path for error in listing.errors] == ["static/a.pdf"]
    assert ("static/b.pdf", "empty") in [
        (skip.path, skip.reason.split(":")[0]) for skip in listing.skipped
    ]


@pytest.mark.parametrize("title", ["", "Microsoft Word - cv", "cv_final.docx", "untitled"])
def test_a_title_that_a_program_made_up_is_not_used(tmp_path: Path, title: str) -> None:
    files = hugo("---\ntitle: A\n---\n[a](/sub/ada-cv.pdf)\n")
    made = {**files, "static/ada-cv.pdf": pdf_file([["Text"]], title)}
    assert site_listing(tmp_path, made).documents[-1].title == "Ada cv"
