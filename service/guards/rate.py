"""Has this visitor asked enough for now?

Exact over any window: the times of the last `count` requests of a visitor are kept in memory, so
that a refused request costs one comparison and nobody gets twice the rate around a full minute.
"""

import math
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Protocol

from service.errors import RateLimited
from service.guards.asgi import AsgiApp, Receive, Scope, Send
from service.guards.refusal import refuse
from service.guards.visitor import VISITOR, Visitors

MAX_VISITORS = 20_000
READING_FACTOR = 60
"""GET is allowed so many times more often than what searches and answers."""
UNLIMITED = frozenset({"/health", "/ready"})
COUNTED_LATER = frozenset({"/mcp"})
"""Several messages belong to one question there; the route counts the questions."""


class Rate(Protocol):
    """Counts the requests of visitors, in this process or beyond it."""

    async def wait(self, visitor: bytes) -> float:
        """0 and the request is counted; else seconds until the next one is allowed."""
        ...

    async def aclose(self) -> None:
        """Release what it holds."""
        ...


class Limiter:
    """At most `count` requests of one visitor in any `seconds`."""

    def __init__(
        self, count: int, seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Begin with nothing counted."""
        self._count = count
        self._seconds = seconds
        self._clock = clock
        self._visitors: OrderedDict[bytes, deque[float]] = OrderedDict()

    async def wait(self, visitor: bytes) -> float:
        """As a `Rate`: it never waits."""
        return self.wait_s(visitor)

    async def aclose(self) -> None:
        """Nothing is held."""

    def wait_s(self, visitor: bytes) -> float:
        """0 and the request is counted; else seconds until the next one is allowed."""
        now = self._clock()
        self._forget(now)
        times = self._visitors.setdefault(visitor, deque(maxlen=self._count))
        if len(times) == self._count and now - times[0] < self._seconds:
            return self._seconds - (now - times[0])
        times.append(now)
        self._visitors.move_to_end(visitor)
        return 0.0

    def _forget(self, now: float) -> None:
        """Whoever asked longest ago, where the window is over or there are too many."""
        while self._visitors:
            oldest = next(iter(self._visitors.values()))
            is_over = not oldest or now - oldest[-1] >= self._seconds
            if not is_over and len(self._visitors) <= MAX_VISITORS:
                return
            self._visitors.popitem(last=False)


class RateGuard:
    """429 with Retry-After, before the body is read; tells the application who the visitor is."""

    def __init__(self, app: AsgiApp, visitors: Visitors, asking: Rate, reading: Rate) -> None:
        """Wrap an application.

        Args:
            app: Called for what is within the rate.
            visitors: Names them.
            asking: For POST.
            reading: For everything else.
        """
        self._app = app
        self._visitors = visitors
        self._asking = asking
        self._reading = reading

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or go on."""
        if scope["type"] != "http" or scope["path"] in UNLIMITED:
            await self._app(scope, receive, send)
            return
        visitor = scope[VISITOR] = self._visitors.name(scope)
        asks = scope["method"] == "POST" and scope["path"] not in COUNTED_LATER
        limiter = self._asking if asks else self._reading
        wait_s = await limiter.wait(visitor)
        if wait_s > 0:
            seconds = math.ceil(wait_s)
            error = RateLimited(f"too many requests: try again in {seconds} s")
            await refuse(receive, send, error, retry_after_s=seconds)
            return
        await self._app(scope, receive, send)
