"""How is a request refused without reading it, so that its sender can still read why?

A connection that is closed while its body waits unread is reset, and the answer with it is lost.
So what is still coming is thrown away for a moment behind the answer, up to a limit.
"""

import json
from collections.abc import Sequence
from typing import Any

import anyio

from service.errors import RequestRejected
from service.guards.asgi import Receive, Send

LINGER_S = 1.0
LINGER_BYTES = 32_768
Headers = Sequence[tuple[bytes, bytes]]


async def refuse(
    receive: Receive, send: Send, error: RequestRejected, retry_after_s: int | None = None
) -> None:
    """Answer with the one error shape and close the connection.

    Args:
        receive: Of the request, read as far as it was.
        send: Takes the answer.
        error: Why.
        retry_after_s: When it is worth trying again.
    """
    headers = [(b"connection", b"close"), *retry_header(retry_after_s)]
    await _send(send, error.status, error.code, str(error), headers, more=True)
    with anyio.move_on_after(LINGER_S):
        await _throw_away(receive)
    await send({"type": "http.response.body", "body": b""})


async def send_error(
    send: Send, status: int, code: str, message: str, further_headers: Headers = ()
) -> None:
    """`{"error": {"code", "message"}}` as a whole response."""
    await _send(send, status, code, message, further_headers, more=False)


def retry_header(retry_after_s: int | None) -> list[tuple[bytes, bytes]]:
    """`Retry-After`, where it is known."""
    return [] if retry_after_s is None else [(b"retry-after", str(retry_after_s).encode())]


async def _send(
    send: Send, status: int, code: str, message: str, further_headers: Headers, more: bool
) -> None:
    body = json.dumps({"error": {"code": code, "message": message}}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        *further_headers,
    ]
    start: dict[str, Any] = {"type": "http.response.start", "status": status, "headers": headers}
    await send(start)
    await send({"type": "http.response.body", "body": body, "more_body": more})


async def _throw_away(receive: Receive) -> None:
    count = 0
    while count <= LINGER_BYTES:
        message = await receive()
        count += len(message.get("body", b""))
        if message["type"] == "http.disconnect" or not message.get("more_body", False):
            return
