"""How is the service doing? Numbers for Prometheus; no text, no address in any label.

Source: Prometheus text exposition format 0.0.4. Every process counts for itself.
"""

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from service.answer import Answer
from service.chat import Usage

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_BOUNDS_S = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_NAMED = {"\\": r"\\", '"': r"\"", "\n": r"\n"}


@dataclass(frozen=True, slots=True)
class Gauges:
    """What is read at the moment of asking.

    Attributes:
        spent: Today, in the currency of the price table.
        generation: Name of what serves; "" for nothing.
        age_s: Seconds since the last sync; None where that is not known.
    """

    spent: float
    generation: str
    age_s: float | None


class Histogram:
    """Cumulative counts of seconds."""

    def __init__(self) -> None:
        self._counts = [0] * (len(_BOUNDS_S) + 1)
        self._sum = 0.0

    def observe(self, seconds: float) -> None:
        """Count one duration."""
        self._counts[bisect_left(_BOUNDS_S, seconds)] += 1
        self._sum += seconds

    def lines(self, name: str) -> Iterator[str]:
        """The samples."""
        total = 0
        for bound, count in zip((*map(str, _BOUNDS_S), "+Inf"), self._counts, strict=True):
            total += count
            yield f'{name}_bucket{{le="{bound}"}} {total}'
        yield f"{name}_sum {self._sum:.6f}"
        yield f"{name}_count {total}"


class Metrics:
    """Counters of one process; used from its event loop."""

    def __init__(self) -> None:
        self._started = time.time()
        self._requests: Counter[tuple[str, ...]] = Counter()
        self._answers: Counter[tuple[str, ...]] = Counter()
        self._tokens: Counter[tuple[str, ...]] = Counter()
        self._in_other_language = 0
        self._first_words = Histogram()
        self._whole = Histogram()

    def responded(self, route: str, method: str, status: int) -> None:
        """Count a response; `route` is a known path, never what was asked for."""
        self._requests[route, method, str(status)] += 1

    def answered(self, answer: Answer, first_s: float, whole_s: float) -> None:
        """Count an answer."""
        self._answers[answer.outcome, answer.mode, answer.degraded or "none"] += 1
        self._first_words.observe(first_s)
        self._whole.observe(whole_s)

    def answered_in_other_language(self) -> None:
        """Count an answer that is not in the language that its prompt named."""
        self._in_other_language += 1

    def used(self, usage: Usage) -> None:
        """Count tokens."""
        self._tokens["prompt",] += usage.prompt_tokens
        self._tokens["cached",] += usage.cached_tokens
        self._tokens["completion",] += usage.completion_tokens

    def text(self, gauges: Gauges) -> str:
        """The whole page."""
        return "\n".join((*self._lines(gauges), ""))

    def _lines(self, gauges: Gauges) -> Iterator[str]:
        yield from _counter(
            "askfolio_requests_total", ("route", "method", "status"), self._requests
        )
        yield from _counter(
            "askfolio_answers_total", ("outcome", "mode", "degraded"), self._answers
        )
        yield "# TYPE askfolio_answers_in_other_language_total counter"
        yield f"askfolio_answers_in_other_language_total {self._in_other_language}"
        yield from _counter("askfolio_tokens_total", ("kind",), self._tokens)
        for name, histogram in (
            ("askfolio_first_words_seconds", self._first_words),
            ("askfolio_answer_seconds", self._whole),
        ):
            yield f"# TYPE {name} histogram"
            yield from histogram.lines(name)
        prompt = self._tokens["prompt",]
        share = self._tokens["cached",] / prompt if prompt else 0.0
        yield from _gauge("askfolio_cached_token_share", share)
        yield from _gauge("askfolio_spent_today", gauges.spent)
        yield from _gauge("process_start_time_seconds", self._started)
        if gauges.generation:
            yield "# TYPE askfolio_generation_info gauge"
            yield f'askfolio_generation_info{{generation="{_escaped(gauges.generation)}"}} 1'
        if gauges.age_s is not None:
            yield from _gauge("askfolio_last_sync_age_seconds", gauges.age_s)


def _counter(
    name: str, labels: tuple[str, ...], counts: Mapping[tuple[str, ...], int]
) -> Iterator[str]:
    yield f"# TYPE {name} counter"
    for values, count in sorted(counts.items()):
        pairs = zip(labels, values, strict=True)
        named = ",".join(f'{label}="{_escaped(value)}"' for label, value in pairs)
        yield f"{name}{{{named}}} {count}"


def _gauge(name: str, value: float) -> Iterator[str]:
    yield f"# TYPE {name} gauge"
    yield f"{name} {value:.15g}"


def _escaped(value: str) -> str:
    return "".join(_NAMED.get(character, character) for character in value)
