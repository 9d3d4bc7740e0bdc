"""What does FastAPI alone take for the answers of /search?

python -m bench.bare_route ANSWERS: a file with an object, by query the JSON that /search gave.
`/search` is a route as its tutorial writes it, a declared body and a dictionary that is returned;
`/least` is the least that it can do: JSON read and sent, nothing declared.
"""

import json
import socket
import sys
from pathlib import Path

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from service.server import process_settings, send_at_once


class Wanted(BaseModel):
    """A request."""

    query: str
    mode: str


def main() -> None:
    """Serve with the settings of the service; the address goes to standard error, as there."""
    answers = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    app = FastAPI()

    @app.post("/search")
    async def search(wanted: Wanted):  # type: ignore[no-untyped-def]  # noqa: ANN202
        return answers[wanted.query]

    @app.post("/least")
    async def least(request: Request) -> JSONResponse:
        return JSONResponse(answers[(await request.json())["query"]])

    with socket.create_server(("127.0.0.1", 0)) as listening:
        send_at_once(listening)
        sys.stderr.write(f"serving on http://127.0.0.1:{listening.getsockname()[1]}\n")
        sys.stderr.flush()
        uvicorn.Server(process_settings(app)).run(sockets=[listening])


if __name__ == "__main__":
    main()
