"""What did the author of a Jupyter notebook write? Its cells, never their outputs."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ingestion.git.content import NotText

CellKind = Literal["markdown", "code", "raw"]
_KINDS: tuple[CellKind, ...] = ("markdown", "code", "raw")


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell, as text that ends without a line end."""

    kind: CellKind
    text: str


def notebook_cells(text: str) -> tuple[Cell, ...]:
    """Cells with a text, in order; nbformat 4, and the worksheets of nbformat 3.

    Raises:
        NotText: `parse-error` where it is no notebook; `empty` without any text.
    """
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotText("parse-error") from error
    if not isinstance(notebook, dict):
        raise NotText("parse-error")
    cells = tuple(_cells(notebook))
    if not cells:
        raise NotText("empty")
    return cells


def _cells(notebook: dict[str, object]) -> Iterator[Cell]:
    sheets = notebook.get("worksheets")
    for holder in (notebook, *(sheets if isinstance(sheets, list) else ())):
        cells = holder.get("cells") if isinstance(holder, dict) else None
        for cell in cells if isinstance(cells, list) else ():
            if isinstance(cell, dict):
                yield from _cell(cell)


def _cell(cell: dict[str, object]) -> Iterator[Cell]:
    source = cell.get("source", cell.get("input", ""))
    parts = source if isinstance(source, list) else [source]
    text = "".join(part for part in parts if isinstance(part, str)).strip("\n")
    for kind in _KINDS:
        if text.strip() and (cell.get("cell_type") == kind):
            yield Cell(kind, text)
