"""A model that answers by the clock, for load on the service: no thought, exact delays.

python -m bench.scripted_model --first-ms 50 --tokens 20 --every-ms 50

Connections stay open between answers, as those of a provider do. It prints its port, then answers
the lines of standard input: `most` with the most answers under way at once since it was asked
before; `watch` with `asked` when the next request has come and, should its client close the
connection before the end of the answer, `left T` (monotonic clock).
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

_HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
    b"transfer-encoding: chunked\r\nconnection: keep-alive\r\n\r\n"
)


def main() -> None:
    """Print the port, then answer until stopped."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first-ms", type=float, default=50)
    parser.add_argument("--tokens", type=int, default=20)
    parser.add_argument("--every-ms", type=float, default=50)
    options = parser.parse_args()
    delays_s = [options.first_ms / 1000] + [options.every_ms / 1000] * (options.tokens - 1)
    asyncio.run(_serve(delays_s))


async def _serve(delays_s: Sequence[float]) -> None:
    counted = _Counted()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: _Connection(delays_s, counted), "127.0.0.1", 0, backlog=1000
    )
    _say(server.sockets[0].getsockname()[1])
    while line := await asyncio.to_thread(sys.stdin.readline):
        if line.strip() == "watch":
            counted.watches_next = True
            _say("watching")
        else:
            _say(f"most {counted.most}")
            counted.most = counted.now


@dataclass
class _Counted:
    now: int = 0
    most: int = 0
    watches_next: bool = False


class _Connection(asyncio.Protocol):
    """One client; a request is answered when it is complete."""

    def __init__(self, delays_s: Sequence[float], counted: _Counted) -> None:
        self._delays_s = delays_s
        self._counted = counted
        self._received = b""
        self._is_watched = False
        self._answering: asyncio.Task[None] | None = None
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, asyncio.WriteTransport):
            self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, end, body = self._received.partition(b"\r\n\r\n")
        if self._transport and end and len(body) >= _declared_bytes(head):
            self._received = b""
            self._is_watched, self._counted.watches_next = self._counted.watches_next, False
            if self._is_watched:
                _say("asked")
            self._answering = asyncio.create_task(self._answer(self._transport))

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        if self._answering is not None and not self._answering.done():
            self._answering.cancel()
            if self._is_watched:
                _say(f"left {time.monotonic():.6f}")

    async def _answer(self, transport: asyncio.WriteTransport) -> None:
        self._counted.now += 1
        self._counted.most = max(self._counted.most, self._counted.now)
        try:
            transport.write(_HEAD)
            for number, delay_s in enumerate(self._delays_s):
                await asyncio.sleep(delay_s)
                is_last = number == len(self._delays_s) - 1
                transport.write(_event(f"word{number} ", "stop" if is_last else None))
            transport.write(_chunk(b"data: [DONE]\n\n") + _chunk(b""))
        finally:
            self._counted.now -= 1


def _declared_bytes(head: bytes) -> int:
    return next(
        int(line.split(b":")[1])
        for line in head.lower().split(b"\r\n")
        if line.startswith(b"content-length")
    )


def _event(text: str, finish_reason: str | None) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish_reason}
    chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    return _chunk(b"data: " + json.dumps({**chunk, "choices": [choice]}).encode() + b"\n\n")


def _chunk(content: bytes) -> bytes:
    return f"{len(content):x}\r\n".encode() + content + b"\r\n"


def _say(what: object) -> None:
    print(what, flush=True)


if __name__ == "__main__":
    main()
