"""`askfolio sync`: plan, build where something changed, report."""

import gc
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

from ingestion.building import BuildOutcome, build_generation
from ingestion.decisions import embedding_cost, notices
from ingestion.errors import SyncError
from ingestion.knowledge_folder import KnowledgeFolder
from ingestion.planning import SyncOptions, SyncWork, plan_work
from ingestion.report import SyncReport
from ingestion.source_states import write_states
from retrieval.configuration import Configuration
from retrieval.prices import CURRENCY, PRICED_ON

_OBJECTS_BETWEEN_COLLECTIONS = 100_000


def synchronise(configuration: Configuration, options: SyncOptions) -> SyncReport:
    """Bring the knowledge folder in line with the sources.

    Raises:
        ConfigurationError: A source, an embedder or a key is missing.
        SourceMissing: A folder that the configuration names is not there.
        GenerationIncompatible: The current generation was written by another format.
        SyncRefused: Too much would disappear and `options.yes` is not set.
        SyncRunning: Another sync is running.
        SyncError: The folder cannot be written; what served before still serves.
        ProviderError: The embedder failed; what had arrived is stored.
    """
    started = time.monotonic()
    folder = KnowledgeFolder(configuration.knowledge_path)
    lock = nullcontext() if options.dry_run else folder.locked()
    with _rare_collections(), _write_errors(folder.path), lock:
        work = plan_work(configuration, options)
        manifest = work.unchanged
        if manifest is None:
            outcome = build_generation(work, folder, dry_run=options.dry_run)
        else:
            outcome = BuildOutcome(
                generation=work.stored.current,
                mode=manifest.mode,
                mode_reason=manifest.mode_reason,
                documents=manifest.documents,
                chunks=manifest.chunks,
                tokens=manifest.tokens,
            )
        if not options.dry_run and not outcome.held:
            write_states(folder.path, outcome.generation, work.corpus.states)
    report = _report(work, outcome)
    return replace(report, seconds=time.monotonic() - started, dry_run=options.dry_run)


def _report(work: SyncWork, outcome: BuildOutcome) -> SyncReport:
    return SyncReport(
        generation=outcome.generation,
        mode=outcome.mode,
        mode_reason=outcome.mode_reason,
        previous_mode=work.stored.manifest.mode if work.stored.manifest else None,
        plan=work.plan,
        documents=outcome.documents,
        chunks=outcome.chunks,
        tokens=outcome.tokens,
        embedded_texts=outcome.embedded_texts,
        embedded_tokens=outcome.embedded_tokens,
        cost_amount=embedding_cost(work.configuration, work.kinds, outcome.embedded_tokens),
        currency=CURRENCY,
        priced_on=PRICED_ON,
        skipped=work.corpus.skipped,
        errors=work.corpus.errors + outcome.refused,
        notices=(*notices(work.stored, work.kinds, outcome.documents), *_held(outcome)),
        refusal=work.refusal,
    )


def _held(outcome: BuildOutcome) -> Iterator[str]:
    if outcome.held:
        yield (
            f"HELD: {outcome.held} was built and does not serve, {outcome.generation} does; "
            "`askfolio rollback --release` ends the hold and publishes it"
        )


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Parsing makes millions of objects and no garbage in cycles: looking for it costs a tenth."""
    before = gc.get_threshold()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def _write_errors(path: Path) -> Iterator[None]:
    """A full or read-only disk is a failed sync: the staging folder goes, CURRENT stays."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        reason = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
        raise SyncError(
            f"{path} could not be written: {reason}. What CURRENT names still serves; make room "
            "or give the folder its rights back, then run `askfolio sync` again"
        ) from error
