"""In each mode of the log exactly what DESIGN.md says is kept, and nothing of it after erasure."""

import json
import logging
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.command_line import askfolio
from tests.fake_mistral import CHAT, ChatAnswer, FakeMistral, Reply
from tests.service.running import ORIGIN, Response, Service, configure, running
from tests.service.test_canary import (
    ACCEPT,
    FORM,
    echoed,
    everywhere,
    found,
    left_early,
)

Send = Callable[[Service, str], Response]


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeMistral]:
    pytest.importorskip("mcp")
    monkeypatch.setenv("MISTRAL_API_KEY", "k")
    with FakeMistral(answer=echoed) as fake:
        yield fake


def question(canary: str) -> str:
    """A canary beside what must be masked."""
    return f"How is rain measured? {canary} asks, ada{canary}@mail.example or +49 30 5550 0199"


def masked(canary: str) -> str:
    return f"How is rain measured? {canary} asks, [e-mail] or [number]"


def asked(**fields: object) -> list[Send]:
    """Ways to an answer in JSON, as a stream, and to one made of excerpts."""

    def plain(service: Service, canary: str) -> Response:
        return service.post("/ask", {"question": question(canary), **fields})

    def streamed(service: Service, canary: str) -> Response:
        return service.stream(question(canary), **fields)

    def with_more(service: Service, canary: str) -> Response:
        turns = [{"role": "user", "content": f"before-{canary}"}]
        page = f"{ORIGIN}/station/?{canary}"
        sent = [(name, f"head-{canary}") for name in ("User-Agent", "Cookie", "X-Forwarded-For")]
        content = {"question": question(canary), "history": turns, "page": page, **fields}
        return service.post("/ask", content, *sent)

    return [plain, streamed, with_more]


def as_form(**fields: str) -> Send:
    def send(service: Service, canary: str) -> Response:
        body = urlencode({"question": question(canary), **fields}).encode()
        return service.post("/", body, content_type=FORM)

    return send


def as_tool(**fields: object) -> Send:
    def send(service: Service, canary: str) -> Response:
        arguments = {"question": question(canary), **fields}
        params = {"name": "ask_site", "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        return service.post("/mcp", message, ACCEPT)

    return send


def unanswered(service: Service, canary: str) -> None:
    """Everything that gets no answer, whatever was consented to."""
    consented = {"question": question(canary), "consent": True}
    for content in (
        {**consented, "question": question(canary) * 50},
        {**consented, "style": canary},
        {**consented, "language": canary},
        f'{{"question": "{canary}'.encode(),
    ):
        assert service.post("/ask", content).status in (400, 422)
    assert service.post("/ask", consented, origin=f"https://{canary}.test").status == 403
    assert service.post("/search", {"query": question(canary)}).status == 200
    service.post("/log/erase", {"receipt": canary})
    service.send("GET", f"/?question={canary}")
    left_early(service, json.dumps(consented).encode())


def table(folder: Path, name: str) -> list[tuple[object, ...]]:
    file = folder / "visitor-log" / "log.sqlite"
    if not file.exists():
        return []
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
        return database.execute(f"SELECT * FROM {name} ORDER BY 2, 3").fetchall()


@dataclass(frozen=True)
class Sent:
    """What came back, and what must be kept of it: the question by its canary."""

    bodies: list[str]
    kept: dict[str, str]


def send_all(service: Service, model: FakeMistral, mode: str) -> Sent:
    """Every way to an answer, with and without consent, and every way to none."""
    # The form of each mode has its own box: ticked or not, it says something in either.
    silent = [*asked(), as_form(), as_tool()]
    allowing = [*asked(consent=True), as_form(keep="1"), as_tool(consent=True)]
    forbidding = [*asked(consent=False), as_form(keep_not="1"), as_tool(consent=False)]
    keeping = {"consent": allowing, "anonymous": [*silent, *allowing]}.get(mode, [])
    sent = Sent([], {})

    def answered(send: Send, canary: str) -> None:
        response = send(service, canary)
        assert response.status == 200
        sent.bodies.append(response.body.decode())
        if send in keeping:
            sent.kept[canary] = masked(canary)

    for number, send in enumerate((*silent, *allowing, *forbidding)):
        answered(send, f"canary{number:03}q")
    unanswered(service, "canary900q")
    model.answer = lambda body: ChatAnswer(["It is canary901q"], drop=True)
    assert service.stream(question("canary901q"), consent=True).events[-1][0] == "error"
    model.script(CHAT, Reply(500), Reply(500))
    answered(allowing[0], "canary902q")
    return sent


def check_kept(folder: Path, mode: str, sent: Sent) -> None:
    """The fields of DESIGN.md 8, in one file, and not a byte of anything else."""
    today = datetime.now(UTC).date().isoformat()
    rows = table(folder, "kept")
    assert sorted(str(row[2]) for row in rows) == sorted(sent.kept.values())
    for receipt, day, _, outcome, language, pages in rows:
        assert isinstance(receipt, bytes)
        assert (day, language) == (today, "en")
        assert outcome in ("answered", "unknown")
        assert all(page.startswith(f"{ORIGIN}/") for page in json.loads(str(pages)))
    counts = table(folder, "counts")
    assert sum(int(str(n)) for _, _, n in counts) == (len(sent.bodies) * (mode == "counts"))
    assert {day for day, _, _ in counts} <= {today}
    files = {Path(file).name for canary in sent.kept for file in found(folder, canary)}
    assert files == ({"log.sqlite"} if sent.kept else set())
    for text in ("@mail.example", "5550 0199", "before-", "head-", "canary900q", "canary901q"):
        assert found(folder / "visitor-log", text) == []


def erase_all(service: Service, sent: Sent) -> int:
    """Give back every receipt, wherever an answer has it; how many rows that erased."""
    count = 0
    for candidate in {text for body in sent.bodies for text in re.findall(r"[\w-]{24}", body)}:
        response = service.post("/log/erase", {"receipt": candidate})
        count += response.status == 200 and response.json["erased"]
    return count


@pytest.mark.parametrize("mode", ["off", "counts", "consent", "anonymous"])
def test_exactly_what_the_mode_says_is_kept_and_nothing_after_erasure(
    tmp_path: Path,
    model: FakeMistral,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    mode: str,
) -> None:
    caplog.set_level(logging.DEBUG)
    text = (
        f'[answer]\nserver_url = "{model.url}"\nretry_s = 0.001\n'
        f'[log]\nmode = "{mode}"\nlegal_basis = "legitimate interest"\n'
    )
    with running(configure(tmp_path, text)) as service:
        sent = send_all(service, model, mode)
        check_kept(tmp_path, mode, sent)
        said = everywhere(service)
        rows = table(tmp_path, "kept")
        assert erase_all(service, sent) == len(sent.kept)
    assert table(tmp_path, "kept") == []
    raw = b"".join(file.read_bytes() for file in (tmp_path / "visitor-log").glob("*"))
    assert not any(trace in raw for trace in (b"canary", b"rain", b"[e-mail]", b"/station/"))
    assert not any(receipt in raw for receipt, *_ in rows if isinstance(receipt, bytes))
    assert found(tmp_path, "canary") == []
    assert "canary" not in said + caplog.text + "".join(capfd.readouterr())
    assert askfolio("log", "summary", "--json").json["unanswered"] == []
