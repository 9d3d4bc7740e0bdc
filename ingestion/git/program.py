"""How is the git program run so that no prompt, hook, setting or address can make it misbehave?"""

import base64
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from ingestion.errors import SourceError
from ingestion.git.environment import git_environment, settings_text

QUESTION_TIMEOUT_S = 60.0
TRANSFER_TIMEOUT_S = 1200.0
MAX_ANSWER_BYTES = 256 << 20
MAX_TRANSFER_BYTES = 4 << 30
_MAX_MESSAGE_CHARS = 400


class GitFailed(SourceError):
    """The git program ended with an error, took too long or wrote too much."""


@dataclass(frozen=True, slots=True)
class Git:
    """The git program with settings of its own, none of the system's or the user's.

    Attributes:
        settings: File of settings; a server that git starts for a local folder reads it too.
        header: Authorization header for `header_scope`, kept out of arguments and messages.
        header_scope: Address below which the header is sent.
    """

    settings: Path
    header: str = field(default="", repr=False)
    header_scope: str = ""

    def run(
        self,
        *arguments: str,
        folder: Path | None = None,
        given: bytes = b"",
        network: bool = False,
        timeout_s: float = QUESTION_TIMEOUT_S,
        max_bytes: int = MAX_ANSWER_BYTES,
        settings: Mapping[str, str] | None = None,
        index: Path | None = None,
    ) -> bytes:
        """Run one command and return what it wrote to stdout.

        Args:
            arguments: After `git`; a value from outside stands behind `--`.
            folder: The bare repository.
            given: What the command reads from stdin.
            network: Whether it may reach a remote; otherwise every transport is refused, so that
                an object left out by a filter is missing and never fetched.
            timeout_s: After that the command and all it started are killed.
            max_bytes: Largest file it may write, stdout included.
            settings: Further settings of this one command.
            index: An index file of this one command.

        Raises:
            GitFailed: It failed, is not installed, took too long or wrote too much.
        """
        environment = self._environment(folder, network, settings or {}, index)
        try:
            return self._run(arguments, environment, given, timeout_s, max_bytes)
        except OSError as error:
            raise GitFailed(f"git {arguments[0]} cannot be run: {error.strerror}") from error

    def _run(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        given: bytes,
        timeout_s: float,
        max_bytes: int,
    ) -> bytes:
        with (
            tempfile.TemporaryFile() as stdin,
            tempfile.TemporaryFile() as stdout,
            tempfile.TemporaryFile() as stderr,
        ):
            stdin.write(given)
            stdin.seek(0)
            process = _start(arguments, environment, stdin, stdout, stderr)
            code = _wait(process, arguments[0], timeout_s, max_bytes)
            if code != 0:
                raise GitFailed(self._message(stderr, arguments[0], code, max_bytes))
            # A quick command may have ended before its files were limited.
            if stdout.seek(0, os.SEEK_END) > max_bytes:
                raise GitFailed(_too_much(arguments[0], max_bytes))
            stdout.seek(0)
            return stdout.read()

    def open_batch(self, folder: Path) -> subprocess.Popen[bytes]:
        """Start `cat-file --batch` on a bare repository; the caller ends it.

        Raises:
            GitFailed: git is not installed.
        """
        environment = self._environment(folder, network=False, settings={}, index=None)
        arguments = ("cat-file", "--batch")
        return _start(arguments, environment, subprocess.PIPE, subprocess.PIPE, subprocess.DEVNULL)

    def _environment(
        self, folder: Path | None, network: bool, settings: Mapping[str, str], index: Path | None
    ) -> dict[str, str]:
        pairs = dict(settings)
        if network and self.header:
            pairs[f"http.{self.header_scope}.extraHeader"] = self.header
            # A redirect would carry the header to another address.
            pairs["http.followRedirects"] = "false"
        environment = git_environment(self.settings, network=network, pairs=pairs)
        environment["GIT_DIR"] = str(folder) if folder else os.devnull
        if index is not None:
            environment["GIT_INDEX_FILE"] = str(index)
        return environment

    def _secrets(self) -> list[str]:
        """What a host could repeat of the header, longest first."""
        encoded = self.header.rpartition(" ")[2]
        pair = base64.b64decode(encoded).decode("utf-8", "replace")
        return [secret for secret in (encoded, pair, pair.partition(":")[2]) if secret]

    def _message(self, stderr: IO[bytes], command: str, code: int, max_bytes: int) -> str:
        if code == -signal.SIGXFSZ:
            return _too_much(command, max_bytes)
        stderr.seek(0)
        text = stderr.read(1 << 16).decode("utf-8", "replace")
        lines = [line.strip() for line in text.replace("\r", "\n").splitlines()]
        said = "; ".join(line for line in lines if line and not line.startswith("hint:"))
        shown = "".join(character for character in said if character.isprintable())
        for secret in self._secrets():
            shown = shown.replace(secret, "[hidden]")
        return f"git {command}: {shown[:_MAX_MESSAGE_CHARS] or f'ended with code {code}'}"


@contextmanager
def git_program(
    trusted: Path | None = None, header: str = "", header_scope: str = ""
) -> Iterator[Git]:
    """The git program with a private file of settings.

    Args:
        trusted: A local repository that the configuration names; git would refuse it in a
            container, where it belongs to another user.
        header: Authorization header.
        header_scope: Address below which it is sent.
    """
    with tempfile.TemporaryDirectory(prefix="askfolio-git-") as folder:
        settings = Path(folder) / "settings"
        settings.write_bytes(os.fsencode(settings_text(trusted)))
        yield Git(settings, header, header_scope)


def _too_much(command: str, max_bytes: int) -> str:
    return f"git {command} wrote more than {max_bytes >> 20} MiB"


def _start(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    stdin: IO[bytes] | int,
    stdout: IO[bytes] | int,
    stderr: IO[bytes] | int,
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            ["git", *arguments],
            env=environment,
            cwd=os.sep,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )
    except FileNotFoundError as error:
        raise GitFailed("the program git is not installed: install git 2.30 or newer") from error


def _wait(process: subprocess.Popen[bytes], command: str, timeout_s: float, max_bytes: int) -> int:
    try:
        if sys.platform == "linux":
            _limit_files(process.pid, max_bytes)
            _await_end(process, timeout_s)
        return process.wait(timeout_s)
    except subprocess.TimeoutExpired as error:
        raise GitFailed(f"git {command} took longer than {timeout_s:.0f} s") from error
    finally:
        end(process)


def _await_end(process: subprocess.Popen[bytes], timeout_s: float) -> None:
    """Return as soon as the process ends: `wait` with a timeout looks every 50 ms only."""
    try:
        handle = os.pidfd_open(process.pid)
    except OSError:  # it has ended, or the kernel is older than 5.3
        return
    try:
        ended = select.poll()
        ended.register(handle, select.POLLIN)
        if not ended.poll(timeout_s * 1000):
            raise subprocess.TimeoutExpired(process.args, timeout_s)
    finally:
        os.close(handle)


def _limit_files(pid: int, max_bytes: int) -> None:
    try:
        _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        soft = max_bytes if hard == resource.RLIM_INFINITY else min(max_bytes, hard)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (soft, hard))
    except ProcessLookupError:  # it has ended already
        return


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and whatever it started, if it still runs."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
