"""How long does one query take? Wall and CPU time of each, after a warm-up."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

WARM_UP = 5
THREADS = 8


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds of each query, in the order in which they ran.

    Attributes:
        wall_ms: By the clock.
        cpu_ms: Of the whole process.
        per_second: Queries with THREADS threads at once.
    """

    wall_ms: tuple[float, ...]
    cpu_ms: tuple[float, ...]
    per_second: float


Query = TypeVar("Query")


def measure(search: Callable[[Query], object], queries: Sequence[Query], repeats: int) -> Times:
    """Time `search` on every query, `repeats` times over, one at a time and then in threads."""
    wall, cpu = one_at_a_time(search, queries, repeats)
    with ThreadPoolExecutor(THREADS) as pool:
        started = time.perf_counter_ns()
        list(pool.map(search, queries))
        seconds = (time.perf_counter_ns() - started) / 1e9
    return Times(wall, cpu, round(len(queries) / seconds, 1))


def one_at_a_time(
    search: Callable[[Query], object], queries: Sequence[Query], repeats: int
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Wall and CPU milliseconds of every query, `repeats` times over, after a warm-up."""
    for query in queries[:WARM_UP]:
        search(query)
    wall: list[float] = []
    cpu: list[float] = []
    for _ in range(repeats):
        for query in queries:
            started, used = time.perf_counter_ns(), time.process_time_ns()
            search(query)
            cpu.append(round((time.process_time_ns() - used) / 1e6, 3))
            wall.append(round((time.perf_counter_ns() - started) / 1e6, 3))
    return tuple(wall), tuple(cpu)


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """p50, p95 and p99."""
    p50, p95, p99 = np.percentile(values, [50, 95, 99])
    return {"p50": round(float(p50), 3), "p95": round(float(p95), 3), "p99": round(float(p99), 3)}
