"""What `askfolio status` says of the service and of a hold, beside the corpus."""

import json
from pathlib import Path

import pytest

from retrieval.prices import CURRENCY, cost
from tests.command_line import askfolio
from tests.fake_mistral import ChatAnswer, FakeMistral
from tests.service.running import configure, running
from tests.sites import write_files


def state() -> dict[str, object]:
    found = askfolio("status", "--json").json
    assert isinstance(found, dict)
    return found


def test_status_shows_what_the_running_service_spent_today(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", "k")
    with FakeMistral(
        answer=lambda body: ChatAnswer(["A [1]."], prompt_tokens=100_000, completion_tokens=10)
    ) as provider:
        text = f'[answer]\nserver_url = "{provider.url}"\n[service]\ndaily_budget = 2.5\n'
        configuration = configure(tmp_path, text)
        assert state()["spend_today"] == {
            "amount": 0.0,
            "currency": CURRENCY,
            "priced_on": state()["cost_per_question"]["priced_on"],  # type: ignore[index]
        }
        assert not (tmp_path / "knowledge" / "spend.json").exists()
        with running(configuration) as service:
            service.ask("How does the station measure rain?")
            amount = state()["spend_today"]["amount"]  # type: ignore[index]
            said = askfolio("status").stdout
    assert amount == pytest.approx(cost("ministral-3b-2512", 100_000, 10, 0), rel=1e-3)
    assert state()["daily_budget"] == 2.5
    assert f"spend today {amount:.4f} {CURRENCY} (UTC day, at most 2.50)\n" in said


@pytest.mark.parametrize(
    ("content", "amount", "said"),
    [
        ({"day": "2020-01-01", "amount": 9}, 0.0, "0.0000"),  # yesterday's is not today's
        ("{", None, "unknown"),
    ],
)
def test_what_cannot_be_read_is_not_shown_as_nothing(
    tmp_path: Path, content: object, amount: float | None, said: str
) -> None:
    configure(tmp_path)
    file = tmp_path / "knowledge" / "spend.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    shown = state()["spend_today"]
    assert (shown["amount"] if isinstance(shown, dict) else shown) == amount
    assert f"spend today {said}" in askfolio("status").stdout


def test_status_shows_a_hold_until_it_is_released(tmp_path: Path) -> None:
    configure(tmp_path)
    write_files(tmp_path / "content", {"well.md": "---\ntitle: Well\n---\nA deep well.\n"})
    assert askfolio("sync").code == 0
    assert state()["held"] is False
    assert "held" not in askfolio("status").stdout
    askfolio("rollback")
    assert state()["held"] is False
    askfolio("sync")
    askfolio("rollback", "--hold")
    assert state()["held"] is True
    assert "askfolio rollback --release" in askfolio("status").stdout
    askfolio("rollback", "--release")
    assert state()["held"] is False
