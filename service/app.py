"""The composition root: configuration in, ASGI application out; errors become responses here."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import anyio.to_thread
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from retrieval.configuration import Configuration, api_token
from retrieval.errors import GenerationError, ProviderError
from service.answering import open_chat
from service.current import CurrentAnswering, open_current
from service.errors import RequestRejected
from service.guards.body_limit import BodyLimitGuard
from service.guards.content_type import ContentTypeGuard
from service.guards.crash import CrashGuard
from service.guards.origin import OriginGuard
from service.language import answer_language
from service.routes import routes
from service.schemas import AskRequest, ErrorBody, ErrorResponse, SearchRequest
from service.site import configured_origins, generation_origins

_CODES = {404: "not_found", 405: "method_not_allowed"}
_MESSAGES = {404: "there is no such route", 405: "this route has no such method"}


def create_app(configuration: Configuration) -> FastAPI:
    """The service; it opens the generation when it starts and closes it when it stops.

    Raises:
        ConfigurationError: A wrong origin; no key for a configured provider.
    """
    chat = open_chat(configuration)
    origins = configured_origins(configuration)
    serving = _Serving(configuration, origins)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:  # noqa: ARG001
        serving.current = await open_current(configuration, chat)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(serving.current.watch)
            tasks.start_soon(anyio.to_thread.run_sync, answer_language, "warm up", None, ())
            yield
            tasks.cancel_scope.cancel()
        serving.current.close()
        if chat is not None:
            await chat.aclose()

    app = FastAPI(
        title="askfolio",
        summary="Ask a portfolio site; the links in the answer are real.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    app.include_router(routes(configuration, lambda: serving.current))
    _map_errors(app)
    _describe(app)
    service = configuration.service
    # The last one added is the first one asked.
    app.add_middleware(CrashGuard)
    app.add_middleware(BodyLimitGuard, max_bytes=service.max_body_bytes)
    app.add_middleware(ContentTypeGuard)
    app.add_middleware(
        OriginGuard,
        origins=serving.origins,
        token=api_token(),
        allow_missing=service.allow_missing_origin,
    )
    return app


class _Serving:
    """What the running service knows beside its configuration."""

    def __init__(self, configuration: Configuration, origins: frozenset[str]) -> None:
        self._configuration = configuration
        self._configured = origins
        self._found: tuple[str, frozenset[str]] = ("", frozenset())
        self.current = CurrentAnswering(configuration, None)

    def origins(self) -> frozenset[str]:
        """Allowed origins: the configured ones, else those of the sites' pages."""
        generation = self.current.generation
        if generation is None:
            return self._configured
        name = generation.manifest.generation
        if self._found[0] != name:
            found = generation_origins(self._configuration, generation.store)
            self._found = (name, found)
        return self._configured | self._found[1]


def _map_errors(app: FastAPI) -> None:
    handlers: dict[type[Exception], Callable[[Any], tuple[int, str, str]]] = {
        RequestRejected: lambda error: (error.status, error.code, str(error)),
        GenerationError: lambda _: (503, "not_ready", "the content cannot be read now"),
        ProviderError: lambda _: (503, "unavailable", "a part of the service is unavailable"),
        RequestValidationError: lambda _: (422, "invalid", "the request is invalid"),
        HTTPException: lambda error: (
            error.status_code,
            _CODES.get(error.status_code, "malformed"),
            _MESSAGES.get(error.status_code, "the request cannot be answered"),
        ),
    }
    for kind, described in handlers.items():
        app.add_exception_handler(kind, _handler(described))


def _handler(
    described: Callable[[Any], tuple[int, str, str]],
) -> Callable[[Request, Exception], JSONResponse]:
    def handle(request: Request, error: Exception) -> JSONResponse:  # noqa: ARG001
        status, code, message = described(error)
        body = ErrorResponse(error=ErrorBody(code=code, message=message))
        return JSONResponse(body.model_dump(), status, {"cache-control": "no-store"})

    return handle


def _describe(app: FastAPI) -> None:
    """Bodies are read by the routes themselves, so that their schemas are added here."""

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = get_openapi(title=app.title, version="1", routes=app.routes)
            schemas = schema.setdefault("components", {}).setdefault("schemas", {})
            for model in (AskRequest, SearchRequest):
                own = model.model_json_schema(ref_template="#/components/schemas/{model}")
                schemas.update(own.pop("$defs", {}))
                schemas[model.__name__] = own
            app.openapi_schema = schema
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]
