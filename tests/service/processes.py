"""`askfolio serve` as its owner starts it, and its workers told apart."""

import re
import signal
import subprocess
import sys
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.service.running import Service

COMMAND = (sys.executable, "-c", "from askfolio import main; main()", "serve", "--port", "0")


@contextmanager
def serving(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], Service]]:
    """A started process, stopped at the end of the block."""
    with subprocess.Popen(
        [*COMMAND, *arguments], cwd=folder, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)", said)
        assert found, said
        try:
            yield process, Service(int(found[1]))
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)


def metrics(service: Service) -> dict[str, float]:
    """The samples of whichever worker answers, by name."""
    lines = service.send("GET", "/metrics").body.decode().splitlines()
    pairs = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    return {name: float(value) for name, value in pairs}


def of_workers(
    service: Service, known: Collection[float] = (), new: int = 2
) -> dict[float, dict[str, float]]:
    """The samples of workers by when they started, once so many new ones have answered."""
    found: dict[float, dict[str, float]] = {}
    with ThreadPoolExecutor(8) as pool:  # one request at a time always finds the same worker
        for _ in range(1000):
            for samples in pool.map(metrics, [service] * 16):
                found[samples["process_start_time_seconds"]] = samples
            if len(found.keys() - set(known)) == new:
                return found
    pytest.fail(f"no {new} new workers among {list(found)}")


def workers_of(process: subprocess.Popen[str]) -> list[int]:
    """Process numbers of the children that serve; Python has one more that tracks resources."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [
        int(child)
        for child in children
        if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]
