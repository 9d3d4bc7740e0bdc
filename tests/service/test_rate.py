"""How often a visitor may ask, and who a visitor is."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from service.guards.rate import MAX_VISITORS, Limiter
from service.guards.visitor import Visitors, parsed
from tests.service.running import ORIGIN, Service, configure, running

QUESTION = {"question": "Which projects use a pump?"}
FIVE = '[service]\nrate = "5/minute"\n'


def name(
    visitors: Visitors, peer: str | None, *forwarded: str, headers: Sequence[tuple[str, str]] = ()
) -> bytes:
    sent = [("x-forwarded-for", value) for value in forwarded] + list(headers)
    encoded = [(key.encode(), value.encode("latin-1")) for key, value in sent]
    return visitors.name({"client": (peer, 5) if peer else None, "headers": encoded})


def test_the_limit_is_exact_over_any_window() -> None:
    now = 0.0
    limiter = Limiter(3, 60.0, lambda: now)
    assert [limiter.wait_s(b"a") for _ in range(3)] == [0.0] * 3
    assert limiter.wait_s(b"a") == 60.0
    assert limiter.wait_s(b"b") == 0.0
    now = 59.0
    assert limiter.wait_s(b"a") == pytest.approx(1.0)
    now = 60.0
    assert [limiter.wait_s(b"a") > 0 for _ in range(4)] == [False, False, False, True]


def test_visitors_are_forgotten_when_their_window_is_over_or_there_are_too_many() -> None:
    now = 0.0
    limiter = Limiter(1, 60.0, lambda: now)
    for number in range(MAX_VISITORS + 100):
        assert limiter.wait_s(number.to_bytes(4, "big")) == 0.0
    assert len(limiter._visitors) <= MAX_VISITORS + 1
    now = 61.0
    limiter.wait_s(b"last")
    assert len(limiter._visitors) == 1


def test_without_trusted_proxies_no_header_is_believed() -> None:
    visitors = Visitors(())
    plain = name(visitors, "198.51.100.7")
    assert name(visitors, "198.51.100.7", "203.0.113.1") == plain
    others = [("x-real-ip", "203.0.113.1"), ("forwarded", "for=203.0.113.1")]
    assert name(visitors, "198.51.100.7", headers=others) == plain
    assert name(visitors, "198.51.100.8") != plain


def test_a_trusted_proxy_is_walked_past_from_the_right() -> None:
    visitors = Visitors(("10.0.0.0/24", "fd00::/8"))
    alone = name(Visitors(()), "203.0.113.9")
    assert len(alone) == 16
    seen = name(visitors, "203.0.113.9")
    assert name(visitors, "10.0.0.2", "192.0.2.1, 203.0.113.9") == seen
    assert name(visitors, "10.0.0.2", "192.0.2.2, 203.0.113.9, 10.0.0.3") == seen
    assert name(visitors, "10.0.0.2", "192.0.2.2", "203.0.113.9 , 10.0.0.3") == seen
    assert name(visitors, "::ffff:10.0.0.2", "203.0.113.9:4711") == seen
    assert name(visitors, "fd00::1", "::ffff:203.0.113.9") == seen
    assert name(visitors, "198.51.100.9", "203.0.113.9") != seen
    proxy = name(visitors, "10.0.0.2")
    assert name(visitors, "10.0.0.2", "203.0.113.9, nonsense") == proxy
    assert name(visitors, "10.0.0.2", "") == proxy
    assert name(visitors, "10.0.0.2", "10.0.0.7") == name(visitors, "10.0.0.7")
    assert name(visitors, "10.0.0.2", "1.2.3.4, " * 5000 + "203.0.113.9") == seen


def test_an_ipv6_visitor_is_a_network_of_64_bits() -> None:
    visitors = Visitors(())
    seen = name(visitors, "2001:db8:1:2:3:4:5:6")
    assert name(visitors, "2001:db8:1:2:ffff::1") == seen
    assert name(visitors, "2001:db8:1:3::1") != seen
    assert name(visitors, None) == name(visitors, None)


def test_the_hash_of_an_address_dies_with_its_process() -> None:
    assert name(Visitors(()), "203.0.113.9") != name(Visitors(()), "203.0.113.9")


@pytest.mark.parametrize("text", ["", "x", "1.2.3", "[::1", "unknown", "1.2.3.4.5", "a:b"])
def test_what_is_no_address_is_none(text: str) -> None:
    assert parsed(text) is None or text == "[::1"


def statuses(service: Service, count: int, header: str = "203.0.113.{i}") -> list[int]:
    return [
        service.post("/ask", QUESTION, ("X-Forwarded-For", header.format(i=i))).status
        for i in range(count)
    ]


def test_a_forged_header_does_not_help_and_a_refusal_says_when(tmp_path: Path) -> None:
    with running(configure(tmp_path, FIVE)) as service:
        found = statuses(service, 20)
        refused = service.post("/ask", QUESTION)
        assert service.send("GET", "/health").status == 200
        assert service.send("GET", "/privacy").status == 200
    assert found == [200] * 5 + [429] * 15
    assert refused.json["error"]["code"] == "rate_limited"
    assert 0 < int(refused.headers["Retry-After"]) <= 60
    assert refused.headers["Access-Control-Allow-Origin"] == ORIGIN
    assert "Retry-After" in refused.headers["Access-Control-Expose-Headers"]


def test_behind_a_trusted_proxy_every_visitor_has_a_rate_of_its_own(tmp_path: Path) -> None:
    text = f'{FIVE}trusted_proxies = ["127.0.0.1"]\n'
    with running(configure(tmp_path, text)) as service:
        assert statuses(service, 20) == [200] * 20
        assert statuses(service, 7, "192.0.2.{i}, 198.51.100.1") == [200] * 5 + [429] * 2


def test_refused_origins_do_not_count_and_reading_has_a_wider_rate(tmp_path: Path) -> None:
    with running(configure(tmp_path, '[service]\nrate = "1/minute"\n')) as service:
        for _ in range(3):
            assert service.post("/ask", QUESTION, origin="https://evil.test").status == 403
        assert [service.send("GET", "/").status for _ in range(60)] == [200] * 60
        assert service.send("GET", "/").status == 429
        assert service.send("GET", "/ready").status == 200
        assert service.post("/ask", QUESTION).status == 200
        assert service.post("/search", {"query": "pump"}).status == 429
