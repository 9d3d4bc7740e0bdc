"""How a file of a repository becomes a document, by host."""

from pathlib import Path

import pytest

from ingestion.git.address import repository_address
from ingestion.git.documents import DocumentMaker
from ingestion.git.filenames import file_form
from ingestion.git.links import file_links
from ingestion.git.tree import TreeEntry
from retrieval.configuration import Repository
from retrieval.types import Document

README = "# Engine\n\nRuns.\n\n## Use it\n\nTurn it.\n\n## Use it\n\nAgain.\n"


def document(url: str, path: str, text: str) -> Document:
    repository = Repository(url=url)
    links = file_links(repository, repository_address(repository, Path("/")))
    entry = TreeEntry(path.encode(), path, "100644", "0" * 40, len(text))
    return DocumentMaker("engine", "c0", links).from_text(entry, file_form(path), text)


def test_markdown_on_a_host_with_githubs_ids_is_opened_at_its_headings() -> None:
    made = document("https://github.com/ada/engine", "README.md", README)
    assert made.anchors == ("engine", "use-it", "use-it-1")
    assert [section.anchor for section in made.sections] == ["engine", "use-it", "use-it-1"]
    assert made.url == "https://github.com/ada/engine/blob/c0/README.md"
    assert made.line_link == ""


def test_markdown_on_another_host_is_opened_at_its_lines() -> None:
    made = document("https://gitlab.com/ada/engine", "README.md", README)
    assert made.anchors == ()
    assert {section.anchor for section in made.sections} == {""}
    assert made.line_link.endswith("README.md?plain=1#L{start}-{end}")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Guide\n=====\n\nText.\n", "Guide"),
        ("=====\nGuide\n=====\n\nText.\n", "Guide"),
        ("= Guide\n\nText.\n", "Guide"),
        ("Just a line.\nAnd another.\n", "docs/a.rst"),
        ("\n\n", "docs/a.rst"),
    ],
)
def test_the_title_of_other_prose(text: str, title: str) -> None:
    made = document("https://github.com/ada/engine", "docs/a.rst", text)
    assert made.title == title
    assert made.sections[0].start_line == 1
