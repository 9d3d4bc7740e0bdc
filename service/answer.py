"""What is asked, what is answered, and what happens in between?"""

from dataclasses import dataclass
from typing import Literal

from retrieval.types import ContextMode, SearchMode
from service.citations import Citation, CitationStyle
from service.outcome import Outcome
from service.prompt import Turn

Degraded = Literal["keyword-only", "excerpts"]


@dataclass(frozen=True, slots=True)
class Question:
    """A visitor's question.

    Attributes:
        text: As it was written.
        language: Wanted for the answer; None to take the question's own.
        page: Address of the page that is being read, or None.
        history: Earlier messages, oldest first.
        style: How citations are marked in the answer's text.
        visitor: Who asks, as the rate limit names them; empty for the owner.
        consent: Whether the visitor lets the question be kept; None where nothing was said.
    """

    text: str
    language: str | None = None
    page: str | None = None
    history: tuple[Turn, ...] = ()
    style: CitationStyle = "numbers"
    visitor: bytes = b""
    consent: bool | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A complete answer; the fields of `POST /ask`.

    Attributes:
        text: What the visitor reads, with markers in the wanted style.
        citations: By number.
        mode: How the passages were chosen.
        generation: What they are from.
        language: Code of the answer's language.
        outcome: `answered` only with a citation.
        contact: Where to ask instead; None where that is not needed or not known.
        degraded: Why it is less than usual; None where it is not.
        notice: Says that a machine answers.
        receipt: Erases what was kept of the question; None where nothing was.
    """

    text: str
    citations: tuple[Citation, ...]
    mode: ContextMode | SearchMode
    generation: str
    language: str
    outcome: Outcome
    contact: str | None
    degraded: Degraded | None
    notice: str
    receipt: str | None = None


@dataclass(frozen=True, slots=True)
class Meta:
    """Comes first: what is known before the answer."""

    mode: ContextMode | SearchMode
    generation: str
    language: str
    notice: str


@dataclass(frozen=True, slots=True)
class Token:
    """A part of the answer's text."""

    text: str


@dataclass(frozen=True, slots=True)
class Done:
    """Comes last; a stream without it has failed."""

    answer: Answer


Event = Meta | Citation | Token | Done
