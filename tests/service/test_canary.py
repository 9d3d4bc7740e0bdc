"""Unique strings through every path: nothing that a visitor sent is anywhere afterwards."""

import json
import logging
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest

from tests.fake_mistral import CHAT, EMBEDDINGS, Body, ChatAnswer, FakeMistral, Reply
from tests.service.running import ORIGIN, Service, configure, running

QUESTIONS = 200
ACCEPT = ("Accept", "application/json, text/event-stream")
FORM = "application/x-www-form-urlencoded"


def echoed(body: Body) -> ChatAnswer:
    """The model repeats what it was asked."""
    asked = body["messages"][-1]["content"].rsplit("<question", 1)[-1][:400]
    return ChatAnswer(["You asked: ", asked, " [1]"])


def left_early(service: Service, body: bytes) -> None:
    head = (
        f"POST /ask HTTP/1.1\r\nHost: x\r\nOrigin: {ORIGIN}\r\nContent-Type: application/json\r\n"
        f"Accept: text/event-stream\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", service.port), timeout=10) as connection:
        connection.sendall(head.encode() + body)
        connection.recv(20)


def called(service: Service, canary: str, method: str = "tools/call") -> None:
    arguments = {"name": "ask_site", "arguments": {"question": f"rain {canary}"}}
    message = {"jsonrpc": "2.0", "id": canary, "method": method, "params": arguments}
    service.post("/mcp", message, ACCEPT)


def ways(service: Service, model: FakeMistral) -> list[Callable[[str], object]]:
    """Every path by which a visitor's text can come in."""

    def failing(path: str, *replies: Reply) -> Callable[[str], object]:
        def ask(canary: str) -> None:
            model.script(path, *replies)
            service.ask(f"How is rain measured? {canary}")

        return ask

    def cut(canary: str) -> None:
        model.answer = lambda body: ChatAnswer([f"about {canary}"], drop=True)
        service.stream(f"rain {canary}")
        model.answer = echoed

    def headers(canary: str) -> None:
        sent = [(name, canary) for name in ("User-Agent", "Cookie", "Referer", "X-Forwarded-For")]
        service.post("/ask", {"question": "rain bucket"}, *sent)

    def history(canary: str) -> None:
        turns = [{"role": "user", "content": canary}, {"role": "assistant", "content": canary}]
        service.ask("rain bucket", history=turns, page=f"https://{canary}.example/")

    return [
        lambda canary: service.ask(f"How is rain measured? {canary}"),
        lambda canary: service.stream(f"How is rain measured? {canary}"),
        lambda canary: service.post("/search", {"query": f"rain {canary}"}),
        lambda canary: service.post(
            "/", urlencode({"question": f"rain {canary}"}).encode(), content_type=FORM
        ),
        lambda canary: called(service, canary),
        lambda canary: called(service, canary, method=canary),
        lambda canary: service.post("/ask", {"question": canary}, origin="https://evil.test"),
        lambda canary: service.post("/ask", {"question": canary}, origin=f"https://{canary}"),
        lambda canary: service.post("/ask", {"question": canary * 200}),
        lambda canary: service.post("/ask", {"question": "a", canary: canary}),
        lambda canary: service.post("/ask", {"question": "a", "language": canary}),
        lambda canary: service.post("/ask", f'{{"question": "\\ud83d {canary}'.encode()),
        lambda canary: service.post("/ask", canary.encode(), content_type=f"text/{canary}"),
        lambda canary: service.post("/log/erase", {"receipt": canary}),
        lambda canary: service.send("GET", f"/ask?question={quote(canary)}"),
        lambda canary: service.send("GET", f"/{quote(canary)}"),
        lambda canary: service.send("PUT", f"/{quote(canary)}", headers=[("Origin", ORIGIN)]),
        lambda canary: left_early(service, json.dumps({"question": canary}).encode()),
        failing(CHAT, Reply(500), Reply(500)),
        failing(CHAT, Reply(422, body={"detail": [{"input": "rain"}]})),
        failing(EMBEDDINGS, *[Reply(503, {"Retry-After": "0"})] * 2),
        failing(EMBEDDINGS, Reply(401)),
        cut,
        headers,
        history,
    ]


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[FakeMistral]:
    monkeypatch.setenv("MISTRAL_DEBUG", "1")
    monkeypatch.setenv("MISTRAL_API_KEY", "k")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with FakeMistral(answer=echoed) as fake:
        yield fake


def text(model: FakeMistral, log: str = "") -> str:
    return (
        f'[embedding]\nprovider = "mistral"\nserver_url = "{model.url}"\n'
        f'[answer]\nserver_url = "{model.url}"\nretry_s = 0.001\n{log}'
        '[retrieval]\nfull_context_tokens = 0\n[service]\nrate = "400/minute"\n'
    )


def found(folder: Path, canary: str) -> list[str]:
    """Files that hold a canary."""
    encoded = canary.encode()
    files = (file for file in folder.rglob("*") if file.is_file())
    return [str(file) for file in files if encoded in file.read_bytes()]


def everywhere(service: Service) -> str:
    """What the service says about itself."""
    paths = ("/metrics", "/privacy", "/ready", "/openapi.json", "/", "/knowledge.txt")
    return "".join(service.send("GET", path).body.decode() for path in paths)


@pytest.mark.parametrize("mode", ["off", "counts", pytest.param("consent", marks=pytest.mark.slow)])
def test_nothing_of_what_was_sent_is_anywhere(
    tmp_path: Path,
    model: FakeMistral,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    mode: str,
) -> None:
    caplog.set_level(logging.DEBUG)
    configuration = configure(tmp_path, text(model, f'[log]\nmode = "{mode}"\n'))
    with running(configuration) as service:
        paths = ways(service, model)
        count = QUESTIONS if mode == "off" else len(paths)
        for number in range(count):
            paths[number % len(paths)](f"canary{number:04}q")
        limited = 0
        for number in range(600):
            response = service.post("/search", {"query": f"canary{number:04}q", "k": 0})
            limited += response.status == 429
        said = everywhere(service)
    assert limited
    assert "canary" not in said
    assert "canary" not in caplog.text
    assert caplog.records
    assert "canary" not in "".join(capfd.readouterr())
    assert found(tmp_path, "canary") == []


def test_with_consent_exactly_the_question_is_kept_and_nothing_after_erasure(
    tmp_path: Path, model: FakeMistral, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    configuration = configure(tmp_path, text(model, '[log]\nmode = "consent"\n'))
    with running(configuration) as service:
        receipts = {}
        for number in range(20):
            canary = f"canary{number:04}q"
            question = f"How is rain measured? {canary}"
            answer = service.ask(question, consent=number % 2 == 0)
            receipts[canary] = answer["receipt"]
        for canary, receipt in receipts.items():
            files = found(tmp_path, canary)
            assert [Path(file).name for file in files] == (["log.sqlite"] if receipt else [])
            if receipt:
                assert service.post("/log/erase", {"receipt": receipt}).json == {"erased": True}
                assert found(tmp_path, canary) == []
    assert sum(receipt is not None for receipt in receipts.values()) == 10
    assert found(tmp_path, "canary") == []
    assert "canary" not in caplog.text


def test_a_visitor_who_leaves_is_not_kept(tmp_path: Path, model: FakeMistral) -> None:
    def parts() -> Iterator[str]:
        for _ in range(50):
            time.sleep(0.02)
            yield "word "

    model.answer = lambda body: ChatAnswer(parts())
    configuration = configure(tmp_path, text(model, '[log]\nmode = "consent"\n'))
    with running(configuration) as service:
        body = json.dumps({"question": "rain canary", "consent": True}).encode()
        left_early(service, body)
    assert found(tmp_path, "canary") == []
