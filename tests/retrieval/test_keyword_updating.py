"""An updated keyword index is the one that a fresh build would be."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import tantivy
from numpy.typing import NDArray

from retrieval.errors import GenerationCorrupt
from retrieval.keyword import (
    KEYWORD_KINDS,
    KeywordIndex,
    Passage,
    Selection,
    build_keyword_index,
    is_updatable,
    label,
    open_keyword_index,
    update_keyword_index,
)
from retrieval.keyword.merging import NEW
from retrieval.keyword.tantivy_building import (
    KEY,
    LABEL,
    TABLE_FILE,
    TERMS,
    TOKENIZER,
    analysed,
    schema,
    write_table,
)
from retrieval.keyword.tantivy_updating import ROWS_AT_ONCE

WORDS = (
    "pump", "pumps", "valve", "engineering", "engineered", "bombas", "hidráulica", "Straße", "水泵",
    "C++", ".NET", "v2.10.1", "readFlowMeter", "GitHub", "\N{GREEK YPOGEGRAMMENI}", "", "—",
)  # fmt: skip
QUERIES = ("pump", "engineering valves", "bomba hidraulica", "水", "c++ 2.10", "flow meter", "none")
LANGUAGES = ("en", "es", "zh", "")


def drawn(random: np.random.Generator, count: int) -> list[Passage]:
    passages = []
    for _ in range(count):
        text = " ".join(random.choice(WORDS, size=random.integers(0, 30)).tolist())
        language, source = str(random.choice(LANGUAGES)), str(random.choice(["site", "engine"]))
        passages.append(
            Passage(text, language, (label("source", source), label("language", language)))
        )
    return passages


def edited(
    random: np.random.Generator, before: Sequence[Passage]
) -> tuple[NDArray[np.int64], list[Passage]]:
    """Some passages gone, some new, some moved: their rows before, and all of them after."""
    kept = np.flatnonzero(random.random(len(before)) < random.choice([0.5, 0.95, 1.0]))
    if random.random() < 0.5:
        kept = random.permutation(kept)
    new = int(random.integers(0, 8))
    rows = np.insert(kept, random.integers(0, len(kept) + 1, size=new), NEW)
    fresh = iter(drawn(random, new))
    return rows, [next(fresh) if row == NEW else before[row] for row in rows.tolist()]


def updated(
    kind: str, before: Path, rows: NDArray[np.int64], after: list[Passage], folder: Path
) -> Path:
    folder.mkdir()
    fresh = [after[row] for row in np.flatnonzero(rows == NEW).tolist()]
    languages = tuple(sorted({passage.language for passage in after}))
    update_keyword_index(kind, before, rows, fresh, languages, folder)
    return folder


def built(kind: str, passages: Sequence[Passage], folder: Path) -> Path:
    folder.mkdir()
    build_keyword_index(kind, passages, folder)
    return folder


def contents(folder: Path) -> Counter[tuple[str, bytes]]:
    """What the files hold; tantivy names them, and lists their names, at random."""
    named = {TABLE_FILE, "meta.json"}
    return Counter(
        (file.suffix, file.read_bytes()) for file in folder.iterdir() if file.name not in named
    )


def same_answers(one: KeywordIndex, other: KeywordIndex, passages: list[Passage]) -> None:
    assert len(one) == len(other) == len(passages)
    engine = label("source", "engine")
    chosen = np.array([engine in passage.labels for passage in passages], dtype=np.bool_)
    selections = (None, Selection(chosen, (engine,)), Selection(~chosen, (), (engine,)))
    rows = list(range(0, len(passages), 3))
    for query in QUERIES:
        for selection in selections:
            hits = one.search(query, 20, selection)
            assert hits == other.search(query, 20, selection)
        assert one.coverage(query, rows) == other.coverage(query, rows)
        assert one.frequency(query) == other.frequency(query)
        assert one.known_share(query) == other.known_share(query)


@pytest.mark.parametrize("kind", KEYWORD_KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_update_after_update_is_a_fresh_build(kind: str, seed: int, tmp_path: Path) -> None:
    random = np.random.default_rng(seed)
    passages = drawn(random, int(random.integers(1, 200)))
    before = built(kind, passages, tmp_path / "first")
    for turn in range(3):
        rows, passages = edited(random, passages)
        before = updated(kind, before, rows, passages, tmp_path / f"updated{turn}")
        fresh = built(kind, passages, tmp_path / f"fresh{turn}")
        assert contents(before) == contents(fresh)
        same_answers(open_keyword_index(kind, before), open_keyword_index(kind, fresh), passages)


@pytest.mark.parametrize("kind", KEYWORD_KINDS)
def test_more_rows_than_are_taken_at_once_keep_their_order(kind: str, tmp_path: Path) -> None:
    passages = [Passage(f"tide {number}", "en") for number in range(2 * ROWS_AT_ONCE + 5)]
    before = built(kind, passages, tmp_path / "before")
    rows = np.arange(len(passages))[::-1].copy()
    rows[ROWS_AT_ONCE] = NEW
    after = [Passage("lamp", "en") if row == NEW else passages[row] for row in rows.tolist()]
    folder = updated(kind, before, rows, after, tmp_path / "updated")
    assert contents(folder) == contents(built(kind, after, tmp_path / "fresh"))


@pytest.mark.parametrize("kind", KEYWORD_KINDS)
def test_a_word_that_is_gone_is_in_no_file(kind: str, tmp_path: Path) -> None:
    passages = [Passage("tide gauge", "en"), Passage("Xylograph", "en"), Passage("kiln", "en")]
    before = built(kind, passages, tmp_path / "before")
    assert b"xylograph" in b"".join(file.read_bytes() for file in before.iterdir())
    rows = np.array([0, 2], dtype=np.int64)
    after = updated(kind, before, rows, [passages[0], passages[2]], tmp_path / "after")
    found = b"".join(file.read_bytes() for file in after.iterdir())
    assert b"xylogr" not in found
    assert b"kiln" in found


@pytest.mark.parametrize("kind", KEYWORD_KINDS)
def test_no_passage_may_be_left_and_none_may_be_old(kind: str, tmp_path: Path) -> None:
    passages = [Passage("tide", "en"), Passage("kiln", "es")]
    before = built(kind, passages, tmp_path / "before")
    nothing = updated(kind, before, np.empty(0, dtype=np.int64), [], tmp_path / "nothing")
    assert contents(nothing) == contents(built(kind, [], tmp_path / "empty"))
    everything = updated(kind, nothing, np.full(2, NEW), passages, tmp_path / "everything")
    assert contents(everything) == contents(before)


@pytest.mark.parametrize("kind", KEYWORD_KINDS)
@pytest.mark.parametrize("fresh", [0, 2])
def test_another_number_of_new_passages_is_a_callers_mistake(
    kind: str, fresh: int, tmp_path: Path
) -> None:
    before = built(kind, [Passage("tide", "en")], tmp_path / "before")
    rows = np.array([0, NEW], dtype=np.int64)
    (tmp_path / "after").mkdir()
    with pytest.raises(ValueError, match="new passages"):
        update_keyword_index(
            kind, before, rows, [Passage("kiln", "en")] * fresh, ("en",), tmp_path / "after"
        )


def test_an_unknown_kind_is_neither_updatable_nor_updated(tmp_path: Path) -> None:
    assert not is_updatable("lucene", tmp_path)
    with pytest.raises(ValueError, match="rank-bm25, tantivy"):
        update_keyword_index("lucene", tmp_path, np.empty(0, dtype=np.int64), [], (), tmp_path)


def written(
    fields: tantivy.Schema, passages: list[Passage], order: list[int], folder: Path
) -> Path:
    """An index of three segments, whose documents lie in `order` under the rows of `passages`."""
    folder.mkdir()
    index = tantivy.Index(fields, path=str(folder), reuse=False)
    words = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
    index.register_tokenizer(TOKENIZER, words)
    writer = index.writer(heap_size=15_000_000, num_threads=1)
    documents = list(analysed(passages))
    for part in np.array_split(order, 3):
        for row in part.tolist():
            documents[row].add_unsigned(KEY, row)
            writer.add_document(documents[row])
        writer.commit()
    writer.wait_merging_threads()
    index.reload()
    assert index.searcher().num_segments == 3
    write_table(folder, {passage.language for passage in passages}, len(passages))
    return folder


def test_rows_are_found_in_any_segment_and_order(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    passages = drawn(random, 90)
    before = written(schema(), passages, random.permutation(90).tolist(), tmp_path / "before")
    rows, after = edited(random, passages)
    folder = updated("tantivy", before, rows, after, tmp_path / "updated")
    assert contents(folder) == contents(built("tantivy", after, tmp_path / "fresh"))


def test_a_row_that_the_index_before_lacks_is_corrupt(tmp_path: Path) -> None:
    before = built("tantivy", [Passage("tide", "en")], tmp_path / "before")
    (tmp_path / "after").mkdir()
    with pytest.raises(GenerationCorrupt, match="lacks passages"):
        update_keyword_index("tantivy", before, np.array([7]), [], ("en",), tmp_path / "after")


def test_an_index_of_the_format_before_is_searched_but_not_updated(tmp_path: Path) -> None:
    """It did not store the terms."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field(TERMS, tokenizer_name=TOKENIZER, index_option="freq")
    builder.add_text_field(LABEL, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field(KEY, indexed=True, fast=True)
    passages = drawn(np.random.default_rng(6), 60)
    before = written(builder.build(), passages, list(range(60)), tmp_path / "before")
    table = json.loads((before / TABLE_FILE).read_text())
    (before / TABLE_FILE).write_text(json.dumps(table | {"format": 1}))
    fresh = built("tantivy", passages, tmp_path / "fresh")
    indexes = (open_keyword_index("tantivy", before), open_keyword_index("tantivy", fresh))
    same_answers(*indexes, passages)
    assert not is_updatable("tantivy", before)
    assert is_updatable("tantivy", fresh)
