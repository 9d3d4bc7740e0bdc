"""How does a unit of code begin? Said again where it goes on in another chunk."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_SIGNATURE_CHARS = 240
_MAX_SENTENCE_CHARS = 160
_SENTENCE_END = re.compile(r"(?<=[.!?])\s")
_QUOTES = re.compile(r"^\s*[rRuUbBfF]{0,2}(?:\"\"\"|'''|\"|')")


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
