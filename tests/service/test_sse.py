import json
from collections.abc import AsyncGenerator

import anyio
import pytest

from service.answer import Event, Token
from service.guards.asgi import AsgiMessage
from service.guards.body_limit import BodyLimitGuard
from service.sse import EventStream, encoded

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def stays() -> AsgiMessage:
    await anyio.sleep_forever()
    raise AssertionError


async def test_a_comment_keeps_a_silent_stream_alive() -> None:
    sent: list[bytes] = []
    beaten = anyio.Event()

    async def send(message: AsgiMessage) -> None:
        sent.append(message.get("body", b""))
        if sent[-1].startswith(b":"):
            beaten.set()

    async def events() -> AsyncGenerator[Event, None]:
        await beaten.wait()
        yield Token("late")

    with anyio.fail_after(10):
        await EventStream(events(), heartbeat_s=0.001)({"type": "http"}, stays, send)
    assert b": waiting\n\n" in sent
    assert encoded(Token("late")) in sent


async def test_headers_go_out_before_the_first_event() -> None:
    begun = anyio.Event()

    async def send(message: AsgiMessage) -> None:
        if message["type"] == "http.response.start":
            begun.set()

    async def events() -> AsyncGenerator[Event, None]:
        await begun.wait()
        yield Token("x")

    with anyio.fail_after(10):
        await EventStream(events())({"type": "http"}, stays, send)


async def test_leaving_before_the_first_event_closes_the_answer() -> None:
    waiting, closed = anyio.Event(), anyio.Event()

    async def leaves() -> AsgiMessage:
        await waiting.wait()
        return {"type": "http.disconnect"}

    async def send(message: AsgiMessage) -> None:
        pass

    async def events() -> AsyncGenerator[Event, None]:
        try:
            waiting.set()
            await anyio.sleep_forever()
            yield Token("never")
        finally:
            closed.set()

    with anyio.fail_after(10):
        await EventStream(events())({"type": "http"}, leaves, send)
    assert closed.is_set()


async def test_a_slow_body_is_given_up() -> None:
    sent: list[AsgiMessage] = []

    async def send(message: AsgiMessage) -> None:
        sent.append(message)

    async def application(*_: object) -> None:
        raise AssertionError

    scope = {"type": "http", "method": "POST", "headers": []}
    await BodyLimitGuard(application, max_bytes=10, timeout_s=0.001)(scope, stays, send)
    assert sent[0]["status"] == 400
    assert (b"connection", b"close") in sent[0]["headers"]


@pytest.mark.parametrize(
    "text", ["a\nb", "a\r\nb", "\r", "a\u2028b\u2029", "event: done\n\n", "🚀", ""]
)
async def test_text_cannot_end_its_line(text: str) -> None:
    name, data, *rest = encoded(Token(text)).decode().splitlines()
    assert name == "event: token"
    assert json.loads(data.removeprefix("data: ")) == {"text": text}
    assert rest == [""]
