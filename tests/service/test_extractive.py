from collections.abc import Iterator

import pytest

from retrieval.generation import Generation, open_generation
from service.extractive import MAX_SENTENCES, Excerpts
from tests.service.running import configure

PAGES = {
    "engine.md": (
        "---\ntitle: Tide engine\n---\nAda wrote the tide engine in Rust. It predicts the water "
        "level for forty harbours. The first version was slow.\n\n```rust\nfn tide() -> f64 "
        "{ harbours[0] }\n```\n\n## Licence\n\nThe engine is free software [12]. See the "
        "[licence](/licence/).\n"
    ),
    "kiln.md": "---\ntitle: Kiln\n---\nThe kiln controller ramps the temperature slowly.\n",
    "questions.md": (
        "---\ntitle: Questions\n---\nWhat does the foghorn do? It warns ships when visibility is "
        "low.\n\nWho pays for the foghorn?\n"
    ),
    "pictures.md": "---\ntitle: Foghorn pictures\n---\n![](foghorn.png)\n",
    "talks.md": (
        "---\ntitle: Talks\n---\n| Talk | Place |\n|---|---|\n| Tides in Rust | Bergen |\n"
        "| Clay and code | Porto |\n"
    ),
    "engine.es.md": (
        "---\ntitle: Motor de mareas\n---\nAda escribió el motor de mareas en Rust. Predice el "
        "nivel del agua en cuarenta puertos.\n"
    ),
}
HUGO = """\
baseURL = "https://portfolio.example/"
defaultContentLanguage = "en"
[languages.en]
[languages.es]
"""


@pytest.fixture(scope="module")
def generation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Generation]:
    folder = tmp_path_factory.mktemp("site")
    configuration = configure(folder, pages=PAGES, hugo=HUGO)
    opened = open_generation(configuration.knowledge_path)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def excerpts(generation: Generation) -> Excerpts:
    return Excerpts(generation.keyword, generation.store, generation.manifest.languages)


def texts(
    excerpts: Excerpts, generation: Generation, question: str, language: str = "en"
) -> list[str]:
    passages = list(generation.store.all_chunks())
    chosen = excerpts.choose(question, passages, language)
    for excerpt in chosen:
        words = excerpt.text.rstrip("…").split()[:2]
        assert words[0].strip(":") in passages[excerpt.number - 1].chunk.text
    return [excerpt.text for excerpt in chosen]


def test_the_sentence_that_answers_is_chosen(excerpts: Excerpts, generation: Generation) -> None:
    found = texts(excerpts, generation, "In which language did she write the tide engine?")
    assert "Ada wrote the tide engine in Rust." in found
    assert len(found) <= MAX_SENTENCES
    assert not any("kiln" in text or "fn tide" in text for text in found)


def test_the_choice_is_the_same_every_time(excerpts: Excerpts, generation: Generation) -> None:
    question = "What does the tide engine predict?"
    first = texts(excerpts, generation, question)
    assert first == texts(excerpts, generation, question)
    assert "It predicts the water level for forty harbours." in first


def test_sentences_in_the_visitors_language_come_first(
    excerpts: Excerpts, generation: Generation
) -> None:
    found = texts(excerpts, generation, "¿En qué escribió Ada el motor? Rust", "es")
    assert found[0] == "Ada escribió el motor de mareas en Rust."


def test_a_question_on_a_page_gives_way_to_what_answers_it(
    excerpts: Excerpts, generation: Generation
) -> None:
    found = texts(excerpts, generation, "What does the foghorn do?")
    assert found[0] == "It warns ships when visibility is low."
    assert "What does the foghorn do?" not in found


def test_a_passage_without_a_sentence_gives_no_excerpt(
    excerpts: Excerpts, generation: Generation
) -> None:
    pictures = [
        ranked
        for ranked in generation.store.all_chunks()
        if ranked.document.path == "content/pictures.md"
    ]
    assert len(pictures) == 1
    assert excerpts.choose("Where are the foghorn pictures?", pictures, "en") == []


def test_a_row_of_a_table_is_readable(excerpts: Excerpts, generation: Generation) -> None:
    found = texts(excerpts, generation, "Which talk was in Bergen?")
    assert found[0] == "Talk: Tides in Rust; Place: Bergen"


def test_numbers_in_brackets_on_a_page_are_no_markers(
    excerpts: Excerpts, generation: Generation
) -> None:
    found = texts(excerpts, generation, "Is the engine free software?")
    assert "The engine is free software (12)." in found


@pytest.mark.parametrize("question", ["Zanzibar?", "", "what is the", "?!", "\u200b"])
def test_without_a_shared_word_nothing_is_chosen(
    excerpts: Excerpts, generation: Generation, question: str
) -> None:
    assert texts(excerpts, generation, question) == []
    assert excerpts.coverage(question) == 0.0


def test_coverage_tells_a_question_about_something_else(excerpts: Excerpts) -> None:
    assert excerpts.coverage("Which harbours does the tide engine predict?") > 0.8
    assert excerpts.coverage("Which football team won the first engine cup?") < 0.4
