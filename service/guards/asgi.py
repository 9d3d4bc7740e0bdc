"""The types of an ASGI application, and what a guard reads of a request."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
AsgiMessage = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[AsgiMessage]]
Send = Callable[[AsgiMessage], Awaitable[None]]
AsgiApp = Callable[[Scope, Receive, Send], Awaitable[None]]


def header_values(scope: Scope, name: bytes) -> list[str]:
    """Every value of a header, in order; `name` in lower case."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]
