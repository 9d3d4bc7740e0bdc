"""What does the corpus say, as one text of blocks that are each headed `Source: <url>`?

It can be a source again (`kind = "knowledge"`): every address is kept, those of headings too, which
are written behind them as `{#anchor}`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from retrieval.export.block_format import contained, fenced
from retrieval.types import Chunk, RankedChunk, StoredDocument

BLOCKS_VERSION = 1
"""Raise it when the same documents would give other blocks: all of them are then written anew."""

_ATX = re.compile(r"(?P<marks>#{1,6})(?=[ \t]|$)(?P<title>.*?)(?:[ \t]+#+)?[ \t]*")
_UNDERLINE = re.compile(r"[ \t]*(?:=+|-+)[ \t]*")
_WRITTEN = re.compile(r"[ \t]*\{:?[^{}]*\}[ \t]*$")
_ANCHOR = re.compile(r"""[^\s!"#$%&'()*+,/;<=>?@\[\\\]^`{|}~]+""")
_ACTIVE = re.compile(r"([\\`*_\[<&~{#])")
_LONG = 100
"""Characters without white space that are no word: a script without spaces, or encoded bytes."""
_SPACES = re.compile(r"\s")


def knowledge_blocks(
    chunks: Iterable[RankedChunk], links: Iterable[StoredDocument] = ()
) -> Iterator[str]:
    """One block a document: its address, its title, its text without the overlaps.

    A document without a public address is headed `<source>:<path>`, which is no link.

    Args:
        chunks: In corpus order.
        links: Documents without text, whose blocks come last.
    """
    for _, group in groupby(chunks, key=lambda ranked: ranked.document.doc_id):
        parts = list(group)
        document = parts[0].document
        yield _block(document, _code(parts) if document.kind == "code" else _prose(parts))
    for document in links:
        yield _block(document, "")


def _block(document: StoredDocument, text: str) -> str:
    body = contained(text.strip("\n"))
    language = f"Language: {document.language}\n" if document.language else ""
    title = _heading_text(document.title)
    return f"Source: {block_address(document)}\n{language}# {title}\n\n{body}\n\n"


def block_address(document: StoredDocument) -> str:
    """What heads the document's block: no white space in it."""
    address = document.url or f"{document.source}:{document.path.lstrip('/')}"
    return _SPACES.sub(lambda m: "".join(f"%{b:02X}" for b in m[0].encode()), address)


def section_texts(parts: Iterable[RankedChunk]) -> Iterator[tuple[list[RankedChunk], str]]:
    """The sections of a document: (chunks, text without the overlaps)."""
    for _, group in groupby(parts, key=lambda ranked: ranked.chunk.chunk_id.rpartition(".")[0]):
        chunks = list(group)
        yield chunks, "".join(_joined(chunks))


def _joined(chunks: list[RankedChunk]) -> Iterator[str]:
    for number, ranked in enumerate(chunks):
        if number:
            yield _between(chunks[number - 1].chunk, ranked.chunk)
        yield ranked.chunk.text[ranked.chunk.overlap_chars :]


def _between(before: Chunk, chunk: Chunk) -> str:
    """The white space between two chunks of a section, which is in neither but in the overlap."""
    overlap = chunk.text[: chunk.overlap_chars]
    if overlap:
        return overlap[len(overlap.rstrip()) :]
    if before.end_line is None or chunk.start_line is None:
        return "\n"
    same_line = chunk.start_line == before.end_line
    around = before.text.rsplit(None, 1)[-1:] + chunk.text.split(None, 1)[:1]
    if same_line and sum(map(len, around)) > _LONG:
        return ""
    return " " if same_line else "\n" * (chunk.start_line - before.end_line)


def _code(parts: list[RankedChunk]) -> str:
    """The file with its line breaks: a unit starts on the line that its first chunk names."""
    pieces: list[str] = []
    line = 0
    for chunks, text in section_texts(parts):
        first, last = chunks[0].chunk.start_line, chunks[-1].chunk.end_line
        if pieces:
            pieces.append("\n" * max(1, first - line) if first and line else "\n\n")
        pieces.append(text)
        line = last or 0
    return fenced("".join(pieces))


def _prose(parts: list[RankedChunk]) -> str:
    document = parts[0].document
    linked = bool(document.url) and "#" not in (document.url or "")
    written: tuple[str, ...] = ()
    stretches: list[str] = []
    for chunks, text in section_texts(parts):
        headings = chunks[0].chunk.headings
        section = _Section(headings, chunks[0].chunk.anchor if linked else "", written)
        stretches.append("\n".join(section.lines(text.split("\n"))))
        written = headings
    return "\n\n".join(stretches)


@dataclass(frozen=True, slots=True)
class _Section:
    """A section of a page.

    Attributes:
        headings: From the outermost to its own.
        anchor: Id of the heading; "" for none.
        above: Headings of the section before it.
    """

    headings: tuple[str, ...]
    anchor: str
    above: tuple[str, ...]

    def lines(self, lines: list[str]) -> Iterator[str]:
        """The section with the headings above it that stand nowhere else, and with its anchor."""
        first = lines[0]
        heading = _ATX.fullmatch(first) if self.headings else None
        underlined = len(lines) > 1 and _UNDERLINE.fullmatch(lines[1]) and self.headings
        level = len(heading["marks"]) if heading else max(1, min(6, len(self.headings)))
        yield from self._missing_above(level)
        if heading:
            yield f"{heading['marks']} {self._marked(heading['title'].strip())}".rstrip()
            yield from lines[1:]
        elif underlined and first.strip():
            yield self._marked(first)
            yield from lines[1:]
        else:
            if self.headings and (self.anchor or self.headings != self.above):
                yield f"{'#' * level} {self._marked(_heading_text(self.headings[-1]))}\n"
            yield from lines

    def _missing_above(self, level: int) -> Iterator[str]:
        """A heading directly above a deeper one is in no section's text."""
        same = 0
        for mine, theirs in zip(self.headings[:-1], self.above, strict=False):
            if mine != theirs:
                break
            same += 1
        for index in range(same, len(self.headings) - 1):
            depth = max(1, level - (len(self.headings) - 1 - index))
            yield f"{'#' * depth} {_heading_text(self.headings[index])}\n"

    def _marked(self, title: str) -> str:
        """`title` with its anchor behind it, in place of the attributes that held it."""
        if not _ANCHOR.fullmatch(self.anchor):
            return title
        written = _WRITTEN.search(title)
        if written and f"#{self.anchor}" in written[0]:
            title = title[: written.start()]
        return f"{title} {{#{self.anchor}}}"


def _heading_text(text: str) -> str:
    """`text` as the content of a heading that reads as it stands."""
    plain = " ".join(text.split())
    return _ACTIVE.sub(_escaped, plain)


def _escaped(match: re.Match[str]) -> str:
    """Underscores and hashes inside a word stand for themselves."""
    text, start, end = match.string, match.start(), match.end()
    before, after = text[start - 1 : start], text[end : end + 1]
    in_word = before.isalnum() and after.isalnum()
    if match[1] == "#" and before and not before.isspace():
        return "#"
    if match[1] == "&" and not re.match(r"&#?\w+;", text[start:]):
        return "&"
    return match[1] if match[1] == "_" and in_word else f"\\{match[1]}"
