"""What would a repository add to the knowledge? Read and counted, before its block is written."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypedDict

from ingestion.errors import SourceUnreachable
from ingestion.git.address import check_public, repository_address
from ingestion.planning import SyncOptions
from ingestion.report import SyncReport
from ingestion.repository_blocks import with_repository
from ingestion.run import synchronise
from ingestion.sources.repository import reachable
from ingestion.stored_corpus import read_stored_corpus
from retrieval.configuration import Configuration, Repository
from retrieval.types import ContextMode, Skipped

_SHOWN = 10


class PreviewJson(TypedDict):
    """The object of `askfolio add --json`."""

    name: str
    address: str
    branch: str
    commit: str
    files: int
    tokens: int
    embedded_tokens: int
    cost: dict[str, str | float]
    left_out: dict[str, int]
    skipped: list[dict[str, str]]
    mode: ContextMode
    mode_changed: bool
    added: bool


@dataclass(frozen=True, slots=True)
class Preview:
    """What one repository would bring.

    Attributes:
        name: Name of the source.
        address: URL or path, as in its block.
        branch: Branch or tag that would be read.
        commit: Full id; "" for a repository without a commit.
        tokens: Tokens of its chunks.
        skipped: What would be left out, and why.
        report: Of the sync that was tried.
    """

    name: str
    address: str
    branch: str
    commit: str
    tokens: int
    skipped: tuple[Skipped, ...]
    report: SyncReport

    @property
    def files(self) -> int:
        """Files that would be ingested."""
        return len(self.report.plan.add)

    @property
    def left_out(self) -> Mapping[str, int]:
        """Files by reason, most first; the lines of a secret are not counted one by one."""
        reasons = Counter(skipped.reason.split(":", 1)[0] for skipped in self.skipped)
        return dict(reasons.most_common())

    def lines(self) -> Iterator[str]:
        """For a person."""
        report = self.report
        at = f"{self.branch} at {self.commit[:12]}" if self.commit else "no commit yet"
        yield f"{self.name}: {self.address} ({at})"
        yield from (f"  {notice}" for notice in report.notices)
        yield (
            f"  would ingest {self.files} files, {self.tokens} tokens; would embed "
            f"{report.embedded_texts} texts, {report.embedded_tokens} tokens, "
            f"{report.cost_amount:.4f} {report.currency} (prices of {report.priced_on})"
        )
        if self.skipped:
            counts = ", ".join(f"{count} {reason}" for reason, count in self.left_out.items())
            yield f"  would leave out {len(self.skipped)}: {counts}"
        for skipped in self.skipped[:_SHOWN]:
            yield f"    {skipped.path}: {skipped.reason}"
        if len(self.skipped) > _SHOWN:
            yield f"    and {len(self.skipped) - _SHOWN} more; all of them with --json"
        yield f"  {self._mode_line()}"

    def _mode_line(self) -> str:
        report = self.report
        if report.previous_mode is None:
            return "context mode: decided by the first sync"
        if report.mode_changed:
            why = f"{report.previous_mode} -> {report.mode} ({report.mode_reason})"
            return f"MODE WOULD CHANGE: {why}"
        return f"context mode stays {report.mode}"

    def to_json(self, *, added: bool) -> PreviewJson:
        """The object of `--json`."""
        report = self.report
        return PreviewJson(
            name=self.name,
            address=self.address,
            branch=self.branch,
            commit=self.commit,
            files=self.files,
            tokens=self.tokens,
            embedded_tokens=report.embedded_tokens,
            cost={
                "amount": round(report.cost_amount, 6),
                "currency": report.currency,
                "priced_on": report.priced_on,
            },
            left_out=dict(self.left_out),
            skipped=[{"path": one.path, "reason": one.reason} for one in self.skipped],
            mode=report.mode,
            mode_changed=report.mode_changed,
            added=added,
        )


def preview(
    configuration: Configuration, file: Path, repository: Repository, now: datetime
) -> Preview:
    """Read a repository and try a sync with it; nothing is written but its local copy.

    Args:
        configuration: As it is, without the block.
        file: Its file, for messages.
        repository: The block that would be added.
        now: Aware; the time of the sync.

    Raises:
        ConfigurationError: The name is taken, or the source needs credentials and nobody said
            that visitors may read it.
        SourceUnreachable: The remote does not answer or lacks the ref.
    """
    wider = with_repository(configuration, file, repository)
    address = repository_address(repository, configuration.folder)
    check_public(repository, address)
    reached = reachable(repository, configuration.folder)
    name = repository.source_name
    report = synchronise(wider, SyncOptions(now=now, dry_run=True, source=name))
    for error in report.errors:
        if error.source == name and not error.path:
            raise SourceUnreachable(error.reason)
    stored = read_stored_corpus(configuration.knowledge_path).manifest
    return Preview(
        name=name,
        address=repository.url or repository.path,
        branch=reached.default_branch,
        commit=reached.commit,
        tokens=report.tokens - (stored.tokens if stored else 0),
        skipped=tuple(skipped for skipped in report.skipped if skipped.source == name),
        report=report,
    )
