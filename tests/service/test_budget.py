"""What may be spent in a day, by everybody and by one visitor."""

import json
import multiprocessing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from retrieval.configuration import load_configuration
from retrieval.errors import ConfigurationError
from retrieval.prices import PRICES, cost
from service.chat import Usage
from service.spending.budget import Budget
from service.spending.spending import price
from tests.fake_mistral import CHAT, EMBEDDINGS, ChatAnswer, FakeMistral, Reply
from tests.service.running import Service, configure, running, write_configured

RAIN = "How does the station measure rain?"


def test_a_reservation_counts_until_it_is_settled(tmp_path: Path) -> None:
    budget = Budget(tmp_path, 1.0)
    first = budget.reserve(b"a", 0.1)
    assert first is not None
    assert budget.reserve(b"a", 0.01) is None
    budget.settle(first, 0.02)
    assert budget.spent() == pytest.approx(0.02)
    assert budget.reserve(b"a", 0.08) is not None
    for number in range(9):
        assert budget.reserve(bytes([number]), 0.1) is not None
    assert budget.reserve(b"z", 0.01) is None


def test_the_total_outlives_the_process_and_ends_with_the_day(tmp_path: Path) -> None:
    assert Budget(tmp_path, 1.0).reserve(b"a", 0.1)
    assert Budget(tmp_path, 1.0).spent() == pytest.approx(0.1)
    file = tmp_path / "spend.json"
    stored = json.loads(file.read_text())
    assert stored == {"day": datetime.now(UTC).date().isoformat(), "amount": 0.1}
    file.write_text(json.dumps({"day": "2020-01-01", "amount": 99}))
    assert Budget(tmp_path, 1.0).spent() == 0.0


@pytest.mark.parametrize("content", ["{", "[]", '{"day": 1}', '{"amount": "x", "day": ""}', "\x00"])
def test_an_unreadable_file_is_replaced_by_what_the_process_knows(
    tmp_path: Path, content: str
) -> None:
    budget = Budget(tmp_path, 1.0)
    assert budget.reserve(b"a", 0.1)
    (tmp_path / "spend.json").write_text(content)
    assert budget.reserve(b"b", 0.1)
    assert Budget(tmp_path, 1.0).spent() == pytest.approx(0.2)


def test_without_a_writable_folder_the_process_counts_for_itself(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    budget = Budget(tmp_path / "absent", 1.0)
    assert budget.reserve(b"a", 0.1)
    assert budget.spent() == pytest.approx(0.1)
    assert budget.reserve(b"a", 0.1) is None
    assert len(caplog.records) == 1


def test_no_budget_is_no_limit_but_counts(tmp_path: Path) -> None:
    budget = Budget(tmp_path, 0)
    assert budget.reserve(b"a", 1000.0)
    assert budget.spent() == 1000.0


def spend(folder: Path) -> None:
    budget = Budget(folder, 1000.0)
    for _ in range(200):
        budget.reserve(b"a", 0.001)


def test_workers_share_one_total(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=spend, args=(tmp_path,)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert Budget(tmp_path, 1000.0).spent() == pytest.approx(0.4)


def test_an_unknown_model_costs_as_much_as_the_dearest() -> None:
    usage = Usage(1000, 500)
    unknown = price("new-model", "", "eu", 1000, usage)
    assert all(unknown >= cost(model, 1000, 500) for model in PRICES)
    assert price("own", "http://localhost:1", "eu", 1000, usage) == 0.0


def test_a_spent_budget_gives_labelled_excerpts_without_any_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", "k")
    with FakeMistral(answer=lambda body: ChatAnswer(["A bucket [1]."])) as provider:
        text = (
            f'[embedding]\nprovider = "mistral"\nserver_url = "{provider.url}"\n'
            f'[answer]\nserver_url = "{provider.url}"\n'
            "[retrieval]\nfull_context_tokens = 0\n[service]\ndaily_budget = 0.000001\n"
        )
        with running(configure(tmp_path, text)) as service:
            provider.requests.clear()
            answer = service.ask(RAIN)
            search = service.post("/search", {"query": "rain bucket"})
            dense = service.post("/search", {"query": "rain bucket", "mode": "dense"})
            streamed = dict(service.stream(RAIN).events)["done"]
        assert not provider.requests
    assert answer["degraded"] == "excerpts"
    assert answer["outcome"] == "answered"
    assert "excerpts" in answer["notice"]
    assert "tipping bucket" in answer["answer"]
    assert (search.status, search.json["mode"]) == (200, "keyword")
    assert dense.status == 503
    assert streamed["degraded"] == "excerpts"


def spent(service: Service) -> float:
    lines = service.send("GET", "/metrics").body.decode().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith("askfolio_spent_today"))


def test_what_the_provider_counts_is_charged_and_a_failure_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", "k")
    with FakeMistral() as provider:
        configuration = configure(tmp_path, f'[answer]\nserver_url = "{provider.url}"\n')
        with running(configuration) as service:
            provider.answer = lambda body: ChatAnswer(
                ["A [1]."], prompt_tokens=1000, completion_tokens=10, cached_tokens=640
            )
            service.ask(RAIN)
            once = spent(service)
            assert once == pytest.approx(cost("ministral-3b-2512", 1000, 10, 640), rel=1e-3)
            provider.script(CHAT, Reply(500), Reply(500))
            assert service.ask(RAIN)["degraded"] == "excerpts"
            assert spent(service) == pytest.approx(once)
            provider.answer = lambda body: ChatAnswer(["A [1]."], drop=True)
            service.stream(RAIN)
            assert spent(service) > once
        with running(configuration) as restarted:
            assert spent(restarted) > once
        assert not provider.bodies(EMBEDDINGS)


def test_a_day_is_spent_by_visitors_who_each_have_a_tenth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", "k")
    with FakeMistral(
        answer=lambda body: ChatAnswer(["A [1]."], prompt_tokens=1000, completion_tokens=0)
    ) as provider:
        text = (
            f'[answer]\nserver_url = "{provider.url}"\n[service]\ndaily_budget = 0.01\n'
            'trusted_proxies = ["127.0.0.1"]\nrate = "1000/minute"\n'
        )
        with running(configure(tmp_path, text)) as service:

            def degraded(visitor: str) -> str | None:
                header = ("X-Forwarded-For", visitor)
                response = service.post("/ask", {"question": RAIN}, header)
                found = response.json["degraded"]
                assert found is None or isinstance(found, str)
                return found

            one = [degraded("203.0.113.1") for _ in range(12)]
            assert one[:6] == [None] * 6
            assert one[-1] == "excerpts"
            assert degraded("203.0.113.2") is None


def test_a_budget_below_zero_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_configured(tmp_path)
    for key, value in (
        ("DAILY_BUDGET", "-1"),
        ("DAILY_BUDGET", "nan"),
        ("RATE", "5"),
        ("RATE", "0/minute"),
        ("RATE", "5/fortnight"),
        ("TRUSTED_PROXIES", '["proxy.example"]'),
        ("ROUTES", '["asks"]'),
    ):
        monkeypatch.setenv(f"ASKFOLIO_SERVICE__{key}", value)
        with pytest.raises(ConfigurationError, match=key.lower()):
            load_configuration(tmp_path / "askfolio.toml")
        monkeypatch.delenv(f"ASKFOLIO_SERVICE__{key}")
