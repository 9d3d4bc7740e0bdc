"""Which page does one file of a Markdown tree make?"""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from ingestion.anchors import GithubIds, PythonMarkdownIds
from ingestion.errors import DocumentUnreadable
from ingestion.front_matter import FrontMatter, scalar_text, split_front_matter
from ingestion.markdown import ParsedMarkdown, parse_markdown
from ingestion.sources.folder_files import FoundFile, read_text
from ingestion.sources.mkdocs import MkDocs
from ingestion.sources.url_pattern import JEKYLL_POSTS, quoted, url_path
from retrieval.configuration import Site
from retrieval.types import Document

_BLOCK = re.compile(r"\ufeff?(---|\+\+\+)[ \t]*\r?\n(?:.*\n)??\1[ \t]*\r?(?:\n|\Z)", re.DOTALL)
_JEKYLL_DRAFTS = "_drafts"
_DATED_NAME = re.compile(r"\d{4}-\d{1,2}-\d{1,2}-(?=.)")


@dataclass(frozen=True, slots=True)
class MarkdownPages:
    """The pages of one reading of a tree.

    Attributes:
        site: As configured.
        mkdocs: What mkdocs.yml says; None without one.
        paths: Every Markdown file of the tree.
    """

    site: Site
    mkdocs: MkDocs | None
    paths: frozenset[str]

    def document(self, found: FoundFile) -> Document:
        """The page that `found` publishes.

        Raises:
            DocumentUnreadable: It is no page, or broken; the message starts with the reason.
        """
        if found.reason:
            raise DocumentUnreadable(found.reason)
        page = self._page_path(found.path)
        self._refuse_unpublished(found.path, page)
        matter = _split(read_text(found.file))
        _refuse_draft(found.path, matter)
        parsed = self._parsed(matter)
        if not parsed.sections:
            raise DocumentUnreadable("empty")
        return Document(
            doc_id=f"{self.site.name}:{found.path}",
            source=self.site.name,
            path=found.path,
            url=self._url(page, matter),
            title=self._title(page, matter, parsed),
            language=self._language(matter),
            kind="page",
            sections=parsed.sections,
            anchors=parsed.anchors,
        )

    def _page_path(self, path: str) -> str:
        """Path below the folder of the pages."""
        return path.removeprefix(f"{self.mkdocs.docs_dir}/") if self.mkdocs else path

    def _refuse_unpublished(self, path: str, page: str) -> None:
        if self.mkdocs is None:
            _refuse_partial(path)
            return
        if self.mkdocs.excluded.match(page):
            raise DocumentUnreadable("not-rendered: exclude_docs")
        if self.mkdocs.drafts.match(page):
            raise DocumentUnreadable("draft: draft_docs")
        index = str(PurePosixPath(path).with_name("index.md"))
        if PurePosixPath(path).name == "README.md" and index in self.paths:
            raise DocumentUnreadable("not-rendered: index.md is the page of this folder")

    def _parsed(self, matter: FrontMatter) -> ParsedMarkdown:
        if self.mkdocs is None:
            return parse_markdown(matter.body, GithubIds(), matter.body_line)
        # Python-Markdown reserves the written ids of the whole page before it makes the first.
        ids = _WrittenIds(self.mkdocs.ids(frozenset()))
        parsed = parse_markdown(matter.body, ids, matter.body_line)
        if ids.written:
            reserved = self.mkdocs.ids(frozenset(ids.written))
            parsed = parse_markdown(matter.body, reserved, matter.body_line)
        return parsed

    def _url(self, page: str, matter: FrontMatter) -> str | None:
        base = self.site.base_url or (self.mkdocs.site_url if self.mkdocs else "")
        if not base:
            return None
        if self.mkdocs:
            path = quoted(self.mkdocs.url_path(page))
        else:
            path = url_path(self.site.url_pattern, page, matter.values)
        return f"{base.rstrip('/')}/{path}"

    def _title(self, page: str, matter: FrontMatter, parsed: ParsedMarkdown) -> str:
        own = scalar_text(matter.values.get("title")).strip()
        if self.mkdocs is None:
            return own or parsed.first_heading or _title_of_name(page)
        navigation = self.mkdocs.nav_titles.get(page, "")
        return navigation or own or parsed.opening_title or _title_of_name(page)

    def _language(self, matter: FrontMatter) -> str:
        own = scalar_text(matter.values.get("lang") or matter.values.get("language")).lower()
        return own or (self.mkdocs.language if self.mkdocs else "")


class _WrittenIds:
    """Ids that remember which of them an author wrote."""

    def __init__(self, ids: PythonMarkdownIds) -> None:
        self._ids = ids
        self.dialect = ids.dialect
        self.written: list[str] = []

    def next_id(self, rendered_text: str, custom_id: str | None) -> str:
        if custom_id is not None:
            self.written.append(custom_id)
        return self._ids.next_id(rendered_text, custom_id)


def _split(text: str) -> FrontMatter:
    """A page may start with a rule, a list or a brace: only a whole block is front matter."""
    return split_front_matter(text) if _BLOCK.match(text) else FrontMatter({}, text, 1)


def _refuse_draft(path: str, matter: FrontMatter) -> None:
    draft = scalar_text(matter.values.get("draft")).lower() in {"true", "1", "yes"}
    unpublished = scalar_text(matter.values.get("published")).lower() in {"false", "0", "no"}
    if draft or unpublished or _JEKYLL_DRAFTS in PurePosixPath(path).parts:
        raise DocumentUnreadable("draft")


def _refuse_partial(path: str) -> None:
    """Jekyll, Docusaurus and Astro do not publish what starts with `_`; posts and drafts apart."""
    *folders, name = PurePosixPath(path).parts
    named = [part for part in folders if part not in (JEKYLL_POSTS, _JEKYLL_DRAFTS)]
    named += [] if PurePosixPath(name).stem == "_index" else [name]
    if any(part.startswith("_") for part in named):
        raise DocumentUnreadable("not-rendered: its name starts with _")


def _title_of_name(page: str) -> str:
    place = PurePosixPath(page)
    name = _DATED_NAME.sub("", place.stem)
    if name.lower() in {"index", "_index", "readme"}:
        name = place.parent.name or "Home"
    words = " ".join(re.split(r"[-_\s]+", name)).strip() or place.name
    return words.capitalize() if words == words.lower() else words
