"""Which generation serves now? A new one takes over between requests; those under way finish."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import anyio.to_thread

from retrieval.configuration import Configuration
from retrieval.errors import AskfolioError, GenerationError, GenerationMissing
from retrieval.generation import (
    BYTES_READ_AT_START,
    Generation,
    current_name,
    is_large,
    open_generation,
    verify,
)
from service.answering import Answering
from service.errors import NotReady
from service.opening import open_answering
from service.upstream import Upstream

WATCH_S = 1.0
PAUSE_AFTER_FAILURE = 9  # times that a generation which failed is not tried again
_log = logging.getLogger(__name__)


class _Open:
    """An open generation and the requests that use it."""

    def __init__(self, name: str, answering: Answering, *, is_verified: bool) -> None:
        self.name = name
        self.answering = answering
        self.is_verified = is_verified
        self.damage = ""
        self.users = 0
        self.is_retired = False

    def close_if_unused(self) -> None:
        if self.is_retired and self.users == 0:
            self.answering.close()


class CurrentAnswering:
    """Keeps the generation open that CURRENT names; used from one event loop."""

    def __init__(
        self,
        configuration: Configuration,
        upstream: Upstream,
        bytes_read_at_start: int = BYTES_READ_AT_START,
    ) -> None:
        """Prepare; `refresh` opens.

        Args:
            configuration: Where the generations are, and how they answer.
            upstream: Who is asked outside.
            bytes_read_at_start: A larger generation answers before it is read as a whole.
        """
        self._bytes_read_at_start = bytes_read_at_start
        self._configuration = configuration
        self._upstream = upstream
        self._open: _Open | None = None
        self._failed = ""
        self._pause = 0
        self._said = ""
        self._problem = ""

    @property
    def is_ready(self) -> bool:
        """Whether a generation is open."""
        return self._open is not None

    @property
    def generation(self) -> Generation | None:
        """What is open, if anything."""
        return self._open.answering.generation if self._open else None

    @property
    def problem(self) -> str:
        """Why what CURRENT names does not serve, or serves but was changed; "" if all is well."""
        return self._problem or (self._open.damage if self._open else "")

    @asynccontextmanager
    async def use(self) -> AsyncIterator[Answering]:
        """The answering of now, open until the end of the block.

        Raises:
            NotReady: No generation is open.
        """
        opened = self._open
        if opened is None:
            raise NotReady("the content is not ready yet")
        opened.users += 1
        try:
            yield opened.answering
        finally:
            opened.users -= 1
            opened.close_if_unused()

    async def refresh(self) -> None:
        """Open and verify what CURRENT names now; keep what serves where that fails."""
        try:
            opened = await anyio.to_thread.run_sync(self._newer)
        except (GenerationError, OSError) as error:
            self._log_once(error)
            kind = type(error).__name__
            self._problem = f"what CURRENT names cannot be used ({kind}): see the log"
            return
        if opened is not None:
            self._said = self._problem = ""
            self._replace(opened)

    async def watch(self) -> None:
        """Refresh for ever."""
        while True:
            await self._verify_late()
            await anyio.sleep(WATCH_S)
            await self.refresh()

    async def _verify_late(self) -> None:
        """Read all of a large generation that answers since the start.

        Damage is told and not acted on: an index that opened answers better than none.
        """
        opened = self._open
        if opened is None or opened.is_verified:
            return
        opened.is_verified = True
        async with self.use() as answering:
            try:
                await anyio.to_thread.run_sync(verify, answering.generation)
            except (GenerationError, OSError) as error:
                self._log_once(error)
                kind = type(error).__name__
                opened.damage = f"what serves was changed ({kind}): see the log"

    def close(self) -> None:
        """Retire what serves."""
        self._replace(None)

    def _log_once(self, error: Exception) -> None:
        """For the owner: anybody may read `problem`, which has no path and no message."""
        if str(error) != self._said:
            self._said = str(error)
            level = logging.INFO if isinstance(error, GenerationMissing) else logging.ERROR
            _log.log(level, "%s", error)

    def _newer(self) -> _Open | None:
        knowledge = self._configuration.knowledge_path
        name = current_name(knowledge)
        if self._open is not None and self._open.name == name:
            self._problem = ""
            return None
        # A copy under way may yet become whole; reading all of it every second helps nobody.
        if self._failed == name and self._pause > 0:
            self._pause -= 1
            return None
        self._failed, self._pause = name, PAUSE_AFTER_FAILURE
        generation = open_generation(knowledge, name)
        # At the start nothing answers, while behind what serves there is time to read it all.
        is_start = self._open is None
        is_verified = not (is_start and is_large(generation.manifest, self._bytes_read_at_start))
        try:
            if is_verified:
                verify(generation)
        except BaseException:
            generation.close()
            raise
        answering = open_answering(self._configuration, self._upstream, generation)
        return _Open(name, answering, is_verified=is_verified)

    def _replace(self, opened: _Open | None) -> None:
        before, self._open = self._open, opened
        if before is not None:
            before.is_retired = True
            before.close_if_unused()


async def open_current(configuration: Configuration, upstream: Upstream) -> CurrentAnswering:
    """The current answering; not ready where nothing was synced yet.

    Raises:
        AskfolioError: Anything but a generation that is missing or unusable.
    """
    current = CurrentAnswering(configuration, upstream)
    try:
        await current.refresh()
    except AskfolioError:
        current.close()
        raise
    return current
