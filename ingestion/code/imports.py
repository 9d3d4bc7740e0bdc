"""Which packages from outside does a code file use?

They are embedded beside each of its units, so that what was built with a library is found by the
library's name. All imported names would do harm: nDCG@10 by keywords on the functions of flask and
rich is .35 with all, .40 with every module, .41 with packages from outside and .41 with none.
"""

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from ingestion.code.grammars import Grammar

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_PACKAGES_CHARS = 200
_QUOTED = re.compile(r"[\"'`]([^\"'`\s]+)[\"'`]")
_FROM = re.compile(r"from\s+(\w+)[\w.]*\s+import\b")
_INCLUDED = re.compile(r"<([^<>\s]+)>")
_REQUIRED = re.compile(r"\brequire\(\s*[\"']([^\"'\s]+)[\"']\s*\)")
_NODE_MODULES = frozenset(
    """assert buffer child_process crypto dns events fs http http2 https net os path process
    readline stream timers tls tty url util vm worker_threads zlib""".split()  # noqa: SIM905
)
_C_HEADERS = frozenset(
    """assert ctype errno fcntl float inttypes limits locale math memory pthread setjmp signal
    stdarg stdbool stddef stdint stdio stdlib string strings time unistd vector map set algorithm
    functional iostream sstream fstream utility cstdint cstdio cstdlib cstring cmath array atomic
    chrono thread mutex tuple optional variant type_traits sys arpa netinet""".split()  # noqa: SIM905
)
_OWN = frozenset({"std", "core", "alloc", "crate", "self", "super", "java", "javax", "System"})


def imports(root: "Node", grammar: Grammar) -> tuple["Node", ...]:
    """The imports of a file, in order: at its top, and inside what wraps all of it."""
    return tuple(_imports(root, grammar, 2))


def packages(nodes: tuple["Node", ...]) -> str:
    """Packages that the imports name, each once, as `a, b, c`; at most `MAX_PACKAGES_CHARS`.

    What belongs to the language or to the project itself is left out.
    """
    names: dict[str, None] = {}
    for node in nodes:
        text = node.text.decode("utf-8", "replace") if node.text is not None else ""
        names |= dict.fromkeys(name for name in _READERS[_kind(node)](text) if name)
    listed = ", ".join(names)
    if len(listed) <= MAX_PACKAGES_CHARS:
        return listed
    return listed[: max(0, listed.rfind(",", 0, MAX_PACKAGES_CHARS))]


def _imports(node: "Node", grammar: Grammar, depth: int) -> Iterator["Node"]:
    for child in node.named_children:
        if _kind(child) in _READERS:
            yield child
        elif depth and (child.type in grammar.passed or child.type == "namespace_declaration"):
            yield from _imports(child, grammar, depth - 1)


def _kind(node: "Node") -> str:
    """The node's type; a string and a call stand for what they import."""
    if node.type == "import_statement" and node.child_by_field_name("source"):
        return "script import"
    text = node.text or b""
    if node.type in ("lexical_declaration", "variable_declaration"):
        return "script require" if b"require(" in text[:400] else ""
    if node.type == "import_declaration" and b'"' in text:
        return "go import"
    return "ruby require" if node.type == "call" and text.startswith(b"require ") else node.type


def _python(text: str) -> Iterator[str]:
    names = re.findall(r"(?:^import|,)\s+(\w+)", text)
    yield from (name for name in names if name not in sys.stdlib_module_names)


def _python_from(text: str) -> Iterator[str]:
    found = _FROM.match(text)
    if found and found[1] not in sys.stdlib_module_names:
        yield found[1]


def _script(pattern: re.Pattern[str]) -> Callable[[str], Iterator[str]]:
    def read(text: str) -> Iterator[str]:
        for name in pattern.findall(text):
            parts = name.split("/")
            package = "/".join(parts[:2]) if name.startswith("@") else parts[0]
            if not name.startswith((".", "/", "node:")) and package not in _NODE_MODULES:
                yield package

    return read


def _go(text: str) -> Iterator[str]:
    for path in _QUOTED.findall(text):
        host, _, rest = path.partition("/")
        if "." in host:  # the standard library has no host
            yield rest or host


def _included(text: str) -> Iterator[str]:
    for path in _INCLUDED.findall(text):
        name = path.split("/")[0].removesuffix(".h").removesuffix(".hpp")
        if name not in _C_HEADERS:
            yield name


def _ruby(text: str) -> Iterator[str]:
    yield from (path.split("/")[0] for path in _QUOTED.findall(text))


def _dotted(separator: str, parts: int) -> Callable[[str], Iterator[str]]:
    def read(text: str) -> Iterator[str]:
        words = re.findall(r"[\w.:\\]+", text)
        path = next((w for w in words if w not in _LEADING), "")
        names = [name for name in path.split(separator) if name]
        if names and names[0] not in _OWN:
            yield separator.join(names[:parts])

    return read


_LEADING = frozenset({"import", "static", "use", "using", "extern", "crate", "pub", "function",
                      "const", "global"})  # fmt: skip
_READERS: Mapping[str, Callable[[str], Iterator[str]]] = {
    "import_statement": _python,
    "import_from_statement": _python_from,
    "script import": _script(_QUOTED),
    "script require": _script(_REQUIRED),
    "go import": _go,
    "import_declaration": _dotted(".", 3),
    "use_declaration": _dotted("::", 1),
    "extern_crate_declaration": _dotted("::", 1),
    "preproc_include": _included,
    "using_directive": _dotted(".", 3),
    "namespace_use_declaration": _dotted("\\", 2),
    "ruby require": _ruby,
}
