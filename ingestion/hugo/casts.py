"""How does Hugo read a value of front matter or configuration: as truth, text, list or map?"""

from collections.abc import Mapping
from datetime import date, datetime

from ingestion.front_matter import scalar_text

Values = Mapping[str, object]
"""A block of front matter or configuration; the keys of all maps are lower-cased."""

_TRUE = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_CAREFUL_TRUE = frozenset({"1", "t", "true", "y", "yes", "on"})


def as_bool(value: object) -> bool:
    """Hugo's cast: numbers other than 0 and the spellings of Go's ParseBool are true."""
    if isinstance(value, str):
        return value in _TRUE
    return isinstance(value, bool | int | float) and bool(value)


def as_careful_bool(value: object) -> bool:
    """Like `as_bool`, but what an older Hugo or a person reads as true is true as well.

    `draft: yes` is text and published since Hugo's YAML 1.2 reader, a draft before: leaving a
    page out is the mistake that leaks nothing.
    """
    if isinstance(value, str):
        return value.strip().lower() in _CAREFUL_TRUE
    return as_bool(value)


def as_text(value: object) -> str:
    """A scalar as Hugo prints it; dates as they were written; "" for lists, maps and null."""
    if isinstance(value, datetime | date):
        return value.isoformat()
    return scalar_text(value)


def as_texts(value: object) -> tuple[str, ...]:
    """A list of scalars, or one scalar, as texts; the empty ones are left out."""
    items = value if isinstance(value, list) else [value]
    return tuple(text for item in items if (text := as_text(item)))


def as_table(value: object) -> Values:
    """A map, or an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def as_tables(value: object) -> tuple[Values, ...]:
    """A list of maps, or one map, as maps."""
    items = value if isinstance(value, list) else [value]
    return tuple(item for item in items if isinstance(item, dict))


def lowered(text: str) -> str:
    """Lower case rune by rune, as Go has it: one rune stays one, a final sigma is none."""
    return text.lower() if text.isascii() else "".join(rune.lower()[0] for rune in text)
