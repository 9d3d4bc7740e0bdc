"""What does a repository's address mean, and is it one that may be handed to git?"""

import base64
import os
import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ingestion.errors import SourceUnreachable
from ingestion.git.environment import TRANSPORTS
from ingestion.git.program import Git, git_program
from retrieval.configuration import Repository
from retrieval.errors import ConfigurationError

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_HELPER = re.compile(r"[A-Za-z0-9+.-]*::")
_SCP = re.compile(r"(?:(?P<user>[^@/:\s]+)@)?(?P<host>\[[0-9A-Fa-f:.]+\]|[^/:@\s]+):(?P<path>.+)")
_ALIASES = {"git+ssh": "ssh", "ssh+git": "ssh"}
# git-check-ref-format, and no pattern characters, which ls-remote would expand.
_BAD_REF = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|^[-/.]|[/.]$|//|\.lock$")
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Address:
    """Where a repository lies.

    Attributes:
        url: What git is given.
        shown: What a message names.
        transport: file, git, http, https or ssh.
        host: Lower-case host; "" for a local repository.
        path: Path on the host, without `/` at its ends and without `.git`.
        folder: The folder of a local repository.
    """

    url: str
    shown: str
    transport: str
    host: str = ""
    path: str = ""
    folder: Path | None = None

    def open_git(
        self, token_env: str = "", environment: Mapping[str, str] = os.environ
    ) -> AbstractContextManager[Git]:
        """The git program with what this address needs: trust of a folder, or a token.

        Raises:
            SourceUnreachable: The variable named by token_env is not set.
        """
        if not token_env:
            return git_program(self.folder)
        token = environment.get(token_env, "").strip()
        if not token:
            raise SourceUnreachable(
                f"{self.shown}: token_env names {token_env}, which is not set in the environment"
            )
        user = "x-token-auth" if self.host == "bitbucket.org" else "x-access-token"
        pair = token if ":" in token else f"{user}:{token}"
        basic = base64.b64encode(pair.encode()).decode("ascii")
        parts = urlsplit(self.url)
        return git_program(
            None, f"Authorization: Basic {basic}", f"{parts.scheme}://{parts.netloc}/"
        )


def repository_address(repository: Repository, folder: Path) -> Address:
    """Read the address of a `[[repository]]` block.

    Args:
        repository: The block.
        folder: What a relative path is relative to.

    Raises:
        ConfigurationError: An address or a ref that git must not be given.
    """
    _check_ref(repository)
    if repository.path:
        place = Path(os.path.normpath((folder / Path(repository.path).expanduser()).absolute()))
        address = Address(place.as_uri(), str(place), "file", folder=place)
    else:
        address = _parse(repository.url)
    if repository.token_env:
        _check_token_transport(address)
    return address


def check_public(repository: Repository, address: Address) -> None:
    """Refuse a source that needs credentials until its block says `public = true`.

    Raises:
        ConfigurationError: It needs credentials, and nobody said that visitors may read it.
    """
    if repository.public or not (repository.token_env or address.transport == "ssh"):
        return
    why = "token_env" if repository.token_env else "ssh"
    raise ConfigurationError(
        f"[[repository]] {repository.source_name} ({address.shown}) is read with credentials "
        f"({why}), so it may be private, and visitors can read whatever is ingested: set "
        "public = true in its block if that is meant"
    )


def _parse(url: str) -> Address:
    if not url.isprintable() or url != url.strip() or " " in url:
        raise ConfigurationError(f"repository url {url!r} holds a space or a control character")
    if url.startswith("-") or _HELPER.match(url):
        raise ConfigurationError(f"repository url {url!r} is no address: {_accepted()}")
    if scheme := _SCHEME.match(url):
        return _parse_url(url, scheme.group(1).lower())
    if scp := _SCP.fullmatch(url):
        _check_host(url, scp["host"])
        _check_host(url, scp["user"] or "git")
        return Address(url, url, "ssh", scp["host"].strip("[]").lower(), _bare(scp["path"]))
    raise ConfigurationError(
        f"repository url {url!r} is no address: {_accepted()}; a folder is given as path"
    )


def _parse_url(url: str, scheme: str) -> Address:
    transport = _ALIASES.get(scheme, scheme)
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").lower()
        _ = parts.port  # raises for a port that is no number
    except ValueError as error:
        raise ConfigurationError(f"repository url is no address ({error})") from error
    if transport not in TRANSPORTS:
        raise ConfigurationError(f"repository url {scheme}://{host}…: {_accepted()}")
    if parts.password is not None or (parts.username is not None and transport != "ssh"):
        raise ConfigurationError(
            f"repository url at {host} holds credentials: take them out of the URL, put the token "
            "into an environment variable and name that in token_env"
        )
    path = unquote(parts.path)
    if transport == "file":
        return Address(url, url, transport, path=_bare(path), folder=Path(path))
    if not host:
        raise ConfigurationError(f"repository url {url!r} names no host")
    _check_host(url, host)
    _check_host(url, parts.username or "git")
    return Address(url, url, transport, host, _bare(path))


def _check_host(url: str, name: str) -> None:
    if name.startswith("-"):
        raise ConfigurationError(f"repository url {url!r}: a name in it begins with a dash")


def _check_ref(repository: Repository) -> None:
    ref = repository.ref
    if ref and (_BAD_REF.search(ref) or ref == "@"):
        raise ConfigurationError(
            f"[[repository]] {repository.source_name}: ref {ref!r} is no name of a branch or tag, "
            "and no full commit id"
        )


def _check_token_transport(address: Address) -> None:
    if address.transport == "https":
        return
    if address.transport == "http" and address.host in _LOOPBACK:
        return
    raise ConfigurationError(
        f"{address.shown}: token_env is for https addresses, never sent over {address.transport}"
    )


def _bare(path: str) -> str:
    return path.strip("/").removesuffix(".git").rstrip("/")


def _accepted() -> str:
    return "accepted are https, http, ssh, git and file URLs, and user@host:path"
