"""What a long run shows: a bar for a person at a terminal, one line a stage in a pipe."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ingestion.sources.base import ReportProgress


@contextmanager
def progress_bar(label: str, unit: str) -> Iterator[ReportProgress]:
    """A stage that is told (done, total), on stderr.

    Where that is no terminal, a line says at the end what was done; of a stage in which nothing
    was, or that failed, nothing is said.
    """
    shown = _bar(label, unit) if sys.stderr.isatty() else _line(label, unit)
    with shown as report:
        yield report


@contextmanager
def _line(label: str, unit: str) -> Iterator[ReportProgress]:
    started = time.monotonic()
    finished = 0

    def report(done: int, total: int) -> None:
        del total
        nonlocal finished
        finished = done

    yield report
    if finished:
        seconds = time.monotonic() - started
        sys.stderr.write(f"{label}: {finished} {unit}, {seconds:.1f} s\n")


@contextmanager
def _bar(label: str, unit: str) -> Iterator[ReportProgress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as TimeRemaining

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeRemaining(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)

        def report(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total or None)

        yield report
