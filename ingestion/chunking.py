"""How does a document become chunks of bounded size?

A chunk is a slice of one section. It is filled with the coarsest pieces that fit, and starts with
the end of the chunk before it, so that a sentence on the border is found in full.
"""

import hashlib
import re
from bisect import bisect_left

from ingestion.packing import Slice, split_text
from retrieval.types import Chunk, Document, Section, TokenCounter

CHUNKER_VERSION = 2
"""Raise it when the same document would give other chunks: every generation is then rebuilt."""

_NEWLINE = re.compile("\n")
# Up to the path: a new commit alone must not change what a README's links are embedded as, and a
# fork says the same as its parent.
_PINNED_LINK = re.compile(r"https?://[^\s()<>\"']*?[/=](?:[0-9a-f]{64}|[0-9a-f]{40})[/&?#]")


def embedded_text(
    document_title: str, headings: tuple[str, ...], text: str, context: str = ""
) -> str:
    """What is embedded for a chunk: title, headings from the outermost in, context, then the text.

    For code the title is the file's path and the headings are the enclosing names. A title that
    the first heading repeats is given once.
    """
    above = headings if headings[:1] == (document_title,) else (document_title, *headings)
    whole = "\n".join([*(part for part in (*above, context) if part), "", text])
    return _PINNED_LINK.sub("", whole)


def chunk_document(
    document: Document, counter: TokenCounter, max_tokens: int, overlap_tokens: int
) -> tuple[Chunk, ...]:
    """Every chunk of `document`, in order; none is blank and none reaches over two sections.

    Args:
        document: What was read.
        counter: Counts tokens; the count of a chunk is that of its exact text.
        max_tokens: Size of a chunk, its overlap included, its headings not.
        overlap_tokens: Most tokens that a chunk repeats from the one before in its section.

    Raises:
        ValueError: max_tokens < 1, overlap_tokens < 0, or overlap_tokens >= max_tokens.
    """
    if max_tokens < 1 or not 0 <= overlap_tokens < max_tokens:
        raise ValueError(
            f"max_tokens ({max_tokens}) must be at least 1, and overlap_tokens "
            f"({overlap_tokens}) at least 0 and below max_tokens"
        )
    chunks: list[Chunk] = []
    code = document.kind == "code"
    for number, section in enumerate(document.sections):
        slices = split_text(section.text, counter, max_tokens, overlap_tokens, code=code)
        lines = _Lines(section)
        for ordinal, part in enumerate(slices):
            chunk_id = f"{document.doc_id}#{number}.{ordinal}"
            context = _context(section, is_first=ordinal == 0)
            chunks.append(
                _chunk(document, section, part, lines.of(part), chunk_id, len(chunks), context)
            )
    return tuple(chunks)


class _Lines:
    """Line numbers in a section."""

    def __init__(self, section: Section) -> None:
        self._first = section.start_line
        self._breaks = [match.start() for match in _NEWLINE.finditer(section.text)]

    def of(self, part: Slice) -> tuple[int | None, int | None]:
        if self._first is None:
            return None, None
        begin = self._first + bisect_left(self._breaks, part.begin)
        return begin, self._first + bisect_left(self._breaks, part.end)


def _context(section: Section, *, is_first: bool) -> str:
    said = (section.context, "" if is_first else section.continued)
    return "\n".join(filter(None, said))


def _chunk(
    document: Document,
    section: Section,
    part: Slice,
    lines: tuple[int | None, int | None],
    chunk_id: str,
    ordinal: int,
    context: str,
) -> Chunk:
    text = section.text[part.begin : part.end]
    start_line, end_line = lines
    embedded = embedded_text(document.title, section.headings, text, context)
    return Chunk(
        chunk_id=chunk_id,
        doc_id=document.doc_id,
        url=_address(document, section, start_line, end_line),
        anchor=section.anchor,
        headings=section.headings,
        ordinal=ordinal,
        text=text,
        tokens=part.tokens,
        start_line=start_line,
        end_line=end_line,
        overlap_chars=part.body - part.begin,
        content_hash=hashlib.sha256(embedded.encode("utf-8", "surrogatepass")).hexdigest(),
        context=context,
    )


def _address(
    document: Document, section: Section, start_line: int | None, end_line: int | None
) -> str | None:
    if document.kind == "code" and document.line_link and start_line is not None:
        link = document.line_link.replace("{start}", str(start_line))
        return link.replace("{end}", str(end_line))
    if document.url is None or not section.anchor or "#" in document.url:
        return document.url
    return f"{document.url}#{section.anchor}"
