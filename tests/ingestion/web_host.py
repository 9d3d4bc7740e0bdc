"""A loopback web server that sends what it is given."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True, slots=True)
class Sent:
    """An answer."""

    body: str | bytes = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class WebHost:
    """A running server.

    Attributes:
        answers: By path with its query; a path that is not there is answered with 404.
        seen: Paths as they were asked for.
    """

    answers: dict[str, Sent] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)
    url: str = ""


class _Server(ThreadingHTTPServer):
    def __init__(self, host: WebHost) -> None:
        self.host = host
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        self.server.host.seen.append(self.path)
        sent = self.server.host.answers.get(self.path, Sent("not here", 404))
        body = sent.body.encode() if isinstance(sent.body, str) else sent.body
        self.send_response(sent.status)
        headers = {"Content-Type": "text/html; charset=utf-8", **sent.headers}
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""


@contextmanager
def web_host(answers: Mapping[str, Sent] | None = None) -> Iterator[WebHost]:
    """The server until the end of the block."""
    host = WebHost(dict(answers or {}))
    with _Server(host) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        host.url = f"http://127.0.0.1:{server.server_port}"
        try:
            yield host
        finally:
            server.shutdown()
            thread.join()
