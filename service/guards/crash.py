"""What does a visitor, and the log, learn of an error that nobody foresaw? Nothing of the request.

The same goes for a request that is cut off because the service stops.

A traceback's message can hold what the visitor wrote: the type and the places are logged alone.
"""

import logging
import traceback

import anyio

from service.guards.asgi import AsgiApp, AsgiMessage, Receive, Scope, Send
from service.guards.refusal import send_error

_log = logging.getLogger(__name__)


class CrashGuard:
    """The last resort around everything else."""

    def __init__(self, app: AsgiApp) -> None:
        """Wrap an application."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the application; answer 500 where it fails before its response began, 503 on a stop.

        A cancellation ends here: it is the server's, which only waits for the task to end.
        """
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_begun = False

        async def sending(message: AsgiMessage) -> None:
            nonlocal has_begun
            has_begun = has_begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, sending)
        except Exception as error:  # noqa: BLE001 - nothing may reach the server's own traceback
            _log.error("unexpected %s at %s", type(error).__name__, _places(error))
            if not has_begun:
                await send_error(send, 500, "internal", "the service failed; this is our fault")
        except anyio.get_cancelled_exc_class():
            if not has_begun:
                await send_error(send, 503, "stopping", "the service stops: try again")


def _places(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)[-4:]
    names = [f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno}" for frame in frames]
    return " > ".join(names)
