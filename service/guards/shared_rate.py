"""Has this visitor asked enough for now, whichever worker they found? Counted in Redis.

The only file that imports `limits` and `redis` (extra `redis`). What lies in Redis is the hash of
a visitor, whose key the processes alone have, and the times of their requests; both expire with the
window.
"""

import logging
import time
from typing import TYPE_CHECKING

from retrieval.errors import ConfigurationError
from service.guards.rate import Limiter

if TYPE_CHECKING:
    from limits.aio.strategies import MovingWindowRateLimiter
    from redis.asyncio import ConnectionPool

_PREFIX = "askfolio"
_TIMEOUT_S = 0.5
_LEAST_S = 0.001
_log = logging.getLogger(__name__)


class SharedLimiter:
    """At most `count` requests of one visitor in any `seconds`, over all processes.

    Where Redis does not answer, each process counts for itself.
    """

    def __init__(self, uri: str, count: int, seconds: float) -> None:
        """Prepare; nothing is sent.

        Args:
            uri: `redis://`, `rediss://` or `unix://`, as the package redis reads it.
            count: Requests.
            seconds: The window.

        Raises:
            ConfigurationError: The extra is not installed; it is no address of a Redis.
        """
        self._strategy, self._connections = _open(uri)
        from limits import RateLimitItemPerSecond

        self._item = RateLimitItemPerSecond(count, int(seconds))
        self._alone = Limiter(count, seconds)
        self._has_failed = False

    async def wait(self, visitor: bytes) -> float:
        """0 and the request is counted; else seconds until the next one is allowed."""
        from limits.errors import StorageError

        name = visitor.hex()
        try:
            if await self._strategy.hit(self._item, name):
                wait_s = 0.0
            else:
                stats = await self._strategy.get_window_stats(self._item, name)
                wait_s = max(_LEAST_S, stats.reset_time - time.time())
        except StorageError as error:
            self._say(f"each process counts for itself ({type(error.storage_error).__name__})")
            return self._alone.wait_s(visitor)
        self._has_failed = False
        return wait_s

    async def aclose(self) -> None:
        """Release the connections."""
        await self._connections.aclose()

    def _say(self, problem: str) -> None:
        if not self._has_failed:
            self._has_failed = True
            _log.warning("service.rate_storage does not answer: %s", problem)


def _open(uri: str) -> "tuple[MovingWindowRateLimiter, ConnectionPool]":
    try:
        from limits.aio.storage import RedisStorage
        from limits.aio.strategies import MovingWindowRateLimiter
        from redis.asyncio import ConnectionPool
        from redis.asyncio.retry import Retry
        from redis.backoff import NoBackoff
    except ImportError as error:
        raise ConfigurationError(
            "service.rate_storage is set, but the packages limits and redis are not installed: "
            "pip install 'askfolio[redis]'"
        ) from error
    try:
        connections = ConnectionPool.from_url(
            uri,
            socket_timeout=_TIMEOUT_S,
            socket_connect_timeout=_TIMEOUT_S,
            retry=Retry(NoBackoff(), 1),  # for a connection that Redis closed meanwhile
        )
    except ValueError:  # the address may hold a password: it stays here
        raise ConfigurationError(
            "service.rate_storage is no address of a Redis: write redis://, rediss:// or unix://"
        ) from None
    storage = RedisStorage(
        "async+redis://",
        wrap_exceptions=True,
        implementation="redispy",
        key_prefix=_PREFIX,
        connection_pool=connections,  # type: ignore[arg-type]
    )
    return MovingWindowRateLimiter(storage), connections
