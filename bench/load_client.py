"""A visitor without a browser: HTTP/1.1 with as little work as it can be, so that servers limit."""

import asyncio
import json
import time
from collections.abc import Sequence
from functools import partial

ORIGIN = "https://bench.example"
STREAM = "text/event-stream"
CONNECTIONS = 8
_END = b"\r\n\r\n"


def request(path: str, content: object, accept: str = "application/json") -> bytes:
    """The bytes of a POST of JSON on a connection that stays open."""
    body = json.dumps(content).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nhost: x\r\norigin: {ORIGIN}\r\naccept: {accept}\r\n"
        f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def responses(port: int, requests: Sequence[bytes]) -> tuple[float, list[bytes]]:
    """Seconds for all requests over CONNECTIONS kept-alive connections, and the bodies in order.

    Raises:
        ValueError: An answer is not 200.
    """
    loop = asyncio.get_running_loop()
    lines = [_Line(requests[n::CONNECTIONS], loop.create_future()) for n in range(CONNECTIONS)]
    started = time.perf_counter()
    for line in lines:
        await loop.create_connection(partial(_itself, line), "127.0.0.1", port)
    await asyncio.gather(*(line.done for line in lines))
    seconds = time.perf_counter() - started
    bodies = [b""] * len(requests)
    for n, line in enumerate(lines):
        bodies[n::CONNECTIONS] = line.bodies
    return seconds, bodies


def _itself(line: "_Line") -> "_Line":
    return line


class _Line(asyncio.Protocol):
    """One connection: the next request goes out when the answer before is complete."""

    def __init__(self, requests: Sequence[bytes], done: asyncio.Future[None]) -> None:
        self.bodies: list[bytes] = []
        self.done = done
        self._requests = iter(requests)
        self._received = b""
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, asyncio.WriteTransport):
            self._transport = transport
            self._next()

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, end, body = self._received.partition(_END)
        if not end or len(body) < _declared_bytes(head):
            return
        if b" 200 " not in head[:16]:
            self._finish(ValueError(head))
            return
        self.bodies.append(body)
        self._received = b""
        self._next()

    def connection_lost(self, exc: Exception | None) -> None:
        self._finish(exc or ConnectionError("the server closed the connection"))

    def _next(self) -> None:
        if self._transport is None:
            return
        content = next(self._requests, None)
        if content is None:
            self._finish(None)
        else:
            self._transport.write(content)

    def _finish(self, error: Exception | None) -> None:
        if self.done.done():
            return
        if error is None:
            self.done.set_result(None)
        else:
            self.done.set_exception(error)
        if self._transport is not None:
            self._transport.close()


async def first_ms(port: int, content: bytes, first: bytes, end: bytes) -> float:
    """Milliseconds on a connection of its own until `first` comes; read on to `end`.

    Raises:
        ValueError: One of them never comes.
    """
    started = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(content)
    found_ms, received = 0.0, b""
    while end not in received:
        part = await reader.read(65_536)
        received += part
        if not found_ms and first in received:
            found_ms = (time.perf_counter() - started) * 1000
        if not part:
            break
    writer.close()
    if not found_ms or end not in received:
        raise ValueError(received[-300:])
    return found_ms


async def leave(port: int, content: bytes, after: bytes, wait_s: float = 0) -> None:
    """Ask, and hang up `wait_s` after `after` has come."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(content)
    await reader.readuntil(after)
    await asyncio.sleep(wait_s)
    writer.close()


def _declared_bytes(head: bytes) -> int:
    return int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0])
