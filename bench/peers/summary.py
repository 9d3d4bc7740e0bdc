"""Raw times of every library as a table."""

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from bench.timing import percentiles

PRODUCT, BY_HAND = "askfolio", "by hand"

Round = Mapping[str, Any]


def peers_table(result: Mapping[str, Any]) -> str:
    """A Markdown table: medians over the rounds, and their ratio to the product's CPU time."""
    own = median_cpu_ms(result["rounds"][PRODUCT])
    lines = [
        "| | CPU ms | to askfolio | wall ms | resident MB |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, rounds in result["rounds"].items():
        wall = statistics.median(percentiles(one["wall_ms"])["p50"] for one in rounds)
        resident = statistics.median(one["resident_mb"] for one in rounds)
        cpu = median_cpu_ms(rounds)
        lines.append(f"| {name} | {cpu:.2f} | {cpu / own:.2f} | {wall:.2f} | {resident:.0f} |")
    return "\n".join(lines)


def median_cpu_ms(rounds: Sequence[Round]) -> float:
    """Median over the rounds of the median CPU time of a question."""
    return statistics.median(percentiles(one["cpu_ms"])["p50"] for one in rounds)
