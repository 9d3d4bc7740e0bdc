"""Which addresses are for people, crawlers and monitors?"""

from collections.abc import Callable
from dataclasses import replace

import anyio.to_thread
from fastapi import APIRouter, Request
from starlette.responses import PlainTextResponse, Response

from retrieval.configuration import Configuration
from retrieval.export.files import export
from retrieval.generation import KNOWLEDGE_TEXT_FILE, Generation
from service.asking import Asking, visitor
from service.errors import RequestRejected
from service.metrics import MEDIA_TYPE, Gauges, Metrics
from service.neutral import VISIBLE
from service.pages.html import html_response
from service.pages.labels import page_language
from service.pages.page import PageState, form_request, page_body, page_title
from service.pages.privacy import PrivacyResponse, privacy, privacy_page
from service.routes import REFUSALS, Current, age_s, json_response, last_sync_time
from service.schemas import ErrorResponse
from service.site import owner
from service.spending.budget import Budget
from service.upstream import is_generated

_TEXT: dict[int | str, dict[str, object]] = {200: {"content": {"text/plain": {}}}}
_HTML: dict[int | str, dict[str, object]] = {200: {"content": {"text/html": {}}}}
_REFUSED_ON_THE_PAGE: dict[int | str, dict[str, object]] = {
    status: {"model": ErrorResponse, "content": {"text/html": {}}} for status in (400, 422, 503)
}
_FORM_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "application/x-www-form-urlencoded": {
                "schema": {
                    "type": "object",
                    "required": ["question"],
                    "properties": {
                        "question": {"type": "string", "minLength": 1, "pattern": VISIBLE}
                    },
                }
            }
        },
    }
}


def page_routes(configuration: Configuration, asking: Asking) -> APIRouter:
    """`GET /` and `POST /`."""
    router = APIRouter()

    def state(request: Request) -> PageState:
        service = configuration.service
        return PageState(
            language=page_language(request.headers.get("accept-language", "")),
            owner=next((site.owner for site in configuration.site if site.owner), ""),
            is_generated=is_generated(configuration),
            log_mode=configuration.log.mode,
            has_privacy="privacy" in service.routes,
            max_question_chars=service.max_question_chars,
        )

    @router.get("/", operation_id="page", response_class=Response, responses={**_HTML})
    async def page(request: Request) -> Response:
        """A page with a form that works without JavaScript."""
        return _page(state(request))

    @router.post(
        "/",
        operation_id="ask_page",
        response_class=Response,
        responses={**REFUSALS, **_HTML, **_REFUSED_ON_THE_PAGE},
        openapi_extra=_FORM_BODY,
    )
    async def ask_page(request: Request) -> Response:
        """Answer the form's question on the page."""
        shown = state(request)
        try:
            asked = form_request(await request.body(), configuration.log.mode)
            question = asking.question(asked, visitor(request))
        except RequestRejected as error:
            return _page(replace(shown, problem=str(error)), error.status)
        answer = await asking.answer(question, request)
        return _page(replace(shown, question=question.text, answer=answer))

    return router


def _page(state: PageState, status: int = 200) -> Response:
    return html_response(
        page_title(state),
        state.language,
        page_body(state),
        status,
        {"vary": "Accept-Language", "x-ai-generated": "true"},
    )


def privacy_route(configuration: Configuration, current: Current) -> APIRouter:
    """`GET /privacy`."""
    router = APIRouter()

    @router.get(
        "/privacy", operation_id="privacy", response_model=PrivacyResponse, responses={**_HTML}
    )
    async def about(request: Request) -> Response:
        """What is kept, what is sent to whom, and for how long; JSON, or HTML for browsers."""
        generation = current().generation
        contact, embedder_id = None, ""
        if generation is not None:
            contact = owner(configuration, generation.store).contact
            embedder_id = generation.manifest.embedder_id
        found = privacy(configuration, contact, embedder_id)
        if "text/html" in request.headers.get("accept", ""):
            return privacy_page(found)
        response = json_response(found)
        response.headers["vary"] = "Accept"
        return response

    return router


def metrics_route(
    configuration: Configuration, current: Current, metrics: Metrics, budget: Budget
) -> APIRouter:
    """`GET /metrics`."""
    router = APIRouter()

    def gauges() -> Gauges:
        generation = current().generation
        name = generation.manifest.generation if generation else ""
        return Gauges(budget.spent(), name, age_s(last_sync_time(configuration)))

    @router.get(
        "/metrics", operation_id="metrics", response_class=PlainTextResponse, responses={**_TEXT}
    )
    async def numbers() -> Response:
        """Counts for Prometheus; no text, no address."""
        read = await anyio.to_thread.run_sync(gauges)
        return Response(
            metrics.text(read), media_type=MEDIA_TYPE, headers={"cache-control": "no-store"}
        )

    return router


def export_routes(
    configuration: Configuration, current: Current, names: frozenset[str]
) -> APIRouter:
    """`GET /knowledge.txt` and `GET /llms.txt`, as far as they are switched on."""
    router = APIRouter()

    def knowledge_text(generation: Generation) -> bytes:
        return (generation.folder / KNOWLEDGE_TEXT_FILE).read_bytes()

    def llms_text(generation: Generation) -> bytes:
        return "".join(export("llms.txt", generation.store, configuration)).encode()

    if "knowledge" in names:
        _add_text(router, current, "knowledge.txt", knowledge_text)
    if "llms" in names:
        _add_text(router, current, "llms.txt", llms_text)
    return router


def _add_text(
    router: APIRouter, current: Current, name: str, write: Callable[[Generation], bytes]
) -> None:
    """A text of the generation that serves.

    A generation never changes: its name is the ETag, and one copy serves everybody.
    """
    held = ("", b"")

    @router.get(
        f"/{name}",
        operation_id=name.replace(".", "_"),
        response_class=PlainTextResponse,
        responses={**_TEXT},
    )
    async def text(request: Request) -> Response:
        nonlocal held
        async with current().use() as answering:
            generation = answering.generation
            tag = f'"{generation.manifest.generation}"'
            headers = {"etag": tag, "cache-control": "no-cache"}
            if request.headers.get("if-none-match") == tag:
                return Response(status_code=304, headers=headers)
            if held[0] != tag:
                held = (tag, await anyio.to_thread.run_sync(write, generation))
            content = held[1]
        return PlainTextResponse(content, headers=headers)
