"""Has the visitor left? Then nobody pays for an answer that nobody reads."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

from retrieval.errors import AskfolioError
from service.guards.asgi import Receive

_Result = TypeVar("_Result")


async def unless_left(receive: Receive, work: Callable[[], Awaitable[_Result]]) -> _Result | None:
    """Do `work`, or stop it when the visitor leaves: None.

    Args:
        receive: Of a request whose body was read.
        work: What is cancelled.

    Raises:
        AskfolioError: As `work` does.
    """
    result: _Result | None = None
    failed: AskfolioError | None = None
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_watch, receive, tasks.cancel_scope)
        try:
            result = await work()
        except AskfolioError as error:  # a task group would wrap it
            failed = error
        tasks.cancel_scope.cancel()
    if failed is not None:
        raise failed
    return result


async def _watch(receive: Receive, scope: anyio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()
