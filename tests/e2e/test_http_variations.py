"""What a started `askfolio serve` lets in and out, near the edges of its rules."""

import json
import re
import socket
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.fake_mistral import CHAT, Body, ChatAnswer, FakeMistral, Reply
from tests.service.processes import serving
from tests.service.running import ORIGIN, Service, configure

RAIN = "How does the station measure rain?"


@pytest.fixture(scope="module")
def model() -> Iterator[FakeMistral]:
    with FakeMistral() as fake, pytest.MonkeyPatch.context() as environment:
        environment.setenv("MISTRAL_API_KEY", "k")
        yield fake


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, model: FakeMistral) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("served")
    configure(folder, f'[answer]\nserver_url = "{model.url}"\nretry_s = 0.001\n')
    with serving(folder) as (_, started):
        yield started


def test_look_alikes_of_an_origin_are_refused_and_cost_nothing(
    service: Service, model: FakeMistral
) -> None:
    before = len(model.requests)
    host = ORIGIN.removeprefix("https://")
    for origin in (
        *(f"{ORIGIN}.", f"{ORIGIN}:443", f"{ORIGIN}:", f"{ORIGIN}?", ORIGIN.upper(), "*", host),
        *(f"https://a@{host}", f"{ORIGIN}@evil.test", f"{ORIGIN}, {ORIGIN}", "http://[::1]:1313"),
    ):
        refused = service.post("/ask", {"question": RAIN}, origin=origin)
        assert (origin, refused.status) == (origin, 403)
        assert refused.headers["Access-Control-Allow-Origin"] is None
    # The same one twice is none that a browser sends.
    twice = service.post("/ask", {"question": RAIN}, ("Origin", ORIGIN))
    assert twice.status == 403
    assert len(model.requests) == before


def test_nothing_that_one_visitor_writes_makes_another_of_him(tmp_path: Path) -> None:
    configure(tmp_path, '[service]\ntrusted_proxies = ["127.0.0.1"]\nrate = "2/hour"\n')
    visitors = (
        [(f"198.51.100.{n}, 203.0.113.1",) for n in range(4)],
        [(f"198.51.100.{n}", "203.0.113.2") for n in range(4)],  # two headers are one chain
        [(f"203.0.113.3:{4000 + n}",) for n in range(4)],
        [("203.0.113.4",), ("::ffff:203.0.113.4",), ('"203.0.113.4:1"',), ("::1, 203.0.113.4",)],
        [(f"2001:db8:1:2::{n}",) for n in range(4)],
        [(f"198.51.100.{n}, unknown",) for n in range(4)],
    )
    with serving(tmp_path) as (_, service):
        for chains in visitors:
            codes = [
                service.post(
                    "/search", {"query": "rain"}, *(("X-Forwarded-For", part) for part in chain)
                ).status
                for chain in chains
            ]
            assert (chains, codes) == (chains, [200, 200, 429, 429])


def test_a_compressed_or_cut_body_is_refused(service: Service, model: FakeMistral) -> None:
    before = len(model.requests)
    body = json.dumps({"question": RAIN}).encode()
    assert service.post("/ask", b"\x1f\x8b" + body, ("Content-Encoding", "gzip")).status == 400
    assert service.post("/ask", body[:-1]).status == 400
    assert service.post("/ask", body.decode().encode("utf-16")).status == 400
    head = (
        f"POST /ask HTTP/1.1\r\nHost: x\r\nOrigin: {ORIGIN}\r\nContent-Type: application/json\r\n"
    )
    for length in (b"-1", b"+5", b"0x10", b"2, 3"):
        with socket.create_connection(("127.0.0.1", service.port), timeout=10) as client:
            client.sendall(head.encode() + b"Content-Length: " + length + b"\r\n\r\n" + body)
            assert client.recv(100).startswith(b"HTTP/1.1 400 ")
    assert len(model.requests) == before


def test_an_answer_that_the_provider_gives_up_is_not_complete(
    service: Service, model: FakeMistral
) -> None:
    model.answer = lambda body: ChatAnswer(["A bucket measures it [1]. "], finish_reason="error")
    assert service.ask(RAIN)["degraded"] == "excerpts"
    names = [name for name, _ in service.stream(RAIN).events]
    assert names[-1] == "error"
    assert "done" not in names


@pytest.mark.parametrize("body", [b"data: {broken\n\n", b"data: [DONE]\n\n", b"<html>", b""])
def test_a_provider_that_sends_no_answer_is_answered_for(
    service: Service, model: FakeMistral, body: bytes
) -> None:
    model.script(CHAT, *[Reply(200, body=body)] * 4)  # each question is tried twice
    assert service.ask(RAIN)["degraded"] == "excerpts"
    name, done = service.stream(RAIN).events[-1]
    assert (name, done["degraded"]) == ("done", "excerpts")


def answering(text: str, body: Body) -> ChatAnswer:
    return ChatAnswer([*text])


@pytest.mark.parametrize("style", ["numbers", "wiki", "none"])
def test_no_mail_autolink_smuggles_a_link(service: Service, model: FakeMistral, style: str) -> None:
    smuggled = (
        *("<mailto:https://evil.test/>", "<mailto:www.evil.test>", "<www.evil.test@evil.test>"),
        *("<mailto:[x](https://evil.test/)>", "<mailto:![x](//evil.test/a.png)>"),
    )
    for link in (*smuggled, "<ada@example.test>", "<mailto:ada@example.test>"):
        text = f"A bucket {link} measures it [1]."
        model.answer = partial(answering, text)
        answer = service.ask(RAIN, citation_style=style)["answer"]
        assert "evil.test" not in answer
        assert ("A bucket ada@example.test measures it" in answer) == ("ada@" in link)


def test_a_dropped_tag_joins_no_address(service: Service, model: FakeMistral) -> None:
    for text in (
        *("https://<img>evil.test/", "<https:<img>evil.test/>", "<https:a<img>.evil.test>"),
        *("www.<img>evil.test", "https:<img>/<img>/evil.test", "https://<x@evil.test>"),
    ):
        model.answer = partial(answering, f"A bucket {text} measures it [1].")
        answer = service.ask(RAIN)["answer"]
        assert not re.search(r"://\w|//evil|<https:|www\.\w|@evil.test>", answer), answer
