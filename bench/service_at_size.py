"""The whole service over a large corpus: cold start to the first answer, and resident memory.

    python -m bench.service_at_size [--n 1000000] [--dense ivf-pq] [--starts 5] [--work FOLDER]
        [--unclustered] [--out FILE]

`askfolio serve` in a process of its own, asked over HTTP by hybrid searches; queries are embedded
by a server on loopback that knows their vectors, through the product's Mistral adapter.
"""

import argparse
import http.client
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from bench.children import ROOT
from bench.machine import environment, resident_mb
from bench.measurement import BenchOptions
from bench.ready_embedder import ready_embedder
from bench.synthetic import KNOWLEDGE, SyntheticCorpus
from bench.timing import percentiles
from retrieval.errors import AskfolioError
from retrieval.generation import CURRENT_FILE

ORIGIN = "https://bench.example"
START_TIMEOUT_S = 60
PAUSE_S = 0.02
_SERVICE = """[site]
name = "library"
base_url = "{origin}/"
[embedding]
provider = "mistral"
server_url = "{embedder}"
[retrieval]
full_context_tokens = 0
memory_mb = 100000
[answer]
provider = "extractive"
[service]
rate = "1000000/minute"
daily_budget = 0
"""


def main() -> None:
    """Print one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=1_000_000)
    parser.add_argument("--dense", default="ivf-pq")
    parser.add_argument("--starts", type=int, default=5)
    parser.add_argument("--unclustered", action="store_true")
    parser.add_argument("--work", type=Path, help="keeps the corpus for the next run")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    with ExitStack() as stack:
        work = given.work or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        root = work.absolute() / f"{given.n}"
        root.mkdir(parents=True, exist_ok=True)
        options = BenchOptions(sizes=(given.n,), clustered=not given.unclustered)
        corpus = SyntheticCorpus(given.n, options, root)
        result = measured_service(corpus, root, given.dense, given.starts)
    text = json.dumps(result, indent=1) + "\n"
    if given.out:
        given.out.write_text(text, encoding="utf-8")
    print(text)


def measured_service(
    corpus: SyntheticCorpus, root: Path, dense: str, starts: int
) -> dict[str, Any]:
    """Start it `starts` times; the last one answers every query."""
    built = corpus.build(dense, "tantivy")
    (root / KNOWLEDGE / CURRENT_FILE).write_text(f"{built.folder.name}\n", encoding="ascii")
    texts, vectors = corpus.queries.texts, np.load(corpus.queries.vectors)
    known = {text: vector.tolist() for text, vector in zip(texts, vectors, strict=True)}
    first_s, first_mb = [], []
    wall: list[float] = []
    with ready_embedder(known) as embedder:
        file = root / "service.toml"
        file.write_text(_SERVICE.format(origin=ORIGIN, embedder=embedder), encoding="utf-8")
        for number in range(starts):
            with _service(file) as (pid, port, launched):
                _first_answer(port, texts[0])
                first_s.append(round(time.monotonic() - launched, 3))
                first_mb.append(resident_mb(pid))
                if number == starts - 1:
                    wall = [_search_ms(port, text) for text in texts * 3]
                    resident = resident_mb(pid)
    return {
        "environment": environment(0),
        "chunks": corpus.chunks,
        "dense": dense,
        "keyword": "tantivy",
        "build": built.cost,
        "first_answer_s": statistics.median(first_s),
        "first_answers_s": first_s,
        "first_answer_mb": statistics.median(first_mb),
        "resident_mb": resident,
        "searches": len(wall),
        "wall_ms": percentiles(wall),
    }


@contextmanager
def _service(file: Path) -> Iterator[tuple[int, int, float]]:
    """Process id, port, and the moment before the process was made."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    program = "from askfolio import main; main()"
    launched = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-c", program, "serve", "--port", str(port), "--config", str(file)],
        env=os.environ | {"PYTHONPATH": str(ROOT), "MISTRAL_API_KEY": "unused"},
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process.pid, port, launched
    finally:
        process.terminate()
        process.wait()


def _first_answer(port: int, text: str) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        try:
            _search_ms(port, text)
        except OSError:
            time.sleep(PAUSE_S)
        else:
            return
    raise AskfolioError(f"the service gave no answer within {START_TIMEOUT_S} s")


def _search_ms(port: int, text: str) -> float:
    body = json.dumps({"query": text, "mode": "hybrid"})
    headers = {"Content-Type": "application/json", "Origin": ORIGIN}
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        started = time.perf_counter()
        connection.request("POST", "/search", body, headers)
        response = connection.getresponse()
        content = response.read()
        wall_ms = (time.perf_counter() - started) * 1000
    if response.status != http.HTTPStatus.OK:
        raise AskfolioError(f"POST /search answered {response.status}: {content[:200]!r}")
    if json.loads(content)["mode"] != "hybrid":
        raise AskfolioError("POST /search was not answered by a hybrid search")
    return wall_ms


if __name__ == "__main__":
    main()
