"""Which addresses git may be given, and how they are taken apart."""

from pathlib import Path

import pytest

from ingestion.git.address import repository_address
from retrieval.configuration import Repository
from retrieval.errors import ConfigurationError


@pytest.mark.parametrize(
    ("url", "transport", "host", "path"),
    [
        ("https://github.com/ada/engine.git", "https", "github.com", "ada/engine"),
        ("https://GitHub.com/ada/engine/", "https", "github.com", "ada/engine"),
        ("git@codeberg.org:ada/engine.git", "ssh", "codeberg.org", "ada/engine"),
        ("codeberg.org:ada/engine", "ssh", "codeberg.org", "ada/engine"),
        ("ssh://git@git.sr.ht:22/~ada/engine", "ssh", "git.sr.ht", "~ada/engine"),
        ("git+ssh://git@host.example/a/b", "ssh", "host.example", "a/b"),
        ("git://host.example/a/b.git", "git", "host.example", "a/b"),
        ("git@[::1]:a/b", "ssh", "::1", "a/b"),
        ("https://host.example:8443/a%20b/c", "https", "host.example", "a b/c"),
    ],
)
def test_an_address_is_taken_apart(
    tmp_path: Path, url: str, transport: str, host: str, path: str
) -> None:
    address = repository_address(Repository(url=url), tmp_path)
    assert (address.transport, address.host, address.path) == (transport, host, path)
    assert address.url == url


@pytest.mark.parametrize(
    "url",
    [
        "--upload-pack=touch x",
        "-u",
        "ext::sh -c touch% x",
        "ext::sh",
        "fd::17",
        "::x",
        "EXT::x",
        "ftp://host.example/a",
        "javascript://x/y",
        "ssh://-oProxyCommand=touch/x",
        "ssh://-oProxyCommand=x@host.example/a",
        "-oProxyCommand=x@host.example:a",
        "git@-oProxyCommand=x:a/b",
        "https://host.example/a\n-c",
        "https://host.example/a b",
        " https://host.example/a",
        "https:///a/b",
        "https://[broken/a",
        "https://host.example:port/a",
        "../engine",
        "/srv/engine",
        "engine",
    ],
)
def test_what_is_no_address_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(ConfigurationError, match=r"repository url|path"):
        repository_address(Repository(url=url), tmp_path)


@pytest.mark.parametrize(
    "url",
    [
        "https://ada:hunter2-marker@host.example/a/b",
        "https://ghp_hunter2-marker@github.com/a/b",
        "https://:hunter2-marker@host.example/a",
        "ssh://git:hunter2-marker@host.example/a",
    ],
)
def test_credentials_in_a_url_are_refused_and_not_repeated(tmp_path: Path, url: str) -> None:
    with pytest.raises(ConfigurationError, match="token_env") as caught:
        repository_address(Repository(url=url), tmp_path)
    assert "marker" not in str(caught.value)


@pytest.mark.parametrize(
    "ref", ["-b", "--upload-pack=x", "a b", "a..b", "a*", "a\n", "@{-1}", "a:b", "/a", "a/", "@"]
)
def test_what_is_no_ref_is_refused(tmp_path: Path, ref: str) -> None:
    with pytest.raises(ConfigurationError, match="is no name of a branch or tag"):
        repository_address(Repository(url="https://host.example/a/b", ref=ref), tmp_path)


def test_a_relative_path_is_relative_to_the_folder(tmp_path: Path) -> None:
    address = repository_address(Repository(path="../a%20b é"), tmp_path / "site")
    assert address.folder == tmp_path / "a%20b é"
    assert address.url.endswith("/a%2520b%20%C3%A9")
    assert address.transport == "file"


def test_a_token_is_sent_over_https_alone(tmp_path: Path) -> None:
    for url in ("http://host.example/a/b", "git@host.example:a/b", "git://host.example/a"):
        with pytest.raises(ConfigurationError, match="https"):
            repository_address(Repository(url=url, token_env="T"), tmp_path)
    repository_address(Repository(url="http://127.0.0.1:3000/a/b", token_env="T"), tmp_path)
