"""Malformed requests: never a crash, never an echo, no growth; and the API is as described."""

import json
import os
import random
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.guards.under_way import MAX_UNDER_WAY
from tests.service.running import ORIGIN, Service, configure, running

REQUESTS = int(os.environ.get("HOSTILE_REQUESTS", "1500"))
MAX_GROWTH_MB = 60
VALID: dict[str, dict[str, object]] = {
    "/ask": {"question": "rain", "history": [{"role": "user", "content": "x"}], "language": "en"},
    "/search": {"query": "rain", "k": 3, "mode": "keyword"},
    "/log/erase": {"receipt": "x"},
    "/mcp": {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "search_site", "arguments": {"query": "rain"}},
    },
}
VALUES = [
    *(b"NaN", b"Infinity", b"-1e999", b"1" * 5000, b"null", b"true", b"[]", b"{}", b'""', b'"\\u'),
    *(b'"\\ud800"', b'"\\udfff x"', b'"\\u0000"', b'"\x00"', b'"\xff\xfe"', b"[" * 3000),
    *(b'{"a":' * 2000, b'"' + b"x" * 5000 + b'"', b"0x10", b"'a'", b"//", b'"\\q"', b"1e5", b"-0"),
]
ENCODINGS = ("utf-16", "utf-16-le", "utf-32", "utf-7", "latin-1", "utf-8-sig")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    configuration = configure(
        tmp_path_factory.mktemp("site"),
        '[log]\nmode = "consent"\n[service]\nmax_body_bytes = 8192\n',
    )
    with running(configuration) as started:
        yield started


def malformed(chance: random.Random) -> tuple[str, bytes]:
    """A path, and a body that is broken in one of many ways."""
    path = chance.choice(list(VALID))
    body = json.dumps(VALID[path]).encode()
    match chance.randint(0, 6):
        case 0:
            at = chance.randrange(len(body))
            return path, body[:at]
        case 1:
            at = chance.randrange(len(body))
            return path, body[:at] + chance.randbytes(chance.randint(1, 8)) + body[at + 1 :]
        case 2:
            key = chance.choice(list(VALID[path]))
            return path, b'{"%s": %s}' % (key.encode(), chance.choice(VALUES))
        case 3:
            text = body.decode()
            return path, text.encode(chance.choice(ENCODINGS))
        case 4:
            return path, body[:-1] + b', "question": "b", "question": 5, "query": 1}'
        case 5:
            return path, chance.choice(VALUES)
        case _:
            return path, chance.randbytes(chance.randint(0, 300))


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


@pytest.mark.slow
def test_malformed_requests_are_refused_without_growth(service: Service) -> None:
    chance = random.Random(7)
    before = 0.0
    for number in range(REQUESTS):
        path, body = malformed(chance)
        headers = [("Accept", "application/json, text/event-stream")]
        if chance.random() < 0.1:
            headers.append(("X-Large", "x" * chance.randint(1, 20_000)))
        response = service.post(path, body, *headers)
        assert response.status in (200, 202, 400, 403, 404, 413, 415, 422, 431), (path, body[:200])
        if number == REQUESTS // 3:
            before = resident_mb()
    assert resident_mb() - before < MAX_GROWTH_MB
    assert service.ask("How does the station measure rain?")["outcome"] == "answered"


def raw(service: Service, *parts: bytes) -> bytes:
    """Send bytes as they are; what comes back before the connection ends."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=10) as connection:
        try:
            for part in parts:
                connection.sendall(part)
            return connection.recv(65_536)
        except ConnectionError:
            return b""


@pytest.mark.parametrize(
    "head",
    [
        b"POST /ask HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n",
        b"POST /ask HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
        b"POST /ask HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
        b"POST /ask HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET /\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /%ff%00%zz HTTP/1.1\r\nHost: x\r\n\r\n",
        b"\x16\x03\x01\x02\x00",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /ask HTTP/1.1\r\nHost: x\r\nOrigin: \xff\xfe\r\nContent-Length: 2\r\n\r\n{}",
    ],
)
def test_broken_http_is_no_crash(service: Service, head: bytes) -> None:
    assert not raw(service, head + b"\r\n" * 3)[:40].startswith(b"HTTP/1.1 5")
    assert service.send("GET", "/health").status == 200


def test_many_slow_bodies_do_not_keep_others_from_being_answered(service: Service) -> None:
    head = (
        f"POST /ask HTTP/1.1\r\nHost: x\r\nOrigin: {ORIGIN}\r\n"
        "Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{"
    ).encode()
    slow = []
    try:
        for _ in range(50):
            connection = socket.create_connection(("127.0.0.1", service.port), timeout=10)
            slow.append(connection)
            connection.sendall(head)
        assert service.ask("How does the station measure rain?")["outcome"] == "answered"
    finally:
        for connection in slow:
            connection.close()


def test_more_requests_than_the_bound_are_refused_with_a_time(tmp_path: Path) -> None:
    head = (
        f"POST /ask HTTP/1.1\r\nHost: x\r\nOrigin: {ORIGIN}\r\n"
        "Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{"
    ).encode()
    held = []
    with running(configure(tmp_path)) as service:
        try:
            for _ in range(MAX_UNDER_WAY):
                connection = socket.create_connection(("127.0.0.1", service.port), timeout=10)
                held.append(connection)
                connection.sendall(head)
            response = service.post("/ask", {"question": "rain"})
            assert (response.status, response.json["error"]["code"]) == (503, "overloaded")
            assert int(response.headers["Retry-After"]) > 0
            assert service.send("GET", "/health").status == 200
        finally:
            for connection in held:
                connection.close()


@pytest.mark.slow
def test_the_api_is_as_it_is_described(service: Service, tmp_path: Path) -> None:
    """Schemathesis over /openapi.json: every operation, valid and invalid requests."""
    pytest.importorskip("schemathesis")
    program = Path(sys.executable).with_name("schemathesis")
    run = subprocess.run(
        [
            *(program, "run", f"http://127.0.0.1:{service.port}/openapi.json", "--no-color"),
            *("--header", f"Origin: {ORIGIN}", "--seed", "1", "--max-examples", "30"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-5000:] + run.stderr[-1000:]
    assert "11 selected / 11 total" in run.stdout
