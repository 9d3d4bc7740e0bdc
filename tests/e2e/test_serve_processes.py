"""`askfolio serve` as processes: workers share one budget, and a stop breaks no stream silently."""

import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from retrieval.prices import cost
from tests.fake_mistral import ChatAnswer, FakeMistral
from tests.service.processes import COMMAND, of_workers, serving, workers_of
from tests.service.running import Service, configure

RAIN = "How does the station measure rain?"
MODEL = "ministral-3b-2512"


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeMistral]:
    monkeypatch.setenv("MISTRAL_API_KEY", "k")
    with FakeMistral() as fake:
        yield fake


def test_two_workers_spend_one_budget(tmp_path: Path, model: FakeMistral) -> None:
    model.answer = lambda body: ChatAnswer(["A [1]."], prompt_tokens=2000, completion_tokens=10)
    one = cost(MODEL, 2000, 10)
    budget = 40 * one
    configure(
        tmp_path,
        f'[answer]\nserver_url = "{model.url}"\n[service]\ndaily_budget = {budget:.9f}\n'
        'trusted_proxies = ["127.0.0.1"]\nrate = "10000/minute"\n',
    )
    with serving(tmp_path, "--workers", "2") as (_, service):
        of_workers(service)

        def degraded(number: int) -> str | None:
            header = ("X-Forwarded-For", f"203.0.113.{number % 200}")
            found = service.post("/ask", {"question": RAIN}, header).json["degraded"]
            assert found in (None, "excerpts")
            return str(found) if found else None

        with ThreadPoolExecutor(8) as pool:
            labels = list(pool.map(degraded, range(200)))
        samples = of_workers(service).values()
    answered = labels.count(None)
    counts = [sample.get('askfolio_tokens_total{kind="prompt"}', 0.0) for sample in samples]
    assert all(counts), "one worker answered everything: nothing was shared"
    assert sum(counts) == answered * 2000
    assert answered * one <= budget
    assert answered >= 10
    spent = json.loads((tmp_path / "knowledge" / "spend.json").read_text())["amount"]
    assert spent == pytest.approx(answered * one, rel=1e-3)
    assert [sample["askfolio_spent_today"] for sample in samples] == [spent, spent]


def test_a_worker_that_dies_is_replaced(tmp_path: Path) -> None:
    configure(tmp_path)
    with serving(tmp_path, "--workers", "2") as (process, service):
        before = of_workers(service).keys()
        first, second = workers_of(process)
        os.kill(first, signal.SIGKILL)
        of_workers(service, known=before, new=1)
        after = workers_of(process)
    assert second in after
    assert first not in after
    assert len(after) == 2


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_stop_lets_a_stream_end(tmp_path: Path, model: FakeMistral, workers: str) -> None:
    begun, stopped = threading.Event(), threading.Event()

    def parts() -> Iterator[str]:
        yield "A bucket "
        begun.set()
        stopped.wait(30)
        yield "measures it [1]."

    model.answer = lambda body: ChatAnswer(parts())
    configure(tmp_path, f'[answer]\nserver_url = "{model.url}"\n')
    with serving(tmp_path, "--workers", workers) as (process, service):
        with ThreadPoolExecutor(1) as pool:
            streamed = pool.submit(service.stream, RAIN)
            assert begun.wait(30)
            process.send_signal(signal.SIGTERM)
            stopped.set()
            events = streamed.result().events
        process.wait(30)
    assert events[-1][0] == "done"
    assert "".join(data["text"] for name, data in events if name == "token").startswith("A bucket")


@pytest.mark.slow
def test_a_stop_tells_a_stream_that_cannot_end(tmp_path: Path, model: FakeMistral) -> None:
    begun, never = threading.Event(), threading.Event()

    def parts() -> Iterator[str]:
        yield "A bucket "
        begun.set()
        never.wait(60)

    model.answer = lambda body: ChatAnswer(parts())
    text = f'[answer]\nserver_url = "{model.url}"\ntimeout_s = 60\n'
    configure(tmp_path, text)
    with serving(tmp_path) as (process, service):
        with ThreadPoolExecutor(2) as pool:
            streamed = pool.submit(service.stream, RAIN)
            assert begun.wait(30)
            begun.clear()
            patient = Service(service.port, timeout_s=60)
            whole = pool.submit(patient.post, "/ask", {"question": RAIN})
            assert begun.wait(30)
            process.send_signal(signal.SIGTERM)
            events, answer = streamed.result().events, whole.result()
        process.wait(30)
        never.set()
    assert [name for name, _ in events][-1] == "error"
    assert events[-1][1]["code"] == "stopping"
    assert (answer.status, answer.json["error"]["code"]) == (503, "stopping")
    assert "done" not in dict(events)


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_a_service_that_cannot_start_says_so_and_fails(tmp_path: Path, workers: str) -> None:
    configure(tmp_path, '[log]\nmode = "consent"\n')
    (tmp_path / "visitor-log").mkdir()
    (tmp_path / "visitor-log" / "log.sqlite").write_bytes(b"no database" * 200)
    ran = subprocess.run(
        [*COMMAND, "--workers", workers],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 1
    assert "log.sqlite" in ran.stderr
    assert "askfolio: the service did not start" in ran.stderr
