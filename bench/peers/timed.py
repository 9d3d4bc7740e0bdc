"""A library's build and its queries, timed in the library's own environment."""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from bench.machine import resident_mb
from bench.peers.workload import Workload, read_workload
from bench.timing import one_at_a_time

# A search by the number of the question, giving the rows of the best passages.
Search = Callable[[int], list[int]]


def run(build: Callable[[Workload, Path], Search]) -> None:
    """Build from the workload in the folder that is the only argument, ask, print JSON."""
    folder = Path(sys.argv[1])
    workload = read_workload(folder)
    started = time.perf_counter()
    search = build(workload, folder)
    build_s = time.perf_counter() - started
    numbers = range(len(workload.questions))
    wall, cpu = one_at_a_time(search, numbers, workload.limits.repeats)
    result = {
        "build_s": round(build_s, 2),
        "resident_mb": resident_mb(),
        "wall_ms": wall,
        "cpu_ms": cpu,
    }
    print(json.dumps(result))
