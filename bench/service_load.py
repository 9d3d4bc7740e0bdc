"""What does the service add to the model's time, and what does it bear?

    python -m bench.service_load [--rounds 5] [--questions 60] [--searches 2000] [--streams 200]
    python -m bench.service_load --soak 10

Everything on loopback: the service, a scripted model (`bench.scripted_model`) and bare FastAPI
routes with the same answers (`bench.bare_route`) have a process each, the visitors are this one.
What is compared is measured in turn, round by round; a figure is the median of its rounds. "busy"
is the share of the time in which a server used a core: below .9 the visitors were the limit.
"""

import argparse
import asyncio
import itertools
import json
import socket
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.corpora import write_pages
from bench.load_client import STREAM, first_ms, request, responses
from bench.load_processes import Model, Server, bare_route, scripted_model, service
from bench.soak import soak

CHUNKS = 1000
FIRST_MS = 50.0
QUICK_TOKENS = 2
LONG_TOKENS = 100  # five seconds: all streams begin before the first one ends
LEAVERS = 20
_FIRST = b"event: token"
_DONE = b"event: done"
Figures = Mapping[str, object]


def main() -> None:
    """Print one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--searches", type=int, default=2000)
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--soak", type=float, default=0, metavar="MINUTES")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        names = write_pages(root, CHUNKS)
        queries = [name.replace(".", " ").replace("_", " ") for name in names]
        if options.soak:
            with _loaded(root, QUICK_TOKENS) as (server, _):
                result: Figures = asyncio.run(soak(server, queries, options.soak * 60))
        else:
            result = _measured(root, queries, options)
    print(json.dumps(result, indent=1))


def _measured(root: Path, queries: Sequence[str], options: argparse.Namespace) -> Figures:
    with _loaded(root, QUICK_TOKENS) as (server, model):
        first_token = _first_tokens(server, model, queries, options)
        search = _searches(root, server, queries, options)
    with _loaded(root, LONG_TOKENS) as (server, model):
        return {
            "first token": first_token,
            "search": search,
            "idle MB": server.resident_mb,
            "streams": asyncio.run(_streams(server, model, queries, options.streams)),
            "upstream closed after the visitor left": _leaving(server, model, queries),
        }


@contextmanager
def _loaded(root: Path, tokens: int) -> Iterator[tuple[Server, Model]]:
    with scripted_model(FIRST_MS, tokens) as model, service(root, model.port) as server:
        yield server, model


def _first_tokens(
    server: Server, model: Model, queries: Sequence[str], options: argparse.Namespace
) -> Figures:
    """One question at a time, the model alone and through the service by turns."""
    added_ms: list[float] = []
    p95_ms: list[float] = []
    asyncio.run(_first_token_pairs(server, model, queries[:10]))
    for number in range(options.rounds):
        chosen = queries[number * options.questions :][: options.questions]
        alone, through = zip(*asyncio.run(_first_token_pairs(server, model, chosen)), strict=True)
        added_ms.append(statistics.median(through) - statistics.median(alone))
        p95_ms.append(statistics.quantiles(through, n=20)[-1] - statistics.median(alone))
    return {
        "added ms": _rounded(added_ms),
        "added ms, p95": _rounded(p95_ms),
        "questions a round": options.questions,
    }


async def _first_token_pairs(
    server: Server, model: Model, queries: Sequence[str]
) -> list[tuple[float, float]]:
    return [
        (
            await first_ms(model.port, request("/", {}, STREAM), b"word0", b"[DONE]"),
            await first_ms(server.port, _question(query), _FIRST, _DONE),
        )
        for query in queries
    ]


async def _streams(server: Server, model: Model, queries: Sequence[str], count: int) -> Figures:
    model.most_under_way()
    asked = (_question(queries[n % len(queries)]) for n in range(count))
    streams = asyncio.gather(
        *(first_ms(server.port, content, _FIRST, _DONE) for content in asked),
        return_exceptions=True,
    )
    peak_mb = server.resident_mb
    while not streams.done():
        peak_mb = max(peak_mb, server.resident_mb)
        await asyncio.sleep(0.05)
    results = await streams
    firsts = [result for result in results if not isinstance(result, BaseException)]
    return {
        "asked": count,
        "failed": count - len(firsts),
        "most at once at the model": model.most_under_way(),
        "first token ms, median and greatest": [
            round(statistics.median(firsts)),
            round(max(firsts)),
        ],
        "peak MB": peak_mb,
    }


def _leaving(server: Server, model: Model, queries: Sequence[str]) -> Figures:
    """Milliseconds between the visitor's end of the connection and the model's."""
    times: dict[bool, list[float]] = {False: [], True: []}
    for query, has_token in itertools.product(queries[:LEAVERS], times):
        model.watch()
        with socket.create_connection(("127.0.0.1", server.port)) as visitor:
            visitor.sendall(_question(query))
            model.wait_until_asked()
            with visitor.makefile("rb") as received:
                while has_token and not received.readline().startswith(_FIRST):
                    pass
        left = time.monotonic()
        times[has_token].append((model.client_left() - left) * 1000)
    return {
        "before the first token, ms": _rounded(times[False]),
        "after it, ms": _rounded(times[True]),
        "times each": LEAVERS,
    }


def _searches(
    root: Path, server: Server, queries: Sequence[str], options: argparse.Namespace
) -> Figures:
    """The same requests by turns to all; all give the same bytes."""
    wanted = [{"query": query, "mode": "keyword"} for query in queries]
    contents = [request("/search", body) for body in wanted]
    least = [request("/least", body) for body in wanted]
    _, expected = asyncio.run(responses(server.port, contents))
    answers = root / "answers.json"
    found = {query: json.loads(body) for query, body in zip(queries, expected, strict=True)}
    answers.write_text(json.dumps(found), encoding="utf-8")
    with bare_route(answers) as bare:
        for given in (contents, least):
            if asyncio.run(responses(bare.port, given))[1] != expected:
                raise ValueError("the bare route gives other bytes")
        turns = {
            "service": (server, contents),
            "bare route": (bare, contents),
            "least route": (bare, least),
        }
        rounds = [
            {name: _rates(at, given, options.searches) for name, (at, given) in turns.items()}
            for _ in range(options.rounds)
        ]
    return {
        **{name: _described([measured[name] for measured in rounds]) for name in turns},
        **{
            f"throughput to the {name}": _rounded(
                [each["service"]["a second"] / each[name]["a second"] for each in rounds]
            )
            for name in ("bare route", "least route")
        },
        "median bytes": statistics.median(map(len, expected)),
        "requests a round": options.searches,
    }


def _rates(server: Server, requests: Sequence[bytes], count: int) -> dict[str, float]:
    contents = [requests[n % len(requests)] for n in range(count)]
    used = server.processor_s
    seconds, _ = asyncio.run(responses(server.port, contents))
    used = server.processor_s - used
    return {
        "a second": len(contents) / seconds,
        "ms": used / len(contents) * 1000,
        "busy": used / seconds,
    }


def _described(rounds: Sequence[Mapping[str, float]]) -> Figures:
    return {name: _rounded([figures[name] for figures in rounds]) for name in rounds[0]}


def _rounded(values: Sequence[float]) -> dict[str, float]:
    return {
        "median": round(statistics.median(values), 2),
        "least": round(min(values), 2),
        "most": round(max(values), 2),
    }


def _question(query: str) -> bytes:
    return request("/ask", {"question": query}, STREAM)


if __name__ == "__main__":
    main()
