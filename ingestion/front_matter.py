"""What does the block at the start of a content file say, and where does the text begin?

Hugo 0.168 is the judge: its lexer's rules for the delimiters are kept to the letter, oddities
such as `---categories:` included. Org keywords are read in `ingestion.hugo`.
"""

import json
import math
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from ingestion.errors import DocumentUnreadable
from ingestion.yaml_values import MAX_DEPTH, read_yaml

MAX_BLOCK_CHARS = 256 * 1024
_LINE_OF_TOML_ERROR = re.compile(r"at line (\d+)")
# tomllib needs time and memory in the square of a key's dots.
_DEEP_TOML_KEY = re.compile(r"""(?<![\w-])(?:(?>[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){50}""")
_JSON_MARKS = re.compile(r'[{}"\\]')
_NEWLINES = re.compile(r"\r\n?|\n")
_HAS_VALUE = re.compile(r"^(?!\s*(?:#|\.\.\.\s*$|$))", re.MULTILINE)
_Read = Callable[[str, int], Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """A content file, taken apart.

    Attributes:
        values: The block's values; the keys of all maps are lower-cased, as Hugo reads them.
        body: Everything behind the block.
        body_line: Line of the file on which `body` starts, from 1.
    """

    values: Mapping[str, object]
    body: str
    body_line: int


def split_front_matter(text: str) -> FrontMatter:
    """Read the YAML (`---`), TOML (`+++`) or JSON (`{`) block at the very start.

    A byte order mark and blank space before the block are allowed. YAML dates stay text; TOML
    dates are `datetime` values.

    Raises:
        DocumentUnreadable: "front-matter-error: …" with the line of the file where it is known.
    """
    start = len(text) - len(text.lstrip("\ufeff \t\r\n"))
    first = text[start : start + 1]
    if first == "{":
        end = _json_end(text, start)
        return _taken_apart(text, start, end, _after_newline(text, end), _read_json)
    if first not in {"-", "+"}:
        body = text.removeprefix("\ufeff")
        return FrontMatter({}, body, 1)
    kind = "YAML" if first == "-" else "TOML"
    if text[start : start + 3] != first * 3:
        raise _error(_line(text, start), f"invalid {kind} delimiter: a page that starts with "
                     f"{first!r} must start with {first * 3!r}")  # fmt: skip
    begin = _after_newline(text, start + 3)
    end = _delimiter(text, begin, first * 3)
    if end < 0:
        raise _error(_line(text, start), f"the {kind} block has no closing {first * 3!r} line")
    read = _read_yaml if first == "-" else _read_toml
    return _taken_apart(text, begin, end, _after_newline(text, end + 3), read)


def scalar_text(value: object) -> str:
    """A value as Hugo prints it where it wants text: null, lists and maps are ""."""
    if value is None or isinstance(value, list | dict):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _float_text(value)
    return str(value)


def _float_text(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    digits = format(Decimal(repr(value)), "f")
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


def _taken_apart(text: str, begin: int, end: int, body: int, read: _Read) -> FrontMatter:
    line = _line(text, begin)
    if end - begin > MAX_BLOCK_CHARS:
        raise _error(line, f"the block has {end - begin} characters, more than {MAX_BLOCK_CHARS}")
    values = _mapping(_lowered(read(text[begin:end], line), line), line)
    return FrontMatter(values, text[body:], _line(text, body))


def _delimiter(text: str, begin: int, delimiter: str) -> int:
    """Where a line starts with `delimiter`, from `begin` on; -1 for nowhere."""
    if text.startswith(delimiter, begin) and text[begin - 1] in "\r\n":
        return begin
    match = re.compile(r"[\r\n]" + re.escape(delimiter)).search(text, begin)
    return match.start() + 1 if match else -1


def _json_end(text: str, start: int) -> int:
    level, quoted, escaped = 0, False, -1
    for match in _JSON_MARKS.finditer(text, start):
        mark = match.group()
        if match.start() == escaped:
            continue
        if mark == "\\":
            escaped = match.start() + 1
        elif mark == '"':
            quoted = not quoted
        elif not quoted:
            level += 1 if mark == "{" else -1
            if level == 0:
                return match.end()
    raise _error(_line(text, start), "the JSON block has no closing '}'")


def _after_newline(text: str, position: int) -> int:
    if text.startswith("\r\n", position):
        return position + 2
    return position + (text[position : position + 1] in {"\r", "\n"})


def _read_yaml(block: str, line: int) -> Mapping[str, object]:
    values = read_yaml(block, line)
    if values is None and not _HAS_VALUE.search(block):
        return {}
    return _mapping(values, line)


def _read_toml(block: str, line: int) -> Mapping[str, object]:
    if deep := _DEEP_TOML_KEY.search(block):
        raise _error(line + _line(block, deep.start()) - 1, "a key has more than 50 dots")
    try:
        return tomllib.loads(_NEWLINES.sub("\n", block))
    except RecursionError as error:
        raise _error(line, "values nest too deeply") from error
    except ValueError as error:
        where = _LINE_OF_TOML_ERROR.search(str(error))
        raise _error(line + (int(where[1]) - 1 if where else 0), str(error)) from error


def _read_json(block: str, line: int) -> Mapping[str, object]:
    try:
        return _mapping(json.loads(block, parse_constant=_refuse_constant), line)
    except RecursionError as error:
        raise _error(line, "values nest too deeply") from error
    except json.JSONDecodeError as error:
        raise _error(line + error.lineno - 1, error.msg) from error
    except ValueError as error:
        raise _error(line, str(error)) from error


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON value")


def _mapping(values: object, line: int) -> Mapping[str, object]:
    if not isinstance(values, dict):
        raise _error(line, "the block must hold keys with values, such as `title: …`")
    return values


def _lowered(value: object, line: int, depth: int = 0) -> object:
    if depth > MAX_DEPTH:
        raise _error(line, f"values nest deeper than {MAX_DEPTH}")
    if isinstance(value, dict):
        return {key.lower(): _lowered(item, line, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_lowered(item, line, depth + 1) for item in value]
    return value


def _line(text: str, position: int) -> int:
    return 1 + sum(1 for _ in _NEWLINES.finditer(text, 0, position))


def _error(line: int, problem: str) -> DocumentUnreadable:
    return DocumentUnreadable(f"front-matter-error: line {line}: {problem}")
