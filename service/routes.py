"""Which requests are answered, by what?"""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from datetime import UTC, datetime
from functools import partial

import anyio.to_thread
from fastapi import APIRouter, Request
from starlette.responses import Response

from retrieval.configuration import Configuration
from retrieval.status import read_last_sync
from retrieval.types import Retrieval
from service.answer import Event, Question
from service.answering import Answering
from service.current import CurrentAnswering
from service.errors import Invalid, NotReady
from service.guards.asgi import Receive, Scope, Send
from service.leaving import unless_left
from service.neutral import neutral
from service.prompt import Turn
from service.reading import read_body
from service.schemas import (
    AskRequest,
    AskResponse,
    ErrorResponse,
    HealthResponse,
    ReadyResponse,
    SearchRequest,
    SearchResponse,
)
from service.search import search_response
from service.sse import EventStream

STREAM = "text/event-stream"
_REFUSALS: dict[int | str, dict[str, object]] = {
    status: {"model": ErrorResponse} for status in (400, 403, 413, 415, 422, 503)
}


def routes(configuration: Configuration, current: Callable[[], CurrentAnswering]) -> APIRouter:
    """The routes over what serves now."""
    router = APIRouter()
    limit = configuration.service.max_question_chars

    @router.post(
        "/ask",
        operation_id="ask",
        response_model=AskResponse,
        responses={**_REFUSALS, 200: {"content": {STREAM: {}}}},
        openapi_extra=_body_schema(AskRequest),
    )
    async def ask(request: Request) -> Response:
        """Answer a question from the content, as JSON or as a stream of events."""
        asked = read_body(AskRequest, await request.body())
        _check_length("question", asked.question, limit)
        question = _question(asked)
        if not current().is_ready:
            raise NotReady("the content is not ready yet")
        if STREAM in request.headers.get("accept", ""):
            return _Streamed(_events(current(), question))
        async with current().use() as answering:
            answer = await unless_left(request.receive, partial(answering.answer, question))
        if answer is None:
            return Response(status_code=499)
        return _json(AskResponse.of(answer).model_dump_json())

    @router.post(
        "/search",
        operation_id="search",
        response_model=SearchResponse,
        responses=_REFUSALS,
        openapi_extra=_body_schema(SearchRequest),
    )
    async def search(request: Request) -> Response:
        """Rank passages, as `askfolio search --json` does."""
        wanted = read_body(SearchRequest, await request.body())
        _check_length("query", wanted.query, limit)
        k = wanted.k or configuration.retrieval.k
        async with current().use() as answering:
            found = await anyio.to_thread.run_sync(partial(_ranked, answering, wanted, k))
            response = search_response(found, answering.generation)
        return _json(response.model_dump_json())

    @router.get("/health", operation_id="health")
    async def health() -> HealthResponse:
        """Whether the process answers."""
        return HealthResponse()

    @router.get("/ready", operation_id="ready", responses={503: {"model": ErrorResponse}})
    async def ready() -> ReadyResponse:
        """Whether a generation is open, and how old it is."""
        async with current().use() as answering:
            name = answering.generation.manifest.generation
        last = await anyio.to_thread.run_sync(read_last_sync, configuration.knowledge_path)
        time = str(last["time"]) if last and "time" in last else None
        return ReadyResponse(generation=name, last_sync=time, age_seconds=_age(time))

    return router


class _Streamed(Response):
    """A response that FastAPI hands on as it is."""

    def __init__(self, events: AsyncGenerator[Event, None]) -> None:
        super().__init__(media_type=STREAM)
        self._stream = EventStream(events)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._stream(scope, receive, send)


async def _events(current: CurrentAnswering, question: Question) -> AsyncGenerator[Event, None]:
    async with current.use() as answering, aclosing(answering.events(question)) as events:
        async for event in events:
            yield event


def _ranked(answering: Answering, wanted: SearchRequest, k: int) -> Retrieval:
    return answering.retriever.retrieve(
        neutral(wanted.query),
        k,
        wanted.mode,
        source=wanted.source,
        language=wanted.language,
        kind=wanted.kind,
    )


def _question(asked: AskRequest) -> Question:
    turns = (Turn(message.role == "user", message.content) for message in asked.history)
    text = neutral(asked.question).strip()
    if not text:
        raise Invalid("question: is blank")
    return Question(
        text=text,
        language=asked.language,
        page=asked.page,
        history=tuple(turns),
        style=asked.citation_style,
    )


def _check_length(field: str, text: str, limit: int) -> None:
    if len(text) > limit:
        raise Invalid(f"{field} has {len(text)} characters, at most {limit} are allowed")


def _age(time: str | None) -> float | None:
    try:
        then = datetime.fromisoformat(time) if time else None
    except ValueError:
        return None
    return max(0.0, (datetime.now(UTC) - then).total_seconds()) if then else None


def _json(content: str) -> Response:
    return Response(content, media_type="application/json", headers={"cache-control": "no-store"})


def _body_schema(model: type[AskRequest] | type[SearchRequest]) -> dict[str, object]:
    schema = {"$ref": f"#/components/schemas/{model.__name__}"}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}
