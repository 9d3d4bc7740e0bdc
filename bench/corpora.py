"""Texts to measure on: docstrings of the installed Python library, as Markdown pages."""

import ast
import sysconfig
from collections.abc import Iterator
from pathlib import Path

MIN_CHARS = 200
MAX_FILE_BYTES = 1 << 20
SECTIONS_PER_PAGE = 10


def docstrings() -> Iterator[tuple[str, str]]:
    """(qualified name, docstring) of the standard library, in the order of its files."""
    root = Path(sysconfig.get_paths()["stdlib"])
    for file in sorted(root.rglob("*.py")):
        if "site-packages" in file.parts or file.stat().st_size > MAX_FILE_BYTES:
            continue
        try:
            tree = ast.parse(file.read_text(encoding="utf-8"))
        except (SyntaxError, UnicodeDecodeError):  # fixtures of the library's own tests
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
                text = ast.get_docstring(node)
                if text and len(text) >= MIN_CHARS:
                    yield f"{file.stem}.{node.name}", text


def write_pages(root: Path, sections: int) -> list[str]:
    """Write `sections` docstrings as pages below `root`; returns their names.

    Raises:
        ValueError: The library has fewer.
    """
    names: list[str] = []
    page: list[str] = []
    for name, text in docstrings():
        names.append(name)
        page.append(f"## {name}\n\n{text}\n")
        if len(page) == SECTIONS_PER_PAGE or len(names) == sections:
            file = root / f"page-{len(names):05d}.md"
            file.write_text("\n".join(page), encoding="utf-8")
            page = []
        if len(names) == sections:
            return names
    raise ValueError(f"the installed library has {len(names)} docstrings, wanted {sections}")
