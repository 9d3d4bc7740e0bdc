"""`askfolio bench`: estimate, measure, print the table and the advice, and draw."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.estimate import estimates
from bench.index_kinds import run_bench
from bench.measurement import BenchOptions
from bench.tables import advice, table
from retrieval.errors import ConfigurationError

QUICK_SIZES = (1_000,)
QUICK_DIMENSION = 256
QUICK_QUERIES = 30
QUICK_REPEATS = 2


def quick(options: BenchOptions) -> BenchOptions:
    """The same with so few queries that it takes less than a minute on a small corpus."""
    return replace(
        options,
        sizes=QUICK_SIZES,
        dimension=QUICK_DIMENSION,
        queries=QUICK_QUERIES,
        repeats=QUICK_REPEATS,
        beside=False,
    )


def run(options: BenchOptions, plots: Path | None = None) -> None:
    """Measure and print; raw results go to `options.out`, plots into `plots`.

    Raises:
        AskfolioError: A build or a probe failed.
        ConfigurationError: An option is wrong, or an extra is not installed.
    """
    options.check()
    if plots:
        from bench.plots import check_installed

        check_installed()  # before the minutes of measuring, not behind them
    for sentence in estimates(options):
        _say(sentence)
    show(run_bench(options), plots)


def show_file(file: Path, plots: Path | None = None) -> None:
    """Print, and draw, what an earlier run measured.

    Raises:
        ConfigurationError: It is no result of the bench.
    """
    try:
        result = json.loads(file.read_text(encoding="utf-8"))
        result["measurements"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(f"{file} is no result of `askfolio bench`: {error}") from error
    show(result, plots)


def show(result: dict[str, Any], plots: Path | None = None) -> None:
    """The table, the advice and the plots of a result."""
    print(table(result))
    print()
    for sentence in advice(result):
        print(sentence)
    if plots:
        from bench.plots import plot

        plots.mkdir(parents=True, exist_ok=True)
        for file in plot([result], plots):
            _say(f"wrote {file}")


def _say(message: str) -> None:
    sys.stderr.write(f"{message}\n")
    sys.stderr.flush()
