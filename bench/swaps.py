"""What do a service, the syncs beside it and its swaps to new generations hold together?

    python -m bench.swaps [--pages 1000] [--chunks-per-page 10] [--swaps 20]

`askfolio serve` and `askfolio sync` in processes of their own, as on a server. Before each sync one
page changes; then the service is asked until it answers from the new generation. To see that it
works under one limit, run the command in a container with that limit: whoever exceeds it is killed.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from urllib.error import URLError
from urllib.request import Request, urlopen

from bench.sync_time import change_page, synced_site
from retrieval.configuration import Configuration
from retrieval.generation import GENERATIONS_FOLDER, current_name
from retrieval.manifest import read_manifest

_ASKFOLIO = Path(sys.executable).parent / "askfolio"
_SYNC = (
    "import atexit, pathlib, sys\n"
    "atexit.register(lambda: sys.stderr.write(pathlib.Path('/proc/self/status').read_text()))\n"
    "from askfolio import app\n"
    "app(['sync'])\n"
)
_PATIENCE_S = 60.0
_POLL_S = 0.02


def main() -> None:
    """Print one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--chunks-per-page", type=int, default=10)
    parser.add_argument("--swaps", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        configuration = synced_site(Path(place), options.pages, options.chunks_per_page)
        with _service(configuration) as (pid, address):
            print(json.dumps(_swapped(configuration, pid, address, options.swaps), indent=1))


def _swapped(configuration: Configuration, pid: int, address: str, swaps: int) -> dict[str, object]:
    _ready(address)
    _search(address)
    resident, syncs, noticed = [_memory(pid, "VmRSS")], [], []
    for _ in range(swaps):
        change_page(configuration.folder)
        syncs.append(_sync(configuration.folder))
        ended = time.monotonic()
        name = current_name(configuration.knowledge_path)
        _ready(address, name)
        noticed.append(round(time.monotonic() - ended, 2))
        _search(address)
        resident.append(_memory(pid, "VmRSS"))
    manifest = read_manifest(configuration.knowledge_path / GENERATIONS_FOLDER / name)
    service_peak = _memory(pid, "VmHWM")
    return {
        "chunks": manifest.chunks,
        "kinds": [manifest.dense, manifest.keyword],
        "service_resident_mb": resident,
        "service_peak_mb": service_peak,
        "sync_peak_mb": max(syncs),
        "together_at_most_mb": round(service_peak + max(syncs), 1),
        "noticed_after_s": {"median": median(noticed), "most": max(noticed)},
    }


@contextmanager
def _service(configuration: Configuration) -> Iterator[tuple[int, str]]:
    command = [str(_ASKFOLIO), "serve", "--port", "0"]
    with subprocess.Popen(
        command, cwd=configuration.folder, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            said = (re.search(r"http://[\d.]+:\d+", line) for line in process.stderr or ())
            yield process.pid, next(found[0] for found in said if found)
        finally:
            process.terminate()


def _ready(address: str, generation: str = "") -> None:
    """Wait until `generation` serves, or any does."""
    end = time.monotonic() + _PATIENCE_S
    while time.monotonic() < end:
        try:
            with urlopen(f"{address}/ready", timeout=10) as answer:
                found = json.load(answer)["generation"]
            if not generation or found == generation:
                return
        except URLError:
            pass
        time.sleep(_POLL_S)
    raise SystemExit(f"{generation or 'no generation'} did not serve within {_PATIENCE_S:.0f} s")


def _search(address: str) -> None:
    body = json.dumps({"query": "how is a file opened"}).encode()
    headers = {"content-type": "application/json", "origin": "https://bench.example"}
    with urlopen(Request(f"{address}/search", body, headers), timeout=30) as answer:
        answer.read()


def _sync(folder: Path) -> float:
    """Peak MB of a sync in a process of its own."""
    ran = subprocess.run(
        [sys.executable, "-c", _SYNC], cwd=folder, capture_output=True, text=True, check=True
    )
    return _megabytes(ran.stderr, "VmHWM")


def _memory(pid: int, field: str) -> float:
    return _megabytes(Path(f"/proc/{pid}/status").read_text(encoding="ascii"), field)


def _megabytes(status: str, field: str) -> float:
    return round(int(re.findall(rf"{field}:\s+(\d+) kB", status)[0]) / 1000, 1)


if __name__ == "__main__":
    os.environ.setdefault("MISTRAL_API_KEY", "unused: every vector is stored")
    os.environ["ASKFOLIO_SERVICE__RATE"] = "1000/second"
    main()
