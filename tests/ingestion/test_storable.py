from ingestion.storable import storable, storable_text
from retrieval.types import Document, Section


def test_a_text_loses_only_what_nothing_can_hold() -> None:
    assert storable_text("a\0b") == "ab"
    assert storable_text("é\0\ufeff日\ud800") == "é日?"
    assert storable_text("\ttab\nline \u200d") == "\ttab\nline \u200d"


def test_every_text_of_a_document_is_storable() -> None:
    section = Section(("He\0ad",), "an\ufeffchor", "te\0xt")
    document = Document(
        "site:a.md", "site", "a.md", "https://a.example/", "T\0itle", "en", "page", (section,)
    )
    found = storable(document)
    assert (found.title, found.sections) == ("Title", (Section(("Head",), "anchor", "text"),))
