"""What a long run shows a person: a bar on a terminal, nothing in a pipe."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ingestion.sources.base import ReportProgress, no_progress


@contextmanager
def progress_bar(label: str, unit: str) -> Iterator[ReportProgress]:
    """A bar that is told (done, total); hidden where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield no_progress
        return
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
