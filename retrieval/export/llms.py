"""What does an llms.txt list, and what does an llms-full.txt hold?

Format: https://llmstxt.org, version 2: a title, a summary as a quote, sections of links with notes;
the section "Optional" may be left out by its reader.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from retrieval.export.block_format import fence_after
from retrieval.export.knowledge_text import block_address, knowledge_blocks, section_texts
from retrieval.types import RankedChunk, StoredDocument

NOTE_CHARS = 160
OPTIONAL = "Optional"

_MARKUP = re.compile(r"!?\[([^\]]*)\]\([^()]*\)|<[^<>]*>|\{\{.*?\}\}|[*`]+")
_NOT_PROSE = re.compile(r"[ \t]*(?:#{1,6}(?:[ \t]|$)|\||(?:[-*_=][ \t]*){3,}$|\{\{[<%]|$)")
_LINE_MARKS = re.compile(r"^[ \t]*(?:>[ \t]*|[-*+][ \t]+|\d{1,9}[.)][ \t]+)*")
_BRACKET = re.compile(r"[\[\]\\]")


@dataclass(frozen=True, slots=True)
class Entry:
    """A document and what it says in a line."""

    document: StoredDocument
    note: str


def llms_txt(
    chunks: Iterable[RankedChunk], title: str, links: Iterable[StoredDocument] = ()
) -> Iterator[str]:
    """The lines of an llms.txt: every document with a public address, once.

    Args:
        chunks: In corpus order.
        title: Of the site; "" for its home page's.
        links: Documents without text.
    """
    entries = [*_entries(chunks), *(Entry(document, "") for document in links)]
    yield from _head(entries, title)
    several = _sources_of_several_languages(entries)
    home = _home(entries)
    listed: dict[str, list[str]] = {_section(home.document, several): []} if home else {}
    for entry in entries:
        if entry.document.url:
            listed.setdefault(_section(entry.document, several), []).append(_line(entry))
    optional = listed.pop(OPTIONAL, [])
    for name, lines in (*listed.items(), *([(OPTIONAL, optional)] if optional else [])):
        yield f"\n## {name}\n\n"
        yield from dict.fromkeys(lines)


def llms_full_txt(
    chunks: Iterable[RankedChunk], title: str, links: Iterable[StoredDocument] = ()
) -> Iterator[str]:
    """The head of the llms.txt, then every document as in knowledge.txt."""
    kept = list(chunks)
    yield from _head(list(_entries(kept)), title)
    yield "\n"
    yield from knowledge_blocks(kept, links)


def _entries(chunks: Iterable[RankedChunk]) -> Iterator[Entry]:
    for _, group in groupby(chunks, key=lambda ranked: ranked.document.doc_id):
        parts = list(group)
        document = parts[0].document
        texts = (text for _, text in section_texts(parts))
        if document.kind == "data":
            texts = (text.replace("\n", "; ") for text in texts)
        note = "" if document.kind == "code" else next(filter(None, map(_first_words, texts)), "")
        yield Entry(document, note)


def _head(entries: list[Entry], title: str) -> Iterator[str]:
    home = _home(entries)
    name = title or (home.document.title if home else "Knowledge")
    yield f"# {' '.join(name.split())}\n"
    if home and home.note:
        yield f"\n> {home.note}\n"


def _home(entries: list[Entry]) -> Entry | None:
    """The page with the shortest address: of several languages that of the site's root."""
    pages = [entry for entry in entries if entry.document.kind == "page" and entry.document.url]
    return min(pages, key=lambda entry: len(entry.document.url or ""), default=None)


def _sources_of_several_languages(entries: list[Entry]) -> frozenset[str]:
    found: dict[str, set[str]] = {}
    for entry in entries:
        if entry.document.language:
            found.setdefault(entry.document.source, set()).add(entry.document.language)
    return frozenset(source for source, languages in found.items() if len(languages) > 1)


def _section(document: StoredDocument, several: frozenset[str]) -> str:
    if document.kind == "code":
        return OPTIONAL
    if document.source in several and document.language:
        return f"{document.source} ({document.language})"
    return document.source


def _line(entry: Entry) -> str:
    title = _BRACKET.sub(lambda m: f"\\{m[0]}", " ".join(entry.document.title.split()))
    address = block_address(entry.document).replace("(", "%28").replace(")", "%29")
    note = f": {entry.note}" if entry.note and entry.note != entry.document.title else ""
    return f"- [{title}]({address}){note}\n"


def _first_words(text: str) -> str:
    """The first paragraph, without its markup, cut at a word."""
    words: list[str] = []
    fence = ""
    for line in text.split("\n"):
        before, fence = fence, fence_after(line, fence)
        if before or fence or _NOT_PROSE.match(line):
            if words:
                break
            continue
        words += _MARKUP.sub(lambda m: m[1] or "", _LINE_MARKS.sub("", line)).split()
    whole = " ".join(words)
    if len(whole) <= NOTE_CHARS:
        return whole
    return whole[: NOTE_CHARS - 1].rpartition(" ")[0].rstrip(",;:") + "…"
