"""What must be said beside a stretch of code: what its file imports, and how its unit begins?"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ingestion.code.grammars import Grammar

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_IMPORT_CHARS = 300
_MAX_SIGNATURE_CHARS = 240
_MAX_SENTENCE_CHARS = 160
_IMPORTS = frozenset(
    {"import_statement", "import_from_statement", "import_declaration", "use_declaration",
     "extern_crate_declaration", "preproc_include", "using_directive", "namespace_use_declaration"}
)  # fmt: skip
_ASSIGNMENTS = frozenset({"lexical_declaration", "variable_declaration"})
_RUBY_IMPORTS = re.compile(r"(?:require|require_relative)\b")
_SCRIPT_IMPORTS = re.compile(r"=\s*require\(")
_NAME = re.compile(r"[\w@][\w@./:\\+-]*")
_KEYWORDS = frozenset(
    {"import", "from", "as", "use", "using", "static", "require", "require_relative", "const",
     "let", "var", "self", "extern", "crate", "include", "type", "default", "pub", "function"}
)  # fmt: skip
_SENTENCE_END = re.compile(r"(?<=[.!?])\s")
_QUOTES = re.compile(r"^\s*[rRuUbBfF]{0,2}(?:\"\"\"|'''|\"|')")


def import_nodes(root: "Node", grammar: Grammar) -> tuple["Node", ...]:
    """The imports of a file, in order: at its top, and inside what wraps all of it."""
    return tuple(_imports(root, grammar, 2))


def imported_names(nodes: tuple["Node", ...]) -> str:
    """What the imports name, each once, as `a, b.c, d`; cut at `_MAX_IMPORT_CHARS`."""
    names: dict[str, None] = {}
    for node in nodes:
        words = (word.strip("./:\\-") for word in _NAME.findall(_text(node)))
        names |= dict.fromkeys(word for word in words if word and word not in _KEYWORDS)
    listed = ", ".join(names)
    if len(listed) <= _MAX_IMPORT_CHARS:
        return listed
    return listed[: listed.rfind(",", 0, _MAX_IMPORT_CHARS)]


def opening(node: "Node") -> str:
    """Signature of a unit and the first sentence of its docstring, one line each."""
    body = node.child_by_field_name("body")
    text = _text(node)
    if body is not None:
        # Columns are bytes, and the text is not: the body's own text is cut off its end.
        text = text[: max(text.rfind(_text(body)), 0)] or text.split("\n", 1)[0]
    else:
        text = text.split("\n", 1)[0]
    signature = " ".join(text.split())[:_MAX_SIGNATURE_CHARS].rstrip(" {:")
    return "\n".join(part for part in (signature, _first_sentence(body)) if part)


def _imports(node: "Node", grammar: Grammar, depth: int) -> Iterator["Node"]:
    for child in node.named_children:
        if child.type in _IMPORTS or _is_call(child):
            yield child
        elif depth and child.type in grammar.passed:
            yield from _imports(child, grammar, depth - 1)
        elif depth and child.type == "namespace_declaration":
            yield from _imports(child, grammar, depth)


def _is_call(node: "Node") -> bool:
    if node.type == "call":
        return _RUBY_IMPORTS.match(_text(node)) is not None
    return node.type in _ASSIGNMENTS and _SCRIPT_IMPORTS.search(_text(node)) is not None


def _first_sentence(body: "Node | None") -> str:
    """Of the string that a Python body begins with; other languages document above the unit."""
    first = body.named_children[0] if body is not None and body.named_children else None
    if first is not None and first.type == "expression_statement" and first.named_children:
        first = first.named_children[0]
    if first is None or first.type != "string":
        return ""
    text = " ".join(_QUOTES.sub("", _text(first)).strip("\"'").split())
    return _SENTENCE_END.split(text, maxsplit=1)[0][:_MAX_SENTENCE_CHARS]


def _text(node: "Node") -> str:
    return node.text.decode("utf-8", "replace") if node.text is not None else ""
