import json
import math
from pathlib import Path

import numpy as np
import pytest
from rank_bm25 import BM25Okapi

from retrieval.errors import GenerationCorrupt, GenerationIncompatible
from retrieval.keyword import Passage, build_keyword_index, open_keyword_index
from retrieval.keyword.okapi import K1, B, LuceneOkapi
from retrieval.keyword.postings import POSTINGS_FILE, TERMS_FILE, collect_postings
from tests.contracts.keyword_index import KeywordIndexContract

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "bm25.json").read_text())


def passages(*texts: str) -> list[Passage]:
    return [Passage(text, "en") for text in texts]


class TestOkapiIndex(KeywordIndexContract):
    kind = "rank-bm25"

    def test_two_builds_are_byte_identical(self) -> None:
        passages = [Passage(text, "en") for text in ("pump valve", "getAverageValue", "水泵")]
        one, two = self.write(*passages), self.write(*passages)
        for file in (TERMS_FILE, POSTINGS_FILE):
            assert (one / file).read_bytes() == (two / file).read_bytes()

    @pytest.mark.parametrize("file", [TERMS_FILE, POSTINGS_FILE])
    @pytest.mark.parametrize("damage", ["absent", "empty", "cut", "foreign"])
    def test_damaged_file_is_corrupt_and_named(
        self, file: str, damage: str, tmp_path: Path
    ) -> None:
        build_keyword_index(self.kind, passages("pump valve", "rotor"), tmp_path)
        path = tmp_path / file
        content = path.read_bytes()
        path.unlink()
        if damage != "absent":
            path.write_bytes(
                {"empty": b"", "cut": content[: len(content) // 2], "foreign": b"\x80[1]"}[damage]
            )
        with pytest.raises(GenerationCorrupt, match=file):
            open_keyword_index(self.kind, tmp_path)

    @pytest.mark.parametrize(
        "table", ["[]", '{"format": 1}', '{"format": 1, "languages": "en", "terms": []}']
    )
    def test_json_of_another_shape_is_corrupt(self, table: str, tmp_path: Path) -> None:
        build_keyword_index(self.kind, passages("pump"), tmp_path)
        (tmp_path / TERMS_FILE).write_text(table)
        with pytest.raises(GenerationCorrupt, match=TERMS_FILE):
            open_keyword_index(self.kind, tmp_path)

    def test_files_of_two_indexes_do_not_fit(self, tmp_path: Path) -> None:
        build_keyword_index(self.kind, passages("pump valve rotor"), tmp_path)
        terms = (tmp_path / TERMS_FILE).read_bytes()
        build_keyword_index(self.kind, passages("pump"), tmp_path)
        (tmp_path / TERMS_FILE).write_bytes(terms)
        with pytest.raises(GenerationCorrupt, match="does not fit"):
            open_keyword_index(self.kind, tmp_path)

    def test_rows_out_of_range_are_corrupt(self, tmp_path: Path) -> None:
        build_keyword_index(self.kind, passages("pump", "pump"), tmp_path)
        with np.load(tmp_path / POSTINGS_FILE) as arrays:
            changed = dict(arrays)
        changed["rows"] = changed["rows"] + 7
        np.savez(tmp_path / POSTINGS_FILE, allow_pickle=False, **changed)
        with pytest.raises(GenerationCorrupt, match=POSTINGS_FILE):
            open_keyword_index(self.kind, tmp_path)

    def test_newer_format_is_incompatible(self, tmp_path: Path) -> None:
        build_keyword_index(self.kind, passages("pump"), tmp_path)
        table = json.loads((tmp_path / TERMS_FILE).read_text())
        (tmp_path / TERMS_FILE).write_text(json.dumps(table | {"format": 99}))
        with pytest.raises(GenerationIncompatible, match="99"):
            open_keyword_index(self.kind, tmp_path)


def test_unknown_kinds_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="rank-bm25"):
        build_keyword_index("lucene", [], tmp_path)
    with pytest.raises(GenerationIncompatible, match="lucene"):
        open_keyword_index("lucene", tmp_path)


@pytest.mark.parametrize("query", GOLDEN["scores"])
def test_scores_are_those_computed_by_hand(query: str, tmp_path: Path) -> None:
    build_keyword_index("rank-bm25", [Passage(text, "zz") for text in GOLDEN["passages"]], tmp_path)
    index = open_keyword_index("rank-bm25", tmp_path)
    scores = {str(hit.row): hit.score for hit in index.search(query, 10)}
    assert scores == pytest.approx(GOLDEN["scores"][query], abs=2e-6)


def test_term_scores_equal_rank_bm25_but_for_the_idf() -> None:
    passages = [["pump", "valve"], ["pump", "pump", "rotor"], ["rotor"], ["gear"], ["belt"]]
    model = LuceneOkapi(collect_postings(passages, ()))
    stock = BM25Okapi(passages, k1=K1, b=B)
    for term in ("pump", "valve", "rotor"):
        rows, frequencies = model.postings.of(term)
        ours = model.term_scores(rows, frequencies) / model.inverse_frequency(len(rows))
        assert ours == pytest.approx(stock.get_scores([term])[rows] / stock.idf[term])


def test_idf_is_lucenes() -> None:
    model = LuceneOkapi(collect_postings([["a"], ["a"], ["b"]], ()))
    assert model.inverse_frequency(2) == pytest.approx(math.log(1 + 1.5 / 2.5))
