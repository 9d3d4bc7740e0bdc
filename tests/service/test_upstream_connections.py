"""When is a connection to the model kept, when is it closed, and how many are there at once?"""

import asyncio
import json
import socket
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio

from service.chat import Message
from service.guards.under_way import MAX_UNDER_WAY
from service.mistral_chat import MistralChat
from tests.service.running import ORIGIN, configure, running

MESSAGES = (Message("user", "Why?"),)
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


def chunk(content: bytes) -> bytes:
    return f"{len(content):x}\r\n".encode() + content + b"\r\n"


def event(text: str) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": "stop"}
    completion = {"id": "1", "object": "c", "created": 1, "model": "m", "choices": [choice]}
    return chunk(b"data: " + json.dumps(completion).encode() + b"\n\n")


ANSWER = HEAD + event("An answer.") + chunk(b"data: [DONE]\n\n")


class Model:
    """Answers as `answer` says; knows its connections and requests."""

    def __init__(self, answer: Callable[[asyncio.StreamWriter], Awaitable[None]]) -> None:
        self.connections: list[asyncio.Task[None] | None] = []
        self._answer = answer

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections.append(asyncio.current_task())
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                await reader.readexactly(int(head.split(b"content-length:")[1].split(b"\r\n")[0]))
                await self._answer(writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


def ask(model: Model, use: Callable[[MistralChat], Awaitable[None]]) -> None:
    async def main() -> None:
        server = await asyncio.start_server(model.connected, "127.0.0.1", 0, backlog=500)
        port = server.sockets[0].getsockname()[1]
        chat = MistralChat("k", "m", server_url=f"http://127.0.0.1:{port}")
        with anyio.fail_after(30):
            await use(chat)
            await chat.aclose()
            await asyncio.gather(*(task for task in model.connections if task))
            server.close()

    anyio.run(main)


async def text(chat: MistralChat) -> str:
    return "".join([part async for part in chat.stream(MESSAGES, 50, "kb-1")])


def test_questions_one_after_the_other_share_a_connection() -> None:
    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(ANSWER + chunk(b""))

    async def use(chat: MistralChat) -> None:
        assert [await text(chat) for _ in range(3)] == ["An answer."] * 3

    model = Model(answer)
    ask(model, use)
    assert len(model.connections) == 1


def test_an_answer_whose_response_never_ends_is_complete_all_the_same() -> None:
    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(ANSWER)

    async def use(chat: MistralChat) -> None:
        assert [await text(chat) for _ in range(2)] == ["An answer."] * 2

    model = Model(answer)
    ask(model, use)
    assert len(model.connections) == 2


def test_a_connection_that_breaks_behind_the_answer_breaks_no_answer() -> None:
    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(ANSWER + b"no chunk at all\r\n")

    async def use(chat: MistralChat) -> None:
        assert await text(chat) == "An answer."

    ask(Model(answer), use)


def test_as_many_answers_are_under_way_as_requests_may_be() -> None:
    asked, all_asked = 0, asyncio.Event()

    async def answer(writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        asked += 1
        if asked == MAX_UNDER_WAY:
            all_asked.set()
        await all_asked.wait()
        writer.write(ANSWER + chunk(b""))

    async def use(chat: MistralChat) -> None:
        answers = await asyncio.gather(*(text(chat) for _ in range(MAX_UNDER_WAY)))
        assert answers == ["An answer."] * MAX_UNDER_WAY

    ask(Model(answer), use)


def test_a_visitor_who_leaves_before_the_first_token_leaves_no_connection_behind(
    tmp_path: Path,
) -> None:
    asked, closed = threading.Event(), threading.Event()

    def silent_model(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection:
            received = b""
            while part := connection.recv(65_536):
                received += part
                if received.endswith(b"}"):
                    asked.set()
            closed.set()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        thread = threading.Thread(target=silent_model, args=(listening,))
        thread.start()
        answer = f'[answer]\nprovider = "mistral"\nserver_url = "http://127.0.0.1:{port}"\n'
        with running(configure(tmp_path, answer)) as service:
            connection = service.connect()
            headers = {"Origin": ORIGIN, "Content-Type": "application/json"}
            headers["Accept"] = "text/event-stream"
            connection.request("POST", "/ask", b'{"question": "What measures rain?"}', headers)
            response = connection.getresponse()
            assert asked.wait(10)
            response.close()
            connection.close()
            assert closed.wait(10)
        thread.join()
