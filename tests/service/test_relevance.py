import pytest

from service.relevance import MIN_COVERAGE, MIN_COVERAGE_FOR_MODEL, Signals, is_relevant


def signals(
    coverage: float, *, passages: int = 3, speaks: bool = True, words: bool, model: bool
) -> Signals:
    return Signals(passages, coverage, speaks, words, model)


@pytest.mark.parametrize(
    ("given", "relevant"),
    [
        (signals(1.0, passages=0, words=False, model=True), False),
        (signals(0.0, words=False, model=True), True),
        (signals(0.0, words=True, model=True), False),
        (signals(MIN_COVERAGE_FOR_MODEL, words=True, model=True), True),
        (signals(MIN_COVERAGE, words=True, model=False), True),
        (signals(MIN_COVERAGE - 0.01, words=True, model=False), False),
        (signals(MIN_COVERAGE - 0.01, words=False, model=False), False),
        (signals(0.0, speaks=False, words=False, model=False), True),
        (signals(0.0, speaks=False, words=True, model=False), False),
    ],
)
def test_relevance(given: Signals, relevant: bool) -> None:
    assert is_relevant(given) is relevant
