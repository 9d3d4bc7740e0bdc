"""The service's own page leads to the words of a passage, in a real browser on a real page."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from ingestion.planning import SyncOptions
from ingestion.run import synchronise
from retrieval.configuration import load_configuration
from tests.browser import needs_chromium, opened_page
from tests.fake_mistral import ChatAnswer, FakeMistral
from tests.service.running import ORIGIN, running, write_configured

FILLING = [f"Paragraph {n} is about the long winter of the year {1800 + n}." for n in range(120)]
SAID = "The orange lighthouse keeper sold his boat to the museum."
PARAGRAPHS = [*FILLING, SAID, *FILLING[:60]]


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        shown = "".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS)
        content = f'<!doctype html><title>Log</title><h2 id="years">Years</h2>{shown}'.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is printed."""


@pytest.fixture
def site() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@needs_chromium
def test_a_click_on_the_source_shows_the_passage_and_programs_get_the_address(
    tmp_path: Path, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", "k")
    question = "Who sold his boat to the museum?"
    pages = {"log.md": "---\ntitle: Log\n---\n## Years\n\n" + "\n\n".join(PARAGRAPHS) + "\n"}
    with FakeMistral(answer=lambda body: ChatAnswer(["The keeper did [1]."])) as model:
        text = (
            f'[answer]\nserver_url = "{model.url}"\n[retrieval]\nfull_context_tokens = 0\nk = 1\n'
        )
        write_configured(tmp_path, text, pages)
        file = tmp_path / "askfolio.toml"
        file.write_text(file.read_text(encoding="utf-8").replace(ORIGIN, site), encoding="utf-8")
        own = load_configuration(file)
        synchronise(own, SyncOptions(datetime.now(UTC)))
        with running(own) as service, opened_page() as page:
            answer = service.post("/ask", {"question": question}, origin=site).json
            (citation,) = answer["citations"]
            form = urlencode({"question": question}).encode()
            kind = "application/x-www-form-urlencoded"
            shown = service.post("/", form, origin=site, content_type=kind)
            page.set_content(shown.body.decode())
            page.get_by_role("link", name="Log").click()
            expect(page.get_by_text(SAID)).to_be_in_viewport()
            expect(page.get_by_role("heading", name="Years")).not_to_be_in_viewport()
            assert page.evaluate("location.href") == f"{site}/log/#years"
    assert citation["url"] == f"{site}/log/#years"
    assert ":~:" not in str(answer)
