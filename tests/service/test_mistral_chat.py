import threading
from collections.abc import Awaitable, Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import anyio
import pytest

from retrieval.errors import ProviderRateLimited, ProviderRefused, ProviderUnavailable
from service.chat import Message, Usage
from service.mistral_chat import MistralChat
from tests.fake_mistral import CHAT, ChatAnswer, Drop, FakeMistral, Reply

MESSAGES = (Message("system", "rules"), Message("user", "Why?"))


@pytest.fixture
def server() -> Iterator[FakeMistral]:
    with FakeMistral() as fake:
        yield fake


def run(server: FakeMistral, use: Callable[[MistralChat], Awaitable[None]]) -> None:
    async def main() -> None:
        chat = MistralChat("secret-key", "m", server_url=server.url, part_timeout_s=5)
        try:
            await use(chat)
        finally:
            await chat.aclose()

    anyio.run(main)


def read(server: FakeMistral) -> tuple[list[str], Usage]:
    parts: list[str] = []
    usage = Usage()

    async def use(chat: MistralChat) -> None:
        nonlocal usage
        completion = chat.stream(MESSAGES, 50, "kb-1")
        parts.extend([part async for part in completion])
        usage = completion.usage

    run(server, use)
    return parts, usage


def test_parts_arrive_in_order_with_the_usage(server: FakeMistral) -> None:
    server.answer = lambda body: ChatAnswer(["One ", "two"], cached_tokens=64)
    assert read(server) == (["One ", "two"], Usage(100, 10, 64))


def test_the_request_carries_model_limit_and_cache_key_but_no_secret(server: FakeMistral) -> None:
    read(server)
    [request] = server.requests
    assert request.path == CHAT
    assert request.body["model"] == "m"
    assert request.body["max_tokens"] == 50
    assert request.body["prompt_cache_key"] == "kb-1"
    assert [m["content"] for m in request.body["messages"]] == ["rules", "Why?"]
    assert request.headers["authorization"] == "Bearer secret-key"
    assert "secret-key" not in str(request.body)


def test_a_failure_before_the_first_part_is_tried_once_more(server: FakeMistral) -> None:
    server.script(CHAT, Reply(503))
    assert read(server)[0] == ["An answer."]
    server.script(CHAT, Reply(429, {"Retry-After": "0"}))
    assert read(server)[0] == ["An answer."]
    assert len(server.requests) == 4


@pytest.mark.parametrize(
    ("reply", "error", "requests"),
    [
        (Reply(503), ProviderUnavailable, 2),
        (Drop(), ProviderUnavailable, 2),
        (Reply(429, {"Retry-After": "0"}), ProviderRateLimited, 2),
        (Reply(401), ProviderRefused, 1),
        (Reply(422, body={"detail": []}), ProviderRefused, 1),
        (Reply(200, body=b"no events"), ProviderUnavailable, 2),
    ],
)
def test_failures_are_translated(
    server: FakeMistral, reply: Reply | Drop, error: type[Exception], requests: int
) -> None:
    server.script(CHAT, reply, reply)
    with pytest.raises(error) as caught:
        read(server)
    assert len(server.requests) == requests
    assert "secret-key" not in str(caught.value)
    assert "scripted" not in str(caught.value)


@pytest.mark.parametrize("event", [b"{oops", b"[]", b'{"id": 1}', b"\xff"])
def test_a_malformed_event_is_a_failure(event: bytes) -> None:
    class Malformed(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            self.wfile.write(b"data: " + event + b"\n\n")

        def log_message(self, format: str, *args: object) -> None:
            """Nothing is printed."""

    async def main(url: str) -> None:
        chat = MistralChat("k", "m", server_url=url)
        with pytest.raises(ProviderUnavailable):
            [part async for part in chat.stream(MESSAGES, 50, "kb-1")]
        await chat.aclose()

    with ThreadingHTTPServer(("127.0.0.1", 0), Malformed) as malformed:
        thread = threading.Thread(target=malformed.serve_forever, args=(0.01,))
        thread.start()
        try:
            anyio.run(main, f"http://127.0.0.1:{malformed.server_port}")
        finally:
            malformed.shutdown()
            thread.join()


def test_a_stream_that_breaks_off_is_an_error_and_not_an_end(server: FakeMistral) -> None:
    server.answer = lambda body: ChatAnswer(["Half"], drop=True)
    with pytest.raises(ProviderUnavailable):
        read(server)
    assert len(server.requests) == 1


def test_a_provider_that_says_nothing_times_out(server: FakeMistral) -> None:
    released = threading.Event()

    def parts() -> Iterator[str]:
        released.wait(10)
        yield "late"

    server.answer = lambda body: ChatAnswer(parts())

    async def use(_: MistralChat) -> None:
        chat = MistralChat("k", "m", server_url=server.url, part_timeout_s=0.1)
        with pytest.raises(ProviderUnavailable):
            [part async for part in chat.stream(MESSAGES, 50, "kb-1")]
        await chat.aclose()

    run(server, use)
    released.set()


def test_closing_early_closes_the_connection(server: FakeMistral) -> None:
    left = threading.Event()

    def parts() -> Iterator[str]:
        try:
            for _ in range(100_000):
                yield "x" * 1000
        finally:
            left.set()

    server.answer = lambda body: ChatAnswer(parts())

    async def use(chat: MistralChat) -> None:
        completion = chat.stream(MESSAGES, 50, "kb-1")
        async for _ in completion:
            break
        await completion.aclose()
        assert await anyio.to_thread.run_sync(left.wait, 5)

    run(server, use)
    assert server.disconnected == [CHAT]
