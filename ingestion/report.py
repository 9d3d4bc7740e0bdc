"""What a sync did: the JSON of `askfolio sync --json`, and lines for a person."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypedDict

from retrieval.types import ContextMode, Skipped, SyncPlan, Unreadable

EXIT_DONE = 0
EXIT_FAILED = 1
EXIT_REFUSED = 3
EXIT_PARTLY = 4
_SHOWN = 20
Operation = Literal["add", "update", "delete", "ignore"]


class Cost(TypedDict):
    """An amount with the date of the price table."""

    amount: float
    currency: str
    priced_on: str


class LeftOut(TypedDict):
    """A file or source that was skipped or could not be read."""

    source: str
    path: str
    reason: str


class DocumentOperation(TypedDict):
    """What happened to one document."""

    id: str
    operation: Operation


class SyncJson(TypedDict):
    """The object of `askfolio sync --json`."""

    generation: str
    mode: ContextMode
    mode_changed: bool
    added: int
    updated: int
    deleted: int
    ignored: int
    embedded_texts: int
    embedded_tokens: int
    cost: Cost
    skipped: list[LeftOut]
    errors: list[LeftOut]
    documents: list[DocumentOperation]
    seconds: float


@dataclass(frozen=True, slots=True)
class SyncReport:
    """The outcome of one sync.

    Attributes:
        generation: The one that serves now; "" if there is none.
        mode: Context policy of that generation.
        mode_reason: Why.
        previous_mode: Mode before this sync; None at the first.
        plan: Operation of every document.
        documents: Documents of the generation.
        chunks: Chunks of the generation.
        tokens: Tokens of the generation.
        embedded_texts: Texts that were sent to the embedder, or would be.
        embedded_tokens: Their tokens.
        cost_amount: What they cost.
        currency: Of the price table.
        priced_on: Date of the price table.
        skipped: Left out on purpose.
        errors: Could not be read.
        notices: What the owner must be told, such as a full re-embedding.
        seconds: Wall time.
        dry_run: Nothing was changed.
        refusal: Why the sync would not go on without --yes; told by a dry run.
    """

    generation: str
    mode: ContextMode
    mode_reason: str
    previous_mode: ContextMode | None
    plan: SyncPlan
    documents: int
    chunks: int
    tokens: int
    embedded_texts: int
    embedded_tokens: int
    cost_amount: float
    currency: str
    priced_on: str
    skipped: tuple[Skipped, ...] = ()
    errors: tuple[Unreadable, ...] = ()
    notices: tuple[str, ...] = field(default=())
    seconds: float = 0.0
    dry_run: bool = False
    refusal: str = ""

    @property
    def mode_changed(self) -> bool:
        """Whether answers are made from another kind of context than before."""
        return self.previous_mode is not None and self.previous_mode != self.mode

    @property
    def exit_code(self) -> int:
        """0 done, 4 done with unreadable parts, 1 where everything was unreadable, 3 refused."""
        if self.refusal:
            return EXIT_REFUSED
        if not self.errors:
            return EXIT_DONE
        return EXIT_PARTLY if self.documents else EXIT_FAILED

    def to_json(self) -> SyncJson:
        """The object of `--json` and, without the list of documents, of last_sync.json."""
        return SyncJson(
            generation=self.generation,
            mode=self.mode,
            mode_changed=self.mode_changed,
            added=len(self.plan.add),
            updated=len(self.plan.update),
            deleted=len(self.plan.delete),
            ignored=len(self.plan.ignore),
            embedded_texts=self.embedded_texts,
            embedded_tokens=self.embedded_tokens,
            cost=Cost(
                amount=round(self.cost_amount, 6), currency=self.currency, priced_on=self.priced_on
            ),
            skipped=[LeftOut(source=s.source, path=s.path, reason=s.reason) for s in self.skipped],
            errors=[LeftOut(source=e.source, path=e.path, reason=e.reason) for e in self.errors],
            documents=list(_operations(self.plan)),
            seconds=round(self.seconds, 3),
        )

    def lines(self) -> Iterator[str]:
        """The report for a person."""
        plan = self.plan
        yield from self.notices
        if self.mode_changed:
            yield f"MODE CHANGED: {self.previous_mode} -> {self.mode} ({self.mode_reason})"
        verb = "would be " if self.dry_run else ""
        yield (
            f"{verb}added {len(plan.add)}, updated {len(plan.update)}, "
            f"deleted {len(plan.delete)}, ignored {len(plan.ignore)} documents"
        )
        if self.dry_run:
            yield from _operation_lines(plan)
        if self.refusal:
            yield f"WOULD BE REFUSED: {self.refusal}"
        yield (
            f"{verb}embedded {self.embedded_texts} texts, {self.embedded_tokens} tokens, "
            f"{self.cost_amount:.4f} {self.currency} (prices of {self.priced_on})"
        )
        yield from _left_out("skipped", self.skipped)
        yield from _left_out("could not read", self.errors)
        label = "would hold" if self.dry_run else f"generation {self.generation or 'none'}:"
        yield (
            f"{label} {self.documents} documents, {self.chunks} chunks, {self.tokens} tokens, "
            f"mode {self.mode} ({self.mode_reason}), {self.seconds:.1f} s"
        )


def _operations(plan: SyncPlan) -> Iterator[DocumentOperation]:
    operations: tuple[tuple[Operation, tuple[str, ...]], ...] = (
        ("add", plan.add),
        ("update", plan.update),
        ("delete", plan.delete),
        ("ignore", plan.ignore),
    )
    for operation, doc_ids in operations:
        for doc_id in doc_ids:
            yield DocumentOperation(id=doc_id, operation=operation)


def _operation_lines(plan: SyncPlan) -> Iterator[str]:
    """Everything that would disappear; of the rest the first ones."""
    yield from (f"  would delete {doc_id}" for doc_id in plan.delete)
    changed = [("add", doc_id) for doc_id in plan.add]
    changed += [("update", doc_id) for doc_id in plan.update]
    yield from (f"  would {operation} {doc_id}" for operation, doc_id in changed[:_SHOWN])
    if len(changed) > _SHOWN:
        yield f"  and {len(changed) - _SHOWN} more; all of them with --json"


def _left_out(label: str, parts: tuple[Skipped, ...] | tuple[Unreadable, ...]) -> Iterator[str]:
    if parts:
        yield f"{label} {len(parts)}:"
    for part in parts[:_SHOWN]:
        yield f"  {part.source}:{part.path}: {part.reason}"
    if len(parts) > _SHOWN:
        yield f"  and {len(parts) - _SHOWN} more; all of them with --json"
