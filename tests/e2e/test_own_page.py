"""The page of one's own in docs/service.md, in a real browser, against a started service."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from service.description import OWN_PAGE
from service.notices import notice
from tests.browser import needs_chromium, opened_page
from tests.fake_mistral import ChatAnswer, FakeMistral
from tests.service.running import ORIGIN, configure, running

DOCUMENT = Path(__file__).parents[2] / "docs" / "service.md"
RAIN = "How does the station measure rain?"


def test_the_document_and_the_description_hold_the_page_that_is_tested(tmp_path: Path) -> None:
    example = OWN_PAGE.read_text(encoding="utf-8")
    assert f"```html\n{example}```\n" in DOCUMENT.read_text(encoding="utf-8")
    with running(configure(tmp_path)) as service:
        described = service.send("GET", "/openapi.json").json
    (sample,) = described["paths"]["/ask"]["post"]["x-codeSamples"]
    assert sample["source"] == example


class Host(ThreadingHTTPServer):
    """Serves the page, with the address of the service put in, on an origin of its own."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.origin = f"http://127.0.0.1:{self.server_port}"
        self.service = ""

    def page(self) -> bytes:
        page = OWN_PAGE.read_text(encoding="utf-8")
        page = page.replace("https://ask.example.org", self.service)
        return f'<!doctype html><html lang="en"><title>Own page</title>{page}'.encode()


class _Handler(BaseHTTPRequestHandler):
    server: Host

    def do_GET(self) -> None:
        content = self.server.page()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is printed."""


@pytest.fixture
def host() -> Iterator[Host]:
    with Host() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeMistral]:
    monkeypatch.setenv("MISTRAL_API_KEY", "k")
    with FakeMistral() as fake:
        yield fake


@contextmanager
def own_page(host: Host, folder: Path, model: FakeMistral, service: str = "") -> Iterator[Page]:
    """The page in a browser, with the service behind it."""
    text = f'[answer]\nserver_url = "{model.url}"\nretry_s = 0.001\n[service]\n'
    own = service or f'origins = ["{host.origin}"]\n'
    with running(configure(folder, text + own)) as started, opened_page() as page:
        host.service = f"http://127.0.0.1:{started.port}"
        page.goto(host.origin)
        yield page


def ask(page: Page) -> None:
    page.get_by_label("Question").fill("How does the station measure rain?")
    page.get_by_role("button", name="Ask").click()


@needs_chromium
def test_the_answer_is_shown_as_it_arrives_with_links_to_real_pages(
    tmp_path: Path, host: Host, model: FakeMistral
) -> None:
    seen = threading.Event()

    def parts() -> Iterator[str]:
        yield "With a <b>bucket</b>, "
        seen.wait(30)
        yield "see [the station](/station/#hardware) and [nowhere](/nowhere/)."

    model.answer = lambda body: ChatAnswer(parts())
    with own_page(host, tmp_path, model) as page:
        ask(page)
        expect(page.locator("#answer")).to_contain_text("With a <b>bucket</b>,")
        expect(page.locator("#notice")).to_have_text(notice("en", "generated"))
        expect(page.locator("#answer")).not_to_contain_text("see")
        seen.set()
        expect(page.locator("#answer")).to_contain_text("see the station [1] and nowhere.")
        links = page.locator("#sources a")
        expect(links).to_have_count(1)
        expect(links).to_have_attribute("href", f"{ORIGIN}/station/#hardware")
        expect(links).to_have_text("Weather station")
        expect(page.locator("#answer b")).to_have_count(0)


@needs_chromium
def test_a_stream_that_breaks_off_and_a_refusal_are_said(
    tmp_path: Path, host: Host, model: FakeMistral
) -> None:
    model.answer = lambda body: ChatAnswer(["With a bucket, "], drop=True)
    limited = f'origins = ["{host.origin}"]\nrate = "1/hour"\n'
    with own_page(host, tmp_path, model, limited) as page:
        ask(page)
        expect(page.locator("#notice")).to_contain_text("broke off")
        ask(page)
        expect(page.locator("#notice")).to_contain_text("too many requests: try again in")
        expect(page.locator("#answer")).to_be_empty()


@needs_chromium
def test_a_page_of_another_origin_learns_nothing_and_costs_nothing(
    tmp_path: Path, host: Host, model: FakeMistral
) -> None:
    with own_page(host, tmp_path, model, f'origins = ["{ORIGIN}"]\n') as page:
        ask(page)
        expect(page.locator("#notice")).to_contain_text("Failed to fetch")
        expect(page.locator("#answer")).to_be_empty()
    assert not model.requests
