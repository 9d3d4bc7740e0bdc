from collections.abc import Iterator
from pathlib import Path

import pytest

from ingestion.store_writer import StoreWriter
from ingestion.sync import document_hashes
from retrieval.chunk_store import ChunkStore, address_key
from retrieval.errors import GenerationCorrupt
from retrieval.types import Chunk, Document, Kind, Section

SITE = "https://portfolio.example"


def document(
    path: str, url: str | None, *, kind: Kind = "page", source: str = "site", language: str = "en"
) -> Document:
    return Document(
        doc_id=f"{source}:{path}",
        source=source,
        path=path,
        url=url,
        title=path.title(),
        language=language,
        kind=kind,
        sections=(Section(("Wiring",), "wiring", "## Wiring\n\nText."),),
        anchors=("wiring", "café--crème"),
        aliases=(f"{SITE}/old/{path}/",) if url else (),
    )


def chunk(of: Document, ordinal: int) -> Chunk:
    return Chunk(
        chunk_id=f"{of.doc_id}#0.{ordinal}",
        doc_id=of.doc_id,
        url=of.url and f"{of.url}#wiring",
        anchor="wiring",
        headings=("Wiring",),
        ordinal=ordinal,
        text=f"Text {ordinal}.",
        tokens=3,
        start_line=1,
        end_line=2,
        content_hash=f"{ordinal:064x}",
    )


DOCUMENTS = (
    document("home", f"{SITE}/"),
    document("gauge", f"{SITE}/gauge/"),
    document("gauge.es", f"{SITE}/es/gauge/", language="es"),
    document("projects.yaml", f"{SITE}/gauge/#engine", kind="data"),
    document("src/gauge.py", None, kind="code", source="engine", language=""),
    document("README.md", "https://git.example/ada/engine", kind="text", source="engine"),
)


def write(file: Path) -> None:
    writer = StoreWriter(file)
    for each in DOCUMENTS:
        writer.add(each, document_hashes(each), (chunk(each, 0), chunk(each, 1)), 7)
    writer.finish()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ChunkStore]:
    write(tmp_path / "chunks.sqlite")
    store = ChunkStore(tmp_path / "chunks.sqlite")
    yield store
    store.close()


@pytest.mark.parametrize(
    ("address", "url", "heading"),
    [
        (f"{SITE}/gauge/", f"{SITE}/gauge/", ""),
        (f"{SITE}/gauge", f"{SITE}/gauge/", ""),
        (f"{SITE}/gauge/index.html", f"{SITE}/gauge/", ""),
        ("HTTPS://Portfolio.Example/gauge/", f"{SITE}/gauge/", ""),
        ("/gauge/#wiring", f"{SITE}/gauge/#wiring", "Wiring"),
        ("/gauge/#caf%C3%A9--cr%C3%A8me", f"{SITE}/gauge/#café--crème", ""),
        ("/gauge/#nowhere", f"{SITE}/gauge/", ""),
        ("/gauge/#engine", f"{SITE}/gauge/#engine", ""),
        ("/old/gauge/", f"{SITE}/gauge/", ""),
        ("/", f"{SITE}/", ""),
        (f"{SITE}/", f"{SITE}/", ""),
        ("/es/gauge/", f"{SITE}/es/gauge/", ""),
        ("https://git.example/ada/engine", "https://git.example/ada/engine", ""),
    ],
)
def test_a_real_address_is_found_in_every_spelling(
    store: ChunkStore, address: str, url: str, heading: str
) -> None:
    target = store.link_target(address)
    assert target is not None
    assert (target.url, target.heading) == (url, heading)


@pytest.mark.parametrize(
    "address",
    [
        "/nowhere/",
        "https://evil.example/gauge/",
        "//evil.example/gauge/",
        "javascript:alert(1)",
        "http://[",
        "",
        "/gauge/?x=1",
        "/" + "a" * 5000,
        f"{SITE}.evil.example/gauge/",
    ],
)
def test_an_address_that_is_no_page_is_none(store: ChunkStore, address: str) -> None:
    assert store.link_target(address) is None


def test_filters_give_the_rows_that_pass(store: ChunkStore) -> None:
    spanish = store.allowed(None, "es", None)
    code = store.allowed("engine", None, "code")
    assert spanish is not None
    assert code is not None
    assert spanish.nonzero()[0].tolist() == [4, 5]
    assert code.nonzero()[0].tolist() == [8, 9]
    assert store.allowed(None, None, None) is None


def test_chunks_come_in_the_order_asked_for(store: ChunkStore) -> None:
    ids = [ranked.chunk.chunk_id for ranked in store.ranked([5, 0, 3])]
    assert ids == ["site:gauge.es#0.1", "site:home#0.0", "site:gauge#0.1"]


def test_an_unchanged_document_is_copied_to_the_byte(store: ChunkStore, tmp_path: Path) -> None:
    writer = StoreWriter(tmp_path / "new.sqlite", tmp_path / "chunks.sqlite")
    writer.copy("site:gauge.es")
    writer.copy("site:gauge")
    writer.finish()
    copied = ChunkStore(tmp_path / "new.sqlite")
    before = {ranked.chunk.chunk_id: ranked for ranked in store.all_chunks()}
    after = list(copied.all_chunks())
    assert [ranked.chunk.chunk_id for ranked in after] == [
        "site:gauge.es#0.0",
        "site:gauge.es#0.1",
        "site:gauge#0.0",
        "site:gauge#0.1",
    ]
    assert all(before[ranked.chunk.chunk_id] == ranked for ranked in after)
    assert copied.link_target("/old/gauge/") == store.link_target("/old/gauge/")
    assert list(copied.chunk_ids(range(4))) == [0, 1, 2, 3]
    copied.close()


@pytest.mark.parametrize("size", [0, 100, 5000])
def test_a_torn_file_is_refused_by_name(tmp_path: Path, size: int) -> None:
    write(tmp_path / "chunks.sqlite")
    content = (tmp_path / "chunks.sqlite").read_bytes()
    (tmp_path / "torn.sqlite").write_bytes(content[:size])
    with pytest.raises(GenerationCorrupt, match=r"torn\.sqlite"):
        list(ChunkStore(tmp_path / "torn.sqlite").all_chunks())


def test_an_address_is_compared_without_its_spelling() -> None:
    assert address_key("https://A.example/caf%C3%A9/") == address_key("https://a.example/café")
    assert address_key("https://a.example/x") != address_key("https://a.example/X")
