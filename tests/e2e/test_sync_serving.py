"""A sync beside a running service: no request fails, no answer mixes two generations."""

import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ingestion.planning import SyncOptions
from ingestion.rollback import roll_back
from ingestion.run import synchronise
from retrieval.configuration import Configuration
from retrieval.generation import current_name, generation_names
from tests.service.running import Service, configure, running
from tests.sites import write_files

REQUESTS_PER_S = 50
CLIENTS = 5
VERSIONS = ("amber", "cobalt", "crimson", "violet")
DEADLINE_S = 30.0


def pages(version: str) -> dict[str, str]:
    return {
        f"pump-{n}.md": f"---\ntitle: Pump\n---\nThe pump is painted {version}.\n"
        for n in range(12)
    }


class Asking:
    """Asks at a steady pace from several threads until it is told to stop."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._ask) for _ in range(CLIENTS)]
        self.failures: list[str] = []
        self.colours: dict[str, set[str]] = {}
        self.answers = 0
        self._lock = threading.Lock()

    def __enter__(self) -> "Asking":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def has_seen(self, generation: str) -> bool:
        with self._lock:
            return generation in self.colours

    def _ask(self) -> None:
        while not self._stop.wait(CLIENTS / REQUESTS_PER_S):
            response = self._service.post("/search", {"query": "pump painted", "k": 12})
            with self._lock:
                self.answers += 1
                if response.status != 200:
                    self.failures.append(f"{response.status} {response.body!r}")
                    continue
                results = response.json["results"]
                if len(results) != 12:
                    self.failures.append(f"{len(results)} results")
                colours = {result["text"].split()[-1].rstrip(".") for result in results}
                self.colours.setdefault(response.json["generation"], set()).update(colours)


@pytest.fixture
def configuration(tmp_path: Path) -> Configuration:
    return configure(tmp_path, "[knowledge]\nkeep = 2\n", pages=pages(VERSIONS[0]))


def wait_for(asking: Asking, generation: str) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not asking.has_seen(generation) and not asking.failures:
        assert time.monotonic() < deadline, f"{generation} never answered"
        threading.Event().wait(0.02)


def published(configuration: Configuration) -> Iterator[tuple[str, str]]:
    """(generation, its colour) for each version, built when it is asked for."""
    yield current_name(configuration.knowledge_path), VERSIONS[0]
    for version in VERSIONS[1:]:
        write_files(configuration.folder / "content", pages(version))
        report = synchronise(configuration, SyncOptions(datetime.now(UTC)))
        yield report.generation, version


@pytest.mark.slow
def test_syncs_under_load_fail_no_request_and_mix_no_answer(configuration: Configuration) -> None:
    expected: dict[str, set[str]] = {}
    with running(configuration) as service, Asking(service) as asking:
        for generation, version in published(configuration):
            expected[generation] = {version}
            wait_for(asking, generation)
        back = roll_back(configuration.knowledge_path).generation
        asking.colours.pop(back, None)
        wait_for(asking, back)
    assert asking.failures == []
    assert asking.colours == {name: expected[name] for name in asking.colours}
    assert asking.colours.keys() == expected.keys()
    assert asking.answers > len(VERSIONS)
    # The one that was rolled back from is still there, and so are two older than the newest.
    assert len(generation_names(configuration.knowledge_path)) == 3


def test_a_generation_that_is_not_whole_is_not_swapped_in(configuration: Configuration) -> None:
    knowledge = configuration.knowledge_path
    serving = current_name(knowledge)
    with running(configuration) as service:
        assert service.send("GET", "/ready").json["generation"] == serving
        write_files(configuration.folder / "content", pages("cobalt"))
        # Copied half-way: CURRENT names what is not there yet, then what is not whole.
        (knowledge / "CURRENT").write_text("000009-abc\n", encoding="ascii")
        newer = synchronise(configuration, SyncOptions(datetime.now(UTC))).generation
        with Asking(service) as asking:
            wait_for(asking, newer)
            torn = knowledge / f"generations/{newer}/keyword/terms.json"
            content = torn.read_bytes()
            write_files(configuration.folder / "content", pages("crimson"))
            last = synchronise(configuration, SyncOptions(datetime.now(UTC))).generation
            wait_for(asking, last)
            torn.write_bytes(content[::-1])
            (knowledge / "CURRENT").write_text(f"{newer}\n", encoding="ascii")
            answered = asking.answers
            deadline = time.monotonic() + DEADLINE_S
            while asking.answers < answered + 3 * REQUESTS_PER_S and time.monotonic() < deadline:
                threading.Event().wait(0.02)
        assert asking.failures == []
        assert service.send("GET", "/ready").json["generation"] == last
