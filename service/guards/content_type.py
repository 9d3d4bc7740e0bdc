"""Is the body declared as what the route reads?

JSON, for which a browser asks first (a preflight); the page of the service sends a form.
"""

from email.message import Message

from service.errors import NotJson
from service.guards.asgi import AsgiApp, Receive, Scope, Send, header_values
from service.guards.refusal import refuse

_JSON = "application/json"
_FORM = "application/x-www-form-urlencoded"


class ContentTypeGuard:
    """POST needs exactly one `Content-Type: application/json` in UTF-8; the page's form its own."""

    def __init__(self, app: AsgiApp) -> None:
        """Wrap an application."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or go on."""
        wanted = _FORM if scope.get("path") == "/" else _JSON
        if scope["type"] != "http" or scope["method"] != "POST" or _is(wanted, scope):
            await self._app(scope, receive, send)
        else:
            await refuse(send, NotJson(f"send the body with Content-Type: {wanted}"))


def _is(wanted: str, scope: Scope) -> bool:
    values = header_values(scope, b"content-type")
    if len(values) != 1:
        return False
    header = Message()
    header["content-type"] = values[0]
    charset = header.get_content_charset("utf-8")
    return header.get_content_type() == wanted and charset in ("utf-8", "us-ascii")
