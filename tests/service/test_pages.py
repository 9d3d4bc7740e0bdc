"""What people, crawlers and monitors get; and what is switched off."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlencode

import pytest

from service.pages.labels import page_language
from tests.fake_mistral import ChatAnswer, FakeMistral
from tests.service.running import ORIGIN, PAGES, Response, Service, configure, running

RAIN = "How does the station measure rain?"
FORM = "application/x-www-form-urlencoded"
HTML = ("Accept", "text/html,application/xhtml+xml;q=0.9")


class Page(HTMLParser):
    """What a browser would find."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(response.body.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    @property
    def links(self) -> list[str | None]:
        return [attributes["href"] for tag, attributes in self.tags if tag == "a"]


def post_form(service: Service, origin: str | None = ORIGIN, **fields: str) -> Response:
    body = urlencode(fields).encode()
    return service.post("/", body, origin=origin, content_type=FORM)


def test_the_form_works_without_javascript_and_says_first_that_a_machine_answers(
    tmp_path: Path,
) -> None:
    with running(configure(tmp_path)) as service:
        empty = service.send("GET", "/", headers=[("Accept-Language", "de-CH,en;q=0.5")])
        answered = post_form(service, question=RAIN)
    page = Page(empty)
    assert [tag for tag, _ in page.tags if tag == "script"] == []
    assert ("html", {"lang": "de"}) in page.tags
    assert page.text.index("KI") < page.text.index("Ihre Frage")
    assert "Ada Example" in page.text
    assert "default-src 'none'" in empty.headers["Content-Security-Policy"]
    assert empty.headers["Set-Cookie"] is None
    result = Page(answered)
    assert answered.status == 200
    assert "tipping bucket" in result.text
    assert f"{ORIGIN}/station/#hardware" in result.links
    assert ("div", {"class": "answer", "data-ai-generated": "true", "lang": "en"}) in result.tags
    assert RAIN in result.text


def test_the_form_has_the_same_guards(tmp_path: Path) -> None:
    with running(configure(tmp_path)) as service:
        assert post_form(service, origin="https://evil.test", question=RAIN).status == 403
        assert post_form(service, origin=None, question=RAIN).status == 403
        assert post_form(service, origin="null", question=RAIN).status == 403
        assert service.post("/", {"question": RAIN}).status == 415
        assert service.post("/", b"question=" + b"x" * 70_000, content_type=FORM).status == 413
        for body in (b"", b"question=", b"question=+%00", b"question=%ff", b"\xff", b"x" * 1000):
            refused = service.post("/", body, content_type=FORM)
            assert refused.status in (400, 422)
        assert service.post("/", b"a=1&" * 50, content_type=FORM).status == 400
        long = post_form(service, question="visitor-marker" * 100)
        assert long.status == 422
        assert b"visitor-marker" not in long.body


def test_markup_of_visitors_models_and_owners_stays_text(tmp_path: Path) -> None:
    attack = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
    pages = {**PAGES, "evil.md": "---\ntitle: '<b onclick=x>Bold</b>'\n---\nA lighthouse.\n"}
    with FakeMistral(answer=lambda body: ChatAnswer([f"{attack} [1] [2] [3] [4]"])) as model:
        text = f'[answer]\nprovider = "mistral"\nserver_url = "{model.url}"\n'
        with running(configure(tmp_path, text, pages)) as service:
            page = Page(post_form(service, question=f"{RAIN} {attack}"))
            plain = Page(service.send("GET", "/", headers=[("Accept-Language", attack)]))
    for found in (page, plain):
        assert {tag for tag, _ in found.tags} <= {
            *("html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "p", "div"),
            *("ul", "li", "a", "form", "label", "textarea", "button", "input"),
        }
        assert not any(name.startswith("on") for _, attributes in found.tags for name in attributes)
    assert attack in page.text


@pytest.mark.parametrize(
    ("accepted", "language"),
    [("", "en"), ("es", "es"), ("xx, fr;q=0.8", "fr"), ("zh-Hant", "zh"), ("<script>", "en")],
)
def test_the_page_speaks_the_first_language_it_knows(accepted: str, language: str) -> None:
    assert page_language(accepted) == language


def test_privacy_says_what_the_running_configuration_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(configure(tmp_path)) as service:
        local = service.send("GET", "/privacy").json
        as_page = service.send("GET", "/privacy", headers=[HTML])
    assert local["sent"] == []
    assert local["kept"]["mode"] == "off"
    assert local["kept"]["days"] is None
    assert local["owner"] == "Ada Example"
    assert local["contact"] == f"{ORIGIN}/contact/"
    assert "Nothing leaves the host" in Page(as_page).text
    monkeypatch.setenv("MISTRAL_API_KEY", "key-marker")
    text = '[log]\nmode = "anonymous"\nretention_days = 7\nlegal_basis = "legitimate interest"\n'
    with running(configure(tmp_path, text)) as service:
        sent = service.send("GET", "/privacy")
    assert [(row["purpose"], row["region"]) for row in sent.json["sent"]] == [
        ("answer", "European Union")
    ]
    assert "Mistral AI" in sent.json["sent"][0]["to"]
    assert sent.json["kept"]["days"] == 7
    assert sent.json["kept"]["legal_basis"] == "legitimate interest"
    assert b"key-marker" not in sent.body
    assert str(tmp_path).encode() not in sent.body


def test_metrics_are_counts_without_text(tmp_path: Path) -> None:
    with running(configure(tmp_path)) as service:
        service.ask(RAIN)
        service.stream("Who was the first president of Chile?")
        service.send("GET", "/visitor-marker")
        service.post("/ask", {"question": "visitor-marker"}, origin="https://evil.test")
        response = service.send("GET", "/metrics")
    text = response.body.decode()
    assert response.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    assert 'askfolio_requests_total{route="/ask",method="POST",status="200"} 2' in text
    assert 'askfolio_requests_total{route="/ask",method="POST",status="403"} 1' in text
    assert 'askfolio_requests_total{route="other",method="GET",status="404"} 1' in text
    assert (
        'askfolio_answers_total{outcome="answered",mode="full-context",degraded="none"} 1' in text
    )
    assert "askfolio_answer_seconds_count 2" in text
    assert 'askfolio_generation_info{generation="000001-' in text
    assert "marker" not in text
    for line in text.splitlines():
        assert re.fullmatch(r'# TYPE \w+ \w+|\w+(\{(\w+="[^"]*",?)+\})? [-+.e0-9]+', line), line


def test_the_generation_is_served_as_text(tmp_path: Path) -> None:
    with running(configure(tmp_path)) as service:
        knowledge = service.send("GET", "/knowledge.txt")
        tag = knowledge.headers["ETag"]
        again = service.send("GET", "/knowledge.txt", headers=[("If-None-Match", tag)])
        llms = service.send("GET", "/llms.txt")
    assert f"Source: {ORIGIN}/station/" in knowledge.body.decode()
    assert (again.status, again.body) == (304, b"")
    assert llms.body.decode().startswith("# ")
    assert llms.headers["Content-Type"].startswith("text/plain")


def test_what_is_switched_off_answers_404(tmp_path: Path) -> None:
    with running(configure(tmp_path, '[service]\nroutes = ["search"]\n')) as service:
        assert service.post("/search", {"query": "rain"}).status == 200
        assert service.send("GET", "/health").status == 200
        for method, path in (
            *(("POST", "/ask"), ("POST", "/mcp"), ("POST", "/log/erase"), ("GET", "/")),
            *(("GET", "/privacy"), ("GET", "/metrics"), ("GET", "/knowledge.txt")),
            *(("GET", "/llms.txt"), ("GET", "/widget.js")),
        ):
            response = service.post(path, {}) if method == "POST" else service.send(method, path)
            assert (path, response.status) == (path, 404)
            assert response.json["error"]["code"] == "not_found"
        assert service.post("/", b"question=a", content_type=FORM).status == 404
