"""The pages of a Hugo site as documents."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from ingestion.errors import DocumentUnreadable
from ingestion.front_matter import FrontMatter, split_front_matter
from ingestion.hugo.authority import AskAuthority, Authority, Difference, ask_hugo
from ingestion.hugo.built_pages import BuiltPages
from ingestion.hugo.content_files import ContentFile, content_files
from ingestion.hugo.content_tree import ContentTree, content_tree
from ingestion.hugo.documents import DocumentMaker, PublishedPage
from ingestion.hugo.includes import Includes
from ingestion.hugo.known_pages import KnownPages
from ingestion.hugo.org import split_org
from ingestion.hugo.pages import Page, PageMaker
from ingestion.hugo.publishing import reason_left_out
from ingestion.hugo.site_configuration import HugoConfiguration, load_site_configuration
from ingestion.hugo.stubs import stub_paths
from ingestion.hugo.urls import PageUrls
from ingestion.sources.base import KnownSource, Listing, ReportProgress, no_progress
from ingestion.sources.data_rows import data_documents
from retrieval.configuration import Site
from retrieval.types import Document, Skipped, Unreadable

MAX_PAGE_BYTES = 1 << 20

_LIMITS = frozenset({"too-large", "parse-error", "encoding"})


@dataclass(slots=True)
class _LeftOut:
    """What is left out, while the site is read."""

    source: str
    skipped: list[Skipped] = field(default_factory=list)
    errors: list[Unreadable] = field(default_factory=list)

    def skip(self, path: str, reason: str) -> None:
        self.skipped.append(Skipped(self.source, path, reason))

    def file(self, path: str, error: Exception) -> None:
        """A file that a limit leaves out, or that is an error."""
        reason = str(error.strerror) if isinstance(error, OSError) else str(error)
        word = reason.partition(":")[0]
        if word in _LIMITS:
            self.skip(path, word)
        else:
            self.errors.append(Unreadable(self.source, path, reason))


class HugoSite:
    """A `DocumentSource` for the content of a Hugo site, by Hugo's own rules.

    Args:
        site: The configured block.
        root: The site's folder, where its configuration lies.
        now: Aware; decides what is a future or an expired page.
        ask: Finds Hugo's own list of the pages.
        known: What the current generation holds of the site.
    """

    def __init__(
        self,
        site: Site,
        root: Path,
        now: datetime,
        ask: AskAuthority = ask_hugo,
        known: KnownSource = KnownSource(),  # noqa: B008  (frozen)
    ) -> None:
        self._ask = ask
        self._known = known
        self._site = site
        self._root = root
        self._now = now
        self._authority = Authority(None, "")
        self._differences: list[Difference] = []
        self._changes_at: datetime | None = None

    @property
    def name(self) -> str:
        """Name of the source."""
        return self._site.name

    @property
    def authority(self) -> str:
        """Who decided in the last listing what is published: Hugo, or our own rules and why."""
        return self._authority.source

    @property
    def differences(self) -> tuple[Difference, ...]:
        """Where Hugo's list and our own rules differed in the last listing."""
        return tuple(self._differences)

    def changes_at(self) -> datetime | None:
        """When, after the last listing, a page falls due or expires; None for never."""
        return self._changes_at

    def listing(self, report: ReportProgress = no_progress) -> Listing:
        """Read every page that the site publishes now, and the rows of its data files.

        What is known of a page and was decided by the same things is not parsed again.

        Raises:
            SourceMissing: The content folder, or a file that the block names, is not there.
            SourceError: The site's configuration is broken.
            ConfigurationError: The site has no absolute base URL.
        """
        configuration = load_site_configuration(self._root, self._site.base_url)
        tree = content_tree(content_files(self._root, configuration), configuration)
        hugo_list = self._root / self._site.hugo_list if self._site.hugo_list else None
        left_out = _LeftOut(self.name)
        for item in tree.left_out:
            left_out.skip(item.path, item.reason)
        # Hugo takes about as long as we do: it runs beside us.
        with ThreadPoolExecutor(max_workers=1) as beside:
            asked = beside.submit(self._ask, self._root, hugo_list, self._site.base_url, self._now)
            pages = list(self._pages(tree, configuration, left_out, report))
            self._authority = asked.result()
        self._differences = []
        moments = (moment for page in pages for moment in (page.dates.publish, page.dates.expiry))
        later = (moment for moment in moments if moment and moment > self._now)
        self._changes_at = min(later, default=None)
        published, maker = self._published(pages, configuration, left_out)
        known = KnownPages(self._known, self.name, maker, published)
        documents: list[Document] = []
        unchanged: set[str] = set()
        for page in published:
            doc_id = f"{self.name}:{page.path}"
            if known.unchanged(doc_id):
                unchanged.add(doc_id)
                continue
            try:
                document = maker.document(page)
            except DocumentUnreadable as error:
                left_out.file(page.path, error)
                continue
            documents.append(document)
            if not document.sections:  # a real page, which may be linked, with nothing to search
                left_out.skip(page.path, "empty")
                known.forget(doc_id)
        rows = data_documents(self._site, self._root, configuration.base_url)
        return Listing(
            documents=(*documents, *rows.documents),
            skipped=tuple(sorted((*left_out.skipped, *rows.skipped), key=lambda s: s.path)),
            errors=tuple(sorted((*left_out.errors, *rows.errors), key=lambda e: e.path)),
            unchanged=frozenset(unchanged),
            state=known.state(),
        )

    def _pages(
        self,
        tree: ContentTree,
        configuration: HugoConfiguration,
        left_out: _LeftOut,
        report: ReportProgress,
    ) -> Iterator[Page]:
        """All pages that can be read, unpublished ones too: their values are inherited."""
        maker = PageMaker(configuration, tree.top_pages())
        for done, page_file in enumerate(tree.pages, start=1):
            report(done, len(tree.pages))
            file = page_file.file
            try:
                page = maker.page(page_file, _front_matter(self._root, file))
            except (DocumentUnreadable, OSError) as error:
                left_out.file(file.path, error)
                if _may_cascade(self._root, file):
                    maker.unreadable(page_file)
            else:
                yield page

    def _published(
        self, pages: list[Page], configuration: HugoConfiguration, left_out: _LeftOut
    ) -> tuple[list[PublishedPage], DocumentMaker]:
        """The pages that become documents, and what makes these."""
        urls = PageUrls(configuration)
        published: list[PublishedPage] = []
        included: list[Page] = []
        for page in pages:
            reason, url = self._verdict(page, urls.url(page), configuration)
            if reason:
                left_out.skip(page.page_file.file.path, reason)
            else:
                published.append(PublishedPage(page, url, urls.aliases(page)))
            if reason in {"", "not-rendered"}:
                included.append(page)
        stubs = stub_paths(published)
        maker = DocumentMaker(
            self.name,
            configuration,
            published,
            Includes(included),
            self._root,
            BuiltPages(self._root / self._site.public),
        )
        for stub in sorted(stubs):
            left_out.skip(stub, "empty")
        return [page for page in published if page.path not in stubs], maker

    def _verdict(self, page: Page, url: str, configuration: HugoConfiguration) -> tuple[str, str]:
        """Why the page is left out, or "", and its address."""
        ours = reason_left_out(page.inherited, page.dates, self._now, configuration.build)
        if not ours and page.page_file.kind in configuration.disabled_kinds:
            ours = "not-rendered"
        path = page.page_file.file.path
        difference = self._authority.difference(path, ours, url, self._now)
        if difference:
            self._differences.append(difference)
        return self._authority.verdict(path, ours, url, self._now)


def _front_matter(root: Path, file: ContentFile) -> FrontMatter:
    if file.size > MAX_PAGE_BYTES:
        raise DocumentUnreadable("too-large")
    try:
        text = (root / file.path).read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise DocumentUnreadable("encoding") from error
    return split_org(text) if file.extension == "org" else split_front_matter(text)


def _may_cascade(root: Path, file: ContentFile) -> bool:
    try:
        with (root / file.path).open("rb") as stream:
            return b"cascade" in stream.read(MAX_PAGE_BYTES).lower()
    except OSError:
        return True
