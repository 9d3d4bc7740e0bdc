"""A loopback host that serves repositories by git's own http-backend, behind a token."""

import base64
import os
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit


@dataclass(slots=True)
class Host:
    """A running host.

    Attributes:
        root: Folder whose repositories are served.
        token: Password that is asked for; "" for none.
        moved: Paths that are answered with a redirect to the given address.
        seen: Authorization headers as they arrived.
    """

    root: Path
    token: str = ""
    moved: dict[str, str] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)
    url: str = ""


class _Server(ThreadingHTTPServer):
    def __init__(self, host: Host) -> None:
        self.host = host
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        self._serve(b"")

    def do_POST(self) -> None:
        self._serve(self.rfile.read(int(self.headers.get("Content-Length", "0"))))

    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""

    def _serve(self, body: bytes) -> None:
        host = self.server.host
        authorization = self.headers.get("Authorization", "")
        host.seen.append(authorization)
        place = urlsplit(self.path)
        for path, target in host.moved.items():
            if place.path.startswith(path):
                self._send(301, {"Location": target + self.path.removeprefix(path)}, b"")
                return
        given = base64.b64decode(authorization.removeprefix("Basic ")).decode()
        if host.token and given.partition(":")[2] != host.token:
            asked = {"WWW-Authenticate": 'Basic realm="git"'}
            self._send(401, asked, f"refused {given}".encode())
            return
        head, _, content = _backend(host.root, self, place.path, place.query, body).partition(
            b"\r\n\r\n"
        )
        fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        self._send(int(fields.pop("Status", "200 OK").split()[0]), fields, content)

    def _send(self, status: int, fields: Mapping[str, str], content: bytes) -> None:
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def git_host(root: Path, token: str = "") -> Iterator[Host]:
    """Serve `root` on loopback while the block lasts."""
    host = Host(root, token)
    server = _Server(host)
    host.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield host
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _backend(
    root: Path, request: BaseHTTPRequestHandler, path: str, query: str, body: bytes
) -> bytes:
    environment = {
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_PROJECT_ROOT": str(root),
        "GIT_HTTP_EXPORT_ALL": "1",
        "GIT_PROTOCOL": request.headers.get("Git-Protocol", ""),
        "REQUEST_METHOD": request.command,
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "CONTENT_TYPE": request.headers.get("Content-Type", ""),
        "CONTENT_LENGTH": str(len(body)),
        "HTTP_CONTENT_ENCODING": request.headers.get("Content-Encoding", ""),
    }
    done = subprocess.run(
        ["git", "http-backend"], env=environment, input=body, capture_output=True, check=True
    )
    return done.stdout
