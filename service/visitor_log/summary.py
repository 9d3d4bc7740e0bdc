"""What did visitors ask lately, and what did no page answer? For a weekly job."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from retrieval.configuration import Configuration
from retrieval.errors import ConfigurationError
from service.visitor_log.store import Kept, LogStore

MAX_PAGES = 20
MAX_QUESTIONS = 100
_SINCE = re.compile(r"([1-9][0-9]{0,3})([dw])")
_MARKUP = re.compile(r"([\\`*_{}\[\]<>()#+!|~&-])")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that no source answered, and how often it was asked."""

    question: str
    language: str
    times: int


@dataclass(frozen=True, slots=True)
class Cited:
    """A page and how many answers cited it."""

    page: str
    times: int


@dataclass(frozen=True, slots=True)
class Summary:
    """The fields are the JSON of `askfolio log summary`.

    Attributes:
        since: First day.
        mode: Of the log, as configured now.
        outcomes: Answers by outcome.
        pages: The most cited ones.
        unanswered: Questions without a source, the most frequent first.
    """

    since: str
    mode: str
    outcomes: dict[str, int]
    pages: tuple[Cited, ...]
    unanswered: tuple[Asked, ...]

    def lines(self) -> Iterator[str]:
        """Markdown."""
        yield f"# Questions since {self.since}"
        yield ""
        total = sum(self.outcomes.values())
        kept = f"{total} kept" if total else "Nothing was kept"
        yield f"{kept} (log mode {self.mode})."
        for title, rows in (
            ("Outcomes", [f"{name}: {count}" for name, count in self.outcomes.items()]),
            ("Topics by page", [f"{_plain(row.page)}: {row.times}" for row in self.pages]),
            ("Answered by no source", [_question(row) for row in self.unanswered]),
        ):
            if rows:
                yield from ("", f"## {title}", "", *(f"- {row}" for row in rows))


def summarise(configuration: Configuration, since: str) -> Summary:
    """Read the log.

    Args:
        configuration: Where it lies.
        since: Such as `7d` or `4w`.

    Raises:
        ConfigurationError: `since` is no such duration.
        VisitorLogError: The log cannot be read.
    """
    day = first_day(since)
    store = LogStore(configuration.log_path)
    rows = store.rows(day)
    outcomes = Counter(row.outcome for row in rows)
    for _, outcome, count in store.counts(day):
        outcomes[outcome] += count
    pages = Counter(page for row in rows for page in row.pages)
    return Summary(
        since=day,
        mode=configuration.log.mode,
        outcomes=dict(sorted(outcomes.items())),
        pages=tuple(Cited(*pair) for pair in _most(pages)[:MAX_PAGES]),
        unanswered=_unanswered(rows),
    )


def first_day(since: str) -> str:
    """The UTC date so many days ago.

    Raises:
        ConfigurationError: It is no duration.
    """
    found = _SINCE.fullmatch(since)
    if found is None:
        raise ConfigurationError(
            f"--since {since!r} is no duration: write days or weeks, as 7d, 4w"
        )
    days = int(found[1]) * (7 if found[2] == "w" else 1)
    return (datetime.now(UTC).date() - timedelta(days=days)).isoformat()


def _unanswered(rows: Sequence[Kept]) -> tuple[Asked, ...]:
    times: Counter[str] = Counter()
    first: dict[str, Kept] = {}
    for row in sorted(rows, key=lambda row: (row.day, row.question)):
        if row.outcome == "unknown":
            key = row.question.casefold().rstrip("?!. ")
            times[key] += 1
            first.setdefault(key, row)
    return tuple(
        Asked(first[key].question, first[key].language, count)
        for key, count in _most(times)[:MAX_QUESTIONS]
    )


def _most(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _question(asked: Asked) -> str:
    times = f" ({asked.times} times)" if asked.times > 1 else ""
    return f"{_plain(asked.question)}{times}"


def _plain(text: str) -> str:
    """A visitor's text that is no markup where the summary is shown."""
    if re.match(r"https?://[\w.:/#?=&%~@+,;-]+\Z", text):
        return f"<{text}>"
    return _MARKUP.sub(r"\\\1", text)
