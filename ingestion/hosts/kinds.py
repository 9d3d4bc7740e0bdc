"""How does a kind of Git host list a user's repositories, and what does it say about each?"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

LeftOut = Literal["", "fork", "archived", "empty", "private"]
Fields = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ListedRepository:
    """One entry of a host's answer.

    Attributes:
        path: `owner/name` on the host.
        left_out: Why it is not added; "" where it is.
        may_be_empty: The host does not say whether it has a commit.
    """

    path: str
    left_out: LeftOut = ""
    may_be_empty: bool = False

    @property
    def owner(self) -> str:
        """Everything before the name."""
        return self.path.rpartition("/")[0]

    @property
    def name(self) -> str:
        """Its own name."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class HostKind:
    """What the API of a host is like.

    Attributes:
        name: For messages.
        root: Path of the API on the host.
        lists: Paths of lists, tried in order, with {owner}; the second is for organisations.
        size: Parameter that asks for a number of entries a page.
        authorization: Form of the header, with {token}.
        probe: Path below `root` that only this kind answers.
        read: One entry of a list; None where it has not the form of one.
    """

    name: str
    root: str
    lists: tuple[str, ...]
    size: str
    authorization: str
    probe: str
    read: Callable[[Fields], ListedRepository | None]


def _github(fields: Fields) -> ListedRepository | None:
    path = fields.get("full_name")
    if not isinstance(path, str):
        return None
    # The size is in KiB, rounded down: 0 is an empty repository or a very small one.
    return ListedRepository(path, _reason(fields), may_be_empty=fields.get("size") == 0)


def _forgejo(fields: Fields) -> ListedRepository | None:
    path = fields.get("full_name")
    if not isinstance(path, str):
        return None
    return ListedRepository(path, _reason(fields) or ("empty" if fields.get("empty") else ""))


def _gitlab(fields: Fields) -> ListedRepository | None:
    path = fields.get("path_with_namespace")
    if not isinstance(path, str):
        return None
    said = {
        "private": fields.get("visibility", "public") != "public",
        "fork": fields.get("forked_from_project") is not None,
        "archived": fields.get("archived"),
    }
    is_empty = fields.get("empty_repo") or fields.get("default_branch", "") is None
    return ListedRepository(path, _reason(said) or ("empty" if is_empty else ""))


def _reason(fields: Fields) -> LeftOut:
    reasons: tuple[LeftOut, ...] = ("private", "fork", "archived")
    return next((reason for reason in reasons if fields.get(reason)), "")


GITHUB = HostKind(
    "GitHub", "/api/v3", ("users/{owner}/repos",), "per_page", "Bearer {token}", "meta", _github
)
GITLAB = HostKind(
    "GitLab",
    "/api/v4",
    ("users/{owner}/projects", "groups/{owner}/projects?include_subgroups=true"),
    "per_page",
    "Bearer {token}",
    "projects?per_page=1",
    _gitlab,
)
FORGEJO = HostKind(
    "Forgejo or Gitea",
    "/api/v1",
    ("users/{owner}/repos", "orgs/{owner}/repos"),
    "limit",
    "token {token}",
    "version",
    _forgejo,
)
KINDS = (FORGEJO, GITLAB, GITHUB)
KNOWN_HOSTS: Mapping[str, HostKind] = {
    "github.com": GITHUB,
    **dict.fromkeys(("gitlab.com", "framagit.org", "salsa.debian.org", "invent.kde.org"), GITLAB),
    **dict.fromkeys(("codeberg.org", "gitea.com", "git.disroot.org"), FORGEJO),
}
FIRST_LABELS: Mapping[str, HostKind] = {
    "github": GITHUB, "gitlab": GITLAB, "forgejo": FORGEJO, "gitea": FORGEJO
}  # fmt: skip
"""A host of one's own is told by the first part of its name, or by which API it answers."""
API_HOSTS: Mapping[str, str] = {"github.com": "https://api.github.com"}
"""Hosts whose API lies elsewhere."""


def list_paths(kind: HostKind, owner: str) -> tuple[str, ...]:
    """Paths of the lists of `owner`, which is a group where it has several parts."""
    lists = kind.lists[1:] if "/" in owner and len(kind.lists) > 1 else kind.lists
    return tuple(path.replace("{owner}", quote(owner, safe="")) for path in lists)
