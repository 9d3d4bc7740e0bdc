"""A provider that fails: how long a visitor waits, and what is answered instead."""

import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from retrieval.errors import ProviderRefused, ProviderUnavailable
from service.breaker import FAILURES, Breaker
from tests.fake_mistral import CHAT, EMBEDDINGS, ChatAnswer, Drop, FakeMistral, Reply
from tests.service.running import Service, configure, running

RAIN = "How does the station measure rain?"
FAILED = ProviderUnavailable("down")


def test_it_opens_after_failures_in_a_row_and_lets_one_call_try_again() -> None:
    now = 0.0
    breaker = Breaker(30.0, lambda: now)
    for _ in range(FAILURES - 1):
        breaker.failed(FAILED)
    breaker.succeeded()
    for _ in range(FAILURES):
        breaker.check()
        breaker.failed(FAILED)
    with pytest.raises(ProviderUnavailable):
        breaker.check()
    now = 30.0
    breaker.check()
    with pytest.raises(ProviderUnavailable):
        breaker.check()  # one call finds out, the others do not wait for it
    breaker.failed(FAILED)
    now = 59.0
    with pytest.raises(ProviderUnavailable):
        breaker.check()
    now = 60.0
    breaker.check()
    breaker.succeeded()
    breaker.check()


def test_a_refusal_says_nothing_about_the_provider() -> None:
    breaker = Breaker(30.0)
    for _ in range(FAILURES + 1):
        breaker.failed(ProviderRefused("422"))
    breaker.check()


@pytest.fixture
def provider() -> Iterator[FakeMistral]:
    with FakeMistral(answer=lambda body: ChatAnswer(["A bucket [1]."])) as fake:
        yield fake


def settings(url: str, further: str = "") -> str:
    return f'[answer]\nprovider = "mistral"\nserver_url = "{url}"\n{further}'


def excerpts(service: Service) -> None:
    """The visitor gets a labelled answer, as JSON and as a stream."""
    answer = service.ask(RAIN)
    assert answer["degraded"] == "excerpts"
    assert "tipping bucket" in answer["answer"]
    assert dict(service.stream(RAIN).events)["done"]["degraded"] == "excerpts"


def test_a_dead_provider_is_not_asked_for_every_question(
    tmp_path: Path, provider: FakeMistral
) -> None:
    provider.script(CHAT, *[Reply(500)] * 100)
    configuration = configure(tmp_path, settings(provider.url, "retry_s = 600\n"))
    with running(configuration) as service:
        for _ in range(4):
            excerpts(service)
    assert len(provider.requests) == 2 * FAILURES


def test_it_is_asked_again_after_the_retry_window(tmp_path: Path, provider: FakeMistral) -> None:
    provider.script(CHAT, *[Reply(500)] * 2 * FAILURES)
    configuration = configure(tmp_path, settings(provider.url, "retry_s = 0.001\n"))
    with running(configuration) as service:
        for _ in range(FAILURES):
            assert service.ask(RAIN)["degraded"] == "excerpts"
        assert service.ask(RAIN)["degraded"] is None


def test_a_provider_that_hangs_costs_no_more_than_the_time_out(
    tmp_path: Path, provider: FakeMistral
) -> None:
    released = threading.Event()

    def parts() -> Iterator[str]:
        released.wait(20)
        yield "late"

    provider.answer = lambda body: ChatAnswer(parts())
    text = settings(provider.url, "timeout_s = 0.3\nretry_s = 600\n")
    with running(configure(tmp_path, text)) as service:
        for _ in range(3):
            excerpts(service)  # the client itself waits 10 s at most
    released.set()
    assert len(provider.requests) <= FAILURES


def test_a_stream_that_stalls_ends_with_an_error(tmp_path: Path, provider: FakeMistral) -> None:
    released = threading.Event()

    def parts() -> Iterator[str]:
        yield "One "
        released.wait(20)
        yield "late"

    provider.answer = lambda body: ChatAnswer(parts())
    text = settings(provider.url, "timeout_s = 0.5\n")
    with running(configure(tmp_path, text)) as service:
        names = [name for name, _ in service.stream(RAIN).events]
        assert names == ["meta", "token", "error"]
        assert service.ask(RAIN)["degraded"] == "excerpts"
    released.set()


def test_an_endless_answer_ends_at_the_total_time(tmp_path: Path, provider: FakeMistral) -> None:
    def parts() -> Iterator[str]:
        while True:
            time.sleep(0.02)
            yield "word "

    provider.answer = lambda body: ChatAnswer(parts())
    text = settings(provider.url, "timeout_s = 5\ntotal_timeout_s = 0.5\n")
    with running(configure(tmp_path, text)) as service:
        assert [name for name, _ in service.stream(RAIN).events][-1] == "error"


@pytest.mark.parametrize("failure", [Drop(), Reply(429), Reply(401), Reply(200, body=b"x")])
def test_other_failures_give_excerpts(
    tmp_path: Path, provider: FakeMistral, failure: Reply | Drop
) -> None:
    provider.script(CHAT, *[failure] * 20)
    with running(configure(tmp_path, settings(provider.url))) as service:
        excerpts(service)


@pytest.mark.parametrize("event", [b"{oops", b"[]", b'{"id": 1}', b"\xff", b'{"choices": 5}'])
def test_a_malformed_event_gives_excerpts(tmp_path: Path, event: bytes) -> None:
    class Malformed(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            self.wfile.write(b"data: " + event + b"\n\n")

        def log_message(self, format: str, *args: object) -> None:
            """Nothing is printed."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Malformed) as malformed:
        thread = threading.Thread(target=malformed.serve_forever, args=(0.01,))
        thread.start()
        try:
            text = settings(f"http://127.0.0.1:{malformed.server_port}")
            with running(configure(tmp_path, text)) as service:
                excerpts(service)
        finally:
            malformed.shutdown()
            thread.join()


def test_a_dead_embedder_is_not_asked_for_every_question(
    tmp_path: Path, provider: FakeMistral, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", "k")
    text = (
        f'[embedding]\nprovider = "mistral"\nserver_url = "{provider.url}"\n'
        f"[retrieval]\nfull_context_tokens = 0\n{settings(provider.url)}"
    )
    configuration = configure(tmp_path, text)
    provider.requests.clear()
    provider.script(EMBEDDINGS, *[Reply(503, {"Retry-After": "0"})] * 100)
    with running(configuration) as service:
        for _ in range(FAILURES + 3):
            assert service.ask(RAIN)["degraded"] == "keyword-only"
    assert len(provider.bodies(EMBEDDINGS)) == 2 * FAILURES
