"""How do other programs' models use the site? `/mcp`: two tools, behind the same guards.

The only file that imports the `mcp` SDK (an extra). No session is kept: every request stands by
itself, and what a tool costs counts as one question of the visitor.
"""

import json
import logging
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
from pydantic import BaseModel

from retrieval.errors import AskfolioError, ProviderError
from service.errors import RateLimited, RequestRejected
from service.guards.asgi import AsgiMessage, Receive, Scope, Send
from service.guards.rate import Rate
from service.guards.refusal import retry_header, send_error
from service.guards.visitor import VISITOR
from service.reading import read_fields
from service.schemas import AskRequest, AskResponse, SearchRequest, SearchResponse

if TYPE_CHECKING:
    from mcp.server import Server, ServerRequestContext
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult

PATH = "/mcp"
Tool = Callable[[BaseModel, bytes], Awaitable[BaseModel]]
_DESCRIPTIONS = {
    "search_site": "Rank passages of the site and its repositories for a query; each has its "
    "address.",
    "ask_site": "Answer a question from the content of the site, with citations of real pages.",
}


def is_installed() -> bool:
    """Whether the extra is there."""
    return find_spec("mcp") is not None


class McpRoute:
    """An ASGI endpoint; `run` is entered for as long as the service runs."""

    def __init__(
        self,
        ask: Callable[[AskRequest, bytes], Awaitable[AskResponse]],
        search: Callable[[SearchRequest, bytes], Awaitable[SearchResponse]],
        limiter: Rate,
    ) -> None:
        """Compose.

        Args:
            ask: Answers for a visitor.
            search: Ranks for a visitor.
            limiter: The rate of questions.
        """
        self._tools: dict[str, tuple[type[BaseModel], type[BaseModel], Tool]] = {
            "search_site": (SearchRequest, SearchResponse, search),  # type: ignore[dict-item]
            "ask_site": (AskRequest, AskResponse, ask),  # type: ignore[dict-item]
        }
        self._limiter = limiter
        self._manager: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """The context in which requests are answered.

        The SDK takes 26 MB, and most sites are asked by people alone: the first request loads it.
        """
        self._wanted, self._ready = anyio.Event(), anyio.Event()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._serve)
            yield
            tasks.cancel_scope.cancel()

    async def _serve(self) -> None:
        await self._wanted.wait()
        self._manager = await anyio.to_thread.run_sync(self._loaded)
        async with self._manager.run():
            self._ready.set()
            await anyio.sleep_forever()

    def _loaded(self) -> "StreamableHTTPSessionManager":
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        # The SDK writes what clients send into its log.
        logging.getLogger("mcp").setLevel(logging.CRITICAL + 1)
        return StreamableHTTPSessionManager(self._server(), json_response=True, stateless=True)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a message; the body was bounded and read by the guards."""
        if scope["method"] != "POST":
            await send_error(
                send, 405, "method_not_allowed", "this route has no such method", _ALLOW
            )
            return
        message = await receive()
        wait_s = await self._limiter.wait(scope.get(VISITOR, b"")) if _calls_tool(message) else 0.0
        if wait_s > 0:
            seconds = math.ceil(wait_s)
            text = f"too many requests: try again in {seconds} s"
            further = retry_header(seconds)
            await send_error(send, RateLimited.status, RateLimited.code, text, further)
            return
        self._wanted.set()
        await self._ready.wait()
        assert self._manager is not None
        await self._manager.handle_request(scope, _replayed(message, receive), _WithoutEcho(send))

    def _server(self) -> "Server[Any]":
        from mcp.server import Server

        return Server("askfolio", on_list_tools=self._list_tools, on_call_tool=self._call_tool)

    async def _list_tools(self, context: object, params: object) -> "ListToolsResult":  # noqa: ARG002
        from mcp_types import ListToolsResult
        from mcp_types import Tool as Described

        return ListToolsResult(
            tools=[
                Described(
                    name=name,
                    description=_DESCRIPTIONS[name],
                    input_schema=wanted.model_json_schema(),
                    output_schema=given.model_json_schema(),
                )
                for name, (wanted, given, _) in self._tools.items()
            ]
        )

    async def _call_tool(
        self, context: "ServerRequestContext[Any, Any]", params: "CallToolRequestParams"
    ) -> "CallToolResult":
        from mcp_types import CallToolResult, TextContent

        asks = getattr(context.request, "scope", {}).get(VISITOR, b"")
        try:
            result = await self._result(params.name, params.arguments or {}, asks)
        except RequestRejected as error:
            text = str(error)
        except ProviderError:
            text = "a part of the service is unavailable"
        except AskfolioError:
            text = "the content cannot be read now"
        else:
            content = [TextContent(type="text", text=result.model_dump_json())]
            return CallToolResult(content=content, structured_content=result.model_dump())
        return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)

    async def _result(self, name: str, arguments: dict[str, Any], asks: bytes) -> BaseModel:
        if name not in self._tools:
            raise RequestRejected("there is no such tool")
        wanted, _, tool = self._tools[name]
        return await tool(read_fields(wanted, arguments), asks)


_INVALID_REQUEST = -32600
# Source: JSON-RPC 2.0, 5.1.
_MEANINGS = {
    -32700: "the body is no valid JSON",
    _INVALID_REQUEST: "the message is no valid request",
    -32601: "there is no such method",
    -32602: "the parameters are invalid",
}
_ALLOW = [(b"allow", b"POST")]


class _WithoutEcho:
    """The SDK's errors repeat what was wrong with a message; a visitor's text stays here."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: AsgiMessage = {}
        self._body = b""

    async def __call__(self, message: AsgiMessage) -> None:
        """Hold the response, which is one JSON document, until it is whole."""
        if message["type"] == "http.response.start":
            self._start = message
            return
        self._body += message.get("body", b"")
        if message.get("more_body", False):
            return
        body = _neutral_error(self._body)
        kept = [pair for pair in self._start["headers"] if pair[0].lower() != b"content-length"]
        headers = [*kept, (b"content-length", str(len(body)).encode())]
        await self._send({**self._start, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})


def _neutral_error(body: bytes) -> bytes:
    try:
        content = json.loads(body)
    except ValueError:
        return body
    error = content.get("error") if isinstance(content, dict) else None
    if not isinstance(error, dict):
        return body
    code = error.get("code", _INVALID_REQUEST)
    content["error"] = {"code": code, "message": _MEANINGS.get(code, "the request failed")}
    return json.dumps(content).encode()


def _calls_tool(message: AsgiMessage) -> bool:
    """Whether the message may call a tool; what cannot be read is refused by the SDK."""
    try:
        body = json.loads(message.get("body", b""))
    except (ValueError, RecursionError):
        return False
    messages = body if isinstance(body, list) else [body]
    return any(isinstance(one, dict) and one.get("method") == "tools/call" for one in messages)


def _replayed(message: AsgiMessage, receive: Receive) -> Receive:
    waiting = [message]

    async def replay() -> AsgiMessage:
        return waiting.pop() if waiting else await receive()

    return replay
