"""A loopback HTTP server that speaks Mistral's wire format, so that tests use the real SDK.

    with FakeMistral() as server:
        server.answer = lambda body: ChatAnswer(["The engine ", "is small [1]."])
        server.script("/v1/embeddings", Reply(429, {"Retry-After": "1"}), Drop())
        ...  # Mistral(server_url=server.url, api_key="k")
        server.requests[0].body["input"]

Scripted replies are used up first, in order; behind them every request is answered by the rules.
"""

import json
import threading
import uuid
from collections import defaultdict, deque
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

from tests.mistral_wire import (
    CHAT,
    EMBEDDINGS,
    Body,
    ChatAnswer,
    Drop,
    EmbeddingRules,
    RecordedRequest,
    Reply,
    error_body,
)

__all__ = [
    "CHAT",
    "EMBEDDINGS",
    "Body",
    "ChatAnswer",
    "Drop",
    "EmbeddingRules",
    "FakeMistral",
    "RecordedRequest",
    "Reply",
    "error_body",
]


class FakeMistral:
    """Context manager around the server.

    Attributes:
        rules: Of /v1/embeddings.
        answer: Makes the chat answer from the request's body.
        requests: Everything that arrived, in order, scripted failures included.
        violations: Messages of the 400s that the embedding rules caused.
        disconnected: Paths of requests whose client left before the end.
    """

    def __init__(
        self,
        rules: EmbeddingRules | None = None,
        answer: Callable[[Body], ChatAnswer] = lambda body: ChatAnswer(["An answer."]),
    ) -> None:
        self.rules = rules or EmbeddingRules()
        self.answer = answer
        self.requests: list[RecordedRequest] = []
        self.violations: list[str] = []
        self.disconnected: list[str] = []
        self._scripts: dict[str, deque[Reply | Drop]] = defaultdict(deque)
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.fake = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def script(self, path: str, *replies: Reply | Drop) -> None:
        self._scripts[path].extend(replies)

    def scripted(self, path: str) -> Reply | Drop | None:
        return self._scripts[path].popleft() if self._scripts[path] else None

    def bodies(self, path: str) -> list[Body]:
        return [request.body for request in self.requests if request.path == path]

    def embedded(self) -> list[str]:
        """Every input that arrived, in order."""
        return [text for body in self.bodies(EMBEDDINGS) for text in body["input"]]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    fake: FakeMistral

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that leaves is part of a test, not an error of the server."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        fake = self.server.fake
        self.close_connection = True
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        fake.requests.append(RecordedRequest(self.path, body, headers))
        match fake.scripted(self.path), self.path:
            case Drop(), _:
                return
            case Reply() as reply, _:
                default = error_body(f"scripted {reply.status}")
                self._send(reply.status, default if reply.body is None else reply.body, reply)
            case None, "/v1/embeddings":
                self._embed(body)
            case None, "/v1/chat/completions":
                self._chat(body)
            case _:
                self._send(404, error_body("no such route"))

    def _embed(self, body: Body) -> None:
        rules, inputs = self.server.fake.rules, body["input"]
        inputs = [inputs] if isinstance(inputs, str) else inputs
        if message := rules.violation(inputs):
            self.server.fake.violations.append(message)
            self._send(400, error_body(message))
            return
        rows = [
            {
                "object": "embedding",
                "index": index,
                "embedding": [float(x) for x in rules.vector(text, rules.dimension)],
            }
            for index, text in enumerate(inputs)
        ]
        tokens = sum(map(rules.token_count, inputs))
        self._send(
            200,
            {
                "id": uuid.uuid4().hex,
                "object": "list",
                "model": body["model"],
                "data": rows[::-1] if rules.shuffled else rows,
                "usage": {"prompt_tokens": tokens, "completion_tokens": 0, "total_tokens": tokens},
            },
        )

    def _chat(self, body: Body) -> None:
        answer = self.server.fake.answer(body)
        try:
            if body.get("stream"):
                self._stream(body, answer)
            else:
                self._complete(body, answer)
        except ConnectionError:
            self.server.fake.disconnected.append(self.path)

    def _complete(self, body: Body, answer: ChatAnswer) -> None:
        message = {"role": "assistant", "content": "".join(answer.parts), "tool_calls": None}
        choice = {"index": 0, "message": message, "finish_reason": answer.finish_reason}
        if not answer.drop:
            self._send(200, _completion(body, choice) | {"usage": answer.usage()})

    def _stream(self, body: Body, answer: ChatAnswer) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self._event(_chunk(body, {"role": "assistant", "content": ""}))
        for part in answer.parts:
            self._event(_chunk(body, {"content": part}))
        if answer.drop:
            return
        last = _chunk(body, {"content": ""}, answer.finish_reason)
        self._event(last | {"usage": answer.usage()})
        self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, chunk: Body) -> None:
        self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
        self.wfile.flush()

    def _send(self, status: int, body: Body | bytes, reply: Reply | None = None) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Connection", "close")
        for name, value in (reply.headers if reply else {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Requests are recorded, not printed."""


def _completion(body: Body, choice: Body) -> Body:
    return {
        "id": uuid.uuid4().hex,
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": body["model"],
        "choices": [choice],
    }


def _chunk(body: Body, delta: Body, finish_reason: str | None = None) -> Body:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return _completion(body, choice) | {"object": "chat.completion.chunk"}
