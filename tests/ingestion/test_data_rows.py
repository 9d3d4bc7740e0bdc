from pathlib import Path

import pytest

from ingestion.errors import SourceError, SourceMissing
from ingestion.sources.base import Listing
from ingestion.sources.data_rows import MAX_FILE_BYTES, data_documents
from retrieval.configuration import DataRows, Site

ROWS = """
- id: engine
  name: Engine
  year: 2024
  links:
    - label: Source
      url: https://code.example/engine
  tags: [c, rust]
- id: "grün & blau"
  name: Farben
  open: true
"""


def _listing(root: Path, name: str, text: str, *tables: DataRows) -> Listing:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    table = DataRows(file=name, url="/projects/#{id}")
    return data_documents(Site(data=tables or (table,)), root, "https://e.example/sub/")


def test_every_row_is_a_document_with_its_own_address(tmp_path: Path) -> None:
    listing = _listing(tmp_path, "data/projects.yaml", ROWS)
    engine, colours = listing.documents
    assert engine.doc_id == "site:data/projects.yaml@engine"
    assert engine.path == "data/projects.yaml"
    assert engine.kind == "data"
    assert engine.url == "https://e.example/sub/projects/#engine"
    assert colours.url == "https://e.example/sub/projects/#gr%C3%BCn%20&%20blau"
    assert (engine.title, colours.title) == ("Engine", "Farben")


def test_text_is_the_scalar_values_as_lines(tmp_path: Path) -> None:
    engine = _listing(tmp_path, "projects.yaml", ROWS).documents[0]
    (section,) = engine.sections
    assert section.text.split("\n") == [
        "id: engine",
        "name: Engine",
        "year: 2024",
        "label: Source",
        "url: https://code.example/engine",
        "tags: c, rust",
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("rows.json", '[{"id": "a", "name": "A"}, {"id": "b", "name": "B"}]'),
        ("rows.json", '{"owner": {"name": "x"}, "rows": [{"id": "a", "name": "A"},'
                      '{"id": "b", "name": "B"}]}'),
        ("rows.toml", "[[row]]\nid = 'a'\nname = 'A'\n[[row]]\nid = 'b'\nname = 'B'\n"),
        ("rows.toml", "[a]\nname = 'A'\n[b]\nname = 'B'\n"),
        ("rows.yml", "a: {name: A}\nb: {name: B}\n"),
    ],
)  # fmt: skip
def test_lists_and_maps_of_rows_in_three_formats(tmp_path: Path, name: str, text: str) -> None:
    documents = _listing(tmp_path, name, text).documents
    assert [(d.url, d.title) for d in documents] == [
        ("https://e.example/sub/projects/#a", "A"),
        ("https://e.example/sub/projects/#b", "B"),
    ]


def test_rows_without_an_id_are_numbered(tmp_path: Path) -> None:
    table = DataRows(file="talks.json", url="/talks/", title="{event.name}")
    text = '[{"event": {"name": "One"}}, {"event": {"name": "Two"}}]'
    documents = _listing(tmp_path, "talks.json", text, table).documents
    assert [d.doc_id for d in documents] == ["site:talks.json@0", "site:talks.json@1"]
    assert [d.title for d in documents] == ["One", "Two"]


def test_a_missing_field_is_an_error_that_names_file_row_and_field(tmp_path: Path) -> None:
    listing = _listing(tmp_path, "p.yaml", "- {id: a, name: A}\n- {id: b}\n")
    assert [d.title for d in listing.documents] == ["A"]
    (error,) = listing.errors
    assert error.path == "p.yaml"
    assert "p.yaml: row b has no 'name'" in error.reason


def test_one_file_in_two_languages_gives_two_documents_a_row(tmp_path: Path) -> None:
    tables = [
        DataRows(file="p.yaml", url=f"/{code}/p/#{{id}}", title=f"{{name.{code}}}", language=code)
        for code in ("en", "es")
    ]
    text = "- {id: a, name: {en: Pump, es: Bomba}}\n"
    english, spanish = _listing(tmp_path, "p.yaml", text, *tables).documents
    assert english.doc_id != spanish.doc_id
    assert english.translation_key == spanish.translation_key != ""
    assert (english.language, spanish.language) == ("en", "es")


def test_files_of_two_languages_are_translations_of_each_other(tmp_path: Path) -> None:
    keys = set()
    for name, language in (("p.en.yaml", "en"), ("p_es.yaml", "es"), ("de/p.yaml", "de")):
        table = DataRows(file=name, url="/p/#{id}", language=language)
        keys |= {
            document.translation_key
            for document in _listing(tmp_path, name, "- {id: a, name: A}\n", table).documents
        }
    assert keys == {"p@a"}


@pytest.mark.parametrize(
    ("name", "text"),
    [("p.yaml", "a: [b\n"), ("p.json", "{"), ("p.toml", "a ="), ("p.json", '"text"'),
     ("p.json", "[1, 2]"), ("p.json", "[" * 100_000)],
)  # fmt: skip
def test_a_file_without_rows_is_an_error_and_not_an_exception(
    tmp_path: Path, name: str, text: str
) -> None:
    listing = _listing(tmp_path, name, text)
    assert listing.documents == ()
    assert listing.errors[0].path == name
    assert listing.errors[0].reason.startswith("parse-error")


def test_a_missing_file_says_what_to_do(tmp_path: Path) -> None:
    site = Site(data=(DataRows(file="nix.yaml", url="/x/"),))
    with pytest.raises(SourceMissing, match=r"nix\.yaml.*correct `file`"):
        data_documents(site, tmp_path, "https://e.example")


def test_a_file_outside_the_site_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text("- {id: a}")
    (tmp_path / "site").mkdir()
    site = Site(data=(DataRows(file="../secret.yaml", url="/x/"),))
    with pytest.raises(SourceError, match="outside"):
        data_documents(site, tmp_path / "site", "https://e.example")


def test_a_huge_file_is_skipped(tmp_path: Path) -> None:
    listing = _listing(tmp_path, "p.yaml", " " * (MAX_FILE_BYTES + 1))
    assert [(s.path, s.reason) for s in listing.skipped] == [("p.yaml", "too-large")]
