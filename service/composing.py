"""How does generated or chosen text become events and, at the end, an answer?"""

from collections.abc import Iterator
from dataclasses import dataclass

from retrieval.types import Retrieval
from service.answer import Answer, Degraded, Done, Event, Meta, Token
from service.citation_stream import CitationStream
from service.citations import Citation, CitationStyle, Sources
from service.notices import Wording, notice, sentences
from service.outcome import Outcome, OutcomeMarkers
from service.visible_text import Piece


@dataclass(frozen=True, slots=True)
class Prepared:
    """Everything that is known before an answer begins.

    Attributes:
        retrieval: The passages, as numbered in the prompt; its query is what was searched for.
        sources: What can be cited.
        generation: Name of the generation.
        language: To answer in.
        contact: Where to ask instead, or None.
        style: Of the markers.
        degraded: What is already less than usual.
        is_spent: The budget does not even allow to embed the question.
    """

    retrieval: Retrieval
    sources: Sources
    generation: str
    language: str
    contact: str | None
    style: CitationStyle
    degraded: Degraded | None
    is_spent: bool = False


class Composer:
    """Turns one text into events; text may come in any splits."""

    def __init__(self, prepared: Prepared, wording: Wording, degraded: Degraded | None) -> None:
        """Begin an answer.

        Args:
            prepared: What is known.
            wording: Who chose the words: which notice applies.
            degraded: As the answer will say it.
        """
        self._prepared = prepared
        self._degraded = degraded
        self._notice = notice(prepared.language, wording)
        self._markers = OutcomeMarkers()
        self._citations = CitationStream(prepared.sources, prepared.style)
        self._text: list[str] = []

    def meta(self) -> Meta:
        """The first event."""
        prepared = self._prepared
        return Meta(prepared.retrieval.mode, prepared.generation, prepared.language, self._notice)

    def feed(self, text: str) -> Iterator[Event]:
        """Take text; its events."""
        yield from self._events(self._citations.feed(self._markers.feed(text)))

    def finish(self) -> Iterator[Event]:
        """The rest, a fixed sentence where there was no text at all, and `Done`."""
        yield from self._events(self._citations.feed(self._markers.finish()))
        yield from self._events(self._citations.finish())
        outcome = self._outcome()
        if not "".join(self._text).strip():
            yield self._shown(self._fixed(outcome))
        yield Done(self._answer(outcome))

    def refuse(self, outcome: Outcome) -> Iterator[Event]:
        """A fixed sentence as the whole answer, with the contact, and `Done`."""
        yield self._shown(self._fixed(outcome))
        yield Done(self._answer(outcome))

    def _events(self, pieces: list[Piece]) -> Iterator[Event]:
        for piece in pieces:
            yield piece if isinstance(piece, Citation) else self._shown(piece)

    def _shown(self, text: str) -> Token:
        self._text.append(text)
        return Token(text)

    def _outcome(self) -> Outcome:
        if self._markers.outcome:
            return self._markers.outcome
        return "answered" if self._citations.citations() else "unknown"

    def _fixed(self, outcome: Outcome) -> str:
        spoken = sentences(self._prepared.language)
        parts = [spoken.declined if outcome == "declined" else spoken.unknown]
        if outcome == "contact" and self._prepared.contact:
            parts = []
        if outcome != "declined" and self._prepared.contact:
            parts.append(spoken.contact.format(contact=self._prepared.contact))
        return " ".join(parts)

    def _answer(self, outcome: Outcome) -> Answer:
        prepared = self._prepared
        return Answer(
            text="".join(self._text),
            citations=self._citations.citations(),
            mode=prepared.retrieval.mode,
            generation=prepared.generation,
            language=prepared.language,
            outcome=outcome,
            contact=prepared.contact if outcome in ("unknown", "contact") else None,
            degraded=self._degraded,
            notice=self._notice,
        )
