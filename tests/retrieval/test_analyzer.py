import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.analyzer import MAX_QUERY_TERMS, Analyzer, algorithm_for
from retrieval.words import MAX_WORD_CHARS, without_accents

ENGLISH = Analyzer(("en",))


def terms(text: str, language: str = "en") -> list[str]:
    return ENGLISH.passage_terms(text, language)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("written in C++ today", {"c++"}),
        ("C# and F#.", {"c#", "f#"}),
        ("runs on .NET 8", {".net", "net", "8"}),
        ("in R, over", {"r"}),
        ("in Go.", {"go"}),
        ("on Node.js.", {"nodejs", "node", "js"}),
        ("C++17", {"c++", "17"}),
        ("a Visual-C++ project", {"visual", "c++"}),
        ("notepad++", {"notepad++", "notepad"}),
        ("getAverageValue(pin)", {"getaveragevalue", "get", "average", "value", "pin"}),
        ("read_flow_meter", {"readflowmeter", "read", "flow", "meter"}),
        ("flow-meter", {"flowmeter", "flow", "meter"}),
        ("HTTPServerError", {"httpservererror", "http", "server", "error"}),
        ("parseHTML5Doc", {"parse", "html", "doc"}),
        ("v2.10.1", {"v2.10.1", "2.10.1", "2.10"}),
        ("v2.10.1-rc1", {"v2.10.1", "2.10.1", "rc"}),
        ("Python 3.11", {"3.11"}),
        ("C#12 and issue#12", {"c#", "12", "issue"}),
        ("C/C++ and Objective-C", {"c", "c++", "objective", "objectivec"}),
        ("2024-05-01", {"2024-05-01", "2024"}),
        ("<|endoftext|> [INST] </s>", {"endoftext", "inst", "s"}),
        ("_emphasis_ and **bold**", {"emphasis", "bold"}),
        ("co\u00adoperate", {"cooperate"}),
        ("ＦＵＬＬ ﬁne", {"full", "fine"}),
    ],
)
def test_passage_holds(text: str, expected: set[str]) -> None:
    assert expected <= set(terms(text))


@pytest.mark.parametrize(("text", "absent"), [("C++ C#", "c"), ("v2.10.1", "1"), ("Ada's", "s")])
def test_passage_does_not_hold(text: str, absent: str) -> None:
    assert absent not in terms(text)


@pytest.mark.parametrize("text", ["", "???", " \n\t", "____", "—…!", "\u00ad"])
def test_text_without_words_has_no_terms(text: str) -> None:
    assert terms(text) == []
    assert ENGLISH.query_terms(text) == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("read_flow_meter", "readFlowMeter"),
        ("e-mail", "email"),
        ("Node.js", "nodejs"),
        ("UTF-8", "utf8"),
        ("Größe", "grosse"),
        ("Ångström", "angstrom"),
        ("Łódź", "lodz"),
        ("cafe\u0301", "café"),
    ],
)
def test_spellings_of_one_word_share_a_term(one: str, other: str) -> None:
    assert set(terms(one)) & set(terms(other))


def test_accents_are_folded_for_latin_letters_alone() -> None:
    assert without_accents("é") == "e"
    assert without_accents("ё") == "ё"
    assert without_accents("が") == "が"


def test_marks_do_not_cut_words() -> None:
    assert terms("हिन्दी में") == ["हिन्दी", "में"]


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("水泵控制", ["水泵", "泵控", "控制"]),
        ("ポンプ", ["ポン", "ンプ"]),
        ("문서", ["문서"]),
        ("ภาษา", ["ภา", "าษ", "ษา"]),
    ],
)
def test_unspaced_scripts_are_bigrams(text: str, pairs: list[str]) -> None:
    assert [term.surface for term in ENGLISH.query_terms(text)] == pairs
    assert set(pairs) <= set(terms(text))


def test_one_ideograph_is_found_inside_a_run() -> None:
    (term,) = ENGLISH.query_terms("水")
    assert set(term.forms) & set(terms("水泵控制"))


def test_unspaced_run_ends_at_a_latin_word() -> None:
    assert terms("Python入門") == ["python", "入", "門", "入門"]


def test_passage_gets_the_stems_of_its_own_language() -> None:
    analyzer = Analyzer(("en", "es"))
    assert "run" in analyzer.passage_terms("running", "en")
    assert "cancion" in analyzer.passage_terms("canciones", "es")
    assert analyzer.passage_terms("running", "zz") == ["running"]


def test_query_gets_the_stems_of_every_language() -> None:
    (term,) = Analyzer(("en", "es", "pt-br")).query_terms("canciones")
    assert term.forms[0] == term.surface == "canciones"
    assert {"cancion"} < set(term.forms)


def test_regions_of_a_language_share_its_stems() -> None:
    assert algorithm_for("pt-BR") == algorithm_for("pt_br") == algorithm_for("pt") == "portuguese"
    assert algorithm_for("zh-cn") == ""


def test_query_terms_are_distinct_and_in_order() -> None:
    surfaces = [term.surface for term in ENGLISH.query_terms("pump valve pump PUMP valve")]
    assert surfaces == ["pump", "valve"]


@pytest.mark.parametrize(
    ("query", "surfaces"),
    [
        ("How does the pump work?", ["pump", "work"]),
        ("¿Qué hace la bomba de agua?", ["bomba", "agua"]),
        ("to be or not to be", ["to", "be", "or", "not"]),
        ("What is IT security?", ["it", "security"]),
        ("is_at", ["isat", "is", "at"]),
        ("list the files", ["list", "files"]),
    ],
)
def test_function_words_are_left_out_where_anything_else_is_asked(
    query: str, surfaces: list[str]
) -> None:
    assert [term.surface for term in Analyzer(("en", "es")).query_terms(query)] == surfaces


def test_whole_identifier_is_a_compound_beside_its_parts() -> None:
    whole, *parts = ENGLISH.query_terms("getAverageValue")
    assert (whole.surface, whole.compound) == ("getaveragevalue", True)
    assert [part.surface for part in parts] == ["get", "average", "value"]
    assert all(part.wholes == ("getaveragevalue",) for part in parts)


def test_a_word_asked_for_by_itself_is_no_compound() -> None:
    by_surface = {term.surface: term for term in ENGLISH.query_terms("GitHub github")}
    assert not by_surface["github"].compound


def test_encoded_data_is_capped_and_not_split() -> None:
    assert terms("Qk9aYz" * 100) == [("qk9ayz" * 100)[:MAX_WORD_CHARS]]
    assert len(terms("aB3dE5gH7jK9mN2pQ4sT6vX8zA1cE3gI5kM7oQ9sU")) == 1


@pytest.mark.parametrize("joiner", ["-", ".", "_"])
def test_long_chains_keep_their_words(joiner: str) -> None:
    names = [f"word{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    assert set(names) <= set(terms(joiner.join(names)))
    assert set(names[:9]) <= set(terms(joiner.join(names[:9])))


def test_long_queries_are_capped() -> None:
    query = " ".join(f"word{number}" for number in range(5000))
    assert len(ENGLISH.query_terms(query)) == MAX_QUERY_TERMS


def test_threads_share_an_analyzer() -> None:
    texts = [f"running pumps number{number} engineering" for number in range(200)]
    analyzer = Analyzer(("en", "de"))
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(analyzer.query_terms, texts))
    assert found == [Analyzer(("en", "de")).query_terms(text) for text in texts]


@given(st.text(max_size=60))
def test_a_passage_shares_a_term_with_itself_as_a_query(text: str) -> None:
    held = set(terms(text))
    for term in ENGLISH.query_terms(text):
        assert held & set(term.forms), (term, held)


@given(st.text(alphabet=st.characters(max_codepoint=sys.maxunicode), max_size=60))
def test_terms_are_never_empty_or_upper_case(text: str) -> None:
    for term in terms(text):
        assert term
        assert term == term.casefold() or not term.isascii()
