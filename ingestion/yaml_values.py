"""What does a YAML block say to Hugo?

Hugo reads YAML 1.2 with its own scalar rules: `yes` and `2024-05-06` are text, `012` is octal 10.
The block is read event by event, so that depth, aliases and duplicate keys are under our limits
before anything is built. Every rule was compared with Hugo 0.168.
"""

import math
import re
from collections.abc import Iterator

import yaml

from ingestion.errors import DocumentUnreadable

MAX_DEPTH = 50
MAX_NODES = 20_000
"""Values of one block, aliases written out: a chain of aliases may stand for billions."""

_INT = re.compile(r"([-+]?)(?:0x([0-9a-fA-F_]+)|0b([01_]+)|0o?([0-7_]+)|(0|[1-9][0-9_]*))")
_FLOAT = re.compile(r"[-+]?(?:[0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?")
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_LEGACY_BOOLS = frozenset({"yes", "no", "on", "off"})
_SPECIAL_FLOATS = {
    **dict.fromkeys((".inf", ".Inf", ".INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
}
_BASES = (16, 2, 8, 10)
_LEAST_INT, _GREATEST_INT = -(1 << 63), (1 << 64) - 1
_STANDARD_TAG = "tag:yaml.org,2002:"
_FOREIGN_BREAKS = re.compile("[\x85\u2028\u2029]")
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


class LegacyBoolean(str):
    """An unquoted `yes`, `no`, `on` or `off`: text since YAML 1.2, a truth value before.

    Hugo's older reader prints it as true or false, the current one as it is written.
    """

    __slots__ = ()

    @property
    def is_true(self) -> bool:
        """What YAML 1.1 reads."""
        return self.lower() in {"yes", "on"}


def read_yaml(text: str, first_line: int = 1) -> object:
    """The first document of `text`; None where it holds nothing but comments.

    Args:
        text: YAML.
        first_line: Line of the file on which `text` starts; errors name lines of the file.

    Raises:
        DocumentUnreadable: Broken YAML, a duplicate key, or a limit of this module.
    """
    # libyaml refuses control characters, and breaks lines where YAML 1.2 and Hugo do not.
    readable = _UNPRINTABLE.sub("\ufffd", _FOREIGN_BREAKS.sub(" ", text))
    try:
        return _Reader(yaml.parse(readable, Loader=yaml.CSafeLoader), first_line).document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = first_line + (mark.line if mark else 0)
        problem = error.problem or error.context or "not valid YAML"
        raise DocumentUnreadable(f"front-matter-error: line {line}: {problem}") from error
    except yaml.YAMLError as error:
        raise DocumentUnreadable(f"front-matter-error: line {first_line}: {error}") from error


def plain_scalar(text: str) -> object:
    """The value of an unquoted scalar: None, bool, int, float or the text itself."""
    if text in _NULLS:
        return None
    if text in _BOOLS:
        return _BOOLS[text]
    if text in _SPECIAL_FLOATS:
        return _SPECIAL_FLOATS[text]
    if text.lower() in _LEGACY_BOOLS:
        return LegacyBoolean(text)
    return _number(text)


def _number(text: str) -> object:
    # No 64-bit number is longer; int() itself refuses strings of more than 4,300 digits.
    if len(text) > 80:
        return text
    if match := _INT.fullmatch(text):
        for base, digits in zip(_BASES, match.groups()[1:], strict=True):
            bare = (digits or "").replace("_", "")
            if bare:
                number = int(match.group(1) + bare, base)
                return number if _LEAST_INT <= number <= _GREATEST_INT else text
    if _FLOAT.fullmatch(text):
        value = float(text.replace("_", ""))
        return text if math.isinf(value) else value
    return text


class _Reader:
    """Builds values from events, counting them."""

    def __init__(self, events: Iterator[yaml.Event], first_line: int) -> None:
        self._events = events
        self._first_line = first_line
        self._anchors: dict[str, tuple[object, int]] = {}
        self._count = 0

    def document(self) -> object:
        for event in self._events:
            if isinstance(event, yaml.StreamEndEvent):
                return None
            if isinstance(event, yaml.NodeEvent):
                return self._value(event, 0)
        return None

    def _value(self, event: yaml.Event, depth: int) -> object:
        if depth > MAX_DEPTH:
            raise self._error(event, f"values nest deeper than {MAX_DEPTH}")
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        start = self._count
        self._add(1, event)
        if isinstance(event, yaml.ScalarEvent):
            value = _scalar(event)
        elif isinstance(event, yaml.SequenceStartEvent):
            value = [self._value(item, depth + 1) for item in self._until(yaml.SequenceEndEvent)]
        else:
            value = self._mapping(depth)
        anchor = getattr(event, "anchor", None)
        if anchor:
            self._anchors[anchor] = (value, self._count - start)
        return value

    def _alias(self, event: yaml.AliasEvent) -> object:
        if event.anchor not in self._anchors:
            raise self._error(event, f"could not find alias {event.anchor!r}")
        value, size = self._anchors[event.anchor]
        self._add(size, event)
        return value

    def _mapping(self, depth: int) -> dict[str, object]:
        values: dict[str, object] = {}
        merged: dict[str, object] = {}
        for event in self._until(yaml.MappingEndEvent):
            key = self._key(event, depth)
            value = self._value(next(self._events), depth + 1)
            if key == "<<" and _is_plain(event):
                for source in value if isinstance(value, list) else [value]:
                    merged = {**source, **merged} if isinstance(source, dict) else merged
            elif key in values:
                raise self._error(event, f"mapping key {key!r} is already defined")
            else:
                values[key] = value
        return {**merged, **values}

    def _key(self, event: yaml.Event, depth: int) -> str:
        key = self._value(event, depth + 1)
        if isinstance(key, list | dict):
            raise self._error(event, "a list or a map cannot be a key")
        if isinstance(key, bool):
            return "true" if key else "false"
        return "" if key is None else str(key)

    def _until(self, end: type[yaml.Event]) -> Iterator[yaml.Event]:
        for event in self._events:
            if isinstance(event, end):
                return
            yield event

    def _add(self, size: int, event: yaml.Event) -> None:
        self._count += size
        if self._count > MAX_NODES:
            raise self._error(event, f"more than {MAX_NODES} values, aliases written out")

    def _error(self, event: yaml.Event, problem: str) -> DocumentUnreadable:
        line = self._first_line + (event.start_mark.line if event.start_mark else 0)
        return DocumentUnreadable(f"front-matter-error: line {line}: {problem}")


def _is_plain(event: yaml.Event) -> bool:
    return isinstance(event, yaml.ScalarEvent) and not event.style and bool(event.implicit[0])


def _scalar(event: yaml.ScalarEvent) -> object:
    tag = (event.tag or "").removeprefix(_STANDARD_TAG)
    text: str = event.value
    if tag == "null":
        return None
    if tag == "bool":
        return text.lower() in {"true", "yes", "on", "y", "1"}
    if tag in {"int", "float"}:
        return plain_scalar(text)
    return plain_scalar(text) if _is_plain(event) or (tag.startswith("!") and tag != "!") else text
