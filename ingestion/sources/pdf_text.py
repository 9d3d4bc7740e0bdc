"""What does each page of a PDF file say? The one place that knows pypdf."""

import re
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ingestion.errors import DocumentUnreadable
from retrieval.types import Section

if TYPE_CHECKING:
    from pypdf import PdfReader

MAX_FILE_BYTES = 10 << 20
MAX_PAGES = 200
MAX_PAGE_CHARS = 100_000
DEADLINE_S = 20.0

# A file that breaks the format makes pypdf raise whatever its own code meets.
_BROKEN = (
    ArithmeticError, AssertionError, AttributeError, LookupError, NotImplementedError, OSError,
    RecursionError, TypeError, ValueError, zlib.error,
)  # fmt: skip
_NO_TITLE = re.compile(r"untitled|microsoft word|\.(?:docx?|tex|dvi|odt|pages|indd|pdf)$", re.I)
_HYPHENATED = re.compile(r"(?<=[a-zà-öø-ÿ])-\n(?=[a-zà-öø-ÿ])")


@dataclass(frozen=True, slots=True)
class PdfText:
    """The text of a file.

    Attributes:
        title: As the file names it; "" where it does not, or names a word processor's file.
        sections: One a page that has text; its anchor `page=N` is what PDF viewers open.
        anchors: Of all pages.
    """

    title: str
    sections: tuple[Section, ...]
    anchors: tuple[str, ...]


def pdf_text(file: Path) -> PdfText:
    """Read `file`.

    Raises:
        DocumentUnreadable: too-large, empty (no text, such as a scan), or broken.
    """
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        if file.stat().st_size > MAX_FILE_BYTES:
            raise DocumentUnreadable(f"too-large: more than {MAX_FILE_BYTES} bytes")
        with file.open("rb") as stream:
            reader = PdfReader(stream)
            if len(reader.pages) > MAX_PAGES:
                raise DocumentUnreadable(f"too-large: more than {MAX_PAGES} pages")
            sections = tuple(_sections(reader))
            title = _title(reader)
            pages = len(reader.pages)
    except (PyPdfError, *_BROKEN) as error:
        raise DocumentUnreadable(f"parse-error: no readable PDF: {error}") from error
    if not sections:
        raise DocumentUnreadable("empty: no text in the file; a scan needs character recognition")
    return PdfText(title, sections, tuple(f"page={number}" for number in range(1, pages + 1)))


def _sections(reader: "PdfReader") -> Iterator[Section]:
    end = time.monotonic() + DEADLINE_S
    for number, page in enumerate(reader.pages, 1):
        if time.monotonic() > end:
            raise DocumentUnreadable(f"too-large: page {number} not reached in {DEADLINE_S:.0f} s")
        text = _HYPHENATED.sub("", page.extract_text()[:MAX_PAGE_CHARS].replace("\0", ""))
        lines = (" ".join(line.split()) for line in text.split("\n"))
        text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
        if text:
            yield Section((f"p. {number}",), f"page={number}", text)


def _title(reader: "PdfReader") -> str:
    title = " ".join(str((reader.metadata and reader.metadata.title) or "").split())
    return "" if _NO_TITLE.search(title) else title
