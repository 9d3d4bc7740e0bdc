"""A knowledge text with blocks taken over is, byte by byte, the one that is written anew."""

import io
import tempfile
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingestion.chunking import chunk_document
from ingestion.knowledge_text import write_knowledge_text
from ingestion.store_writer import StoreWriter
from ingestion.stored_corpus import StoredCorpus
from ingestion.sync import document_hashes
from retrieval.chunk_store import STORE_FILE, ChunkStore
from retrieval.export.block_format import block_starts
from retrieval.generation import KNOWLEDGE_TEXT_FILE
from retrieval.manifest import FORMAT_VERSION, Manifest, file_record
from retrieval.types import Document, Kind, Section
from tests.fakes import CharacterCounter

SETTINGS = "0" * 64
MARK = "taken over"
LINES = st.sampled_from(
    [
        "Source: https://evil.example/",
        "Source:",
        "```",
        "a line\r",
        "two\u2028Source: x",
        "caf\u00e9 \u6f6e",
        "",
        "words of a page that is long enough for two chunks",
    ]
)
TEXTS = st.lists(LINES, min_size=1, max_size=5).map("\n".join)


def document(
    number: int, text: str, kind: Kind, url: str | None, language: str, source: str
) -> Document:
    return Document(
        doc_id=f"{source}:{number}.md",
        source=source,
        path=f"{number}.md",
        url=url,
        title=f"Title {number}",
        language=language,
        kind=kind,
        sections=(Section(("T",), "t", text, 1),) if text.strip() else (),
    )


KINDS: st.SearchStrategy[Kind] = st.sampled_from(["page", "code", "text"])
DOCUMENTS = st.builds(
    document,
    st.integers(0, 7),
    TEXTS,
    KINDS,
    st.sampled_from([None, "https://x.example/a", "https://x.example/b c"]),
    st.sampled_from(["", "en"]),
    st.sampled_from(["s", "t"]),
)
CORPORA = st.lists(DOCUMENTS, max_size=8, unique_by=lambda found: found.doc_id).map(
    lambda found: {one.doc_id: one for one in found}
)


def write_store(folder: Path, corpus: Mapping[str, Document], before: StoredCorpus) -> None:
    """As a sync does: what has equal hashes is copied."""
    with closing(StoreWriter(folder / STORE_FILE, before.store)) as writer:
        for doc_id, found in sorted(corpus.items()):
            if before.hashes.get(doc_id) == document_hashes(found):
                writer.copy(doc_id)
            else:
                chunks = chunk_document(found, CharacterCounter(4), 8, 2)
                writer.add(found, document_hashes(found), chunks, 0)
        writer.finish()


def generation(folder: Path, corpus: Mapping[str, Document], before: StoredCorpus) -> StoredCorpus:
    folder.mkdir()
    write_store(folder, corpus, before)
    text = folder / KNOWLEDGE_TEXT_FILE
    with closing(ChunkStore(folder / STORE_FILE)) as store:
        write_knowledge_text(store, text, before, SETTINGS)
    return recorded(folder)


def recorded(folder: Path) -> StoredCorpus:
    """The generation in `folder`, its text as it lies there now."""
    manifest = Manifest(
        format_version=FORMAT_VERSION,
        generation=folder.name,
        created="",
        corpus_hash="",
        configuration_hash=SETTINGS,
        embedder_id="",
        dimension=0,
        dense="",
        keyword="rank-bm25",
        chunker_version=1,
        max_tokens=8,
        overlap_tokens=2,
        documents=0,
        chunks=0,
        tokens=0,
        languages=(),
        sources={},
        mode="hybrid",
        mode_reason="",
        nonce="",
        without_vector=(),
        files={KNOWLEDGE_TEXT_FILE: file_record(folder / KNOWLEDGE_TEXT_FILE)},
    )
    return StoredCorpus(manifest=manifest, store=folder / STORE_FILE)


def text_of(stored: StoredCorpus) -> bytes:
    assert stored.folder is not None
    return (stored.folder / KNOWLEDGE_TEXT_FILE).read_bytes()


def written_anew(stored: StoredCorpus) -> bytes:
    assert stored.store is not None
    file = stored.store.with_name("anew.txt")
    with closing(ChunkStore(stored.store)) as store:
        write_knowledge_text(store, file, StoredCorpus(), SETTINGS)
    return file.read_bytes()


@settings(deadline=None)
@given(CORPORA, st.lists(st.tuples(CORPORA, st.sets(st.integers(0, 7))), max_size=3))
def test_a_text_with_blocks_taken_over_is_the_one_written_anew(
    first: dict[str, Document], edits: list[tuple[dict[str, Document], set[int]]]
) -> None:
    with tempfile.TemporaryDirectory() as place:
        corpus, stored = first, StoredCorpus()
        stored = generation(Path(place) / "0", corpus, stored)
        for number, (changed, gone) in enumerate(edits, 1):
            names = {f"{number}.md" for number in gone}
            corpus = {
                doc_id: found
                for doc_id, found in (corpus | changed).items()
                if found.path not in names or doc_id in changed
            }
            stored = generation(Path(place) / str(number), corpus, stored)
            assert text_of(stored) == written_anew(stored)


def pages(count: int) -> dict[str, Document]:
    """So many pages, and one before them that has no text and no block."""
    texts = ["", *(f"Text {number}." for number in range(count))]
    found = [
        document(number, text, "page", f"https://x.example/{number}", "en", "s")
        for number, text in enumerate(texts)
    ]
    return {one.doc_id: one for one in found}


def marked(folder: Path) -> StoredCorpus:
    """A generation whose text has a mark in every block, and a checksum that says it belongs."""
    stored = generation(folder, pages(4), StoredCorpus())
    text = text_of(stored).replace(b"Text ", f"{MARK} ".encode())
    (folder / KNOWLEDGE_TEXT_FILE).write_bytes(text)
    return recorded(folder)


def test_blocks_of_unchanged_documents_alone_are_taken_over(tmp_path: Path) -> None:
    before = marked(tmp_path / "before")
    changed = document(3, "Another text.", "page", "https://x.example/3", "en", "s")
    moved = replace(pages(4)["s:2.md"], url="https://x.example/moved")
    corpus = pages(4) | {moved.doc_id: moved, changed.doc_id: changed}
    text = text_of(generation(tmp_path / "after", corpus, before)).decode()
    assert [MARK in block for block in text.split("Source: ")[1:]] == [True, False, False, True]
    assert "Another text." in text
    assert "https://x.example/moved" in text


@pytest.mark.parametrize("why", ["damage", "settings", "checksum", "absent", "a block too many"])
def test_nothing_is_taken_over_from_a_text_that_cannot_be_trusted(tmp_path: Path, why: str) -> None:
    folder = tmp_path / "before"
    before = marked(folder)
    manifest = before.manifest
    assert manifest is not None
    file = folder / KNOWLEDGE_TEXT_FILE
    match why:
        case "damage":
            before = replace(before, damage="torn")
        case "settings":
            manifest = replace(manifest, configuration_hash="1")
            before = replace(before, manifest=manifest)
        case "checksum":
            file.write_bytes(file.read_bytes().replace(b"0.", b"9."))
        case "absent":
            file.unlink()
        case _:
            file.write_bytes(file.read_bytes() + b"Source: https://x.example/5\n")
            before = recorded(folder)
    after = generation(tmp_path / "after", pages(4), before)
    assert MARK.encode() not in text_of(after)
    assert text_of(after) == written_anew(after)


@pytest.mark.parametrize("shift", range(-9, 3))
def test_a_block_is_found_wherever_the_pieces_end(shift: int) -> None:
    piece = 1 << 20
    first = b"Source: a\n"
    filler = b"x" * (piece + shift - len(first) - 1) + b"\n"
    text = first + filler + b"Source: b\n Source: c\nx Source: d\nSource:"
    starts = list(block_starts(io.BytesIO(text)))
    assert starts == [0, piece + shift, len(text) - len(b"Source:")]
    assert list(block_starts(io.BytesIO(b""))) == []
