"""Questions about code with known answers: a docstring's first sentence asks for its function."""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

MIN_WORDS = 4
MAX_QUERY_CHARS = 300
MAX_FILE_BYTES = 1 << 20
_SENTENCE_END = re.compile(r"(?<=[.!?:])\s|\n\s*\n")
_WORD = re.compile(r"[^\W\d_]{2,}")
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class CodeQuestion:
    """A sentence, and the lines that it was written about.

    Attributes:
        query: First sentence of the docstring.
        path: File, relative to the root of its set.
        first_line: Line of the `def`, from 1.
        last_line: Last line of the function.
    """

    query: str
    path: str
    first_line: int
    last_line: int

    def is_answered_by(self, path: str, first_line: int | None, last_line: int | None) -> bool:
        """Whether a stretch of a file holds a line of the function."""
        if path != self.path or first_line is None or last_line is None:
            return False
        return first_line <= self.last_line and last_line >= self.first_line


def source_folder(name: str) -> Path:
    """A folder as it is given, or that of an installed package.

    Raises:
        ValueError: Neither.
    """
    folder = Path(name)
    if folder.is_dir():
        return folder
    spec = find_spec(name) if name.isidentifier() else None
    places = list(spec.submodule_search_locations or ()) if spec else []
    if not places:
        raise ValueError(f"{name} is no folder and no installed package")
    return Path(places[0])


def write_questions(source: Path, copy: Path) -> list[CodeQuestion]:
    """Copy the Python files that define a function, without the docstrings that are asked for.

    A docstring is blanked line for line, so that every other line keeps its number. A sentence
    that is written about two functions asks for neither.

    Args:
        source: A checkout or a package.
        copy: Folder for the copy; paths of the questions are relative to its parent.
    """
    found: list[CodeQuestion] = []
    for file in sorted(source.rglob("*.py")):
        if file.stat().st_size > MAX_FILE_BYTES or file.is_symlink():
            continue
        try:
            text = file.read_bytes().decode("utf-8").replace("\r\n", "\n")
            tree = ast.parse(text)
        except (SyntaxError, UnicodeDecodeError):
            continue
        if not any(isinstance(node, _Function) for node in ast.walk(tree)):
            continue  # a table of data
        functions = list(_documented(tree))
        target = copy / file.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_without_docstrings(text, functions), encoding="utf-8", newline="\n")
        path = target.relative_to(copy.parent).as_posix()
        found += (_question(function, path) for function in functions)
    times = Counter(question.query.lower() for question in found)
    return [question for question in found if times[question.query.lower()] == 1]


def _documented(tree: ast.Module) -> Iterator[_Function]:
    for node in ast.walk(tree):
        if isinstance(node, _Function) and len(node.body) > 1:
            query = _first_sentence(node)
            if len(_WORD.findall(query)) >= MIN_WORDS and len(query) <= MAX_QUERY_CHARS:
                yield node


def _question(function: _Function, path: str) -> CodeQuestion:
    last_line = function.end_lineno or function.lineno
    return CodeQuestion(_first_sentence(function), path, function.lineno, last_line)


def _first_sentence(function: _Function) -> str:
    text = (ast.get_docstring(function) or "").strip()
    return " ".join(_SENTENCE_END.split(text, maxsplit=1)[0].split())


def _without_docstrings(text: str, functions: Sequence[_Function]) -> str:
    lines = [line.encode() for line in text.split("\n")]
    for function in functions:
        literal = function.body[0]
        first, last = literal.lineno - 1, (literal.end_lineno or literal.lineno) - 1
        behind = lines[last][literal.end_col_offset or 0 :]
        lines[first] = lines[first][: literal.col_offset].rstrip()
        for row in range(first + 1, last + 1):
            lines[row] = b""
        lines[last] += behind
    return b"\n".join(lines).decode()
