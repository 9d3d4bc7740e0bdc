"""The composition root: configuration in, ASGI application out; errors become responses here."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import anyio
import anyio.to_thread
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import Route

from retrieval.configuration import Configuration, api_token
from retrieval.errors import GenerationError, ProviderError
from service.current import open_current
from service.description import describe
from service.errors import RequestRejected, VisitorLogError
from service.guards.body_limit import BodyLimitGuard
from service.guards.content_type import ContentTypeGuard
from service.guards.counting import CountingGuard
from service.guards.crash import CrashGuard
from service.guards.origin import OriginGuard
from service.guards.rate import READING_FACTOR, Limiter, Rate, RateGuard
from service.guards.under_way import UnderWayGuard
from service.guards.visitor import Visitors
from service.language import answer_language
from service.mcp_route import PATH as MCP_PATH
from service.schemas import ErrorBody, ErrorResponse
from service.serving import Serving

_CODES = {404: "not_found", 405: "method_not_allowed"}
_MESSAGES = {404: "there is no such route", 405: "this route has no such method"}


def create_app(
    configuration: Configuration,
    own_origins: frozenset[str] = frozenset(),
    visitor_key: bytes = b"",
) -> FastAPI:
    """The service; it opens the generation when it starts and closes it when it stops.

    Args:
        configuration: As it will run.
        own_origins: Where the page with the form is reached, beside `service.public_url`.
        visitor_key: Of the hashes that stand for visitors, where workers share one.

    Raises:
        ConfigurationError: A wrong origin; no key for a configured provider.
    """
    limiter = _asking_rate(configuration)
    serving = Serving(configuration, own_origins, limiter)
    app = FastAPI(
        title="askfolio",
        summary="Ask a portfolio site; the links in the answer are real.",
        lifespan=_lifespan(configuration, serving),
        docs_url=None,
        redoc_url=None,
    )
    paths, asking = {MCP_PATH, "/openapi.json"}, {MCP_PATH}
    for router in serving.routers():
        app.include_router(router)
        for route in router.routes:
            path = getattr(route, "path", "")
            paths.add(path)
            if "POST" in (getattr(route, "methods", None) or ()):
                asking.add(path)
    if serving.mcp is not None:
        app.router.routes.append(Route(MCP_PATH, serving.mcp))
    _map_errors(app)
    describe(app, configuration.service.max_question_chars)
    visitors = Visitors(configuration.service.trusted_proxies, visitor_key)
    _guard(app, configuration, serving, limiter, visitors, frozenset(paths - asking))
    app.add_middleware(
        CountingGuard, paths=frozenset(paths), count=serving.upstream.metrics.responded
    )
    return app


def _lifespan(configuration: Configuration, serving: Serving) -> Callable[[FastAPI], Any]:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:  # noqa: ARG001
        if serving.log is not None:
            await anyio.to_thread.run_sync(serving.log.purge)
        serving.current = await open_current(configuration, serving.upstream)
        async with AsyncExitStack() as stack:
            if serving.mcp is not None:
                await stack.enter_async_context(serving.mcp.run())
            tasks = await stack.enter_async_context(anyio.create_task_group())
            tasks.start_soon(serving.current.watch)
            tasks.start_soon(serving.purge_regularly)
            tasks.start_soon(anyio.to_thread.run_sync, answer_language, "warm up", None, ())
            yield
            tasks.cancel_scope.cancel()
        serving.current.close()
        await serving.upstream.aclose()
        await serving.rate.aclose()

    return lifespan


def _asking_rate(configuration: Configuration) -> Rate:
    count, seconds = configuration.service.rate_limit
    storage = configuration.service.rate_storage
    if not storage:
        return Limiter(count, seconds)
    from service.guards.shared_rate import SharedLimiter

    return SharedLimiter(storage, count, seconds)


def _guard(
    app: FastAPI,
    configuration: Configuration,
    serving: Serving,
    limiter: Rate,
    visitors: Visitors,
    reading: frozenset[str],
) -> None:
    """Put the guards around the application; the last one added is the first one asked."""
    service = configuration.service
    count, seconds = service.rate_limit
    app.add_middleware(CrashGuard)
    app.add_middleware(BodyLimitGuard, max_bytes=service.max_body_bytes)
    app.add_middleware(ContentTypeGuard, forms=frozenset({"/"}), others=reading)
    app.add_middleware(UnderWayGuard)
    app.add_middleware(
        RateGuard,
        visitors=visitors,
        asking=limiter,
        reading=Limiter(count * READING_FACTOR, seconds),
    )
    app.add_middleware(
        OriginGuard,
        origins=serving.origins,
        token=api_token(),
        allow_missing=service.allow_missing_origin,
    )


def _map_errors(app: FastAPI) -> None:
    handlers: dict[type[Exception], Callable[[Any], tuple[int, str, str]]] = {
        RequestRejected: lambda error: (error.status, error.code, str(error)),
        GenerationError: lambda _: (503, "not_ready", "the content cannot be read now"),
        ProviderError: lambda _: (503, "unavailable", "a part of the service is unavailable"),
        VisitorLogError: lambda _: (503, "unavailable", "the log cannot be written now"),
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
        headers = {"cache-control": "no-store"}
        if isinstance(error, HTTPException) and error.headers:
            headers |= error.headers  # Allow, of a 405
        return JSONResponse(body.model_dump(), status, headers)

    return handle
