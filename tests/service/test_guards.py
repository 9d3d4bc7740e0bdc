"""The guards over real HTTP: what is refused, how, and at what price."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fake_mistral import ChatAnswer, FakeMistral
from tests.service.running import ORIGIN, Service, configure, running

QUESTION = {"question": "Which projects use a pump?"}
LOCAL = "http://localhost:1313"


@pytest.fixture(scope="module")
def provider() -> Iterator[FakeMistral]:
    with FakeMistral(answer=lambda body: ChatAnswer(["Two of them [1]."])) as fake:
        yield fake


@pytest.fixture(scope="module")
def service(provider: FakeMistral, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    configuration = configure(
        tmp_path_factory.mktemp("site"),
        f'[answer]\nprovider = "mistral"\nserver_url = "{provider.url}"\n'
        f'[service]\norigins = ["{ORIGIN}", "{LOCAL}"]\npublic_url = "https://ask.example/"\n'
        "max_question_chars = 500\nmax_body_bytes = 8192\n",
    )
    with running(configuration) as started:
        yield started


@pytest.fixture
def mistral(provider: FakeMistral) -> FakeMistral:
    provider.requests.clear()
    return provider


@pytest.mark.parametrize("origin", [ORIGIN, LOCAL, "https://ask.example"])
def test_an_allowed_origin_is_answered_and_named(service: Service, origin: str) -> None:
    response = service.post("/ask", QUESTION, origin=origin)
    assert response.status == 200
    assert response.headers["Access-Control-Allow-Origin"] == origin
    assert "Origin" in response.headers["Vary"]
    assert response.headers["Set-Cookie"] is None
    assert response.headers["Server"] is None


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil-portfolio.example",
        "https://portfolio.example.evil.test",
        "https://blog.portfolio.example",
        "http://portfolio.example",
        "https://portfolio.example:8443",
        "https://portfolio.example:443",
        "https://PORTFOLIO.example",
        "https://portfolio.example/",
        "https://portfolio.example/x",
        "https://portfolio.example, https://evil.test",
        "http://localhost:13130",
        "http://localhost",
        "null",
        "",
        "*",
        None,
    ],
)
def test_any_other_origin_is_refused_before_any_work(
    service: Service, mistral: FakeMistral, origin: str | None
) -> None:
    response = service.post("/ask", QUESTION, origin=origin)
    assert response.status == 403
    assert response.json["error"]["code"] == "origin_not_allowed"
    assert response.headers["Access-Control-Allow-Origin"] is None
    assert not mistral.requests


def test_two_origins_are_refused(service: Service) -> None:
    response = service.post("/ask", QUESTION, ("Origin", "https://evil.test"))
    assert response.status == 403


def test_a_referer_stands_for_no_origin(service: Service) -> None:
    referer = ("Referer", f"{ORIGIN}/x")
    assert service.post("/ask", QUESTION, referer, origin="https://evil.test").status == 403
    assert service.post("/ask", QUESTION, referer, origin=None).status == 403


def test_preflights(service: Service) -> None:
    wanted = ("Access-Control-Request-Method", "POST")
    allowed = service.send("OPTIONS", "/ask", headers=[("Origin", ORIGIN), wanted])
    assert allowed.status == 204
    assert allowed.headers["Access-Control-Allow-Origin"] == ORIGIN
    assert "content-type" in allowed.headers["Access-Control-Allow-Headers"]
    foreign = service.send("OPTIONS", "/ask", headers=[("Origin", "https://evil.test"), wanted])
    assert foreign.status == 403
    assert foreign.headers["Access-Control-Allow-Origin"] is None


def test_a_token_or_the_configuration_stands_for_a_missing_origin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASKFOLIO_API_TOKEN", "s3cret")
    configuration = configure(tmp_path)
    with running(configuration) as service:
        for value, status in (("Bearer s3cret", 200), ("bearer s3cret", 200), ("s3cret", 403)):
            header = ("Authorization", value)
            assert service.post("/ask", QUESTION, header, origin=None).status == status
        header = ("Authorization", "Bearer wrong\xe9")
        assert service.post("/ask", QUESTION, header, origin=None).status == 403
        token = ("Authorization", "Bearer s3cret")
        assert service.post("/ask", QUESTION, token, origin="https://evil.test").status == 403
    monkeypatch.setenv("ASKFOLIO_SERVICE__ALLOW_MISSING_ORIGIN", "true")
    with running(configure(tmp_path)) as service:
        assert service.post("/ask", QUESTION, origin=None).status == 200
        assert service.post("/ask", QUESTION, origin="null").status == 403


def test_without_configured_origins_the_sites_own_pages_may_ask(tmp_path: Path) -> None:
    with running(configure(tmp_path)) as service:
        assert service.post("/ask", QUESTION).status == 200
        assert service.post("/ask", QUESTION, origin=LOCAL).status == 403


@pytest.mark.parametrize(
    ("body", "statuses", "code"),
    [
        (b'{"question": " \\n\\t "}', {422}, "invalid"),
        (b'{"question": ""}', {422}, "invalid"),
        (b'{"question": "\\u200b\\u2060 "}', {422}, "invalid"),
        (b'{"question": "\\ud83d marker-60"}', {400}, "malformed"),
        (b'{"question": "' + b"marker-61" + b"x" * 492 + b'"}', {422}, "invalid"),
        (b'{"question": "a", "marker-62": 1}', {422}, "invalid"),
        (b'{"question": "a", "citation_style": "marker-63"}', {422}, "invalid"),
        (b'{"question": "a", "language": "marker-64 "}', {422}, "invalid"),
        (b'{"question": "a", "history": [{"role": "system", "content": "x"}]}', {422}, "invalid"),
        (b'{"question": "a", "history": [{"role": "user", "marker-65": "x"}]}', {422}, "invalid"),
        (b"question: marker-66", {400}, "malformed"),
        (b'["marker-67"]', {422}, "invalid"),
        (b'"marker-68"', {422}, "invalid"),
        (b'{"question": 5}', {422}, "invalid"),
        (b'{"question": null}', {422}, "invalid"),
        (b'{"question": NaN}', {400, 422}, ""),
        (b"{}", {422}, "invalid"),
        (b"[" * 8000, {400}, "malformed"),
        ('{"question": "marker-69"}'.encode("utf-16"), {400}, "malformed"),
        (b'{"question": "\xff marker-70"}', {400}, "malformed"),
    ],
)
def test_a_wrong_body_is_refused_without_repeating_it(
    service: Service, mistral: FakeMistral, body: bytes, statuses: set[int], code: str
) -> None:
    response = service.post("/ask", body)
    assert response.status in statuses
    assert response.json["error"]["code"] == code or not code
    assert b"marker" not in response.body
    assert response.headers["Access-Control-Allow-Origin"] == ORIGIN
    assert not mistral.requests


@pytest.mark.parametrize("question", ["hello?", "a\x00b", "x" * 500, "\N{ROCKET}" * 500])
def test_odd_but_allowed_questions_are_answered(service: Service, question: str) -> None:
    assert service.post("/ask", {"question": question}).status == 200


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonp",
        "application/json; charset=utf-16",
        "text/plain; application/json",
    ],
)
def test_other_content_types_are_refused(service: Service, content_type: str) -> None:
    response = service.post("/ask", QUESTION, content_type=content_type)
    assert (response.status, response.json["error"]["code"]) == (415, "not_json")


def test_a_content_type_with_charset_is_json(service: Service) -> None:
    content_type = "application/json; charset=UTF-8"
    assert service.post("/ask", QUESTION, content_type=content_type).status == 200


def test_the_byte_cap_counts_declared_and_chunked_bodies(
    service: Service, mistral: FakeMistral
) -> None:
    body = json.dumps({"question": "a", "page": "y" * 8192}).encode()
    response = service.post("/ask", body)
    assert (response.status, response.json["error"]["code"]) == (413, "too_large")
    assert chunked(service, megabytes=1) == 413
    assert not mistral.requests


def chunked(service: Service, megabytes: int) -> int:
    """Send a body without Content-Length until the service answers or hangs up; its status."""
    head = (
        f"POST /ask HTTP/1.1\r\nHost: x\r\nOrigin: {ORIGIN}\r\n"
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", service.port), timeout=10) as connection:
        connection.sendall(head.encode())
        try:
            for _ in range(megabytes * 256):
                connection.sendall(b"1000\r\n" + b"z" * 4096 + b"\r\n")
        except ConnectionError:
            pass
        return int(connection.recv(4096).split()[1])


def test_questions_do_not_belong_in_addresses(service: Service) -> None:
    for method, status in (("GET", 405), ("PUT", 405), ("DELETE", 405)):
        response = service.send(method, "/ask?question=marker-63", headers=[("Origin", ORIGIN)])
        assert response.status == status
        assert b"marker" not in response.body
        assert set(response.json) == {"error"}
    assert service.send("GET", "/marker-63").json["error"]["code"] == "not_found"
