"""What does a text of blocks say, each headed `Source: <url>`?

`askfolio export knowledge.txt` writes such a file; any other program may.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath
from urllib.parse import urljoin, urlsplit

from ingestion.dialects import GITHUB
from ingestion.errors import DocumentUnreadable, SourceError, SourceMissing
from ingestion.git.prose_language import prose_language
from ingestion.markdown import ParsedMarkdown, parse_markdown
from ingestion.sources.base import Listing, ReportProgress, no_progress
from ingestion.sources.knowledge_blocks import Block, split_blocks, split_links
from ingestion.sources.web import fetch, origin_of
from retrieval.configuration import Site
from retrieval.types import Document, Kind, Section, Skipped, Unreadable

MAX_FILE_BYTES = 32 << 20
MAX_BLOCKS = 100_000
MAX_TITLE_CHARS = 100


class KnowledgeText:
    """`kind = "knowledge"`: every block of a text is a document and an allowed link.

    A block starts with a line `Source: <url>` behind a blank line, outside a code fence; a line
    `Language: <code>` may follow. Its first heading is its title, a heading's `{#id}` an anchor of
    its page. A path such as `/about/` is completed with base_url; an address that is neither leaves
    the document without a link. A text without blocks whose list items are `[title](url): note`,
    such as an llms.txt, gives a document an item.

    Args:
        site: As configured; `url` is fetched instead of the file.
        file: The text file.
    """

    def __init__(self, site: Site, file: Path) -> None:
        self._site = site
        self._file = file
        self._place = site.url or str(file)
        address = PurePosixPath(urlsplit(site.url).path).name or "knowledge.txt"
        self._path = address if site.url else file.name

    @property
    def name(self) -> str:
        """See `DocumentSource`."""
        return self._site.name

    def listing(self, report: ReportProgress = no_progress) -> Listing:
        """See `DocumentSource`.

        Raises:
            SourceMissing: The file is not there.
            SourceUnreachable: The address does not answer.
            SourceError: It cannot be read, or has no block.
        """
        blocks = self._blocks()
        seen: Counter[str] = Counter()
        documents: list[Document] = []
        skipped: list[Skipped] = []
        errors: list[Unreadable] = []
        for number, block in enumerate(blocks):
            report(number, len(blocks))
            seen[block.address] += 1
            try:
                documents += self._documents(block, seen[block.address], skipped)
            except DocumentUnreadable as error:
                reason = f"{error} (block `Source: {block.address}`)"
                errors.append(Unreadable(self.name, self._path, reason))
        report(len(blocks), len(blocks))
        return Listing(tuple(documents), tuple(skipped), tuple(errors))

    def _blocks(self) -> list[Block]:
        text = self._text()
        blocks = list(split_blocks(text))
        if not any(block.address for block in blocks):
            blocks = list(split_links(text))
        addressed = sum(bool(block.address) for block in blocks)
        if not 0 < addressed <= MAX_BLOCKS:
            raise SourceError(
                f"{self._place}: needs 1 to {MAX_BLOCKS} blocks, each headed `Source: <url>`; "
                f"it has {addressed}"
            )
        return blocks

    def _text(self) -> str:
        content = self._fetched() if self._site.url else self._read()
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise SourceError(f"{self._place} is not UTF-8 at byte {error.start}") from error

    def _fetched(self) -> bytes:
        try:
            return fetch(self._site.url, MAX_FILE_BYTES).body
        except DocumentUnreadable as error:
            raise SourceError(str(error)) from error

    def _read(self) -> bytes:
        try:
            with self._file.open("rb") as stream:
                content = stream.read(MAX_FILE_BYTES + 1)
        except FileNotFoundError as error:
            raise SourceMissing(f"{self._file} is not there: set site.path to the file") from error
        except OSError as error:
            raise SourceError(f"{self._file} cannot be read: {error.strerror}") from error
        if len(content) > MAX_FILE_BYTES:
            raise SourceError(f"{self._file} is larger than {MAX_FILE_BYTES} bytes")
        return content

    def _documents(
        self, block: Block, occurrence: int, skipped: list[Skipped]
    ) -> Iterator[Document]:
        if not block.address:
            reason = "not-rendered: text above the first `Source:` line"
            skipped.append(Skipped(self.name, self._path, reason))
            return
        title, parsed = _parsed(block)
        sections = parsed.sections or ((Section((), "", title),) if title else ())
        if not sections:
            skipped.append(Skipped(self.name, f"{self._path}@{block.address}", "empty"))
            return
        url = self._url(block.address)
        row = block.address if occurrence == 1 else f"{block.address} ({occurrence})"
        is_row = url is not None and "#" in url
        kind: Kind = "data" if is_row else "page"
        yield Document(
            doc_id=f"{self.name}:{self._path}@{row}",
            source=self.name,
            path=self._path,
            url=url,
            title=title or parsed.first_heading or _fallback_title(block),
            language=block.language or prose_language(sections),
            kind=kind,
            sections=sections,
            anchors=() if is_row or url is None else parsed.anchors,
        )

    def _url(self, address: str) -> str | None:
        if address.startswith("/") and self._site.base_url:
            return urljoin(self._site.base_url, address)
        return address if origin_of(address) else None


class _WrittenIds:
    """The ids that the text names; no anchor is better than a wrong one."""

    dialect = replace(GITHUB, attributes="goldmark")

    def next_id(self, rendered_text: str, custom_id: str | None) -> str:
        del rendered_text
        return custom_id or ""


def _parsed(block: Block) -> tuple[str, ParsedMarkdown]:
    """Title and text; a level-1 heading in first place is the title."""
    lines = block.text.split("\n")
    first = next((i for i, line in enumerate(lines) if line.strip()), 0)
    if block.title or not lines[first].startswith("# "):
        return block.title, parse_markdown(block.text, _WrittenIds(), block.first_line)
    title = parse_markdown(lines[first], _WrittenIds()).first_heading
    body = "\n".join(lines[first + 1 :])
    return title, parse_markdown(body, _WrittenIds(), block.first_line + first + 1)


def _fallback_title(block: Block) -> str:
    line = next((line.strip() for line in block.text.split("\n") if line.strip()), block.address)
    return line if len(line) <= MAX_TITLE_CHARS else line[: MAX_TITLE_CHARS - 1].rstrip() + "…"
