"""Which requests of programs are answered, by what?"""

from collections.abc import AsyncGenerator, Callable
from datetime import UTC, datetime

import anyio.to_thread
from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import Response

from retrieval.configuration import Configuration
from retrieval.status import read_last_sync
from service.answer import Event
from service.asking import Asking, visitor
from service.current import CurrentAnswering
from service.guards.asgi import Receive, Scope, Send
from service.reading import read_body
from service.schemas import (
    AskRequest,
    AskResponse,
    EraseRequest,
    EraseResponse,
    ErrorResponse,
    HealthResponse,
    ReadyResponse,
    SearchRequest,
    SearchResponse,
)
from service.searching import Searching
from service.sse import EventStream

STREAM = "text/event-stream"
REFUSALS: dict[int | str, dict[str, object]] = {
    status: {"model": ErrorResponse} for status in (400, 403, 409, 413, 415, 422, 429, 503)
}
BODIES: tuple[type[BaseModel], ...] = (AskRequest, SearchRequest, EraseRequest)
Current = Callable[[], CurrentAnswering]


def ask_route(asking: Asking) -> APIRouter:
    """`POST /ask`."""
    router = APIRouter()

    @router.post(
        "/ask",
        operation_id="ask",
        response_model=AskResponse,
        responses={**REFUSALS, 200: {"content": {STREAM: {"example": _STREAM_EXAMPLE}}}},
        openapi_extra=body_schema(AskRequest),
    )
    async def ask(request: Request) -> Response:
        """Answer a question from the content, as JSON or as a stream of events."""
        asked = read_body(AskRequest, await request.body())
        question = asking.question(asked, visitor(request))
        if STREAM in request.headers.get("accept", ""):
            return _Streamed(asking.events(question))
        answer = await asking.answer(question, request)
        if answer is None:
            return Response(status_code=499)
        return json_response(AskResponse.of(answer))

    return router


def search_route(searching: Searching) -> APIRouter:
    """`POST /search`."""
    router = APIRouter()

    @router.post(
        "/search",
        operation_id="search",
        response_model=SearchResponse,
        responses=REFUSALS,
        openapi_extra=body_schema(SearchRequest),
    )
    async def search(request: Request) -> Response:
        """Rank passages, as `askfolio search --json` does."""
        wanted = read_body(SearchRequest, await request.body())
        return json_response(await searching.search(wanted, visitor(request)))

    return router


def state_routes(configuration: Configuration, current: Current) -> APIRouter:
    """`GET /health` and `GET /ready`: always there, for whoever watches the process."""
    router = APIRouter()

    @router.get("/health", operation_id="health")
    async def health() -> HealthResponse:
        """Whether the process answers."""
        return HealthResponse()

    @router.get("/ready", operation_id="ready", responses={503: {"model": ErrorResponse}})
    async def ready() -> ReadyResponse:
        """Whether a generation is open, and how old it is."""
        async with current().use() as answering:
            name = answering.generation.manifest.generation
        time = await anyio.to_thread.run_sync(last_sync_time, configuration)
        problem = current().problem or None
        return ReadyResponse(
            generation=name, last_sync=time, age_seconds=age_s(time), error=problem
        )

    return router


def erase_route(erase: Callable[[str], bool]) -> APIRouter:
    """`POST /log/erase`: there where text can be kept."""
    router = APIRouter()

    @router.post(
        "/log/erase",
        operation_id="erase",
        response_model=EraseResponse,
        responses=REFUSALS,
        openapi_extra=body_schema(EraseRequest),
    )
    async def erase_kept(request: Request) -> Response:
        """Delete the question that a receipt stands for."""
        wanted = read_body(EraseRequest, await request.body())
        erased = await anyio.to_thread.run_sync(erase, wanted.receipt)
        return json_response(EraseResponse(erased=erased))

    return router


class _Streamed(Response):
    """A response that FastAPI hands on as it is."""

    def __init__(self, events: AsyncGenerator[Event, None]) -> None:
        super().__init__(media_type=STREAM)
        self._stream = EventStream(events)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._stream(scope, receive, send)


def last_sync_time(configuration: Configuration) -> str | None:
    """ISO time of the last sync, or None."""
    last = read_last_sync(configuration.knowledge_path)
    return str(last["time"]) if last and "time" in last else None


def age_s(time: str | None) -> float | None:
    """Seconds since an ISO time; None where it is none."""
    try:
        then = datetime.fromisoformat(time) if time else None
    except ValueError:
        return None
    return max(0.0, (datetime.now(UTC) - then).total_seconds()) if then else None


def json_response(content: BaseModel) -> Response:
    """A JSON response that nobody stores."""
    return Response(
        content.model_dump_json(),
        media_type="application/json",
        headers={"cache-control": "no-store"},
    )


def body_schema(model: type[BaseModel]) -> dict[str, object]:
    """The description of a body that the route reads itself."""
    schema = {"$ref": f"#/components/schemas/{model.__name__}"}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


_STREAM_EXAMPLE = """\
event: meta
data: {"mode": "full-context", "generation": "000001-0ecd10003141", "language": "en", "notice": ""}

event: token
data: {"text": "With a bucket "}

event: citation
data: {"n": 1, "url": "https://example.org/station/", "title": "Station", "heading": "", \
"source": "site", "kind": "page", "places": []}

event: token
data: {"text": "[1]."}

event: done
data: {"citations": [], "mode": "full-context", "generation": "000001-0ecd10003141", \
"language": "en", "outcome": "answered", "contact": null, "degraded": null, "receipt": null, \
"ai_generated": true, "notice": ""}

"""
