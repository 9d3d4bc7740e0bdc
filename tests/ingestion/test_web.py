import socket

import pytest

from ingestion.errors import DocumentUnreadable, SourceUnreachable
from ingestion.sources.web import AddressRefused, fetch, origin_of
from tests.ingestion.web_host import Sent, web_host


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("https://E.example:443/a#b", "https://e.example"),
        ("http://e.example:8080", "http://e.example:8080"),
        ("http://[::1]:80/", "http://[::1]"),
        ("ftp://e.example/", ""),
        ("https:e", ""),
        ("file:///etc/passwd", ""),
        ("http://[", ""),
        ("http://e.example:x/", ""),
        ("engine:README.md", ""),
    ],
)
def test_only_web_addresses_have_an_origin(address: str, origin: str) -> None:
    assert origin_of(address) == origin


def test_what_is_sent_comes_with_its_type_and_where_it_lies() -> None:
    answers = {
        "/a": Sent("", 301, {"Location": "/b%20%C3%A9"}),
        "/b%20%C3%A9": Sent("x", headers={"X-Robots-Tag": "NoIndex", "Content-Type": "text/plain"}),
    }
    with web_host(answers) as host:
        fetched = fetch(f"{host.url}/a", 10, host.url)
        assert fetch(f"{host.url}/b é", 10).body == b"x"
    assert fetched.body == b"x"
    assert fetched.address == f"{host.url}/b%20%C3%A9"
    assert (fetched.content_type, fetched.charset, fetched.robots) == ("text/plain", "", "noindex")


def test_a_body_beyond_the_limit_is_not_read() -> None:
    with web_host({"/": Sent("x" * 11)}) as host:
        with pytest.raises(DocumentUnreadable, match=r"^too-large"):
            fetch(f"{host.url}/", 10)
        assert len(fetch(f"{host.url}/", 11).body) == 11


def test_an_error_status_is_told_apart_from_no_answer() -> None:
    with web_host({"/": Sent("no", 410)}) as host:
        with pytest.raises(AddressRefused, match="410") as caught:
            fetch(f"{host.url}/", 10)
        gone = host.url
    assert caught.value.status == 410
    with pytest.raises(SourceUnreachable, match=gone) as refused:
        fetch(gone, 10)
    assert not isinstance(refused.value, AddressRefused)


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "ftp://e.example/", "http://127.0.0.2:1/", "//e.example/x"]
)
def test_a_redirect_elsewhere_is_not_followed(target: str) -> None:
    answers = {"/": Sent("", 302, {"Location": target})}
    with web_host(answers) as host, pytest.raises(SourceUnreachable):
        fetch(f"{host.url}/", 10, host.url)


def test_endless_redirects_end() -> None:
    with web_host({"/": Sent("", 302, {"Location": "/"})}) as host:
        with pytest.raises(SourceUnreachable):
            fetch(f"{host.url}/", 10)
        assert len(host.seen) < 10


def test_only_the_web_is_asked(tmp_path: object) -> None:
    with pytest.raises(SourceUnreachable, match="no http or https"):
        fetch(f"file://{tmp_path}", 10)


def test_what_is_no_http_is_no_answer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)):
            pass
    with pytest.raises(SourceUnreachable):
        fetch(f"http://127.0.0.1:{port}/", 10)
