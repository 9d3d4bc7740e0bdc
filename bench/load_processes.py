"""The processes of a load test, and what the system says about them."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from bench.load_client import ORIGIN
from ingestion.planning import SyncOptions
from ingestion.run import synchronise
from retrieval.configuration import load_configuration

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Server:
    """A process that listens on loopback."""

    pid: int
    port: int

    @property
    def resident_mb(self) -> float:
        """Resident memory now."""
        status = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        return round(int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1000, 1)

    @property
    def processor_s(self) -> float:
        """Processor seconds until now, of all threads."""
        after_name = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2]
        user, system = after_name.split()[11:13]
        return (int(user) + int(system)) / _TICKS


class Model:
    """The scripted model in its process."""

    def __init__(self, port: int, said: IO[str], asked: IO[str]) -> None:
        self.port = port
        self._said = said
        self._asked = asked

    def most_under_way(self) -> int:
        """The most answers at once since the last time."""
        return int(self._asked_for("most", "most"))

    def watch(self) -> None:
        """Tell of the next request."""
        self._asked_for("watch", "watching")

    def wait_until_asked(self) -> None:
        """Return when the watched request has come."""
        self._next("asked")

    def client_left(self) -> float:
        """When the client of the watched request left (monotonic clock); waits for it."""
        return float(self._next("left"))

    def _asked_for(self, command: str, answer: str) -> str:
        self._asked.write(f"{command}\n")
        self._asked.flush()
        return self._next(answer)

    def _next(self, word: str) -> str:
        """What follows `word` in the next line that begins with it."""
        return next(line for line in self._said if line.startswith(word)).removeprefix(word).strip()


@contextmanager
def scripted_model(first_ms: float, tokens: int = 20) -> Iterator[Model]:
    """A model that answers after `first_ms`."""
    command = [sys.executable, "-m", "bench.scripted_model"]
    command += ["--first-ms", str(first_ms), "--tokens", str(tokens)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        if process.stdout is None or process.stdin is None:
            raise OSError("the model has no output")
        try:
            yield Model(int(process.stdout.readline()), process.stdout, process.stdin)
        finally:
            process.terminate()


@contextmanager
def service(root: Path, model_port: int) -> Iterator[Server]:
    """The service over the pages in `root`, by keywords, with its real chat client."""
    file = root / "askfolio.toml"
    file.write_text(
        f'[site]\nkind = "markdown"\nbase_url = "{ORIGIN}/"\n[embedding]\nprovider = "none"\n'
        f'[answer]\nprovider = "mistral"\nserver_url = "http://127.0.0.1:{model_port}"\n'
        "[retrieval]\nfull_context_tokens = 0\n"
        '[service]\nrate = "10000/second"\ndaily_budget = 0\n',
        encoding="utf-8",
    )
    synchronise(load_configuration(file), SyncOptions(now=datetime.now(UTC)))
    program = "from askfolio import main; main()"
    with _listening("-c", program, "serve", "--port", "0", "--config", str(file)) as server:
        yield server


@contextmanager
def bare_route(answers: Path) -> Iterator[Server]:
    """`bench.bare_route` with these answers."""
    with _listening("-m", "bench.bare_route", str(answers)) as server:
        yield server


@contextmanager
def _listening(*arguments: str) -> Iterator[Server]:
    """A process that names its address on stderr."""
    command = [sys.executable, *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            for line in process.stderr or ():
                if address := re.search(r"http://[^:]+:(\d+)", line):
                    yield Server(process.pid, int(address[1]))
                    break
        finally:
            process.terminate()
