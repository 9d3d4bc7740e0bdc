"""A started service on an ephemeral port, and a client that sends exactly what it is told."""

import http.client
import json
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI

from ingestion.planning import SyncOptions
from ingestion.run import synchronise
from retrieval.configuration import Configuration, load_configuration
from service.app import create_app
from tests.sites import write_files

ORIGIN = "https://portfolio.example"
PAGES = {
    "station.md": (
        "---\ntitle: Weather station\n---\n## Hardware\n\nThe station measures rain with a tipping "
        "bucket.\n\n## Software\n\nA small program in Go reads the bucket every minute.\n"
    ),
    "pump.md": "---\ntitle: Garden pump\n---\nThe garden pump waters the beds at dawn.\n",
    "contact.md": "---\ntitle: Contact\n---\nWrite an e-mail to Ada.\n",
}
RATE = 'rate = "100000/minute"\n'
HUGO = f'baseURL = "{ORIGIN}/"\n'
SITE = f'[site]\nbase_url = "{ORIGIN}/"\nowner = "Ada Example"\ncontact = "/contact/"\n'


@dataclass(frozen=True)
class Response:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:  # noqa: ANN401
        return json.loads(self.body)

    @property
    def events(self) -> list[tuple[str, Any]]:
        """Name and data of every event of a stream, comments left out."""
        found = []
        for block in self.body.decode().split("\n\n"):
            lines = [line for line in block.split("\n") if line and not line.startswith(":")]
            if lines:
                fields = dict(line.split(": ", 1) for line in lines)
                found.append((fields["event"], json.loads(fields["data"])))
        return found


@dataclass(frozen=True)
class Service:
    """Where it listens, and how long a client waits for it."""

    port: int
    timeout_s: float = 10

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.timeout_s)

    def send(
        self, method: str, path: str, body: bytes = b"", headers: Sequence[tuple[str, str]] = ()
    ) -> Response:
        connection = self.connect()
        try:
            connection.putrequest(method, path)
            for name, value in headers:
                connection.putheader(name, value)
            if body:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body or None)
            response = connection.getresponse()
            return Response(response.status, response.headers, response.read())
        finally:
            connection.close()

    def post(
        self,
        path: str,
        content: object,
        *headers: tuple[str, str],
        origin: str | None = ORIGIN,
        content_type: str = "application/json",
    ) -> Response:
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        sent = [("Content-Type", content_type), *headers]
        if origin is not None:
            sent.append(("Origin", origin))
        return self.send("POST", path, body, sent)

    def ask(self, question: str, **fields: object) -> Any:  # noqa: ANN401
        response = self.post("/ask", {"question": question, **fields})
        assert response.status == 200, response.body
        return response.json

    def stream(self, question: str, **fields: object) -> Response:
        accept = ("Accept", "text/event-stream")
        return self.post("/ask", {"question": question, **fields}, accept)


def write_configured(
    folder: Path, text: str = "", pages: dict[str, str] | None = None, hugo: str = HUGO
) -> Configuration:
    """A site in `folder` with `text` behind its [site] section."""
    write_files(folder / "content", pages or PAGES)
    write_files(folder, {"hugo.toml": hugo})
    if "rate =" not in text:  # tests send more than a visitor may
        text = text.replace("[service]\n", f"[service]\n{RATE}", 1)
        text = text if "[service]" in text else f"{text}[service]\n{RATE}"
    if "[embedding]" not in text:
        text = f'[embedding]\nprovider = "none"\n{text}'
    write_files(folder, {"askfolio.toml": SITE + text})
    return load_configuration(folder / "askfolio.toml")


def configure(
    folder: Path, text: str = "", pages: dict[str, str] | None = None, hugo: str = HUGO
) -> Configuration:
    """The same, synced."""
    configuration = write_configured(folder, text, pages, hugo)
    synchronise(configuration, SyncOptions(datetime.now(UTC)))
    return configuration


@contextmanager
def running(configuration: Configuration, app: FastAPI | None = None) -> Iterator[Service]:
    """The service until the end of the block; the socket listens before it starts."""
    app = app or create_app(configuration)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        config = uvicorn.Config(
            app,
            access_log=False,
            log_config=None,
            server_header=False,
            proxy_headers=False,
            lifespan="on",
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield Service(listening.getsockname()[1])
        finally:
            server.should_exit = True
            thread.join()
