"""What is a function, method or class called?"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_NAME_CHARS = 120
_MAX_STEPS = 12
_FUNCTION_VALUES = frozenset(
    {"arrow_function", "function_expression", "function", "generator_function", "class"}
)
_IDENTIFIERS = frozenset(
    {"identifier", "field_identifier", "qualified_identifier", "destructor_name", "operator_name",
     "type_identifier", "template_function"}
)  # fmt: skip


def unit_names(node: "Node") -> tuple[str, ...]:
    """Names of a unit, outermost first (a Go method's receiver, then the method); () for none."""
    if node.type in ("lexical_declaration", "variable_declaration", "expression_statement"):
        return _assigned(node)
    if node.type in ("field_definition", "public_field_definition"):
        value = node.child_by_field_name("value")
        if value is None or value.type not in _FUNCTION_VALUES:
            return ()
        return _text(node.child_by_field_name("name") or node.child_by_field_name("property"))
    if node.type == "impl_item":
        return _impl(node)
    if node.type == "type_declaration":
        spec = next(iter(node.named_children), None)
        return _text(spec.child_by_field_name("name")) if spec is not None else ()
    if node.type == "method_declaration" and (receiver := node.child_by_field_name("receiver")):
        return (*_receiver(receiver), *_text(node.child_by_field_name("name")))
    return _text(node.child_by_field_name("name")) or _declared(node)


def _assigned(node: "Node") -> tuple[str, ...]:
    """The name that a function expression is given: `const f = () => …`, `exports.f = …`."""
    for child in node.named_children:
        target, value = child.child_by_field_name("name"), child.child_by_field_name("value")
        if child.type == "assignment_expression":
            target, value = child.child_by_field_name("left"), child.child_by_field_name("right")
        if target is not None and value is not None and value.type in _FUNCTION_VALUES:
            return _text(target)
    return ()


def _impl(node: "Node") -> tuple[str, ...]:
    kind = _text(node.child_by_field_name("type"))
    trait = _text(node.child_by_field_name("trait"))
    return (f"{trait[0]} for {kind[0]}",) if trait and kind else kind


def _receiver(node: "Node") -> tuple[str, ...]:
    parameter = next(iter(node.named_children), None)
    kind = parameter.child_by_field_name("type") if parameter is not None else None
    return tuple(name.lstrip("*").split("[")[0] for name in _text(kind))


def _declared(node: "Node") -> tuple[str, ...]:
    """The name inside C's nested declarators."""
    inner = node.child_by_field_name("declarator")
    for _ in range(_MAX_STEPS):
        if inner is None or inner.type in _IDENTIFIERS:
            break
        inner = inner.child_by_field_name("declarator") or next(
            (child for child in inner.named_children if child.type.endswith("declarator")), None
        )
    return _text(inner)


def _text(node: "Node | None") -> tuple[str, ...]:
    if node is None or node.text is None:
        return ()
    name = " ".join(node.text.decode("utf-8", "replace").split())
    return (name[:_MAX_NAME_CHARS],) if name else ()
