"""What is one file of a commit: a document, or left out, and why?"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ingestion.errors import DocumentUnreadable
from ingestion.git.content import NotText, decode, is_lfs_pointer, written_reason
from ingestion.git.documents import DocumentMaker
from ingestion.git.filenames import file_form, is_binary_name
from ingestion.git.notebook import Cell, CellKind, notebook_cells
from ingestion.git.secrets import without_secrets
from ingestion.git.selection import Choice
from ingestion.git.tree import Blobs
from retrieval.types import Document

_CELL_NAMES: Mapping[CellKind, str] = {"markdown": "cell.md", "code": "cell.py", "raw": "cell.txt"}


@dataclass(frozen=True, slots=True)
class FileFound:
    """A file as it was found.

    Attributes:
        document: What may be indexed, or None.
        reasons: Why it, or a part of it, is left out.
    """

    document: Document | None
    reasons: tuple[str, ...] = ()


def read_file(choice: Choice, blobs: Blobs, maker: DocumentMaker) -> FileFound:
    """Read one file, unless the choice is to leave it out.

    Secrets are taken out of the text before a title, a heading or a section is made of it.

    Raises:
        CloneDamaged: Its content is missing from the local copy.
    """
    if choice.reason:
        return FileFound(None, (choice.reason,))
    content = blobs.read(choice.entry)
    if is_lfs_pointer(content):
        return FileFound(None, ("lfs-pointer",))
    if is_binary_name(choice.entry.path):
        return FileFound(None, ("binary",))
    try:
        text = decode(content)
        if file_form(choice.entry.path) == "notebook":
            return _read_notebook(choice, text, maker)
        return _read_text(choice, text, maker)
    except NotText as why:
        return FileFound(None, (str(why),))
    except DocumentUnreadable:  # more lines or headings than the Markdown parser takes
        return FileFound(None, ("too-large",))


def _read_text(choice: Choice, text: str, maker: DocumentMaker) -> FileFound:
    path = choice.entry.path
    form = file_form(path)
    written = "" if choice.is_hand_written else written_reason(path, text, form)
    if written:
        return FileFound(None, (written,))
    checked = without_secrets(text, path)
    return FileFound(maker.from_text(choice.entry, form, checked.text), checked.reasons)


def _read_notebook(choice: Choice, text: str, maker: DocumentMaker) -> FileFound:
    cells: list[Cell] = []
    reasons: list[str] = []
    for number, cell in enumerate(notebook_cells(text), start=1):
        try:
            checked = without_secrets(cell.text, _CELL_NAMES[cell.kind])
        except NotText:
            reasons.append(f"secret: cell {number} left out")
            continue
        cells.append(replace(cell, text=checked.text))
        reasons += (f"{reason} of cell {number}" for reason in checked.reasons)
    if not cells:
        raise NotText("secret-file")
    return FileFound(maker.from_cells(choice.entry, tuple(cells)), tuple(reasons))
