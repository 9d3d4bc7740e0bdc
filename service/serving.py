"""What does the running service hold beside its configuration?"""

import logging
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from fastapi import APIRouter

from retrieval.configuration import Configuration
from service import mcp_route
from service.asking import Asking
from service.current import CurrentAnswering
from service.errors import VisitorLogError
from service.guards.rate import Rate
from service.mcp_route import McpRoute
from service.pages.routes import export_routes, metrics_route, page_routes, privacy_route
from service.routes import ask_route, erase_route, search_route, state_routes
from service.schemas import AskRequest, AskResponse
from service.searching import Searching
from service.site import configured_origins, generation_origins
from service.spending.budget import Budget
from service.upstream import open_upstream

if TYPE_CHECKING:
    from service.visitor_log.keeping import VisitorLog

PURGE_EVERY_S = 3600.0
_log = logging.getLogger(__name__)


class Serving:
    """The parts of one process.

    Attributes:
        current: What serves now.
        upstream: Who is asked outside.
        log: The visitor log; None where it is off.
        rate: Counts questions.
        mcp: The route for other programs' models; None where it is off or not installed.
    """

    def __init__(
        self, configuration: Configuration, own_origins: frozenset[str], limiter: Rate
    ) -> None:
        """Compose; nothing is opened or sent.

        Raises:
            ConfigurationError: A wrong origin; no key for a configured provider.
        """
        service = configuration.service
        self._configuration = configuration
        self._configured = configured_origins(configuration) | own_origins
        self._found: tuple[str, frozenset[str]] = ("", frozenset())
        self._budget = Budget(configuration.knowledge_path, service.daily_budget)
        self.upstream = open_upstream(configuration, self._budget)
        self.current = CurrentAnswering(configuration, self.upstream)
        self.log = _open_log(configuration)
        keep = self.log.keep if self.log else None
        self._asking = Asking(
            lambda: self.current, self.upstream.metrics, keep, service.max_question_chars
        )
        self._searching = Searching(
            lambda: self.current, configuration.retrieval.k, service.max_question_chars
        )
        self.rate = limiter
        self.mcp: McpRoute | None = None
        if "mcp" in service.routes and mcp_route.is_installed():
            self.mcp = McpRoute(_ask(self._asking), self._searching.search, limiter)

    def routers(self) -> Iterator[APIRouter]:
        """What is switched on."""
        configuration, names = self._configuration, frozenset(self._configuration.service.routes)
        yield state_routes(configuration, lambda: self.current)
        if "ask" in names:
            yield ask_route(self._asking)
        if "search" in names:
            yield search_route(self._searching)
        if "page" in names:
            yield page_routes(configuration, self._asking)
        if "privacy" in names:
            yield privacy_route(configuration, lambda: self.current)
        if "metrics" in names:
            yield metrics_route(
                configuration, lambda: self.current, self.upstream.metrics, self._budget
            )
        if self.log is not None and configuration.log.mode != "counts":
            yield erase_route(self.log.erase)
        yield export_routes(configuration, lambda: self.current, names)

    def origins(self) -> frozenset[str]:
        """Allowed origins: the configured ones, else those of the sites' pages."""
        generation = self.current.generation
        if generation is None:
            return self._configured
        name = generation.manifest.generation
        if self._found[0] != name:
            found = generation_origins(self._configuration, generation.store)
            self._found = (name, found)
        return self._configured | self._found[1]

    async def purge_regularly(self) -> None:
        """Delete what is older than the retention, for ever."""
        if self.log is None:
            return
        while True:
            await anyio.sleep(PURGE_EVERY_S)
            try:
                await anyio.to_thread.run_sync(self.log.purge)
            except VisitorLogError as error:
                _log.error("%s", error)


def _open_log(configuration: Configuration) -> "VisitorLog | None":
    if configuration.log.mode == "off":
        return None
    from service.visitor_log.keeping import VisitorLog

    return VisitorLog(configuration)


def _ask(asking: Asking) -> Callable[[AskRequest, bytes], Awaitable[AskResponse]]:
    async def ask(asked: AskRequest, asks: bytes) -> AskResponse:
        return AskResponse.of(await asking.complete(asking.question(asked, asks)))

    return ask
