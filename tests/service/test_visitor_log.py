"""What is kept in each mode, what is masked, and that nothing is left of what was erased."""

import json
import random
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from retrieval.configuration import load_configuration
from retrieval.errors import ConfigurationError
from service.errors import VisitorLogError
from service.visitor_log.masking import masked
from service.visitor_log.store import LOG_FILE, Kept, LogStore
from service.visitor_log.summary import first_day
from tests.command_line import askfolio
from tests.service.running import configure, running

RAIN = "How does the station measure rain?"
CHILE = "Who was the first president of Chile?"
CONSENT = '[log]\nmode = "consent"\n'
ANONYMOUS = '[log]\nmode = "anonymous"\nlegal_basis = "legitimate interest"\n'


def today() -> str:
    return datetime.now(UTC).date().isoformat()


def kept(question: str, day: str = "") -> Kept:
    return Kept(day or today(), question, "unknown", "en", ("https://portfolio.example/",))


def holds(folder: Path, text: str) -> bool:
    return any(text.encode() in file.read_bytes() for file in folder.rglob("*") if file.is_file())


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("write to ada.b+c@mail.example.org now", "write to [e-mail] now"),
        ("ada (at) mail (dot) example or ada@müller.de", "[e-mail] or [e-mail]"),
        ("call +49 (0)30 1234-5678 or 030/1234567", "call [number] or [number]"),
        ("0049 30 12 34 56 78", "[number]"),
        ("card 4111 1111 1111 1111, DE89 3704 0044 0532 0130 00", "card [number], [number]"),
        ("from 203.0.113.77 and 2001:db8::1", "from [address] and [address]"),
        ("see https://x.example/u/ada?k=1 and www.ada.example", "see [link] and [link]"),
        ("ask @ada_l on it", "ask [name] on it"),
        ("in 2024 for 12 or 123456 points", "in 2024 for 12 or 123456 points"),
        ("two\n lines", "two lines"),
    ],
)
def test_what_could_name_a_person_is_masked(text: str, shown: str) -> None:
    assert masked(text) == shown


def test_nothing_of_an_erased_row_is_left_in_the_file(tmp_path: Path) -> None:
    chance = random.Random(1)
    store = LogStore(tmp_path / "log")
    texts = {f"r{n}": f"row-{n:04}-{'x' * chance.randint(0, 900)}" for n in range(120)}
    for receipt, text in texts.items():
        store.add(receipt, kept(text))
    order = list(texts)
    chance.shuffle(order)
    for receipt in order[:60]:
        assert store.erase(receipt)
        assert not store.erase(receipt)
        assert not holds(tmp_path, texts[receipt][:9])
    assert {row.question for row in store.rows("")} == {texts[receipt] for receipt in order[60:]}
    assert store.purge(None) == 60
    assert not holds(tmp_path, "row-")


def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("a file")
    with pytest.raises(VisitorLogError, match="log"):
        LogStore(tmp_path / "log").add("r", kept("q"))
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / LOG_FILE).write_bytes(b"no database" * 200)
    with pytest.raises(VisitorLogError, match=LOG_FILE):
        LogStore(tmp_path / "torn").rows("")


def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    LogStore(tmp_path / "log").add("r", kept("q"))
    assert (tmp_path / "log").stat().st_mode & 0o077 == 0
    assert (tmp_path / "log" / LOG_FILE).stat().st_mode & 0o077 == 0


def test_counts_hold_no_text(tmp_path: Path) -> None:
    with running(configure(tmp_path, '[log]\nmode = "counts"\n')) as service:
        assert service.ask(f"{RAIN} canary-1", consent=True)["receipt"] is None
        service.ask(RAIN)
        service.ask(CHILE)
        assert service.post("/log/erase", {"receipt": "x"}).status == 404
    assert not holds(tmp_path, "canary-1")
    assert askfolio("log", "summary", "--json").json["outcomes"] == {"answered": 2, "unknown": 1}


def test_consent_keeps_what_was_allowed_until_the_receipt_erases_it(tmp_path: Path) -> None:
    with running(configure(tmp_path, CONSENT)) as service:
        assert service.ask(f"{RAIN} canary-1")["receipt"] is None
        assert service.ask(f"{RAIN} canary-2", consent=False)["receipt"] is None
        question = f"{RAIN} canary-3 ada@mail.example"
        receipt = service.ask(question, consent=True)["receipt"]
        events = dict(service.stream(f"{RAIN} canary-4", consent=True).events)
        log = tmp_path / "visitor-log"
        assert not holds(log, "canary-1")
        assert not holds(log, "canary-2")
        assert not holds(log, "ada@mail.example")
        assert holds(log, "canary-3")
        assert holds(log, "canary-4")
        assert not holds(log, receipt)
        assert service.post("/log/erase", {"receipt": receipt}).json == {"erased": True}
        assert service.post("/log/erase", {"receipt": receipt}).json == {"erased": False}
        assert service.post("/log/erase", {"receipt": "x"}, origin=None).status == 403
        assert service.post("/log/erase", {"receipt": ""}).status == 422
        assert not holds(tmp_path, "canary-3")
    assert askfolio("log", "erase", events["done"]["receipt"]).stdout == "erased\n"
    assert not holds(tmp_path, "canary-4")


def test_anonymous_keeps_unless_the_visitor_says_no(tmp_path: Path) -> None:
    with running(configure(tmp_path, ANONYMOUS)) as service:
        receipt = service.ask(f"{RAIN} canary-1")["receipt"]
        assert service.ask(f"{RAIN} canary-2", consent=False)["receipt"] is None
        assert holds(tmp_path / "visitor-log", "canary-1")
        assert not holds(tmp_path, "canary-2")
        assert service.post("/log/erase", {"receipt": receipt}).json == {"erased": True}
    assert not holds(tmp_path, "canary-1")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('[log]\nmode = "anonymous"\n', "legal_basis"),
        ('[log]\npath = "knowledge/log"\n', "lie in each other"),
        ('[log]\npath = "."\n', "lie in each other"),
        ("[log]\nretention_days = 0\n", "retention_days"),
        ('[log]\nmode = "all"\n', "log.mode"),
    ],
)
def test_a_log_without_ground_or_in_the_wrong_place_is_refused(
    tmp_path: Path, text: str, named: str
) -> None:
    (tmp_path / "askfolio.toml").write_text(text)
    with pytest.raises(ConfigurationError, match=named):
        load_configuration(tmp_path / "askfolio.toml")


def test_what_is_older_than_the_retention_is_gone_before_the_service_answers(
    tmp_path: Path,
) -> None:
    configuration = configure(tmp_path, f"{CONSENT}retention_days = 3\n")
    store = LogStore(tmp_path / "visitor-log")
    for age in range(6):
        day = (datetime.now(UTC).date() - timedelta(days=age)).isoformat()
        store.add(str(age), kept(f"age-{age}", day))
        store.count(day, "answered")
    with running(configuration) as service:
        assert service.send("GET", "/ready").status == 200
        assert sorted(row.question for row in store.rows("")) == ["age-0", "age-1", "age-2"]
        assert len(store.counts("")) == 3
        assert not holds(tmp_path, "age-3")
    assert askfolio("log", "purge", "--json").json == {"deleted": 0}
    assert askfolio("log", "purge", "--all", "--json").json == {"deleted": 6}
    assert not holds(tmp_path, "age-0")


def test_the_summary_names_topics_and_what_no_source_answered(tmp_path: Path) -> None:
    with running(configure(tmp_path, CONSENT)) as service:
        for question in (RAIN, CHILE, CHILE.lower(), "Is *this* <b>markup</b> [x](y)?"):
            service.ask(question, consent=True)
    found = askfolio("log", "summary", "--since", "7d", "--json").json
    assert found["outcomes"] == {"answered": 1, "unknown": 3}
    assert found["pages"][0] == {
        "page": "https://portfolio.example/station/#hardware",
        "times": 1,
    }
    assert [row["times"] for row in found["unanswered"]] == [2, 1]
    text = askfolio("log", "summary").stdout
    assert "## Answered by no source" in text
    assert "(2 times)" in text
    assert "<b>" not in text
    wrong = askfolio("log", "summary", "--since", "yesterday", "--json")
    assert wrong.code == 2
    assert "7d" in wrong.json["error"]["message"]


def test_a_duration_is_days_or_weeks() -> None:
    today = datetime.now(UTC).date()
    assert first_day("2w") == (today - timedelta(days=14)).isoformat()
    for wrong in ("7", "0d", "7days", "-1d", "99999d"):
        with pytest.raises(ConfigurationError):
            first_day(wrong)


def test_without_a_log_commands_say_so_and_write_nothing(tmp_path: Path) -> None:
    configure(tmp_path)
    assert "Nothing was kept" in askfolio("log", "summary").stdout
    assert askfolio("log", "erase", "x").stdout.startswith("nothing is kept")
    assert not (tmp_path / "visitor-log").exists()


def test_the_log_is_not_even_imported_when_it_is_off(tmp_path: Path) -> None:
    configure(tmp_path)
    program = (
        "import sys; from pathlib import Path; from retrieval.configuration import *; "
        "from service.app import create_app; create_app(load_configuration(Path(sys.argv[1]))); "
        "print([name for name in sys.modules if 'visitor_log' in name])"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "askfolio.toml")],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == "[]\n"


def test_a_log_that_cannot_be_written_does_not_cost_the_answer(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with running(configure(tmp_path, CONSENT)) as service:
        log = tmp_path / "visitor-log"
        if log.exists():
            log.rmdir()
        log.write_text("a file")
        answer = service.ask(f"{RAIN} canary-1", consent=True)
        assert service.post("/log/erase", {"receipt": "x"}).status in (200, 503)
    assert answer["outcome"] == "answered"
    assert answer["receipt"] is None
    assert "canary-1" not in caplog.text


def test_receipts_cannot_be_guessed(tmp_path: Path) -> None:
    with running(configure(tmp_path, CONSENT)) as service:
        receipts = {service.ask(RAIN, consent=True)["receipt"] for _ in range(5)}
    assert len(receipts) == 5
    assert all(len(json.dumps(receipt)) > 20 for receipt in receipts)
