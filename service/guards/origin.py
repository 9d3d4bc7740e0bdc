"""Does the request come from a page that may ask?

An origin check is courtesy towards the owner's budget, not protection: a program can send any
origin. Refusals carry CORS headers for allowed origins, so that a page can read why.
"""

import hmac
from collections.abc import Callable

from service.errors import OriginNotAllowed
from service.guards.asgi import AsgiApp, AsgiMessage, Receive, Scope, Send, header_values
from service.guards.refusal import refuse

_METHODS = b"GET, POST, OPTIONS"
_REQUEST_HEADERS = b"accept, content-type"
_PREFLIGHT_SECONDS = b"600"
_REFUSED = "the Origin of this request is not allowed: add it to service.origins"


class OriginGuard:
    """Exact match of the one Origin header; the answer to preflights; CORS headers."""

    def __init__(
        self,
        app: AsgiApp,
        origins: Callable[[], frozenset[str]],
        token: str = "",
        allow_missing: bool = False,
    ) -> None:
        """Wrap an application.

        Args:
            app: Called for what is allowed.
            origins: Allowed origins, as a browser sends them.
            token: Bearer token that stands for a missing origin; "" for none.
            allow_missing: Whether a request without origin and token may ask.
        """
        self._app = app
        self._origins = origins
        self._token = token.encode()
        self._allow_missing = allow_missing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, answer a preflight, or go on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = header_values(scope, b"origin")
        allowed = given[0] if len(given) == 1 and given[0] in self._origins() else ""
        sending = _with_cors(send, allowed)
        if scope["method"] == "OPTIONS" and given:
            if allowed:
                await _preflight(sending)
            else:
                await refuse(receive, sending, OriginNotAllowed(_REFUSED))
        elif scope["method"] in ("GET", "HEAD") or allowed or self._may_lack(given, scope):
            await self._app(scope, receive, sending)
        else:
            await refuse(receive, sending, OriginNotAllowed(_REFUSED))

    def _may_lack(self, given: list[str], scope: Scope) -> bool:
        return not given and (self._allow_missing or self._has_token(scope))

    def _has_token(self, scope: Scope) -> bool:
        values = header_values(scope, b"authorization")
        if not self._token or len(values) != 1:
            return False
        scheme, _, token = values[0].partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(
            token.strip().encode("latin-1"), self._token
        )


async def _preflight(send: Send) -> None:
    headers = [
        (b"access-control-allow-methods", _METHODS),
        (b"access-control-allow-headers", _REQUEST_HEADERS),
        (b"access-control-max-age", _PREFLIGHT_SECONDS),
    ]
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


def _with_cors(send: Send, allowed: str) -> Send:
    async def sending(message: AsgiMessage) -> None:
        if message["type"] == "http.response.start":
            headers = [*message.get("headers", ()), (b"vary", b"Origin")]
            if allowed:
                headers.append((b"access-control-allow-origin", allowed.encode("latin-1")))
                headers.append((b"access-control-expose-headers", b"Retry-After"))
            message = {**message, "headers": headers}
        await send(message)

    return sending
