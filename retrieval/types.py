"""The values that pass between ingestion, retrieval and service: frozen and slotted."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

Kind = Literal["page", "data", "code", "text"]
SearchMode = Literal["hybrid", "dense", "keyword"]
ContextMode = Literal["full-context", "mixed", "hybrid", "keyword"]


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of a document below one heading, or one code unit.

    Attributes:
        headings: Titles from the outermost heading to this one; for code the enclosing names.
        anchor: Id of the heading on the published page; "" where there is none.
        text: Source text, heading line included; code keeps its indentation.
        start_line: Line of the file on which `text` starts, from 1; None where it has no line.
        context: Embedded before each chunk of it and no part of its text; of code the packages
            that the file uses.
        continued: The same for every chunk but the first; of code the unit's signature.
    """

    headings: tuple[str, ...]
    anchor: str
    text: str
    start_line: int | None = None
    context: str = ""
    continued: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A published page, a data row or a repository file, before it is chunked.

    Attributes:
        doc_id: `<source>:<path>`, with `@<row>` behind it for a data row; unique in a corpus.
        source: Name of the source as configured.
        path: Path relative to the root of the source, with `/`.
        url: Absolute public address without anchor; None where it has none.
        title: Never empty.
        language: Lower-case code such as `en` or `pt-br`; "" where it is unknown (code).
        kind: page, data, code or text (Markdown and prose of a repository).
        sections: In order; their texts hold the whole indexed text.
        anchors: Every id that a link may use, those without a section too.
        aliases: Further absolute addresses that lead to this page.
        translation_key: Equal for translations of one page; "" for none.
        line_link: Address of a line range with `{start}` and `{end}`; "" for none.
        revision: Commit that `url` and `line_link` name; a new commit alone is no update.
    """

    doc_id: str
    source: str
    path: str
    url: str | None
    title: str
    language: str
    kind: Kind
    sections: tuple[Section, ...]
    anchors: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    translation_key: str = ""
    line_link: str = ""
    revision: str = ""


@dataclass(frozen=True, slots=True)
class Chunk:
    """What is embedded, indexed and cited.

    Attributes:
        chunk_id: `<source>:<path>#<section>.<ordinal>`: positional, never from the text.
        doc_id: The document it is part of.
        url: Absolute address with `#anchor` or line range; None where there is none.
        anchor: Id on the page; "" for none.
        headings: Titles from the outermost heading to the chunk's own.
        ordinal: Position in the document, from 0.
        text: Slice of the section's text.
        tokens: Tokens of `text` by the corpus' token counter.
        start_line: First line in the file, from 1; None where it has no line.
        end_line: Last line in the file, inclusive.
        content_hash: SHA-256 (hex) of the embedded text: title, headings, context, then text.
        overlap_chars: Characters at the start of `text` that end the chunk before it.
        context: Embedded between headings and text, cited by nobody; see `Section`.
    """

    chunk_id: str
    doc_id: str
    url: str | None
    anchor: str
    headings: tuple[str, ...]
    ordinal: int
    text: str
    tokens: int
    start_line: int | None
    end_line: int | None
    content_hash: str
    overlap_chars: int = 0
    context: str = ""


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document as a generation knows it: everything but its text.

    Attributes:
        chunks: Number of its chunks.
        tokens: Tokens of its chunks.
        context_tokens: Upper estimate for its whole text that holds for every Mistral tokenizer.
    """

    doc_id: str
    source: str
    path: str
    url: str | None
    title: str
    language: str
    kind: Kind
    translation_key: str
    chunks: int = 0
    tokens: int = 0
    context_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Hit:
    """One result of one index: `row` is the key of chunks.sqlite, `rank` counts from 1."""

    row: int
    score: float
    rank: int


@dataclass(frozen=True, slots=True)
class RankedChunk:
    """A chunk with its document and how each index ranked it (None: not in that list)."""

    chunk: Chunk
    document: StoredDocument
    score: float
    dense_rank: int | None = None
    keyword_rank: int | None = None


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What is handed to the answer.

    Attributes:
        query: The text that was searched for.
        mode: How the chunks were chosen.
        chunks: Best first when ranked; in corpus order when given whole.
        tokens: Sum of the chunks' tokens.
        degraded: Why less than the configured mode was possible; "" if it was not.
    """

    query: str
    mode: ContextMode | SearchMode
    chunks: tuple[RankedChunk, ...]
    tokens: int
    degraded: str = ""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was left out on purpose, with its reason from the shared vocabulary."""

    source: str
    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file or a source that could not be read: its last good version stays."""

    source: str
    path: str
    reason: str


class TokenCounter(Protocol):
    """Counts tokens as the answering model does."""

    def count(self, text: str) -> int:
        """Number of tokens of `text`; special-token strings are ordinary text."""
        ...

    def count_all(self, texts: Sequence[str]) -> list[int]:
        """`count` for many texts."""
        ...


@dataclass(frozen=True, slots=True)
class SyncPlan:
    """What a sync does with each document, by doc_id in corpus order."""

    add: tuple[str, ...]
    update: tuple[str, ...]
    delete: tuple[str, ...]
    ignore: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """A real page of the generation, and a real anchor on it where one was asked for.

    Attributes:
        url: Absolute; carries an anchor only where the page has it.
        title: The page's title.
        heading: Title of the anchor's heading; "" for the page itself.
        document: The page.
    """

    url: str
    title: str
    heading: str
    document: StoredDocument
