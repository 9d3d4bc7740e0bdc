"""Do the passages speak about the question at all? One pure decision, made before any model call.

The signal is the share of the question's idf mass that two neighbouring sentences cover, function
words left out: a word that the corpus does not know weighs most, so that a question about something
else stays low. The thresholds come from questions with and without an answer on two sites and a
documentation, by keywords alone.

It says nothing where the question is in a language that the corpus has not, nor about what was
found by meaning: there a model decides (`<<unknown>>`), if there is one.
"""

from dataclasses import dataclass

MIN_COVERAGE = 0.45
MIN_COVERAGE_FOR_MODEL = 0.15


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known about a retrieval.

    Attributes:
        passages: Number of passages.
        coverage: Best share of the question's idf mass that a stretch of a passage covers, 0 to 1.
        speaks_language: The corpus has the question's language.
        by_words_alone: Nothing but the question's words chose the passages.
        model_decides: A model reads them and says itself that they do not answer.
    """

    passages: int
    coverage: float
    speaks_language: bool
    by_words_alone: bool
    model_decides: bool


def is_relevant(signals: Signals) -> bool:
    """Whether it is worth answering from these passages."""
    if signals.passages == 0:
        return False
    if signals.model_decides:
        return not signals.by_words_alone or signals.coverage >= MIN_COVERAGE_FOR_MODEL
    if signals.coverage >= MIN_COVERAGE:
        return True
    return not signals.speaks_language and not signals.by_words_alone
