"""What the committed results say, as Markdown tables for docs/scale.md."""

import json
import statistics
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.timing import percentiles
from retrieval.configuration import RetrievalSection
from retrieval.errors import ConfigurationError
from retrieval.sizing import choose_kinds, swap_bytes

DIMENSION = 1024
RULE_SIZES = (1_000, 10_000, 10_001, 50_000, 50_001, 100_000, 1_000_000)

Result = Mapping[str, Any]


def rules_table() -> str:
    """What `auto` takes at which size, from the rules themselves."""
    lines = [
        "| chunks | dense | keyword | expected MB with both generations of a swap |",
        "| --- | --- | --- | --- |",
    ]
    settings = RetrievalSection()
    for chunks in RULE_SIZES:
        try:
            kinds = choose_kinds(settings, "auto", chunks, DIMENSION)
        except ConfigurationError:
            lines.append(f"| {chunks:,} | refused, names what to choose | | |")
            continue
        expected = swap_bytes(kinds.dense, kinds.keyword, chunks, DIMENSION) / 1e6
        lines.append(f"| {chunks:,} | {kinds.dense} | {kinds.keyword} | {expected:.0f} |")
    return "\n".join(lines)


def joined(make: Callable[[Result], list[str]], results: Sequence[Result]) -> str:
    """One table over several results; `make` gives header, rule and rows."""
    made = [make(result) for result in results]
    rows = [row for lines in made for row in lines[2:]]
    return "\n".join([*made[0][:2], *rows]) if rows else ""


def queries_table(result: Result) -> list[str]:
    """The whole query by kinds of index."""
    lines = [
        "| chunks | kinds | CPU ms p50 | p95 | p99 | wall ms p50 | queries/s, 8 threads | "
        "first answer s | resident MB |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for one in result["measurements"]:
        if one["part"] == "hybrid":
            times = one["times"]
            cpu, wall = percentiles(times["cpu_ms"]), percentiles(times["wall_ms"])
            lines.append(
                f"| {_size(result, one)} | {one['kind']} | {cpu['p50']:.2f} | {cpu['p95']:.2f} | "
                f"{cpu['p99']:.2f} | {wall['p50']:.2f} | {times['per_second']:.0f} | "
                f"{times['first_answer_s']:.2f} | {times['resident_mb']:.0f} |"
            )
    return lines


def readme_row(results: Sequence[Result]) -> str:
    """Sizes and CPU times of the whole query by the kinds for large corpora, clustered vectors."""
    found = [
        (one["chunks"], percentiles(one["times"]["cpu_ms"])["p50"])
        for result in results
        if result["options"]["clustered"]
        for one in result["measurements"]
        if (one["part"], one["kind"]) == ("hybrid", "ivf-pq + tantivy")
    ]
    sizes = "; ".join(f"{chunks:,}" for chunks, _ in found)
    times = "; ".join(f"{milliseconds:.1f}" for _, milliseconds in found)
    return (
        f"| a hybrid search of {sizes} chunks, CPU ms (p50), vector ready: "
        f"[docs/scale.md](docs/scale.md) | {times} | `askfolio bench --n N` |"
    )


def recall_table(result: Result) -> list[str]:
    """Each index alone; for ivf-pq every nprobe."""
    lines = [
        "| chunks | index | nprobe | recall@10 | CPU ms p50 | p99 | index MB | resident MB |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for one in result["measurements"]:
        if one["part"] in ("dense", "keyword"):
            cpu = percentiles(one["times"]["cpu_ms"])
            nprobe = f"{one['nprobe']}{', chosen' if one['chosen'] else ''}"
            recall = "" if one["recall"] is None else f"{one['recall']:.3f}"
            size = f"{one['disk_bytes'] / 1e6:.1f}" if one["disk_bytes"] else ""
            lines.append(
                f"| {_size(result, one)} | {one['kind']} | {nprobe if one['nprobe'] else ''} | "
                f"{recall} | {cpu['p50']:.2f} | {cpu['p99']:.2f} | {size} | "
                f"{one['times']['resident_mb']:.0f} |"
            )
    return lines


def builds_table(result: Result) -> list[str]:
    """What a sync took that embeds nothing."""
    lines = [
        "| chunks | dense | by | wall s | CPU s | peak MB |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for one in result["measurements"]:
        if one["part"] == "dense" and one["chosen"]:
            cost = one["build"]
            lines.append(
                f"| {_size(result, one)} | {one['kind']} | {cost['by']} | {cost['wall_s']:.0f} | "
                f"{cost['cpu_s']:.0f} | {cost['peak_mb']:.0f} |"
            )
    return lines


def change_table(result: Result) -> list[str]:
    """One document of ten passages replaced, in the engine alone."""
    lines = ["| chunks | engine | CPU s | wall s |", "| --- | --- | --- | --- |"]
    for one in result["measurements"]:
        if one["part"] == "change":
            cpu = statistics.median(one["times"]["cpu_ms"]) / 1000
            wall = statistics.median(one["times"]["wall_ms"]) / 1000
            lines.append(f"| {_size(result, one)} | {one['kind']} | {cpu:.3f} | {wall:.3f} |")
    return lines


def service_table(results: Sequence[Result]) -> str:
    """The whole service over HTTP."""
    lines = [
        "| chunks | kinds | first answer s | its MB | resident MB | searches | wall ms p50 | p99 |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for one in results:
        wall = one["wall_ms"]
        lines.append(
            f"| {one['chunks']:,} | {one['dense']} + {one['keyword']} | "
            f"{one['first_answer_s']:.2f} | {one['first_answer_mb']:.0f} | "
            f"{one['resident_mb']:.0f} | {one['searches']} | {wall['p50']:.1f} | "
            f"{wall['p99']:.1f} |"
        )
    return "\n".join(lines) if results else ""


def concurrent_table(results: Sequence[Result]) -> str:
    """Many searches at once."""
    lines = [
        "| chunks | at once | thread caches | seconds | searches | errors | wall ms p50 | p99 | "
        "MB, halves | without files, halves |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for one in results:
        wall = one["wall_ms"]
        (first, second), (anonymous, later) = one["halves_mb"], one["anonymous_halves_mb"]
        lines.append(
            f"| {one['chunks']:,} | {one['threads']} | {'on' if one['thread_caches'] else 'off'} | "
            f"{one['seconds']:.0f} | {one['searches']} | "
            f"{one['errors']} | {wall['p50']:.0f} | {wall['p99']:.0f} | "
            f"{first:.1f}, {second:.1f} | {anonymous:.1f}, {later:.1f} |"
        )
    return "\n".join(lines) if results else ""


def machine_table(folder: Path) -> str:
    """How each result was made."""
    lines = ["| file | command | commit | seed |", "| --- | --- | --- | --- |"]
    for file in sorted(folder.glob("*.json")):
        made = json.loads(file.read_text(encoding="utf-8"))["environment"]
        command = " ".join(made["command"])
        lines.append(
            f"| `bench/results/{file.name}` | `{command}` | {made['commit'][:8]} | {made['seed']} |"
        )
    return "\n".join(lines)


def _size(result: Result, one: Result) -> str:
    return f"{one['chunks']:,}{'' if result['options']['clustered'] else ', no clusters'}"
