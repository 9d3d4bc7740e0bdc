"""Is the body declared as what the route reads?

JSON, for which a browser asks first (a preflight); the page of the service sends a form.
"""

from service.errors import NotJson
from service.guards.asgi import AsgiApp, Receive, Scope, Send, header_values
from service.guards.refusal import refuse

_JSON = "application/json"
_FORM = "application/x-www-form-urlencoded"


class ContentTypeGuard:
    """POST needs exactly one Content-Type, that of its route, in UTF-8."""

    def __init__(self, app: AsgiApp, forms: frozenset[str], others: frozenset[str]) -> None:
        """Wrap an application.

        Args:
            app: Called with bodies of the right type.
            forms: Paths that read a form.
            others: Paths that read no body: the application says what is wrong there.
        """
        self._app = app
        self._forms = forms
        self._others = others

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or go on."""
        if scope["type"] != "http" or scope["method"] != "POST" or scope["path"] in self._others:
            await self._app(scope, receive, send)
            return
        wanted = _FORM if scope["path"] in self._forms else _JSON
        if _is(wanted, scope):
            await self._app(scope, receive, send)
        else:
            await refuse(receive, send, NotJson(f"send the body with Content-Type: {wanted}"))


def _is(wanted: str, scope: Scope) -> bool:
    values = header_values(scope, b"content-type")
    if len(values) != 1:
        return False
    media_type, *parameters = values[0].lower().split(";")
    charset = "utf-8"
    for name, _, value in (parameter.partition("=") for parameter in parameters):
        if name.strip() == "charset":
            charset = value.strip().strip('"')
    return media_type.strip() == wanted and charset in ("utf-8", "us-ascii")
