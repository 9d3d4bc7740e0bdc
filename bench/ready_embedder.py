"""A server on loopback that speaks Mistral's wire format and knows every vector already."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@contextmanager
def ready_embedder(vectors: Mapping[str, list[float]]) -> Iterator[str]:
    """The address of a server that embeds the texts of `vectors`, and 400 for any other."""
    answers = {text: _answer(vector) for text, vector in vectors.items()}

    class Handler(BaseHTTPRequestHandler):
        """One request to /v1/embeddings with one text."""

        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            """Answer with the vector."""
            length = int(self.headers["Content-Length"])
            texts = json.loads(self.rfile.read(length))["input"]
            found = answers.get(texts[0]) if len(texts) == 1 else None
            body = found or b'{"message": "one known text is embedded at a time"}'
            status = "200 OK" if found else "400 Bad Request"
            head = (
                f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\n\r\n"
            )
            # In one piece: the kernel holds a second small one back until the first is confirmed.
            self.wfile.write(head.encode() + body)

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def _answer(vector: list[float]) -> bytes:
    content = {
        "id": "1",
        "object": "list",
        "model": "mistral-embed",
        "data": [{"object": "embedding", "index": 0, "embedding": vector}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 0, "total_tokens": 1},
    }
    return json.dumps(content).encode()
