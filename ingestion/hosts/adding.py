"""Which repositories of an account would become sources, and why is each of the others left out?"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ingestion.errors import SourceUnreachable
from ingestion.hosts.kinds import ListedRepository
from ingestion.hosts.listing import account, list_repositories
from ingestion.repository_blocks import free_name, repository_block
from ingestion.sources.repository import reachable
from retrieval.configuration import Configuration, Repository


@dataclass(frozen=True, slots=True)
class AccountOffer:
    """What `add --all` found.

    Attributes:
        address: Of the account.
        repositories: Blocks that would be added, in the host's order.
        left_out: Reason by the path of each other repository.
    """

    address: str
    repositories: tuple[Repository, ...]
    left_out: Mapping[str, str]

    def lines(self) -> Iterator[str]:
        """For a person."""
        yield f"{self.address}: {len(self.repositories)} to add, {len(self.left_out)} left out"
        yield from (f"  add {found.source_name}: {found.url}" for found in self.repositories)
        yield from (f"  leave out {path}: {reason}" for path, reason in self.left_out.items())

    def to_json(self, *, added: bool) -> dict[str, object]:
        """The object of `--json`."""
        return {
            "address": self.address,
            "repositories": [
                {"name": found.source_name, "url": found.url} for found in self.repositories
            ],
            "left_out": [
                {"path": path, "reason": reason} for path, reason in self.left_out.items()
            ],
            "added": added,
        }


def offer(
    configuration: Configuration,
    address: str,
    *,
    include: tuple[str, ...] = (),
    token_env: str = "",
    environment: Mapping[str, str] = os.environ,
) -> AccountOffer:
    """List an account's repositories; forks, archived, empty and private ones are left out.

    Args:
        configuration: What is there already.
        address: `https://host/user`.
        include: Patterns of every block.
        token_env: Variable that holds a token for the host's API; "" for none.
        environment: Where the variable is.

    Raises:
        ConfigurationError: `address` is none of an account.
        SourceUnreachable: The host does not answer, or the variable is not set.
    """
    found = account(address)
    token = environment.get(token_env, "").strip() if token_env else ""
    if token_env and not token:
        raise SourceUnreachable(f"{address}: {token_env} is not set in the environment")
    wider = configuration
    left_out: dict[str, str] = {}
    for listed in list_repositories(found, token):
        url = found.clone_url(listed)
        reason = listed.left_out or _reason(wider, listed, url)
        block = repository_block(url, wider.folder, include=include)
        owner = (listed.owner or found.owner).replace("/", "-")
        name = free_name(wider, block.source_name, owner)
        if reason or not name:
            left_out[listed.path] = reason or "another source has its name"
            continue
        added = block.model_copy(update={"name": name})
        wider = wider.model_copy(update={"repository": (*wider.repository, added)})
    blocks = wider.repository[len(configuration.repository) :]
    return AccountOffer(address, blocks, left_out)


def _reason(configuration: Configuration, listed: ListedRepository, url: str) -> str:
    known = {_bare(other.url) for other in configuration.repository if other.url}
    if _bare(url) in known:
        return "already a source"
    if not listed.may_be_empty:
        return ""
    # The host does not say it: the repository itself is asked.
    try:
        return "" if reachable(Repository(url=url), configuration.folder).commit else "empty"
    except SourceUnreachable as error:
        return f"cannot be reached: {error}"


def _bare(url: str) -> str:
    return url.lower().rstrip("/").removesuffix(".git")
