"""Does memory stay flat while visitors ask, search and leave, for minutes on end?"""

import asyncio
import itertools
import time
from collections.abc import Mapping, Sequence

from bench.load_client import STREAM, first_ms, leave, request, responses
from bench.load_processes import Server

VISITORS = 20
SAMPLES = 10
_SEARCHES = 8


async def soak(server: Server, queries: Sequence[str], seconds: float) -> Mapping[str, object]:
    """Mixed load; resident memory at the start, SAMPLES times on the way, and at the end.

    Raises:
        ValueError: An answer is not what it should be.
    """
    asked = itertools.cycle(queries)
    counts = {"answers": 0, "searches": 0, "disconnects": 0}
    end = time.monotonic() + seconds

    async def visit() -> None:
        while time.monotonic() < end:
            question = request("/ask", {"question": next(asked)}, STREAM)
            await first_ms(server.port, question, b"event: token", b"event: done")
            searches = [request("/search", {"query": next(asked)}) for _ in range(_SEARCHES)]
            await responses(server.port, searches)
            question = request("/ask", {"question": next(asked)}, STREAM)
            await leave(server.port, question, b"event: meta", wait_s=0.02)
            await leave(server.port, question, b"event: token")
            counts["answers"] += 1
            counts["searches"] += _SEARCHES
            counts["disconnects"] += 2

    resident_mb = [server.resident_mb]
    visits = asyncio.gather(*(visit() for _ in range(VISITORS)))
    for _ in range(SAMPLES):
        await asyncio.wait((visits,), timeout=seconds / SAMPLES)
        resident_mb.append(server.resident_mb)
    await visits
    return {"minutes": round(seconds / 60, 2), "resident MB": resident_mb, **counts}
