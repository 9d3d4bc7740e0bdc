"""`askfolio bench`: measure, print the table and the advice, and draw."""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

from bench.index_kinds import run_bench
from bench.measurement import BenchOptions
from bench.tables import advice, table
from retrieval.errors import ConfigurationError

QUICK = BenchOptions(sizes=(1_000,), dimension=256, queries=30, repeats=2)


def run(options: BenchOptions, plots: Path | None = None) -> None:
    """Measure and print; raw results go to `options.out`, plots into `plots`.

    Raises:
        AskfolioError: A build or a probe failed.
        ConfigurationError: A size is below 1, or matplotlib is not installed.
    """
    if not options.sizes or min(options.sizes) < 1 or options.dimension < 1:
        raise ConfigurationError(
            f"sizes and dimension must be at least 1, got {options.sizes} and {options.dimension}"
        )
    result = run_bench(options, _say)
    show(result)
    if plots:
        from bench.plots import plot

        for file in plot(result, plots):
            _say(f"wrote {file}")


def show(result: dict[str, object]) -> None:
    """The table and the advice of a result."""
    print(table(result))
    print()
    for sentence in advice(result):
        print(sentence)


def main() -> None:
    """`python -m bench.command`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", default="1000,10000", help="sizes, with commas")
    parser.add_argument("--dim", type=int, default=1024)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--unclustered", action="store_true", help="the honest worst case")
    parser.add_argument("--quick", action="store_true", help="under a minute")
    parser.add_argument("--out", type=Path, help="raw results as JSON")
    parser.add_argument("--plots", type=Path, help="folder for the plots")
    parser.add_argument("--show", type=Path, help="print the table of a result file and stop")
    given = parser.parse_args()
    if given.show:
        show(json.loads(given.show.read_text(encoding="utf-8")))
        return
    options = BenchOptions(
        sizes=tuple(int(size) for size in given.n.split(",")),
        dimension=given.dim,
        queries=given.queries,
        repeats=given.repeats,
        seed=given.seed,
        clustered=not given.unclustered,
        out=given.out,
    )
    run(replace(QUICK, out=given.out) if given.quick else options, given.plots)


def _say(message: str) -> None:
    sys.stderr.write(f"{message}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    main()
