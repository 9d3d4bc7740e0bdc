"""Raw results as a table for a person, and what an owner should choose."""

from collections.abc import Iterator, Mapping
from typing import Any

from bench.timing import percentiles
from retrieval.keyword import KEYWORD_KINDS

HEADER = (
    "chunks", "part", "kind", "nprobe", "recall@10", "CPU p50 ms", "p95", "p99", "wall p50 ms",
    "queries/s", "index MB", "resident MB", "first answer s", "sync s", "sync peak MB",
)  # fmt: skip
ENOUGH_RECALL = 0.95
QUICK_MS = 5.0
QUICK_KEYWORD_MS = 1.0


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
        size = one["disk_bytes"] / 1e6 or None
        nprobe = f"{one['nprobe']}{'*' if one['chosen'] else ''}" if one["nprobe"] else "-"
        yield [
            str(one["chunks"]), one["part"], one["kind"], nprobe, _cell(one["recall"], ".3f"),
            f"{cpu['p50']:.2f}", f"{cpu['p95']:.2f}", f"{cpu['p99']:.2f}", f"{wall['p50']:.2f}",
            _cell(times["per_second"] or None, ".0f"), _cell(size, ".1f"),
            _cell(times.get("resident_mb"), ".0f"), _cell(times.get("first_answer_s"), ".2f"),
            _cell(build.get("wall_s"), ".1f"), _cell(build.get("peak_mb"), ".0f"),
        ]  # fmt: skip


def advice(result: Mapping[str, Any]) -> Iterator[str]:
    """For each corpus which kinds to choose, with what is lost by it."""
    current = result.get("current") or {}
    chosen = [one for one in result["measurements"] if one["chosen"]]
    for chunks in sorted({one["chunks"] for one in chosen}):
        here = [one for one in chosen if one["chunks"] == chunks]
        dense = {one["kind"]: one for one in here if one["part"] == "dense"}
        keyword = {one["kind"]: one for one in here if one["part"] == "keyword"}
        if "flat" in dense:
            yield f"{chunks} chunks: {_dense_advice(dense, current.get('dense', 'flat'))}"
        else:
            yield f"{chunks} chunks: nothing is embedded, so that there is no dense index to choose"
        if len(keyword) == len(KEYWORD_KINDS):
            sentence = _keyword_advice(keyword, current.get("keyword", "rank-bm25"))
            yield f"{chunks} chunks: {sentence}"


def _dense_advice(kinds: Mapping[str, Mapping[str, Any]], now: str) -> str:
    flat, trained = _cpu(kinds["flat"]), kinds.get("ivf-pq")
    if flat <= QUICK_MS or trained is None:
        return _change("dense", now, "flat", f"{flat:.1f} ms a query and nothing lost")
    if trained["recall"] < ENOUGH_RECALL:
        return (
            f"ivf-pq finds {trained['recall']:.1%} of the nearest ten: take sq8 if memory is "
            "short, flat otherwise"
        )
    return _change(
        "dense", now, "ivf-pq",
        f"{_cpu(trained):.2f} ms a query, flat takes {flat:.1f}; "
        f"{1 - trained['recall']:.1%} of the nearest ten are lost",
    )  # fmt: skip


def _keyword_advice(kinds: Mapping[str, Mapping[str, Any]], now: str) -> str:
    small, large = _cpu(kinds["rank-bm25"]), _cpu(kinds["tantivy"])
    better = "rank-bm25" if small <= QUICK_KEYWORD_MS else "tantivy"
    return _change(
        "keyword", now, better,
        f"rank-bm25 takes {small:.2f} ms a query, tantivy {large:.2f}; nothing is lost",
    )  # fmt: skip


def _change(key: str, now: str, better: str, why: str) -> str:
    if now == better:
        return f"stay with {better}: {why}"
    return (
        f'switch from {now or "none"} to {better} (retrieval.{key} = "{better}", then one '
        f"`askfolio sync`, which embeds nothing): {why}"
    )


def _cell(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def _cpu(one: Mapping[str, Any]) -> float:
    return percentiles(one["times"]["cpu_ms"])["p50"]
