"""Is the body small enough, whatever its Content-Length says, and does it arrive in time?"""

import anyio

from service.errors import BodyTooLarge, Malformed
from service.guards.asgi import AsgiApp, AsgiMessage, Receive, Scope, Send, header_values
from service.guards.refusal import refuse

BODY_TIMEOUT_S = 15.0


class BodyLimitGuard:
    """Counts the bytes as they stream in; the application gets the body in one piece."""

    def __init__(self, app: AsgiApp, max_bytes: int, timeout_s: float = BODY_TIMEOUT_S) -> None:
        """Wrap an application.

        Args:
            app: Called with bodies of at most `max_bytes`.
            max_bytes: Largest body.
            timeout_s: Longest wait for the whole body.
        """
        self._app = app
        self._max_bytes = max_bytes
        self._timeout_s = timeout_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or go on with the whole body."""
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self._app(scope, receive, send)
            return
        too_large = BodyTooLarge(f"the body is larger than {self._max_bytes} bytes")
        if _declared_bytes(scope) > self._max_bytes:
            await refuse(receive, send, too_large)
            return
        try:
            with anyio.fail_after(self._timeout_s):
                body = await self._read(receive)
        except TimeoutError:
            await refuse(
                receive, send, Malformed(f"the body did not arrive within {self._timeout_s} s")
            )
            return
        except BodyTooLarge:
            await refuse(receive, send, too_large)
            return
        if body is not None:
            await self._app(scope, _replayed(body, receive), send)

    async def _read(self, receive: Receive) -> bytes | None:
        """The whole body; None when the client left."""
        parts: list[bytes] = []
        count = 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            part = message.get("body", b"")
            count += len(part)
            if count > self._max_bytes:
                raise BodyTooLarge
            parts.append(part)
            if not message.get("more_body", False):
                return b"".join(parts)


def _declared_bytes(scope: Scope) -> int:
    values = header_values(scope, b"content-length")
    return int(values[0]) if values and values[0].isdecimal() else 0


def _replayed(body: bytes, receive: Receive) -> Receive:
    is_given = False

    async def replay() -> AsgiMessage:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
