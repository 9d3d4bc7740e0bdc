"""Readiness, the hot swap, search over HTTP, errors, and the description of the API."""

import logging
import os
import re
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ingestion.planning import SyncOptions
from ingestion.run import synchronise
from retrieval.configuration import load_configuration
from retrieval.errors import ConfigurationError
from service.app import create_app
from service.current import open_current
from service.server import serve
from service.upstream import open_upstream
from tests.command_line import askfolio
from tests.service.running import ORIGIN, PAGES, SITE, Service, configure, running
from tests.sites import write_files


def test_health_and_readiness(tmp_path: Path) -> None:
    with running(configure(tmp_path)) as service:
        assert service.send("GET", "/health").json == {"status": "ok"}
        ready = service.send("GET", "/ready").json
    assert ready["status"] == "ready"
    assert ready["generation"].startswith("000001-")
    assert ready["error"] is None
    assert ready["age_seconds"] is None or ready["age_seconds"] >= 0


def test_without_a_generation_the_service_runs_but_is_not_ready(tmp_path: Path) -> None:
    write_files(tmp_path, {"askfolio.toml": SITE})
    with running(load_configuration(tmp_path / "askfolio.toml")) as service:
        assert service.send("GET", "/health").status == 200
        for response in (
            service.send("GET", "/ready"),
            service.post("/ask", {"question": "a"}),
            service.stream("a"),
            service.post("/search", {"query": "a"}),
        ):
            assert (response.status, response.json["error"]["code"]) == (503, "not_ready")
            assert str(tmp_path) not in response.body.decode()


@pytest.mark.anyio
async def test_a_new_generation_takes_over_and_the_old_one_finishes(tmp_path: Path) -> None:
    configuration = configure(tmp_path)
    current = await open_current(configuration, open_upstream(configuration))
    async with current.use() as before:
        write_files(tmp_path / "content", {"new.md": "---\ntitle: New\n---\nA lighthouse.\n"})
        synchronise(configuration, SyncOptions(datetime.now(UTC)))
        await current.refresh()
        async with current.use() as after:
            assert len(after.generation.store) == len(before.generation.store) + 1
            assert len(list(before.generation.store.all_chunks())) == 4
    current.close()
    assert not current.is_ready


@pytest.mark.anyio
async def test_a_broken_generation_does_not_replace_the_one_that_serves(tmp_path: Path) -> None:
    configuration = configure(tmp_path)
    current = await open_current(configuration, open_upstream(configuration))
    (configuration.knowledge_path / "CURRENT").write_text("000009-none\n", encoding="ascii")
    await current.refresh()
    async with current.use() as answering:
        serving = answering.generation.manifest.generation
    assert serving.startswith("000001-")
    assert "GenerationCorrupt" in current.problem
    assert str(tmp_path) not in current.problem
    (configuration.knowledge_path / "CURRENT").write_text(f"{serving}\n", encoding="ascii")
    await current.refresh()
    assert current.problem == ""
    current.close()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def test_search_over_http_is_the_commands_object(tmp_path: Path) -> None:
    with running(configure(tmp_path)) as service:
        response = service.post("/search", {"query": "garden pump", "k": 2})
        assert response.json == askfolio("search", "garden pump", "-k", "2", "--json").json
        assert response.json["results"][0]["url"] == f"{ORIGIN}/pump/"
        assert service.post("/search", {"query": "pump", "kind": "code"}).json["results"] == []
        assert service.post("/search", {"query": "pump", "k": 0}).status == 422
        assert service.post("/search", {"query": "x" * 1001}).status == 422
        dense = service.post("/search", {"query": "pump", "mode": "dense"})
        assert (dense.status, dense.json["error"]["code"]) == (409, "mode_unavailable")


def test_the_api_is_described_with_stable_names(tmp_path: Path) -> None:
    with running(configure(tmp_path)) as service:
        described = service.send("GET", "/openapi.json").json
    ids = {
        operation["operationId"]
        for path in described["paths"].values()
        for operation in path.values()
    }
    assert ids == {
        *("ask", "search", "health", "ready", "page", "ask_page", "privacy", "metrics"),
        *("knowledge_txt", "llms_txt"),
    }
    schemas = described["components"]["schemas"]
    references = set(re.findall(r"#/components/schemas/(\w+)", str(described)))
    assert references <= set(schemas)
    assert "question" in schemas["AskRequest"]["properties"]


def test_wrong_settings_are_refused_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configuration = configure(tmp_path)
    for origin in ("*", "portfolio.example", "https://*.example", "https://x:y"):
        monkeypatch.setenv("ASKFOLIO_SERVICE__ORIGINS", f'["{origin}"]')
        with pytest.raises(ConfigurationError, match="is no origin"):
            create_app(load_configuration(tmp_path / "askfolio.toml"))
    monkeypatch.delenv("ASKFOLIO_SERVICE__ORIGINS")
    monkeypatch.setenv("ASKFOLIO_ANSWER__PROVIDER", "mistral")
    with pytest.raises(ConfigurationError, match="no key is set"):
        create_app(load_configuration(tmp_path / "askfolio.toml"))
    with running(configuration) as service, pytest.raises(ConfigurationError, match="--port"):
        serve(configuration, port=service.port)


def test_nothing_of_a_visitor_is_kept_or_logged(tmp_path: Path) -> None:
    configure(tmp_path, pages={**PAGES, "long.md": "---\ntitle: Long\n---\n" + "word " * 50})
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONWARNINGS"}
    command = [sys.executable, "-c", "from askfolio import main; main()", "serve", "--port", "0"]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        env={**environment, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    head = []
    for line in process.stdout:
        head.append(line)
        if found := re.search(r"http://127\.0\.0\.1:(\d+)", line):
            break
    else:
        pytest.fail("".join(head))
    marked = (("User-Agent", "UA-marker"), ("Cookie", "c=cookie-marker"), ("Referer", "ref-marker"))
    service = Service(int(found[1]))
    for body in (
        {"question": "visitor-marker works?"},
        {"question": "visitor-marker", "page": "visitor-marker"},
        {"question": "visitor-marker" * 100},
        b"visitor-marker",
    ):
        response = service.post("/ask", body, *marked, ("X-Forwarded-For", "203.0.113.77"))
        assert b"marker" not in response.body
        assert "marker" not in str(response.headers)
    service.post("/ask", {"question": "visitor-marker"}, *marked, origin="https://marker.test")
    service.send("GET", "/ask?question=visitor-marker", headers=marked)
    process.send_signal(signal.SIGTERM)
    output = "".join(head) + process.communicate(timeout=20)[0]
    assert process.returncode in (0, -signal.SIGTERM)
    assert "marker" not in output
    assert output.count("127.0.0.1") == 1
    for file in tmp_path.rglob("*"):
        if file.is_file():
            content = file.read_bytes()
            assert b"-marker" not in content
            assert b"203.0.113.77" not in content


def test_a_crash_shows_and_logs_nothing_of_the_request(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    configuration = configure(tmp_path)
    app = create_app(configuration)

    @app.post("/broken")
    async def broken() -> None:
        raise ValueError("visitor-marker")

    caplog.set_level(logging.DEBUG)
    with running(configuration, app) as service:
        response = service.post("/broken", {})
    assert (response.status, response.json["error"]["code"]) == (500, "internal")
    assert response.headers["Access-Control-Allow-Origin"] == ORIGIN
    assert "visitor-marker" not in response.body.decode() + caplog.text
    assert "ValueError" in caplog.text
