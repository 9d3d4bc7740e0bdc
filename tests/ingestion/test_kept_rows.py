"""Which passages are taken over from the store before."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.kept_rows import kept_rows
from ingestion.store_writer import StoreWriter
from ingestion.stored_corpus import StoredCorpus
from ingestion.sync import document_hashes
from retrieval.keyword.merging import NEW
from retrieval.types import Chunk, Document, Section

_TEXTS = st.lists(st.sampled_from("abc"), max_size=4).map(tuple)
_CORPORA = st.dictionaries(
    st.sampled_from(["one", "two", "three"]),
    st.tuples(_TEXTS, st.sampled_from(["en", "es"]), st.sampled_from(["https://a/", ""])),
)
_Corpus = dict[str, tuple[tuple[str, ...], str, str]]


@given(before=_CORPORA, after=_CORPORA)
def test_a_kept_row_holds_an_equal_passage_and_is_taken_once(
    tmp_path_factory: pytest.TempPathFactory, before: _Corpus, after: _Corpus
) -> None:
    folder = tmp_path_factory.mktemp("stores")
    old, new = _write(folder / "old.sqlite", before), _write(folder / "new.sqlite", after)
    rows = kept_rows(StoredCorpus(store=folder / "old.sqlite"), folder / "new.sqlite")
    if not new:
        assert rows is None
        return
    assert rows is not None
    assert rows.dtype == np.int64
    assert len(rows) == len(new)
    kept = rows[rows != NEW].tolist()
    assert len(kept) == len(set(kept))
    assert all(new[at] == old[row] for at, row in enumerate(rows.tolist()) if row != NEW)
    # As many as there are: whatever is new has no equal left among those that were not taken.
    left = [passage for row, passage in enumerate(old) if row not in kept]
    assert not [new[at] for at in np.flatnonzero(rows == NEW).tolist() if new[at] in left]


def test_without_a_store_before_nothing_is_kept(tmp_path: Path) -> None:
    _write(tmp_path / "new.sqlite", {"one": (("a",), "en", "")})
    assert kept_rows(StoredCorpus(), tmp_path / "new.sqlite") is None


def _write(file: Path, corpus: _Corpus) -> list[tuple[str, str]]:
    """Write a store; (text, language) of its rows."""
    writer = StoreWriter(file)
    for path, (texts, language, url) in sorted(corpus.items()):
        document = Document(
            doc_id=f"site:{path}",
            source="site",
            path=path,
            url=f"{url}{path}" if url else None,
            title="",
            language=language,
            kind="page",
            sections=tuple(Section((), "", text, None) for text in texts),
        )
        chunks = tuple(_chunk(document, number, text) for number, text in enumerate(texts))
        writer.add(document, document_hashes(document, b"rules"), chunks, 0)
    writer.finish()
    return [(text, lang) for _, (texts, lang, _) in sorted(corpus.items()) for text in texts]


def _chunk(document: Document, number: int, text: str) -> Chunk:
    return Chunk(
        chunk_id=f"{document.doc_id}#{number}.0",
        doc_id=document.doc_id,
        url=document.url,
        anchor="",
        headings=(),
        ordinal=number,
        text=text,
        tokens=1,
        start_line=None,
        end_line=None,
        overlap_chars=0,
        content_hash=text.encode().hex().rjust(64, "0"),
        context="",
    )
