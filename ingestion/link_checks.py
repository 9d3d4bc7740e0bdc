"""`askfolio status --check-links`: do our own rules and the site's own Hugo agree?"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict

from ingestion.hugo.authority import Difference
from ingestion.sources import site_kind
from ingestion.sources.hugo_site import HugoSite
from retrieval.configuration import Configuration


class DifferenceJson(TypedDict):
    """A page on which the two differ."""

    path: str
    ours: str
    theirs: str


class LinkCheckJson(TypedDict):
    """One source of `askfolio status --check-links --json`."""

    source: str
    authority: str
    differences: list[DifferenceJson]


@dataclass(frozen=True, slots=True)
class LinkCheck:
    """What was compared for one site.

    Attributes:
        source: Name of the site.
        authority: Who decides what is published and where, and why.
        differences: Pages on which our own rules say otherwise.
    """

    source: str
    authority: str
    differences: tuple[Difference, ...]

    def to_json(self) -> LinkCheckJson:
        """The object of `--json`."""
        return LinkCheckJson(
            source=self.source,
            authority=self.authority,
            differences=[
                DifferenceJson(path=each.path, ours=each.ours, theirs=each.theirs)
                for each in self.differences
            ],
        )

    def lines(self) -> Iterator[str]:
        """The comparison for a person."""
        yield f"{self.source}: {self.authority}; {len(self.differences)} differences"
        for each in self.differences:
            yield f"  {each.path}: by our rules {each.ours}, by Hugo {each.theirs}"


def check_links(configuration: Configuration, now: datetime) -> tuple[LinkCheck, ...]:
    """Read every Hugo site and compare.

    Raises:
        SourceMissing: A folder that the configuration names is not there.
    """
    checks = []
    for site in configuration.site:
        root = configuration.resolve(site.path)
        if site.kind == "hugo" or (site.kind == "auto" and site_kind(root) == "hugo"):
            source = HugoSite(site, root, now)
            source.listing()
            checks.append(LinkCheck(source.name, source.authority, source.differences))
    return tuple(checks)
