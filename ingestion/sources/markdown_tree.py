"""What does a folder of Markdown publish: MkDocs, Jekyll, Docusaurus, or nothing in particular?"""

from pathlib import Path

from ingestion.errors import DocumentUnreadable, SourceMissing
from ingestion.sources.base import Listing, ReportProgress, no_progress
from ingestion.sources.folder_files import walk
from ingestion.sources.markdown_pages import MarkdownPages
from ingestion.sources.mkdocs import read_mkdocs
from ingestion.sources.url_pattern import check_pattern
from retrieval.configuration import Site
from retrieval.types import Document, Skipped, Unreadable

SUFFIXES = (".md", ".markdown", ".mdown", ".mkd", ".mkdn", ".mdx")
_FOLDERS_LEFT_OUT = frozenset({"node_modules/", "_site/"})
_SKIP_REASONS = ("too-large", "encoding", "empty", "draft")


class MarkdownTree:
    """`kind = "markdown"`: every Markdown file below a folder is a page.

    With a `mkdocs.yml` the addresses, titles and heading ids are those of MkDocs; without one
    addresses follow `url_pattern` (see `ingestion.sources.url_pattern`) and ids are GitHub's.

    Args:
        site: As configured.
        root: The site's folder.
    """

    def __init__(self, site: Site, root: Path) -> None:
        check_pattern(site.url_pattern)
        self._site = site
        self._root = root

    @property
    def name(self) -> str:
        """See `DocumentSource`."""
        return self._site.name

    def listing(self, report: ReportProgress = no_progress) -> Listing:
        """See `DocumentSource`.

        Raises:
            SourceMissing: The folder, or MkDocs' docs_dir, is not there.
            SourceError: mkdocs.yml is not YAML, or a folder cannot be read.
        """
        if not self._root.is_dir():
            raise SourceMissing(f"the site's folder {self._root} is not there: set site.path")
        mkdocs = read_mkdocs(self._root)
        start = self._root / mkdocs.docs_dir if mkdocs else self._root
        if not start.is_dir() or not start.resolve().is_relative_to(self._root.resolve()):
            raise SourceMissing(f"mkdocs.yml: docs_dir {start} is no folder inside the site")
        files = list(walk(self._root, start, _is_wanted))
        tree = MarkdownPages(self._site, mkdocs, frozenset(found.path for found in files))
        documents: list[Document] = []
        skipped: list[Skipped] = []
        errors: list[Unreadable] = []
        for number, found in enumerate(files):
            report(number, len(files))
            try:
                documents.append(tree.document(found))
            except DocumentUnreadable as error:
                reason = str(error)
                if reason.split(":")[0] in (*_SKIP_REASONS, found.reason, "not-rendered"):
                    skipped.append(Skipped(self.name, found.path, reason))
                else:
                    errors.append(Unreadable(self.name, found.path, reason))
        report(len(files), len(files))
        return Listing(tuple(documents), tuple(skipped), tuple(errors))


def _is_wanted(name: str) -> bool:
    if name.endswith("/"):
        return name not in _FOLDERS_LEFT_OUT
    return name.lower().endswith(SUFFIXES)
