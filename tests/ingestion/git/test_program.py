"""The git program: limits, time, and what it may not do."""

from pathlib import Path

import pytest

from ingestion.git.program import GitFailed, git_program
from tests.git_repositories import new_repository


def test_a_command_that_takes_too_long_is_killed_with_what_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "ssh"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(slow))
    with git_program() as git, pytest.raises(GitFailed, match="took longer than 1 s"):
        git.run("ls-remote", "--", "ssh://h.example/a", network=True, timeout_s=0.6)


def test_an_answer_is_limited(tmp_path: Path) -> None:
    folder = new_repository(tmp_path / "r", {"big.txt": "x" * (3 << 20)})
    with git_program() as git, pytest.raises(GitFailed, match="more than 1 MiB"):
        git.run("cat-file", "-p", "HEAD:big.txt", folder=folder.path / ".git", max_bytes=1 << 20)


@pytest.mark.parametrize("url", ["ext::sh -c true", "fd::3", "ftp://127.0.0.1/a"])
def test_no_other_transport_is_spoken(url: str) -> None:
    with git_program() as git, pytest.raises(GitFailed, match="not allowed"):
        git.run("ls-remote", "--", url, network=True)


def test_a_local_command_speaks_no_transport(tmp_path: Path) -> None:
    folder = new_repository(tmp_path / "r", {"a": "x"})
    with git_program() as git, pytest.raises(GitFailed, match="not allowed"):
        git.run("ls-remote", "--", folder.path.as_uri())


def test_a_message_is_one_printable_line_without_the_header(tmp_path: Path) -> None:
    with git_program(None, "Authorization: Basic YTpzZWNyZXQ=", "https://h.example/") as git:
        with pytest.raises(GitFailed) as caught:
            git.run("rev-parse", "--verify", "\x1b[31mYTpzZWNyZXQ= secret\nx", folder=tmp_path)
        assert "YTpz" not in repr(git)
    assert "\x1b" not in str(caught.value)
    assert "YTpz" not in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_program_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with git_program() as git, pytest.raises(GitFailed, match="install git"):
        git.run("version")
