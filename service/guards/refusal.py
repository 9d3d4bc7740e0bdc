"""How is a request refused without reading it?"""

import json
from collections.abc import Sequence
from typing import Any

from service.errors import RequestRejected
from service.guards.asgi import Send


async def refuse(send: Send, error: RequestRejected, retry_after_s: int | None = None) -> None:
    """Answer with the one error shape and close the connection: its body may not be read."""
    headers = [(b"connection", b"close")]
    if retry_after_s is not None:
        headers.append((b"retry-after", str(retry_after_s).encode()))
    await send_error(send, error.status, error.code, str(error), headers)


async def send_error(
    send: Send,
    status: int,
    code: str,
    message: str,
    further_headers: Sequence[tuple[bytes, bytes]] = (),
) -> None:
    """`{"error": {"code", "message"}}` as a whole response."""
    body = json.dumps({"error": {"code": code, "message": message}}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
    ]
    headers += further_headers
    start: dict[str, Any] = {"type": "http.response.start", "status": status, "headers": headers}
    await send(start)
    await send({"type": "http.response.body", "body": body})
