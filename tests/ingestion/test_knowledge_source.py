from pathlib import Path

import pytest

from ingestion.errors import SourceError, SourceMissing, SourceUnreachable
from ingestion.sources.base import Listing
from ingestion.sources.knowledge_text import KnowledgeText
from retrieval.configuration import Site
from tests.ingestion.web_host import Sent, web_host

TEXT = """\
# A file of blocks

Source: https://x.example/a/
# Page *A*

intro

## Part

text
```
Source: https://x.example/no-block/
```

Source: https://x.example/projects/#engine
Engine: a motor.
Second line.

Source: /about/

## About

Someone.
Source: https://x.example/in-a-paragraph/

Source: repo:README.md
# Readme

readme text

Source: https://x.example/empty/

"""


def listing(tmp_path: Path, text: str | bytes = TEXT, base: str = "https://y.example/") -> Listing:
    file = tmp_path / "knowledge.txt"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return KnowledgeText(Site(name="k", base_url=base), file).listing()


def test_every_block_is_a_document_with_its_address(tmp_path: Path) -> None:
    found = listing(tmp_path)
    assert [(d.doc_id, d.url, d.title, d.kind) for d in found.documents] == [
        ("k:knowledge.txt@https://x.example/a/", "https://x.example/a/", "Page A", "page"),
        (
            "k:knowledge.txt@https://x.example/projects/#engine",
            "https://x.example/projects/#engine",
            "Engine: a motor.",
            "data",
        ),
        ("k:knowledge.txt@/about/", "https://y.example/about/", "About", "page"),
        ("k:knowledge.txt@repo:README.md", None, "Readme", "page"),
    ]


def test_text_and_lines_are_those_of_the_file(tmp_path: Path) -> None:
    lines = TEXT.split("\n")
    for document in listing(tmp_path).documents:
        for section in document.sections:
            assert section.start_line is not None
            assert section.text.split("\n")[0] == lines[section.start_line - 1]
    page = listing(tmp_path).documents[0]
    assert [section.headings for section in page.sections] == [(), ("Part",)]
    assert "Source: https://x.example/no-block/" in page.sections[1].text


def test_no_anchor_is_invented(tmp_path: Path) -> None:
    assert all(s.anchor == "" for d in listing(tmp_path).documents for s in d.sections)


def test_what_has_no_text_or_no_source_is_skipped(tmp_path: Path) -> None:
    assert [(item.path, item.reason.split(":")[0]) for item in listing(tmp_path).skipped] == [
        ("knowledge.txt", "not-rendered"),
        ("knowledge.txt@https://x.example/empty/", "empty"),
    ]


def test_a_repeated_address_is_two_documents(tmp_path: Path) -> None:
    found = listing(tmp_path, "Source: https://x.example/\na\n\nSource: https://x.example/\nb\n")
    assert [d.doc_id.rpartition("@")[2] for d in found.documents] == [
        "https://x.example/",
        "https://x.example/ (2)",
    ]
    assert {d.url for d in found.documents} == {"https://x.example/"}


def test_line_ends_and_byte_order_mark_of_other_systems(tmp_path: Path) -> None:
    found = listing(tmp_path, b"\xef\xbb\xbfSource: https://x.example/\r\n# T\r\n\r\ntext\r\n")
    assert (found.documents[0].title, found.documents[0].sections[0].text) == ("T", "text")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceMissing, match=r"gone\.txt"):
        KnowledgeText(Site(), tmp_path / "gone.txt").listing()


@pytest.mark.parametrize("text", ["", "no block here", b"Source: https://x.example/\n\xff"])
def test_a_file_without_blocks_is_no_empty_site(tmp_path: Path, text: str | bytes) -> None:
    with pytest.raises(SourceError):
        listing(tmp_path, text)


def test_a_block_too_large_to_parse_is_an_error_of_its_own(tmp_path: Path) -> None:
    found = listing(tmp_path, f"Source: https://x.example/a\n{'x' * (3 << 20)}\n\nSource: /b\nb\n")
    assert [error.reason.split(":")[0] for error in found.errors] == ["too-large"]
    assert len(found.documents) == 1


def test_an_address_is_read_like_a_file() -> None:
    with web_host({"/files/k.txt": Sent(TEXT)}) as host:
        site = Site(name="k", base_url="https://y.example/", url=f"{host.url}/files/k.txt")
        found = KnowledgeText(site, Path()).listing()
    assert [d.doc_id.partition("@")[0] for d in found.documents] == ["k:k.txt"] * 4


def test_an_address_without_an_answer_deletes_nothing() -> None:
    with web_host() as host, pytest.raises(SourceUnreachable, match="404"):
        KnowledgeText(Site(url=f"{host.url}/k.txt"), Path()).listing()


def test_the_language_is_the_one_that_is_given_or_told_by_the_words(tmp_path: Path) -> None:
    text = (
        "Source: https://x.example/a\nLanguage: PT-br\n# T\n\nx\n\n"
        "Source: https://x.example/b\nDie Anlage ist mit der Pumpe und das Rohr nicht dicht.\n\n"
        "Source: https://x.example/c\nxyz\n"
    )
    found = listing(tmp_path, text)
    assert [document.language for document in found.documents] == ["pt-br", "de", ""]
    assert "Language" not in found.documents[0].sections[0].text


def test_written_ids_are_anchors(tmp_path: Path) -> None:
    text = "Source: https://x.example/a\n# T\n\n## Part {#part-1}\n\ntext\n\n## Other\n\nx\n"
    (document,) = listing(tmp_path, text).documents
    assert document.anchors == ("part-1",)
    assert [s.anchor for s in document.sections] == ["part-1", ""]
    assert document.sections[0].headings == ("Part",)


@pytest.mark.parametrize("address", ["https:x", "http:///x", "https://", "javascript:alert(1)"])
def test_an_address_that_is_none_makes_no_link(tmp_path: Path, address: str) -> None:
    assert listing(tmp_path, f"Source: {address}\ntext\n").documents[0].url is None


def test_a_list_of_links_is_a_document_an_item(tmp_path: Path) -> None:
    text = "# S\n\n> s\n\n## A\n\n- [T \\[1\\]](https://x.example/a): note\n- [U](/u/)\n- no link\n"
    found = listing(tmp_path, text)
    assert [(d.title, d.url, d.sections[0].text) for d in found.documents] == [
        ("T [1]", "https://x.example/a", "note"),
        ("U", "https://y.example/u/", "U"),
    ]
