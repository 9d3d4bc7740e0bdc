import pytest

from service.follow_up import search_text
from service.prompt import Turn

ASKED = Turn(True, "Which talks did Ada give?")
ANSWERED = Turn(False, "Ada gave two talks [1].")


def long_words(text: str) -> int:
    return sum(len(word) > 4 for word in text.split())


@pytest.mark.parametrize(
    ("question", "history", "searched"),
    [
        ("And in Porto?", (ASKED, ANSWERED), "Which talks did Ada give? And in Porto?"),
        ("Which kilns were built?", (ASKED, ANSWERED), "Which kilns were built?"),
        ("And in Porto?", (), "And in Porto?"),
        ("And in Porto?", (ANSWERED,), "And in Porto?"),
    ],
)
def test_a_question_is_completed_only_where_it_leans_on_another(
    question: str, history: tuple[Turn, ...], searched: str
) -> None:
    assert search_text(question, history, long_words) == searched
