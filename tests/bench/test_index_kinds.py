"""The bench from pages to plots, on a corpus that takes seconds."""

import json
from pathlib import Path

import pytest

from bench.command import run
from bench.index_kinds import estimate
from bench.measurement import BenchOptions
from bench.tables import HEADER, advice, rows, table
from retrieval.errors import ConfigurationError


@pytest.mark.slow
def test_every_kind_is_built_by_sync_and_timed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib", reason="the extra `bench` is not installed")
    file = tmp_path / "results.json"
    run(BenchOptions(sizes=(700,), dimension=64, queries=10, repeats=2, out=file), plots=tmp_path)
    result = json.loads(file.read_text(encoding="utf-8"))
    assert {"processor", "versions", "commit", "seed"} <= set(result["environment"])
    measured = {(one["part"], one["kind"]) for one in result["measurements"]}
    assert measured >= {
        ("dense", "flat"), ("dense", "sq8"), ("dense", "ivf-pq"), ("keyword", "rank-bm25"),
        ("keyword", "tantivy"), ("hybrid", "flat + tantivy"), ("hybrid", "by hand"),
    }  # fmt: skip
    for one in result["measurements"]:
        assert len(one["times"]["cpu_ms"]) == len(one["times"]["wall_ms"]) == 20
        assert one["build"]["embedded_texts"] == 0
    recalls = {one["kind"]: one["recall"] for one in result["measurements"] if one["chosen"]}
    assert recalls["flat"] == 1.0
    assert recalls["ivf-pq"] >= 0.9
    assert "stay with flat" in capsys.readouterr().out
    assert {"recall.png", "recall.svg", "growth.png", "growth.svg"} <= {
        path.name for path in tmp_path.iterdir()
    }


def measurement(
    kind: str, cpu_ms: float, recall: float, chunks: int = 100_000
) -> dict[str, object]:
    times = {
        "cpu_ms": [cpu_ms] * 3, "wall_ms": [cpu_ms] * 3, "per_second": 10.0, "resident_mb": 1.0,
        "first_answer_s": 0.1,
    }  # fmt: skip
    build = {"wall_s": 1.0, "peak_mb": 1.0}
    return {
        "chunks": chunks, "part": "dense", "kind": kind, "nprobe": 0, "chosen": True,
        "build": build, "disk_bytes": 1, "recall": recall, "times": times,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("flat_ms", "recall", "expected"),
    [
        (1.0, 0.99, "stay with flat"),
        (30.0, 0.97, "switch to ivf-pq, 0.50 ms instead of 30.0, losing 3.0%"),
        (30.0, 0.80, "take sq8"),
    ],
)
def test_the_advice_weighs_time_against_what_is_lost(
    flat_ms: float, recall: float, expected: str
) -> None:
    result = {
        "measurements": [
            measurement("flat", flat_ms, 1.0),
            measurement("ivf-pq", 0.5, recall),
        ]
    }
    (sentence,) = advice(result)
    assert expected in sentence
    assert len(table(result).splitlines()) == 4
    assert all(len(row) == len(HEADER) for row in rows(result))


def test_an_estimate_names_time_memory_and_disk() -> None:
    assert "minutes" in estimate(1_000_000, 1024)
    assert "memory" in estimate(1_000_000, 1024)


@pytest.mark.parametrize("sizes", [(), (0,), (10, -1)])
def test_sizes_below_one_are_refused(sizes: tuple[int, ...]) -> None:
    with pytest.raises(ConfigurationError, match="at least 1"):
        run(BenchOptions(sizes=sizes))
