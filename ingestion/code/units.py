"""Where are the functions, methods and classes of a code file? Every line is in one section."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingestion.code.grammars import Grammar, grammar_of
from ingestion.code.imports import imports, packages
from ingestion.code.names import unit_names
from ingestion.code.openings import opening
from retrieval.types import Section

if TYPE_CHECKING:
    from tree_sitter import Node

WHOLE_CLASS_LINES = 20
"""A class of at most so many lines is one unit: its methods say little by themselves."""
_MAX_DEPTH = 12
_MAX_UNITS = 20_000
_ABOVE = frozenset(
    {"comment", "line_comment", "block_comment", "attribute_item", "attribute_list", "decorator"}
)


@dataclass(frozen=True, slots=True)
class _Unit:
    first_row: int
    last_row: int
    headings: tuple[str, ...]
    opening: str


@dataclass(frozen=True, slots=True)
class _ParsedFile:
    units: tuple[_Unit, ...] = ()
    packages: str = ""
    import_rows: frozenset[int] = frozenset()


def code_sections(text: str, path: str) -> tuple[Section, ...]:
    r"""Cut a code file into its units; joined, the sections' texts are `text`.

    A unit begins with the comments, attributes and decorators right above it. What lies between
    units (imports, constants, the head of a class) is a section of what it lies in. A file in a
    language that is not known, or that cannot be parsed, is one section.

    Args:
        text: The file's text; lines end with `\n`.
        path: Decides about the language.
    """
    *ended, last = text.split("\n")
    lines = [*(f"{line}\n" for line in ended), *([last] if last else [])]
    parsed = _parse(text, path) if len(lines) > 1 else _ParsedFile()
    if not parsed.units:
        return (Section((), "", text, 1),)
    return tuple(_sections(lines, parsed))


def _sections(lines: Sequence[str], parsed: _ParsedFile) -> Iterator[Section]:
    for first, behind, unit in _runs(lines, parsed.units):
        text = "".join(lines[first:behind])
        used = "" if parsed.import_rows & set(range(first, behind)) else parsed.packages
        if unit is None:
            yield Section((), "", text, first + 1, context=used)
            continue
        # What follows the methods of a class lies far from the line that says what it is.
        is_start = first <= unit.first_row
        context = used if is_start else "\n".join(filter(None, (used, unit.opening)))
        continued = unit.opening if is_start else ""
        yield Section(unit.headings, "", text, first + 1, context=context, continued=continued)


def _parse(text: str, path: str) -> _ParsedFile:
    loaded = grammar_of(path, text.split("\n", 1)[0])
    if loaded is None:
        return _ParsedFile()
    tree = loaded.parser.parse(text.encode("utf-8", "replace"))
    if tree.root_node.type == "ERROR":
        return _ParsedFile()
    units: list[_Unit] = []
    for unit in _walk(tree.root_node, loaded.grammar, (), 0):
        units.append(unit)
        if len(units) > _MAX_UNITS:
            return _ParsedFile()
    nodes = imports(tree.root_node, loaded.grammar)
    rows = frozenset(node.start_point[0] for node in nodes)
    return _ParsedFile(tuple(units), packages(nodes), rows)


def _walk(node: "Node", grammar: Grammar, headings: tuple[str, ...], depth: int) -> Iterator[_Unit]:
    """Units below `node`, each before those inside it."""
    for child in node.named_children:
        unit_node = _definition(child, grammar)
        if unit_node is not None and (names := unit_names(unit_node)):
            rows = _first_row(child), _last_row(child)
            unit = _Unit(*rows, headings + names, opening(unit_node))
            yield unit
            is_large = unit.last_row - unit.first_row >= WHOLE_CLASS_LINES
            if unit_node.type in grammar.classes and is_large and depth < _MAX_DEPTH:
                yield from _walk_inside(unit_node, grammar, unit.headings, depth + 1)
        elif child.type in grammar.passed and depth < _MAX_DEPTH:
            yield from _walk(child, grammar, headings, depth + 1)


def _walk_inside(
    node: "Node", grammar: Grammar, headings: tuple[str, ...], depth: int
) -> Iterator[_Unit]:
    body = node.child_by_field_name("body")
    yield from _walk(body if body is not None else node, grammar, headings, depth)


def _definition(node: "Node", grammar: Grammar) -> "Node | None":
    """`node` where it is a unit, or the unit that it wraps: exported, decorated, a template."""
    if node.type in grammar.functions or node.type in grammar.classes:
        # Without a body it is C's mention of a type, not its definition.
        is_mention = node.type.endswith("_specifier") and not node.child_by_field_name("body")
        return None if is_mention else node
    for name in ("definition", "declaration"):
        inner = node.child_by_field_name(name)
        if inner is not None and node.type in grammar.passed:
            return _definition(inner, grammar)
    if node.type in ("template_declaration", "type_definition", "declaration"):
        found = (_definition(child, grammar) for child in node.named_children)
        return next((unit for unit in found if unit is not None), None)
    return None


def _first_row(node: "Node") -> int:
    row = node.start_point[0]
    above = _above(node)
    while above is not None and above.type in _ABOVE and _last_row(above) == row - 1:
        before = above.prev_named_sibling
        if before is not None and _last_row(before) == above.start_point[0]:
            break  # a comment at the end of a line of code
        row = above.start_point[0]
        above = before
    return row


def _above(node: "Node") -> "Node | None":
    """The node before `node`; Ruby has the first comment of a class outside the class's body."""
    holder = node.parent
    if node.prev_named_sibling is None and holder is not None:
        return holder.prev_named_sibling if holder.start_point == node.start_point else None
    return node.prev_named_sibling


def _last_row(node: "Node") -> int:
    row, column = node.end_point
    return row - 1 if column == 0 and row > node.start_point[0] else row


def _runs(lines: Sequence[str], units: Sequence[_Unit]) -> Iterator[tuple[int, int, _Unit | None]]:
    """Consecutive lines of one owner, as (first, behind the last, unit)."""
    owners = [-1] * len(lines)
    for number, unit in enumerate(units):
        for row in range(unit.first_row, min(unit.last_row + 1, len(lines))):
            holder = owners[row]
            # A line that two neighbours share stays with the first.
            if holder < 0 or units[holder].last_row >= unit.last_row:
                owners[row] = number
    # Empty lines and closing brackets go to what is above them.
    for row in range(1, len(lines)):
        if not any(map(str.isalnum, lines[row])) and not _starts(row, owners, units):
            owners[row] = owners[row - 1]
    first = 0
    for row in range(1, len(lines) + 1):
        if row == len(lines) or owners[row] != owners[first]:
            yield first, row, units[owners[first]] if owners[first] >= 0 else None
            first = row


def _starts(row: int, owners: Sequence[int], units: Sequence[_Unit]) -> bool:
    return owners[row] >= 0 and row == units[owners[row]].first_row
