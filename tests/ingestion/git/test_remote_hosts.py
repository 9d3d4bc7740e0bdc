"""A repository over HTTP: tokens, redirects, hosts that do not answer."""

import os
import socket
from pathlib import Path

import pytest

from ingestion.errors import SourceUnreachable
from ingestion.sources.repository import GitRepository, reachable
from retrieval.configuration import Repository
from tests.git_repositories import new_repository
from tests.ingestion.git.http_host import Host, git_host

TOKEN = "made-up-token-77"


def block(host: Host, **more: object) -> Repository:
    return Repository.model_validate({"url": f"{host.url}/engine", **more})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    new_repository(
        tmp_path / "served/engine", {"README.md": "# Engine\n", "big.txt": "x" * (2 << 20)}
    )
    return tmp_path / "served"


def test_a_host_that_cannot_filter_sends_all_and_is_read_alike(root: Path, tmp_path: Path) -> None:
    with git_host(root) as host:
        listing = GitRepository(block(host), tmp_path, tmp_path / "clones").listing()
    assert [document.title for document in listing.documents] == ["Engine"]
    assert [(skipped.path, skipped.reason) for skipped in listing.skipped] == [
        ("big.txt", "too-large")
    ]
    assert listing.documents[0].url is None
    assert listing.documents[0].line_link == ""


def test_a_token_opens_a_repository_and_is_written_nowhere(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGINE_TOKEN", TOKEN)
    with git_host(root, TOKEN) as host:
        repository = block(host, token_env="ENGINE_TOKEN", public=True)
        listing = GitRepository(repository, tmp_path, tmp_path / "clones").listing()
        assert len(listing.documents) == 1
        assert all(header.startswith("Basic ") for header in host.seen)
    for file in (tmp_path / "clones").rglob("*"):
        if file.is_file():
            content = file.read_bytes()
            assert TOKEN.encode() not in content
            assert b"Basic " not in content


def test_a_refused_token_is_an_error_without_the_token(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGINE_TOKEN", "wrong-" + TOKEN)
    with git_host(root, TOKEN) as host:
        repository = block(host, token_env="ENGINE_TOKEN", public=True)
        with pytest.raises(SourceUnreachable, match="cannot be reached") as caught:
            reachable(repository, tmp_path)
    assert TOKEN not in str(caught.value)
    assert host.url in str(caught.value)


def test_a_host_that_asks_for_a_password_is_an_error_and_no_prompt(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = tmp_path / "asked"
    program = tmp_path / "askpass"
    program.write_text(f"#!/bin/sh\ntouch {marker}\necho x\n")
    program.chmod(0o755)
    for name in ("GIT_ASKPASS", "SSH_ASKPASS"):
        monkeypatch.setenv(name, str(program))
    with git_host(root, TOKEN) as host, pytest.raises(SourceUnreachable, match="token_env"):
        reachable(block(host), tmp_path)
    assert not marker.exists()


def test_a_token_is_not_carried_to_another_address(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGINE_TOKEN", TOKEN)
    with git_host(root) as other, git_host(root, TOKEN) as host:
        host.moved["/engine"] = f"{other.url}/engine"
        repository = block(host, token_env="ENGINE_TOKEN", public=True)
        with pytest.raises(SourceUnreachable):
            reachable(repository, tmp_path)
        assert other.seen == []
        assert reachable(block(host), tmp_path).default_branch == "main"


def test_a_token_that_is_not_set_is_named(tmp_path: Path) -> None:
    repository = Repository(url="https://host.example/a/b", token_env="NOT_SET", public=True)
    with pytest.raises(SourceUnreachable, match="NOT_SET"):
        reachable(repository, tmp_path)


def test_a_host_that_is_not_there_is_unreachable(tmp_path: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        with pytest.raises(SourceUnreachable, match=f"127.0.0.1:{port}/a/b"):
            reachable(Repository(url=f"http://127.0.0.1:{port}/a/b"), tmp_path)


def test_settings_of_the_user_and_of_the_environment_do_not_act(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = tmp_path / "ran"
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(
        f'[core]\n\tsshCommand = touch {marker};\n[url "file:///nowhere/"]\n\tinsteadOf = file:///\n'
        f'[credential]\n\thelper = "!touch {marker};"\n'
    )
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_DIR", str(home))
    monkeypatch.setenv("GIT_TRACE", str(tmp_path / "trace"))
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'core.fsmonitor=touch x'")
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(home))
    repository = Repository(path=str(root / "engine"))
    assert GitRepository(repository, tmp_path, tmp_path / "clones").listing().documents
    assert not marker.exists()
    assert not (tmp_path / "trace").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
def test_a_local_repository_of_another_user_is_read_since_the_owner_named_it(
    root: Path, tmp_path: Path
) -> None:
    for place in (root / "engine", *(root / "engine").rglob("*")):
        os.chown(place, 12345, 12345)
    repository = Repository(path=str(root / "engine"))
    assert GitRepository(repository, tmp_path, tmp_path / "clones").listing().documents
