import string

import pytest

from service.language import answer_language, is_language_code, language_name
from service.notices import LANGUAGES, notice, sentences

CORPUS = ("en", "pt-br", "ja")


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Which projects use a pump?", "en"),
        ("¿Qué proyectos usan una bomba?", "es"),
        ("Welche Programmiersprachen kennt sie?", "de"),
        ("Qual motor de jogos ela usou no projeto?", "pt-br"),
        ("どのプロジェクトですか", "ja"),
        ("Hva heter prosjektet?", "no"),
        ("Mitä kieliä hän puhuu ja missä hän työskentelee?", "fi"),
        ("CV", "en"),
        ("Go?", "en"),
        ("hello?", "en"),
        ("12345", "en"),
        ("", "en"),
    ],
)
def test_the_questions_language_is_found(question: str, language: str) -> None:
    assert answer_language(question, None, CORPUS) == language


def test_a_short_question_is_in_the_language_of_most_documents() -> None:
    assert answer_language("CV", None, ("", "es", "en")) == "es"
    assert answer_language("CV", None, ()) == "en"


def test_a_given_language_wins_in_the_form_that_the_corpus_has() -> None:
    assert answer_language("Which projects?", "PT", CORPUS) == "pt-br"
    assert answer_language("Which projects?", "nb", ("en", "no")) == "no"
    assert answer_language("Which projects?", "fr", CORPUS) == "fr"


def test_codes_and_names() -> None:
    assert all(map(is_language_code, ("en", "pt-BR", "zh-Hans-CN")))
    assert not any(map(is_language_code, ("", "e", "english", "en_US", "en\n", "x" * 40, "en-<b>")))
    assert language_name("pt-br") == "Brazilian Portuguese"
    assert language_name("de-at") == "German"
    assert language_name("tlh") == "the language with the code tlh"


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_language_says_that_an_ai_answers(language: str) -> None:
    words = ("AI", "IA", "KI", "sztuczna inteligencja", "人工智能")
    assert any(word in notice(language, "generated") for word in words)
    assert any(word in notice(language, "excerpts") for word in words)
    fields = list(string.Formatter().parse(sentences(language).contact))
    assert [name for _, name, _, _ in fields if name] == ["contact"]


def test_an_unknown_language_gets_english_sentences() -> None:
    assert notice("fi", "generated") == notice("en", "generated")
    assert notice("nb", "generated") == notice("no", "generated") != notice("en", "generated")
    assert notice("pt-br", "generated") == notice("pt", "generated")
