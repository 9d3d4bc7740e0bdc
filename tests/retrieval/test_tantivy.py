import json
import os
from pathlib import Path

import numpy as np
import pytest

from retrieval.errors import GenerationCorrupt, GenerationError, GenerationIncompatible
from retrieval.keyword import Passage, Selection, build_keyword_index, label, open_keyword_index
from retrieval.keyword.tantivy_building import TABLE_FILE
from tests.contracts.keyword_index import KeywordIndexContract

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "bm25.json").read_text())
WORDS = ("pump", "valve", "rotor", "gear", "belt", "engine", "engineering", "sensor", "flow")


def generated(count: int) -> list[Passage]:
    """Passages of one length, since tantivy rounds lengths, with words of falling frequency."""
    draws = np.random.default_rng(3).zipf(1.6, size=(count, 20)) % len(WORDS)
    return [Passage(" ".join(WORDS[draw] for draw in row), "en") for row in draws]


class TestTantivyIndex(KeywordIndexContract):
    kind = "tantivy"

    def test_every_file_that_is_damaged_or_absent_is_corrupt(self) -> None:
        folder = self.write(Passage("pump valve", "en"), Passage("rotor", "en"))
        for name in sorted(path.name for path in folder.iterdir()):
            path = folder / name
            content = path.read_bytes()
            for damaged in (None, b"", content[: len(content) // 2]):
                path.unlink()
                if damaged is not None:
                    path.write_bytes(damaged)
                with pytest.raises(GenerationCorrupt, match=folder.name):
                    open_keyword_index(self.kind, folder)
                path.write_bytes(content)
                open_keyword_index(self.kind, folder)
        assert self.rows(open_keyword_index(self.kind, folder), "rotor") == [1]

    @pytest.mark.parametrize(
        "table",
        [
            "[]",
            '{"format": 1}',
            '{"format": 1, "languages": "en", "passages": 1, "files": []}',
            '{"format": 1, "languages": ["en"], "passages": "1", "files": []}',
            '{"format": 1, "languages": ["en"], "passages": 7, "files": []}',
        ],
    )
    def test_a_table_that_does_not_fit_is_corrupt(self, table: str) -> None:
        folder = self.write(Passage("pump", "en"))
        (folder / TABLE_FILE).write_text(table)
        with pytest.raises(GenerationCorrupt, match=TABLE_FILE):
            open_keyword_index(self.kind, folder)

    def test_newer_format_is_incompatible(self) -> None:
        folder = self.write(Passage("pump", "en"))
        table = json.loads((folder / TABLE_FILE).read_text())
        (folder / TABLE_FILE).write_text(json.dumps(table | {"format": 99}))
        with pytest.raises(GenerationIncompatible, match="99"):
            open_keyword_index(self.kind, folder)

    def test_without_a_temporary_folder_the_error_says_what_to_set(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = self.write(Passage("pump", "en"))
        monkeypatch.setattr("tempfile.tempdir", str(folder / "absent"))
        with pytest.raises(GenerationError, match="TMPDIR"):
            open_keyword_index(self.kind, folder)

    def test_opening_leaves_no_descriptor_behind(self) -> None:
        folder = self.write(Passage("pump", "en"))
        open_keyword_index(self.kind, folder)
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(5):
            open_keyword_index(self.kind, folder)
        assert len(os.listdir("/proc/self/fd")) <= before


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folders = {}
    for kind in ("rank-bm25", "tantivy"):
        folders[kind] = tmp_path_factory.mktemp("keyword")
        build_keyword_index(kind, generated(3000), folders[kind])
    return folders


@pytest.mark.parametrize(
    "query", ["pump", "belt gear", "engineering", "engine pump sensor", "engines flow", "nothing"]
)
def test_ranks_and_scores_agree_with_rank_bm25(query: str, both: dict[str, Path]) -> None:
    okapi, tantivy = (open_keyword_index(kind, folder) for kind, folder in both.items())
    ours, theirs = tantivy.search(query, 3000), okapi.search(query, 3000)
    assert {hit.row for hit in ours} == {hit.row for hit in theirs}
    scores = {hit.row: hit.score for hit in theirs}
    # One length, which is rounded: a constant factor close to 1 within each count of a term.
    for hit in ours:
        assert hit.score == pytest.approx(scores[hit.row], rel=0.02)
    assert tantivy.known_share(query) == okapi.known_share(query)
    rows = [hit.row for hit in ours[:20]]
    assert tantivy.coverage(query, rows) == pytest.approx(okapi.coverage(query, rows))


def test_the_first_ten_agree_with_rank_bm25(both: dict[str, Path]) -> None:
    okapi, tantivy = (open_keyword_index(kind, folder) for kind, folder in both.items())
    for query in ("pump", "belt gear", "engineering", "sensor"):
        assert [hit.row for hit in tantivy.search(query, 10)] == [
            hit.row for hit in okapi.search(query, 10)
        ]


@pytest.mark.parametrize("query", GOLDEN["scores"])
def test_hits_are_those_computed_by_hand(query: str, tmp_path: Path) -> None:
    build_keyword_index("tantivy", [Passage(text, "zz") for text in GOLDEN["passages"]], tmp_path)
    index = open_keyword_index("tantivy", tmp_path)
    scores = {str(hit.row): hit.score for hit in index.search(query, 10)}
    assert scores == pytest.approx(GOLDEN["scores"][query], rel=0.02)


def test_labels_are_no_terms(tmp_path: Path) -> None:
    build_keyword_index("tantivy", [Passage("pump", "en", (label("kind", "page"),))], tmp_path)
    index = open_keyword_index("tantivy", tmp_path)
    assert index.search("kind:page page", 5) == []
    chosen = Selection(np.ones(1, dtype=np.bool_), (label("kind", "page"),))
    assert [hit.row for hit in index.search("pump", 5, chosen)] == [0]


@pytest.mark.parametrize("languages", [("en",), ("en", "es", "de"), ("en", "zh"), ("zz",), ("",)])
def test_scores_agree_with_rank_bm25_in_any_mixture_of_languages(
    languages: tuple[str, ...], tmp_path: Path
) -> None:
    passages = [
        Passage(f"{text} v2.10.{row % 3} C++ NodeJS readFlowMeter pumping engines", language)
        for row, (text, language) in enumerate(
            (passage.text, languages[row % len(languages)])
            for row, passage in enumerate(generated(300))
        )
    ]
    indexes = []
    for kind in ("rank-bm25", "tantivy"):
        (tmp_path / kind).mkdir()
        build_keyword_index(kind, passages, tmp_path / kind)
        indexes.append(open_keyword_index(kind, tmp_path / kind))
    for query in ("pumps", "engineering flow", "2.10.1 c++", "flow meter", "nodejs Pumping"):
        theirs = {hit.row: hit.score for hit in indexes[0].search(query, 300)}
        ours = {hit.row: hit.score for hit in indexes[1].search(query, 300)}
        assert ours.keys() == theirs.keys()
        if "zh" not in languages:  # there the rows of a word and of its stem differ, and so idf
            assert ours == pytest.approx(theirs, rel=0.03)
