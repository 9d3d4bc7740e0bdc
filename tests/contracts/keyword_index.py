"""What every kind of keyword index promises; a kind's test class inherits it."""

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from retrieval.errors import GenerationCorrupt
from retrieval.keyword import (
    KeywordIndex,
    Passage,
    Selection,
    build_keyword_index,
    label,
    open_keyword_index,
)

CODE_PASSAGES = {
    "cpp": "The renderer is built in C++ from scratch.",
    "cs": "The stock tool is built in C# for shops.",
    "r": "The poll was evaluated in R over a week.",
    "net": "The billing service needs .NET 8.",
    "node": "The bot needs Node.js.",
    "code": "def read_flow_meter(pin): return getAverageValue(pin)",
    "version": "The firmware moved to v2.10.1 in spring.",
    "plain": "A page about writing and tools.",
}


class KeywordIndexContract:
    kind: str

    @pytest.fixture(autouse=True)
    def _place(self, tmp_path_factory: pytest.TempPathFactory) -> None:
        self.factory = tmp_path_factory

    def write(self, *passages: Passage) -> Path:
        folder = self.factory.mktemp("keyword")
        build_keyword_index(self.kind, passages, folder)
        return folder

    def index(self, *passages: Passage) -> KeywordIndex:
        return open_keyword_index(self.kind, self.write(*passages))

    def build(self, *passages: str, language: str = "en") -> KeywordIndex:
        return self.index(*(Passage(text, language) for text in passages))

    def rows(self, index: KeywordIndex, query: str, k: int = 50) -> list[int]:
        return [hit.row for hit in index.search(query, k)]

    @pytest.mark.parametrize("passages", [(), ("",), ("", "", "  \n")])
    def test_corpus_without_a_word_finds_nothing(self, passages: tuple[str, ...]) -> None:
        index = self.build(*passages)
        assert len(index) == len(passages)
        assert index.search("anything", 5) == []
        assert index.known_share("anything") == 0.0
        assert index.coverage("anything", list(range(len(passages)))) == [0.0] * len(passages)

    @pytest.mark.parametrize("query", ["", "???", " \n", "desert"])
    def test_a_query_that_shares_no_term_finds_nothing(self, query: str) -> None:
        assert self.rows(self.build("alpine glacier"), query) == []

    def test_the_only_passage_is_found(self) -> None:
        (hit,) = self.build("alpine glacier").search("glacier", 50)
        assert (hit.row, hit.rank) == (0, 1)
        assert hit.score > 0

    def test_a_term_in_half_of_the_passages_is_found(self) -> None:
        index = self.build("alpine glacier", "coastal dune")
        assert self.rows(index, "glacier") == [0]
        assert self.rows(index, "dune") == [1]
        assert sorted(self.rows(index, "glacier dune")) == [0, 1]

    def test_hits_are_exactly_the_passages_that_share_a_term(self) -> None:
        index = self.build("pump valve", "pump", "pump rotor", "rotor", "")
        assert sorted(self.rows(index, "pump")) == [0, 1, 2]
        assert sorted(self.rows(index, "pump rotor unheard")) == [0, 1, 2, 3]

    def test_a_rare_term_weighs_more_than_a_common_one(self) -> None:
        index = self.build("python web", "python job", "python python robot", "ruby script")
        assert self.rows(index, "python")[0] == 2
        assert self.rows(index, "python ruby")[0] == 3

    def test_ranks_count_from_one_and_k_limits(self) -> None:
        index = self.build(*["pump"] * 9)
        hits = index.search("pump", 4)
        assert [(hit.row, hit.rank) for hit in hits] == [(0, 1), (1, 2), (2, 3), (3, 4)]

    def test_only_selected_rows_are_found(self) -> None:
        sources = ("site", "engine", "engine", "notes")
        texts = ("pump", "pump", "valve", "pump pump")
        index = self.index(
            *(
                Passage(text, "en", (label("source", source), label("kind", "page")))
                for text, source in zip(texts, sources, strict=True)
            )
        )
        engine = np.array([source == "engine" for source in sources])
        required = (label("source", "engine"), label("kind", "page"))
        (hit,) = index.search("pump valve", 1, Selection(engine, required))
        assert hit.row == 2
        assert [hit.row for hit in index.search("pump", 9, Selection(engine, required))] == [1]
        others = Selection(~engine, (), (label("source", "engine"),))
        assert [hit.row for hit in index.search("pump valve", 9, others)] == [3, 0]
        nothing = Selection(np.zeros(4, dtype=np.bool_), (label("source", "absent"),))
        assert index.search("pump", 9, nothing) == []
        with pytest.raises(ValueError, match="allowed"):
            index.search("pump", 1, Selection(np.ones(5, dtype=np.bool_)))

    def test_a_selection_never_costs_hits(self) -> None:
        index = self.index(
            *(Passage("pump " * 5, "en", (label("language", "en"),)) for _ in range(300)),
            *(Passage("a pump in a longer text", "es", (label("language", "es"),)),) * 7,
        )
        spanish = Selection(np.arange(307) >= 300, (label("language", "es"),))
        assert [hit.row for hit in index.search("pump", 5, spanish)] == [300, 301, 302, 303, 304]
        assert len(index.search("pump", 50, spanish)) == 7

    def test_k_below_one_is_a_callers_mistake(self) -> None:
        with pytest.raises(ValueError, match="k must be"):
            self.build("pump").search("pump", 0)

    @pytest.mark.parametrize("language", ["en", "de", ""])
    @pytest.mark.parametrize(
        ("query", "first", "excluded"),
        [
            ("C++", "cpp", "cs"),
            ("C#", "cs", "cpp"),
            ("R", "r", ""),
            (".NET", "net", ""),
            ("node.js", "node", ""),
            ("NodeJS", "node", ""),
            ("flow meter", "code", ""),
            ("read_flow_meter", "code", ""),
            ("readFlowMeter", "code", ""),
            ("average value", "code", ""),
            ("v2.10.1", "version", ""),
            ("2.10.1", "version", ""),
            ("Did you ever use C++?", "cpp", ""),
        ],
    )
    def test_names_of_code_are_found(
        self, query: str, first: str, excluded: str, language: str
    ) -> None:
        names = list(CODE_PASSAGES)
        index = self.build(*CODE_PASSAGES.values(), language=language)
        found = [names[row] for row in self.rows(index, query)]
        assert found[0] == first
        assert excluded not in found

    def test_other_inflections_are_found_in_each_language(self) -> None:
        index = self.index(
            Passage("las bombas hidráulicas", "es"), Passage("hydraulic pumps", "en")
        )
        assert self.rows(index, "bomba hidraulica") == [0]
        assert self.rows(index, "pumping") == [1]

    def test_the_word_as_asked_for_comes_before_its_inflections(self) -> None:
        index = self.build("engineered pump", "engineering pump")
        assert self.rows(index, "engineering")[0] == 1
        assert self.rows(index, "engineered")[0] == 0

    def test_unspaced_scripts_are_found(self) -> None:
        index = self.build("水泵每分钟输送十二升水", "阀门控制", language="zh")
        assert self.rows(index, "水泵") == [0]
        assert self.rows(index, "门") == [1]

    def test_special_token_strings_are_found(self) -> None:
        index = self.build("ends with <|endoftext|>", "[INST] starts", "other")
        assert self.rows(index, "<|endoftext|>") == [0]
        assert self.rows(index, "[INST]") == [1]

    def test_known_share_counts_distinct_terms(self) -> None:
        index = self.build("alpine glacier", "getAverageValue")
        assert index.known_share("alpine glacier ALPINE") == 1.0
        assert index.known_share("alpine desert") == 0.5
        assert index.known_share("getaveragevalue") == 1.0
        assert index.known_share("") == 0.0

    def test_known_share_of_an_identifier_is_that_of_the_whole_or_its_parts(self) -> None:
        assert self.build("github").known_share("GitHub") == 1.0
        assert self.build("flow meter").known_share("read_flow_meter") == pytest.approx(2 / 3)

    def test_frequency_counts_the_passages_that_hold_a_word_in_any_form(self) -> None:
        index = self.build("alpine glaciers glaciers", "a glacier", "getGlacierSize", "dune")
        assert index.frequency("glacier") == index.frequency("glaciers") == 3
        assert index.frequency("size") == 1
        assert index.frequency("spaceship") == index.frequency("") == 0

    def test_coverage_is_the_share_of_the_idf_mass(self) -> None:
        index = self.build("alpine glacier", "alpine dune", "alpine")
        both, common, _ = index.coverage("alpine glacier", [0, 1, 2])
        assert both == pytest.approx(1.0)
        assert 0 < common < 0.5
        assert index.coverage("glacier spaceship", [0])[0] < 0.5
        assert index.coverage("alpine", []) == []

    def test_coverage_of_a_long_query_counts_every_term(self) -> None:
        words = [f"word{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(60)]
        index = self.build(" ".join(words), " ".join(words[:30]), "other")
        whole, half, nothing = index.coverage(" ".join(words), [0, 1, 2])
        assert whole == pytest.approx(1.0)
        assert 0.3 < half < 0.5
        assert nothing == 0.0

    def test_coverage_keeps_the_order_of_the_rows(self) -> None:
        index = self.build("alpine", "glacier", "alpine glacier")
        assert index.coverage("alpine glacier", [2, 0]) == pytest.approx([1.0, 0.5])

    def test_equal_passages_come_in_the_order_of_their_rows(self) -> None:
        index = self.build(*["pump valve"] * 200, "pump")
        assert self.rows(index, "valve", 30) == list(range(30))

    def test_every_hit_can_be_asked_for(self) -> None:
        index = self.build(*["pump valve", "pump", "rotor"] * 50)
        assert sorted(self.rows(index, "pump", 10_000)) == [n for n in range(150) if n % 3 < 2]

    def test_threads_share_an_index(self) -> None:
        index = self.build(*CODE_PASSAGES.values())
        queries = ["C++ tools", "v2.10.1", "average writing", "read_flow_meter"] * 10
        alone = [self.rows(index, query) for query in queries]
        with ThreadPoolExecutor(max_workers=8) as pool:
            assert list(pool.map(lambda query: self.rows(index, query), queries)) == alone

    def test_nothing_but_the_folder_is_left(self, monkeypatch: pytest.MonkeyPatch) -> None:
        place = self.factory.mktemp("temporary")
        monkeypatch.setattr(tempfile, "tempdir", str(place))
        folder = self.write(Passage("pump", "en"))
        before = sorted(path.name for path in folder.iterdir())
        index = open_keyword_index(self.kind, folder)
        assert self.rows(index, "pump") == [0]
        assert sorted(path.name for path in folder.iterdir()) == before
        assert not [name for name in before if name.startswith(".")]
        assert list(place.iterdir()) == []

    def test_a_folder_that_cannot_be_written_is_an_os_error(self) -> None:
        with pytest.raises(OSError, match="absent"):
            build_keyword_index(
                self.kind, [Passage("pump", "en")], self.factory.mktemp("x") / "absent"
            )

    def test_missing_files_are_corrupt(self, tmp_path: Path) -> None:
        with pytest.raises(GenerationCorrupt):
            open_keyword_index(self.kind, tmp_path)
