"""How does the text of a repository file become a document?"""

from dataclasses import dataclass, replace
from itertools import pairwise

from ingestion.anchors import GithubIds
from ingestion.code.units import code_sections
from ingestion.errors import DocumentUnreadable
from ingestion.front_matter import FrontMatter, scalar_text, split_front_matter
from ingestion.git.filenames import FileForm
from ingestion.git.link_targets import link_target
from ingestion.git.links import FileLinks
from ingestion.git.notebook import Cell
from ingestion.git.prose_language import prose_language
from ingestion.git.relative_links import with_absolute_links
from ingestion.git.tree import TreeEntry
from ingestion.markdown import parse_markdown
from retrieval.types import Document, Kind, Section

_MAX_TITLE_CHARS = 300


@dataclass(frozen=True, slots=True)
class DocumentMaker:
    """Makes documents of one commit of one repository.

    Attributes:
        source: Name of the source.
        commit: Full id.
        links: How its files are linked.
    """

    source: str
    commit: str
    links: FileLinks

    def from_text(self, entry: TreeEntry, form: FileForm, text: str) -> Document:
        """A document of Markdown, prose or code."""
        if form == "markdown":
            return self._markdown(entry, text)
        if form == "prose":
            return self._document(entry, "text", _first_line(text), (_whole(text),))
        return self._document(entry, "code", "", code_sections(text, entry.path))

    def from_cells(self, entry: TreeEntry, cells: tuple[Cell, ...]) -> Document:
        """A document of a notebook; its lines are not those of the file that holds it."""
        ids = GithubIds()
        sections: list[Section] = []
        title = ""
        headings: tuple[str, ...] = ()
        for cell in cells:
            if cell.kind != "markdown":
                sections.append(Section(headings, "", cell.text))
                continue
            parsed = parse_markdown(self._with_links(entry, cell.text), ids)
            title = title or parsed.first_heading
            sections += (replace(section, anchor="") for section in parsed.sections)
            headings = parsed.sections[-1].headings if parsed.sections else headings
        document = self._document(entry, "text", title, tuple(sections))
        return replace(document, line_link="")

    def _markdown(self, entry: TreeEntry, text: str) -> Document:
        front = _front_matter(text)
        body = self._with_links(entry, front.body)
        parsed = parse_markdown(body, GithubIds(), front.body_line)
        title = scalar_text(front.values.get("title", "")) or parsed.first_heading
        document = self._document(entry, "text", title, parsed.sections or (_whole(body),))
        if self.links.has_heading_ids:
            return replace(document, anchors=parsed.anchors, line_link="")
        plain = tuple(replace(section, anchor="") for section in document.sections)
        return replace(document, sections=plain)

    def _with_links(self, entry: TreeEntry, markdown: str) -> str:
        if not self.links.page:
            return markdown
        return with_absolute_links(
            markdown,
            lambda destination, is_image: link_target(
                self.links, self.commit, entry.name, destination, is_image=is_image
            ),
        )

    def _document(
        self, entry: TreeEntry, kind: Kind, title: str, sections: tuple[Section, ...]
    ) -> Document:
        return Document(
            doc_id=document_id(self.source, entry.path),
            source=self.source,
            path=entry.path,
            url=self.links.page_url(self.commit, entry.name),
            title=title.strip()[:_MAX_TITLE_CHARS] or entry.path,
            language=prose_language(sections) if kind == "text" else "",
            kind=kind,
            sections=sections,
            line_link=self.links.lines_url(self.commit, entry.name, is_prose=kind == "text"),
            revision=self.commit,
        )


def document_id(source: str, path: str) -> str:
    """The doc_id of a repository file."""
    return f"{source}:{path}"


def _whole(text: str) -> Section:
    return Section((), "", text, 1)


def _front_matter(text: str) -> FrontMatter:
    """The block at the start, where there is one; `---` can be a line across a README as well."""
    whole = FrontMatter({}, text, 1)
    if not text.startswith(("---", "+++")):
        return whole
    try:
        front = split_front_matter(text)
    except DocumentUnreadable:
        return whole
    return front if front.values and front.body.strip() else whole


def _first_line(text: str) -> str:
    """A title above a line of `=`, or behind one `=`, as reStructuredText and AsciiDoc write it."""
    lines = [line.strip() for line in text.split("\n", 40)[:40] if line.strip()]
    for first, second in pairwise(lines):
        if first.startswith("= "):
            return first.removeprefix("= ")
        if set(second) <= set("=-~#*") and len(second) >= 3 and any(map(str.isalnum, first)):
            return first
        if any(map(str.isalnum, first)):
            return ""
    return ""
