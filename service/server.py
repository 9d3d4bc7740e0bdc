"""How does the service run as a process?

On loopback unless told otherwise, and silent about visitors: no access log, no server header.
"""

import socket
import sys
from contextlib import suppress

from retrieval.configuration import Configuration
from retrieval.errors import ConfigurationError, GenerationMissing
from retrieval.generation import check_current

SHUTDOWN_S = 10
MAX_HEADER_BYTES = 16_384
MAX_CONNECTIONS = 512
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


def serve(configuration: Configuration, host: str = "127.0.0.1", port: int = 8000) -> None:
    """Answer until SIGINT or SIGTERM; requests under way get SHUTDOWN_S to finish.

    Raises:
        ConfigurationError: The address cannot be listened on; a wrong origin; a missing key.
        GenerationError: The current generation is torn or of another format.
    """
    import uvicorn

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
    # asyncio sets this only where a socket names its protocol, which an accepted one does not:
    # without it a small write waits up to 40 ms for the acknowledgement of the one before.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
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
        config = uvicorn.Config(
            app,
            access_log=False,
            log_level="warning",
            server_header=False,
            proxy_headers=False,
            ws="none",
            lifespan="on",
            h11_max_incomplete_event_size=MAX_HEADER_BYTES,
            limit_concurrency=MAX_CONNECTIONS,
            timeout_graceful_shutdown=SHUTDOWN_S,
        )
        uvicorn.Server(config).run(sockets=[listening])


def _say(message: str) -> None:
    sys.stderr.write(f"askfolio: {message}\n")
    sys.stderr.flush()
