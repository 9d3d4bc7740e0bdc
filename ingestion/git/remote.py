"""Which commit does a remote hold under a ref, or as its default branch?"""

import re
from dataclasses import dataclass

from ingestion.errors import SourceUnreachable
from ingestion.git.address import Address
from ingestion.git.program import Git, GitFailed

_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_FALLBACK_BRANCHES = ("refs/heads/main", "refs/heads/master")
_MAX_LISTED = 10


@dataclass(frozen=True, slots=True)
class RemoteHead:
    """What is to be read.

    Attributes:
        commit: Full id.
        wanted: What to ask the remote for: a ref or the id.
        branch: Short name of the branch or tag; HEAD where none is known.
    """

    commit: str
    wanted: str
    branch: str


def remote_head(git: Git, address: Address, ref: str) -> RemoteHead | None:
    """Ask the remote; None for a repository without a commit.

    Raises:
        SourceUnreachable: It does not answer, or has no such branch, tag or default branch.
    """
    if _COMMIT.fullmatch(ref):
        return RemoteHead(ref, ref, ref)
    if not ref:
        return _default_head(git, address)
    names = (f"refs/heads/{ref}", f"refs/tags/{ref}", ref)
    found = _listed(git, address, *names, f"refs/tags/{ref}^{{}}", f"{ref}^{{}}")
    for name in names:
        if name in found and name.startswith("refs/"):
            return RemoteHead(found.get(f"{name}^{{}}", found[name]), name, ref)
    raise SourceUnreachable(
        f"{address.shown} has no branch or tag {ref!r}: correct ref in its block, or leave it out "
        "for the default branch"
    )


def _default_head(git: Git, address: Address) -> RemoteHead | None:
    found = _listed(git, address, "HEAD")
    if "HEAD" in found:
        branch = found.get("ref: HEAD", "HEAD").removeprefix("refs/heads/")
        return RemoteHead(found["HEAD"], "HEAD", branch)
    # HEAD names a branch without a commit: the repository is empty, or HEAD was left behind when
    # the branch was renamed.
    branches = _listed(git, address, "refs/heads/*")
    if not branches:
        return None
    for name in (*_FALLBACK_BRANCHES, *branches):
        if name in branches and (name in _FALLBACK_BRANCHES or len(branches) == 1):
            return RemoteHead(branches[name], name, name.removeprefix("refs/heads/"))
    known = ", ".join(name.removeprefix("refs/heads/") for name in list(branches)[:_MAX_LISTED])
    raise SourceUnreachable(
        f"{address.shown} has no default branch: set ref in its block to one of {known}"
    )


def _listed(git: Git, address: Address, *patterns: str) -> dict[str, str]:
    try:
        output = git.run("ls-remote", "--symref", "--", address.url, *patterns, network=True)
    except GitFailed as error:
        raise SourceUnreachable(
            f"{address.shown} cannot be reached: {error}{_advice(address)}"
        ) from error
    found = {}
    for line in output.decode("utf-8", "replace").splitlines():
        value, _, name = line.partition("\t")
        if value.startswith("ref: "):
            found[f"ref: {name}"] = value.removeprefix("ref: ")
        elif _COMMIT.fullmatch(value):
            found[name] = value
    return found


def _advice(address: Address) -> str:
    folder = address.folder
    if folder is None:
        return ". Check the address, the network and, for a private repository, token_env"
    if not folder.is_dir():
        return ". There is no such folder: correct its block in askfolio.toml"
    for parent in folder.parents:
        if (parent / ".git").exists() and not (folder / "HEAD").is_file():
            part = folder.relative_to(parent).as_posix()
            return f'. It lies in the repository {parent}: name that, with include = ["/{part}/**"]'
    return ". It is no Git repository, or not one that this user may read"
