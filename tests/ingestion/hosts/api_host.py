"""A loopback host that speaks the list API of GitHub, GitLab or Forgejo."""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

Fields = Mapping[str, object]


@dataclass(slots=True)
class ApiHost:
    """A running host.

    Attributes:
        lists: Entries by the path of a list; every other path is a 404.
        documents: Single answers by path, such as the version.
        page_size: Most entries a page, whatever is asked for.
        with_links: Whether a `Link` header says that there is a further page.
        refusal: Status and headers of every answer instead; None for none.
        raw: Body of every answer instead; b"" for none.
        moved: Where every list is answered to lie; "" for nowhere else.
        asked: Paths with their queries, in order.
        tokens: Authorization headers, in order.
    """

    lists: Mapping[str, Sequence[Fields]]
    documents: Mapping[str, object] = field(default_factory=dict)
    page_size: int = 100
    with_links: bool = True
    refusal: tuple[int, Mapping[str, str]] | None = None
    raw: bytes = b""
    moved: str = ""
    asked: list[str] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    url: str = ""


class _Server(ThreadingHTTPServer):
    def __init__(self, host: ApiHost) -> None:
        self.host = host
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        host = self.server.host
        host.asked.append(self.path)
        host.tokens.append(self.headers.get("Authorization", ""))
        place = urlsplit(self.path)
        path = place.path if "%2F" in place.path else unquote(place.path)
        if host.refusal is not None:
            status, headers = host.refusal
            self._send(status, headers, b'{"message": "no"}')
        elif host.raw:
            self._send(200, {}, host.raw)
        elif path in host.documents:
            self._send(200, {}, json.dumps(host.documents[path]).encode())
        elif host.moved:
            self._send(302, {"Location": host.moved + self.path}, b"")
        elif path in host.lists:
            self._page(host.lists[path], parse_qs(place.query))
        else:
            self._send(404, {}, b'{"message": "Not Found"}')

    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""

    def _page(self, entries: Sequence[Fields], query: Mapping[str, list[str]]) -> None:
        host = self.server.host
        wanted = int(query.get("per_page", query.get("limit", ["30"]))[0])
        size = min(host.page_size, wanted)
        page = int(query["page"][0])
        some = entries[(page - 1) * size : page * size]
        more = page * size < len(entries)
        link = f'<{host.url}/next>; rel="next"' if more else f'<{host.url}/>; rel="first"'
        self._send(200, {"Link": link} if host.with_links else {}, json.dumps(some).encode())

    def _send(self, status: int, headers: Mapping[str, str], content: bytes) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def api_host(host: ApiHost) -> Iterator[ApiHost]:
    """Serve on loopback while the block lasts."""
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


def github(*repositories: Fields, owner: str = "ada", **more: object) -> ApiHost:
    """A GitHub Enterprise host with one user."""
    common = {"fork": False, "archived": False, "private": False, "size": 12}
    entries = [{**common, "full_name": f"{owner}/{one['name']}", **one} for one in repositories]
    lists = {f"/api/v3/users/{owner}/repos": entries}
    return ApiHost(lists, {"/api/v3/meta": {}}, **more)  # type: ignore[arg-type]


def gitlab(*projects: Fields, owner: str = "ada", kind: str = "users", **more: object) -> ApiHost:
    """A GitLab host with one user or group."""
    common = {"archived": False, "visibility": "public", "default_branch": "main"}
    entries = [
        {**common, "path_with_namespace": f"{owner}/{one['name']}", **one} for one in projects
    ]
    encoded = owner.replace("/", "%2F")
    lists = {f"/api/v4/{kind}/{encoded}/projects": entries}
    return ApiHost(lists, {"/api/v4/projects": []}, **more)  # type: ignore[arg-type]


def forgejo(
    *repositories: Fields, owner: str = "ada", kind: str = "users", **more: object
) -> ApiHost:
    """A Forgejo or Gitea host with one user or organisation."""
    common = {"fork": False, "archived": False, "private": False, "empty": False}
    entries = [{**common, "full_name": f"{owner}/{one['name']}", **one} for one in repositories]
    lists = {f"/api/v1/{kind}/{owner}/repos": entries}
    return ApiHost(lists, {"/api/v1/version": {"version": "9.0"}}, **more)  # type: ignore[arg-type]
