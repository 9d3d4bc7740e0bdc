"""Are there as many requests under way as the host can bear?"""

from service.errors import Overloaded
from service.guards.asgi import AsgiApp, Receive, Scope, Send
from service.guards.refusal import refuse

MAX_UNDER_WAY = 256
RETRY_AFTER_S = 2


class UnderWayGuard:
    """503 beyond a bound: memory and threads stay flat however many ask at once."""

    def __init__(self, app: AsgiApp, limit: int = MAX_UNDER_WAY) -> None:
        """Wrap an application."""
        self._app = app
        self._limit = limit
        self._count = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or go on; what only reads is not counted."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        if self._count >= self._limit:
            error = Overloaded("too many requests are under way: try again")
            await refuse(receive, send, error, retry_after_s=RETRY_AFTER_S)
            return
        self._count += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._count -= 1
