"""What goes over the wire: requests and responses with the field names of the design."""

from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    field_validator,
)
from pydantic.config import JsonDict

from retrieval.types import ContextMode, Kind, SearchMode
from service.answer import Answer, Degraded
from service.citations import Citation, CitationStyle
from service.language import MAX_CODE_CHARS, is_language_code
from service.neutral import VISIBLE
from service.outcome import Outcome

MAX_ADDRESS_CHARS = 2048
MAX_FILTER_CHARS = 200
_LANGUAGE: JsonDict = {
    "maxLength": MAX_CODE_CHARS,
    "pattern": "^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$",
}
Filter = Annotated[str, StringConstraints(max_length=MAX_FILTER_CHARS)]


def _whole(value: object) -> object:
    """3.0 is an integer in JSON."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Response(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class HistoryMessage(_Request):
    """An earlier message of the conversation, kept by the browser alone."""

    role: Literal["user", "assistant"]
    content: str


class AskRequest(_Request):
    """`POST /ask`."""

    question: Annotated[str, Field(json_schema_extra={"minLength": 1, "pattern": VISIBLE})]
    history: list[HistoryMessage] = Field(default_factory=list)
    language: Annotated[str | None, Field(json_schema_extra=_LANGUAGE)] = None
    consent: bool = False
    page: Annotated[str, StringConstraints(max_length=MAX_ADDRESS_CHARS)] | None = None
    citation_style: CitationStyle = "numbers"

    @field_validator("question")
    @classmethod
    def _asks_something(cls, question: str) -> str:
        if not question.strip("\x00 \t\r\n\u200b\ufeff\u00a0"):
            raise ValueError("is blank")
        return question

    @field_validator("language")
    @classmethod
    def _is_code(cls, language: str | None) -> str | None:
        if language is not None and not is_language_code(language):
            raise ValueError("is no language code such as en or pt-br")
        return language


class SearchRequest(_Request):
    """`POST /search`: the arguments of the command."""

    query: str
    k: Annotated[int, Field(ge=1, le=100), BeforeValidator(_whole)] | None = None
    mode: Literal["auto", "hybrid", "dense", "keyword"] = "auto"
    source: Filter | None = None
    language: Filter | None = None
    kind: Kind | None = None


class EraseRequest(_Request):
    """`POST /log/erase`."""

    receipt: Annotated[str, StringConstraints(min_length=1, max_length=MAX_FILTER_CHARS)]


class EraseResponse(_Response):
    """Whether there was something to erase."""

    erased: bool


class PlaceOut(_Response):
    """A further part of a cited document."""

    url: str
    heading: str


class CitationOut(_Response):
    """A document that the answer rests on."""

    n: int
    url: str | None
    title: str
    heading: str
    source: str
    kind: Kind
    places: list[PlaceOut]

    @classmethod
    def of(cls, citation: Citation) -> Self:
        """The wire form."""
        return cls(
            n=citation.n,
            url=citation.url,
            title=citation.title,
            heading=citation.heading,
            source=citation.source,
            kind=citation.kind,
            places=[PlaceOut(url=place.url, heading=place.heading) for place in citation.places],
        )


class MetaOut(_Response):
    """The first event of a stream."""

    mode: ContextMode | SearchMode
    generation: str
    language: str
    notice: str


class TokenOut(_Response):
    """A part of the answer's text."""

    text: str


class DoneOut(_Response):
    """The last event of a stream: the answer without its text."""

    citations: list[CitationOut]
    mode: ContextMode | SearchMode
    generation: str
    language: str
    outcome: Outcome
    contact: str | None
    degraded: Degraded | None
    receipt: str | None = None
    ai_generated: Literal[True] = True
    notice: str

    @classmethod
    def of(cls, answer: Answer) -> Self:
        """The wire form."""
        return cls(**_fields(answer))


class _Text(_Response):
    answer: str


class AskResponse(DoneOut, _Text):
    """`POST /ask` as JSON."""

    @classmethod
    def of(cls, answer: Answer) -> Self:
        """The wire form."""
        return cls(answer=answer.text, **_fields(answer))

    def lines(self) -> Iterator[str]:
        """The answer for a terminal: text, numbered citations, contact, and the AI notice."""
        yield self.answer
        if self.citations:
            yield ""
        for citation in self.citations:
            heading = f" – {citation.heading}" if citation.heading else ""
            yield f"[{citation.n}] {citation.title}{heading}"
            if citation.url:
                yield f"    {citation.url}"
            for place in citation.places:
                yield f"    {place.url}"
        yield ""
        degraded = f", {self.degraded}" if self.degraded else ""
        yield f"({self.outcome}; {self.mode}{degraded}; generation {self.generation})"
        yield self.notice


class SearchResult(_Response):
    """One ranked chunk."""

    rank: int
    score: float
    dense_rank: int | None
    keyword_rank: int | None
    chunk_id: str
    source: str
    kind: Kind
    path: str
    url: str | None
    title: str
    headings: list[str]
    language: str
    start_line: int | None
    end_line: int | None
    text: str


class SearchResponse(_Response):
    """`POST /search` and `askfolio search --json`."""

    mode: ContextMode | SearchMode
    generation: str
    results: list[SearchResult]


class HealthResponse(_Response):
    """`GET /health`: the process answers."""

    status: Literal["ok"] = "ok"


class ReadyResponse(_Response):
    """`GET /ready`: a generation is open.

    Attributes:
        last_sync: ISO 8601 time of the last sync, also of one that changed nothing.
        age_seconds: Since that time; None where it is not known.
        error: Why a newer generation does not serve; None where the newest does.
    """

    status: Literal["ready"] = "ready"
    generation: str
    last_sync: str | None
    age_seconds: float | None
    error: str | None = None


class ErrorBody(_Response):
    """What went wrong; never holds what the visitor sent."""

    code: str
    message: str


class ErrorResponse(_Response):
    """The one shape of every error."""

    error: ErrorBody


def _fields(answer: Answer) -> dict[str, object]:
    return {
        "citations": [CitationOut.of(citation) for citation in answer.citations],
        "mode": answer.mode,
        "generation": answer.generation,
        "language": answer.language,
        "outcome": answer.outcome,
        "contact": answer.contact,
        "degraded": answer.degraded,
        "notice": answer.notice,
        "receipt": answer.receipt,
    }
