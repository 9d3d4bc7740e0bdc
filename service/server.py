"""How does the service run as a process?

On loopback unless told otherwise, and silent about visitors: no access log, no server header.
"""

import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from retrieval.configuration import Configuration
from retrieval.errors import ConfigurationError, GenerationMissing
from retrieval.generation import check_current
from service.errors import ServiceFailed
from service.guards.visitor import new_key

if TYPE_CHECKING:
    from fastapi import FastAPI
    from uvicorn import Config

SHUTDOWN_S = 10
MAX_HEADER_BYTES = 16_384
MAX_CONNECTIONS = 512
# Longer than a proxy keeps an idle connection (nginx: 60 s): a question that it sends on one that
# is just being closed here would fail.
KEEP_ALIVE_S = 75
# Several workers that begin at once on one slow core are not taken for ones that hang.
WORKER_ANSWERS_WITHIN_S = 20
_FAILED = "the service did not start: the lines above say why"
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


def serve(
    configuration: Configuration, host: str = "127.0.0.1", port: int = 8000, workers: int = 1
) -> None:
    """Answer until SIGINT or SIGTERM; requests under way get SHUTDOWN_S to finish.

    Args:
        configuration: As it will run.
        host: Address to listen on.
        port: 0 for a free one.
        workers: Processes that share the address; each opens its own indexes.

    Raises:
        ConfigurationError: The address cannot be listened on; a wrong origin; a missing key.
        GenerationError: The current generation is torn or of another format.
        ServiceFailed: Something else kept it from starting.
    """
    from service.app import create_app

    with suppress(GenerationMissing):  # it is ready as soon as a first sync is done
        check_current(configuration.knowledge_path)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family)
    except OSError as error:
        raise ConfigurationError(
            f"cannot listen on {host} port {port}: {error.strerror or error}; choose another "
            "with --host and --port"
        ) from error
    send_at_once(listening)
    with listening:
        name = f"[{host}]" if family == socket.AF_INET6 else host
        address = f"http://{name}:{listening.getsockname()[1]}"
        # Opened by the owner on this machine, the page with the form is its own origin.
        own = frozenset({address}) if host in _LOOPBACK else frozenset[str]()
        app = create_app(configuration, own)
        _say(f"serving on {address}")
        if configuration.log.mode == "off" and configuration.log_path.exists():
            _say(
                f"the log is off, but {configuration.log_path} still holds what was kept: "
                "`askfolio log purge --all` deletes it"
            )
        if workers == 1:
            _run_here(process_settings(app), listening)
        else:  # a worker is a new process, which composes its own application
            composed = partial(create_app, configuration, own, new_key())
            _run_workers(process_settings(composed, workers), listening)


def _run_here(settings: "Config", listening: socket.socket) -> None:
    import uvicorn

    try:
        uvicorn.Server(settings).run(sockets=[listening])
    except SystemExit as error:
        raise ServiceFailed(_FAILED) from error


def _run_workers(settings: "Config", listening: socket.socket) -> None:
    from uvicorn.config import STARTUP_FAILURE
    from uvicorn.supervisors import Multiprocess

    supervisor = Multiprocess(settings, [listening])
    supervisor.run()
    if any(process.exitcode == STARTUP_FAILURE for process in supervisor.processes):
        raise ServiceFailed(_FAILED)


def process_settings(app: "FastAPI | Callable[[], FastAPI]", workers: int = 1) -> "Config":
    """How a process serves `app`: silent, within bounds, and without trust in what proxies say.

    Args:
        app: The application; for several workers, what makes it in each of them.
        workers: Number of processes.
    """
    import uvicorn

    return uvicorn.Config(
        app,
        factory=workers > 1,
        workers=workers,
        access_log=False,
        log_level="warning",
        server_header=False,
        proxy_headers=False,
        ws="none",
        lifespan="on",
        h11_max_incomplete_event_size=MAX_HEADER_BYTES,
        limit_concurrency=MAX_CONNECTIONS,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=SHUTDOWN_S,
        timeout_worker_healthcheck=WORKER_ANSWERS_WITHIN_S,
    )


def send_at_once(listening: socket.socket) -> None:
    """Let no small write wait, up to 40 ms, for the acknowledgement of the one before.

    asyncio sees to that only where a socket names its protocol, which an accepted one does not.
    """
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def _say(message: str) -> None:
    sys.stderr.write(f"askfolio: {message}\n")
    sys.stderr.flush()
