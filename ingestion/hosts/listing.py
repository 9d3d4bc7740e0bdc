"""Which repositories does `https://host/user` stand for?"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from ingestion.errors import SourceUnreachable
from ingestion.hosts.answers import NotOnHost, get_json
from ingestion.hosts.kinds import (
    API_HOSTS,
    FIRST_LABELS,
    KINDS,
    KNOWN_HOSTS,
    HostKind,
    ListedRepository,
    list_paths,
)
from retrieval.errors import ConfigurationError

MAX_PAGES = 100
_PAGE_SIZE = 100
_OWNER = re.compile(r"[A-Za-z0-9_~-][A-Za-z0-9._~-]*(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*")
_PATH = re.compile(r"(?:[A-Za-z0-9_~.-]+/)+[A-Za-z0-9_.~-]+")
_NEXT = re.compile(r'rel="?next"?')
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Account:
    """A user, an organisation or a group on a host.

    Attributes:
        root: Address of the host, `https://host`.
        host: Its name alone.
        owner: The account.
    """

    root: str
    host: str
    owner: str

    def clone_url(self, repository: ListedRepository) -> str:
        """Made from the host that was asked: an answer cannot lead to another one."""
        return f"{self.root}/{repository.path}.git"


def account(address: str) -> Account:
    """Read `https://host/user`.

    Raises:
        ConfigurationError: No https address of a user, or one with credentials in it.
    """
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError as error:
        raise ConfigurationError(f"{address!r} is no address: {error}") from error
    owner = parts.path.strip("/")
    if parts.username is not None or parts.password is not None:
        raise ConfigurationError(
            f"the address at {parts.hostname} holds credentials: put the token into an environment "
            "variable and name that with --token-env"
        )
    if not _is_safe(parts) or not _OWNER.fullmatch(owner) or ".." in owner:
        raise ConfigurationError(
            f"--all takes the address of a user or an organisation, such as https://host/user, "
            f"not {address!r}"
        )
    host = (parts.hostname or "").lower()
    shown = f"[{host}]" if ":" in host else host
    return Account(f"{parts.scheme}://{shown}{f':{port}' if port else ''}", host, owner)


def list_repositories(found: Account, token: str) -> tuple[ListedRepository, ...]:
    """Every repository of the account, in the host's order.

    Args:
        found: Whose.
        token: Sent to the host's API alone; "" for none.

    Raises:
        SourceUnreachable: The host does not answer, or is of no known kind.
    """
    kind = KNOWN_HOSTS.get(found.host) or FIRST_LABELS.get(found.host.split(".", 1)[0])
    kind = kind or _probed(found, token)
    root = API_HOSTS.get(found.host, found.root + kind.root)
    headers = _headers(kind, token)
    *first, last = list_paths(kind, found.owner)
    for path in first:
        try:
            return tuple(_pages(f"{root}/{path}", kind, headers))
        except NotOnHost:
            continue
    return tuple(_pages(f"{root}/{last}", kind, headers))


def _headers(kind: HostKind, token: str) -> dict[str, str]:
    return {"Authorization": kind.authorization.replace("{token}", token)} if token else {}


def _probed(found: Account, token: str) -> HostKind:
    for kind in KINDS:
        try:
            get_json(f"{found.root}{kind.root}/{kind.probe}", _headers(kind, token))
        except NotOnHost:
            continue
        return kind
    raise SourceUnreachable(
        f"{found.root} has none of the known APIs (GitHub, GitLab, Forgejo, Gitea): add its "
        "repositories one by one"
    )


def _pages(url: str, kind: HostKind, headers: dict[str, str]) -> Iterator[ListedRepository]:
    seen: set[str] = set()
    mark = "&" if "?" in url else "?"
    for page in range(1, MAX_PAGES + 1):
        answer = get_json(f"{url}{mark}{kind.size}={_PAGE_SIZE}&page={page}", headers)
        if not isinstance(answer.value, list):
            raise SourceUnreachable(f"{url} answered with no list: is this a {kind.name} host?")
        entries = [kind.read(fields) for fields in answer.value if isinstance(fields, dict)]
        new = [entry for entry in entries if entry and entry.path not in seen]
        yield from (entry for entry in new if _is_path(entry.path))
        seen |= {entry.path for entry in new}
        # A host may give fewer entries a page than it was asked for: an empty page is the end.
        if not new or (answer.link is not None and not _NEXT.search(answer.link)):
            return
    raise SourceUnreachable(f"{url} has more than {MAX_PAGES} pages: add repositories one by one")


def _is_path(path: str) -> bool:
    return _PATH.fullmatch(path) is not None and not {".", ".."} & set(path.split("/"))


def _is_safe(parts: SplitResult) -> bool:
    """Whether a token may be sent there."""
    host = (parts.hostname or "").lower()
    if parts.query or parts.fragment or not host or not host.isascii():
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and host in _LOOPBACK)
