"""How are events streamed to a browser so that none is forged, held back or paid for in vain?

Every `data:` is JSON on one line: text of a model cannot end a line and begin an event.
"""

import json
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import partial

import anyio
from pydantic import BaseModel

from retrieval.errors import AskfolioError
from service.answer import Done, Event, Meta, Token
from service.citations import Citation
from service.guards.asgi import Receive, Scope, Send
from service.leaving import unless_left
from service.schemas import CitationOut, DoneOut, ErrorBody, MetaOut

HEARTBEAT_S = 10.0
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
]
_log = logging.getLogger(__name__)


class EventStream:
    """An ASGI response that streams the events of one answer.

    Headers go out at once; a comment follows every HEARTBEAT_S without an event; when the visitor
    leaves, the generator is closed and with it the connection to the model.
    """

    def __init__(
        self, events: AsyncGenerator[Event, None], heartbeat_s: float = HEARTBEAT_S
    ) -> None:
        """Take the events; nothing runs before the response is sent."""
        self._events = events
        self._heartbeat_s = heartbeat_s
        self._sending = anyio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        """Send the response until the events end or the visitor leaves."""
        await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        try:
            await unless_left(receive, partial(self._stream, send))
        except anyio.get_cancelled_exc_class():
            # The server stops before the answer is done. Nothing else sends any more, and there is
            # no time to wait for anything: it goes out at once or not at all.
            stopping = ErrorBody(code="stopping", message="The service stops. Try again.")
            event = _event("error", stopping)
            await send({"type": "http.response.body", "body": event, "more_body": False})
            raise
        # A visitor who left gets nothing more; the server ignores what is sent to nobody.
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _stream(self, send: Send) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._beat, send)
            async with aclosing(self._events):
                await self._send_all(send)
            tasks.cancel_scope.cancel()

    async def _send_all(self, send: Send) -> None:
        try:
            async for event in self._events:
                await self._send(send, encoded(event))
        except AskfolioError as error:
            _log.warning("an answer broke off: %s", type(error).__name__)
            failed = ErrorBody(code="answer_failed", message="The answer broke off. Try again.")
            await self._send(send, _event("error", failed))

    async def _send(self, send: Send, chunk: bytes) -> None:
        async with self._sending:
            await send({"type": "http.response.body", "body": chunk, "more_body": True})

    async def _beat(self, send: Send) -> None:
        while True:
            await anyio.sleep(self._heartbeat_s)
            await self._send(send, b": waiting\n\n")


def encoded(event: Event) -> bytes:
    """The bytes of one event."""
    match event:
        case Meta():
            meta = MetaOut(
                mode=event.mode,
                generation=event.generation,
                language=event.language,
                notice=event.notice,
            )
            return _event("meta", meta)
        case Citation():
            return _event("citation", CitationOut.of(event))
        case Token():
            data = json.dumps({"text": event.text}, ensure_ascii=True)
            return f"event: token\ndata: {data}\n\n".encode()
        case Done():
            return _event("done", DoneOut.of(event.answer))


def _event(name: str, data: BaseModel) -> bytes:
    text = json.dumps(data.model_dump(), ensure_ascii=True)
    return f"event: {name}\ndata: {text}\n\n".encode()
