"""How was each request answered? Counted by known route, so that no label holds what was sent."""

from collections.abc import Callable

from service.guards.asgi import AsgiApp, AsgiMessage, Receive, Scope, Send

_METHODS = frozenset({"GET", "HEAD", "POST", "OPTIONS"})
Count = Callable[[str, str, int], None]


class CountingGuard:
    """Outermost: refusals count too."""

    def __init__(self, app: AsgiApp, paths: frozenset[str], count: Count) -> None:
        """Wrap an application.

        Args:
            app: Whose responses are counted.
            paths: Known routes; everything else is `other`.
            count: Takes route, method and status.
        """
        self._app = app
        self._paths = paths
        self._count = count

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the application and count what it answers."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        route = scope["path"] if scope["path"] in self._paths else "other"
        method = scope["method"] if scope["method"] in _METHODS else "other"

        async def sending(message: AsgiMessage) -> None:
            if message["type"] == "http.response.start":
                self._count(route, method, message["status"])
            await send(message)

        await self._app(scope, receive, sending)
