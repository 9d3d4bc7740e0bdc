"""What does the service add to the model's time, and what does it bear?

    python -m bench.service_load [--questions 100] [--streams 200] [--soak-s 0]

Everything on loopback, with a scripted model (`bench.scripted_model`) in a process of its own.
Throughput of /search is given beside a bare FastAPI route that returns the same bytes.
"""

import argparse
import asyncio
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from bench.corpora import write_pages
from ingestion.planning import SyncOptions
from ingestion.run import synchronise
from retrieval.configuration import load_configuration

CHUNKS = 1000
FIRST_MS = 50.0
CONNECTIONS = 8
ORIGIN = "https://bench.example"
_BARE = """
import json, sys, uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
found = json.load(open(sys.argv[1]))
app = FastAPI()
@app.post("/search")
async def search(request: Request) -> JSONResponse:
    await request.json()
    return JSONResponse(found)
import socket
listening = socket.create_server(("127.0.0.1", 0))
listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
print(f"http://127.0.0.1:{listening.getsockname()[1]}", file=sys.stderr, flush=True)
uvicorn.Server(uvicorn.Config(app, access_log=False, log_level="warning")).run(sockets=[listening])
"""


def main() -> None:
    """Print one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--searches", type=int, default=2000)
    parser.add_argument("--soak-s", type=float, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place, _model() as model_port:
        root = Path(place)
        names = write_pages(root, CHUNKS)
        queries = [name.replace(".", " ").replace("_", " ") for name in names]
        own_ms = asyncio.run(_models_own_ms(model_port, options.questions))
        with _service(root, model_port) as (process, port):
            result = asyncio.run(_measure(process.pid, port, queries, own_ms, options))
            found = root / "found.json"
            found.write_bytes(asyncio.run(_post(port, "/search", {"query": queries[0]}))[1])
        with _bare(found) as (_, port):
            result["bare route/s"] = asyncio.run(_throughput(port, queries, options.searches))
    result["search to bare"] = round(result["search/s"] / result["bare route/s"], 2)
    print(json.dumps(result, indent=1))


async def _measure(
    pid: int, port: int, queries: list[str], own_ms: float, options: argparse.Namespace
) -> dict[str, float]:
    for query in queries[:5]:
        await _first_word_ms(port, query)
    idle_mb = _resident_mb(pid)
    firsts = [await _first_word_ms(port, query) for query in queries[: options.questions]]
    streams = asyncio.gather(
        *(_first_word_ms(port, queries[n % len(queries)]) for n in range(options.streams)),
        return_exceptions=True,
    )
    peak_mb = idle_mb
    while not streams.done():
        peak_mb = max(peak_mb, _resident_mb(pid))
        await asyncio.sleep(0.05)
    failed = sum(isinstance(result, BaseException) for result in await streams)
    result = {
        "first word beyond the model's, median ms": round(statistics.median(firsts) - own_ms, 2),
        "first word beyond the model's, p95 ms": round(_p95(firsts) - own_ms, 2),
        "streams at once": options.streams,
        "streams failed": failed,
        "idle MB": idle_mb,
        "peak MB": peak_mb,
        "search/s": await _throughput(port, queries, options.searches),
    }
    if options.soak_s:
        before, end = _resident_mb(pid), time.monotonic() + options.soak_s
        while time.monotonic() < end:
            await asyncio.gather(*(_first_word_ms(port, query) for query in queries[:20]))
        result |= {"before soak MB": before, "after soak MB": _resident_mb(pid)}
    return result


async def _models_own_ms(port: int, count: int) -> float:
    """Median milliseconds to the model's first word, asked directly."""
    times = []
    for _ in range(count):
        started = time.perf_counter()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(_request("/", {}, "text/event-stream"))
        await reader.readuntil(b"word0")
        times.append((time.perf_counter() - started) * 1000)
        writer.close()
    return statistics.median(times)


async def _first_word_ms(port: int, question: str) -> float:
    """Milliseconds to the first token; the stream is read to its end.

    Raises:
        ValueError: The stream has no token, or no end.
    """
    started = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(_request("/ask", {"question": question}, "text/event-stream"))
    first = 0.0
    received = b""
    while part := await reader.read(65_536):
        received += part
        if not first and b"event: token" in received:
            first = (time.perf_counter() - started) * 1000
    writer.close()
    if not first or b"event: done" not in received:
        raise ValueError(received[-300:])
    return first


async def _throughput(port: int, queries: list[str], count: int) -> float:
    """Requests a second over CONNECTIONS kept-alive connections."""

    async def use(number: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for n in range(number, count, CONNECTIONS):
            body = {"query": queries[n % len(queries)], "mode": "keyword"}
            writer.write(_request("/search", body, "application/json", keep=True))
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(int(re.findall(rb"content-length: (\d+)", head)[0]))
            if b" 200 " not in head[:16]:
                raise ValueError(head)
        writer.close()

    started = time.perf_counter()
    await asyncio.gather(*(use(number) for number in range(CONNECTIONS)))
    return round(count / (time.perf_counter() - started), 1)


async def _post(port: int, path: str, content: dict[str, str]) -> tuple[bytes, bytes]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(_request(path, content, "application/json"))
    head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    return head, body


def _request(path: str, content: dict[str, str], accept: str, keep: bool = False) -> bytes:
    body = json.dumps(content).encode()
    connection = "keep-alive" if keep else "close"
    head = (
        f"POST {path} HTTP/1.1\r\nhost: x\r\norigin: {ORIGIN}\r\naccept: {accept}\r\n"
        f"content-type: application/json\r\nconnection: {connection}\r\n"
        f"content-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def _resident_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return round(int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1000, 1)


def _p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


@contextmanager
def _model() -> Iterator[int]:
    command = [sys.executable, "-m", "bench.scripted_model", "--first-ms", str(FIRST_MS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        if process.stdout is None:
            raise OSError("the model has no output")
        try:
            yield int(process.stdout.readline())
        finally:
            process.terminate()


@contextmanager
def _service(root: Path, model_port: int) -> Iterator[tuple[subprocess.Popen[str], int]]:
    file = root / "askfolio.toml"
    file.write_text(
        f'[site]\nkind = "markdown"\nbase_url = "{ORIGIN}/"\n[embedding]\nprovider = "none"\n'
        f'[answer]\nprovider = "mistral"\nserver_url = "http://127.0.0.1:{model_port}"\n'
        "[retrieval]\nfull_context_tokens = 0\n"
        '[service]\nrate = "1000000/second"\ndaily_budget = 0\n',
        encoding="utf-8",
    )
    synchronise(load_configuration(file), SyncOptions(now=datetime.now(UTC)))
    program = "from askfolio import main; main()"
    with _listening("-c", program, "serve", "--port", "0", "--config", str(file)) as found:
        yield found


@contextmanager
def _bare(found: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    with _listening("-c", _BARE, str(found)) as listening:
        yield listening


@contextmanager
def _listening(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A process that names its address on stderr."""
    command = [sys.executable, *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            for line in process.stderr or ():
                if address := re.search(r"http://[^:]+:(\d+)", line):
                    yield process, int(address[1])
                    break
        finally:
            process.terminate()


if __name__ == "__main__":
    main()
