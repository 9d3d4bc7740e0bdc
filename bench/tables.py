"""Raw results as a table for a person, and what an owner should choose."""

from collections.abc import Iterator, Mapping
from typing import Any

from bench.timing import percentiles

HEADER = (
    "chunks", "part", "kind", "nprobe", "recall@10", "CPU p50 ms", "p95", "p99", "wall p50 ms",
    "queries/s", "index MB", "resident MB", "first answer s", "sync s", "sync peak MB",
)  # fmt: skip
ENOUGH_RECALL = 0.95
QUICK_MS = 5.0


def table(result: Mapping[str, Any]) -> str:
    """A Markdown table, one line a measurement; `*` marks the nprobe that `sync` chose."""
    lines = [f"| {' | '.join(HEADER)} |", f"|{' --- |' * len(HEADER)}"]
    lines += [f"| {' | '.join(row)} |" for row in rows(result)]
    return "\n".join(lines)


def rows(result: Mapping[str, Any]) -> Iterator[list[str]]:
    """The cells of every measurement."""
    for one in result["measurements"]:
        times, build = one["times"], one["build"]
        cpu, wall = percentiles(times["cpu_ms"]), percentiles(times["wall_ms"])
        nprobe = f"{one['nprobe']}{'*' if one['chosen'] else ''}" if one["nprobe"] else "-"
        recall = "-" if one["recall"] is None else f"{one['recall']:.3f}"
        yield [
            str(one["chunks"]), one["part"], one["kind"], nprobe, recall,
            f"{cpu['p50']:.2f}", f"{cpu['p95']:.2f}", f"{cpu['p99']:.2f}", f"{wall['p50']:.2f}",
            f"{times['per_second']:.0f}", f"{one['disk_bytes'] / 1e6:.1f}",
            f"{times['resident_mb']:.0f}", f"{times['first_answer_s']:.2f}",
            f"{build['wall_s']:.1f}", f"{build['peak_mb']:.0f}",
        ]  # fmt: skip


def advice(result: Mapping[str, Any]) -> Iterator[str]:
    """For each size the dense kind to choose, with what is lost by it."""
    dense = [one for one in result["measurements"] if one["part"] == "dense" and one["chosen"]]
    for chunks in sorted({one["chunks"] for one in dense}):
        kinds = {one["kind"]: one for one in dense if one["chunks"] == chunks}
        flat = _cpu(kinds["flat"])
        if flat <= QUICK_MS or "ivf-pq" not in kinds:
            yield f"{chunks} chunks: stay with flat, {flat:.1f} ms a query and nothing lost"
            continue
        trained = kinds["ivf-pq"]
        if trained["recall"] < ENOUGH_RECALL:
            yield (
                f"{chunks} chunks: ivf-pq finds {trained['recall']:.1%} of the nearest ten: take "
                "sq8 if memory is short, flat otherwise"
            )
            continue
        yield (
            f"{chunks} chunks: switch to ivf-pq, {_cpu(trained):.2f} ms instead of {flat:.1f}, "
            f"losing {1 - trained['recall']:.1%} of the nearest ten"
        )


def _cpu(one: Mapping[str, Any]) -> float:
    return percentiles(one["times"]["cpu_ms"])["p50"]
