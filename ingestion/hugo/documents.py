"""Which document does a published page become?"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ingestion.hugo.built_pages import BuiltPages, read_built_page, with_built_anchors
from ingestion.hugo.casts import as_text
from ingestion.hugo.content_files import HTML, MARKDOWN
from ingestion.hugo.html_page import html_text
from ingestion.hugo.includes import Includes
from ingestion.hugo.org import org_text
from ingestion.hugo.page_text import PageText, markdown_text
from ingestion.hugo.pages import Page
from ingestion.hugo.site_configuration import HugoConfiguration
from ingestion.yaml_values import LegacyBoolean
from retrieval.types import Document, Section

_NO_TEXT = PageText((), (), "")
_WEB = ("http://", "https://")


@dataclass(frozen=True, slots=True)
class PublishedPage:
    """A page that is published now.

    Attributes:
        page: The page.
        url: Its address.
        aliases: Addresses that redirect to it.
    """

    page: Page
    url: str
    aliases: tuple[str, ...]

    @property
    def path(self) -> str:
        """Path of its file, relative to the site."""
        return self.page.page_file.file.path

    @property
    def key(self) -> str:
        """Equal for the translations of one page."""
        return as_text(self.page.values.get("translationkey")) or self.page.page_file.path


class DocumentMaker:
    """Makes the documents of one site.

    Args:
        source: Name of the source.
        site: The site's configuration.
        pages: All published pages: no alias of one may hide another.
        includes: Pages that other pages include.
        root: The site's folder.
        built: The built site.
    """

    def __init__(
        self,
        source: str,
        site: HugoConfiguration,
        pages: Iterable[PublishedPage],
        includes: Includes,
        root: Path,
        built: BuiltPages,
    ) -> None:
        self._root = root
        self._built = built
        self._source = source
        self._site = site
        self._addresses = frozenset(published.url for published in pages)
        self._includes = includes

    def digest(self, published: PublishedPage) -> str:
        """SHA-256 (hex) of all that `document` looks at, but for the pages that it includes."""
        page = published.page
        elsewhere = _elsewhere(page)
        decides = [
            self._source,
            self._site.multilingual,
            repr(self._site.rendering),
            published.path,
            published.url,
            self._aliases(published, elsewhere),
            published.key,
            page.page_file.file.language,
            elsewhere,
            [section.text for section in _described(page)],
            _title(page, _NO_TEXT),
            page.page_file.file.extension,
            page.front_matter.body_line,
            page.front_matter.body,
        ]
        digest = hashlib.sha256(json.dumps(decides).encode("ascii"))
        digest.update(self._built_page(published) or b"")
        return digest.hexdigest()

    def document(self, published: PublishedPage) -> Document:
        """The document of a published page.

        A page with no more than a title and an `externalUrl` is where that leads, and its title
        is what is searched; with a description it is a page of the site.

        Raises:
            DocumentUnreadable: The page exceeds a limit of the parser.
        """
        page = published.page
        text = self._with_built_anchors(published, self._text(page))
        sections = (*_described(page), *text.sections)
        elsewhere = _elsewhere(page)
        leads_away = bool(elsewhere) and not sections
        title = _title(page, text)
        return Document(
            doc_id=f"{self._source}:{published.path}",
            source=self._source,
            path=published.path,
            url=elsewhere if leads_away else published.url,
            title=title,
            language=page.page_file.file.language,
            kind="page",
            sections=(Section((), "", title),) if leads_away else sections,
            anchors=text.anchors,
            aliases=() if leads_away else self._aliases(published, elsewhere),
            translation_key=published.key if self._site.multilingual else "",
        )

    def _with_built_anchors(self, published: PublishedPage, text: PageText) -> PageText:
        built = self._built_page(published)
        return text if built is None else with_built_anchors(text, read_built_page(built))

    def _built_page(self, published: PublishedPage) -> bytes | None:
        language = self._site.languages[published.page.page_file.file.language]
        return self._built.page(published.url, language.base_url, self._root / published.path)

    def _text(self, page: Page) -> PageText:
        front_matter = page.front_matter
        extension = page.page_file.file.extension
        if extension in HTML:
            return html_text(front_matter.body, front_matter.body_line)
        if extension in MARKDOWN:
            return markdown_text(
                front_matter.body,
                front_matter.body_line,
                self._site.rendering,
                lambda path: self._includes.body(path, page),
            )
        if extension == "org":
            return org_text(front_matter.body, front_matter.body_line)
        section = Section((), "", front_matter.body, front_matter.body_line)
        return PageText((section,) if section.text.strip() else (), (), "")

    def _aliases(self, published: PublishedPage, elsewhere: str) -> tuple[str, ...]:
        aliases = (*published.aliases, elsewhere)
        return tuple(alias for alias in aliases if alias and alias not in self._addresses)


def _elsewhere(page: Page) -> str:
    address = as_text(page.values.get("externalurl")).partition("#")[0]
    return address if address.startswith(_WEB) else ""


def _described(page: Page) -> tuple[Section, ...]:
    """The description as a section of its own; a summary is part of the text or its teaser."""
    text = as_text(page.values.get("description")).strip()
    return (Section((), "", text),) if text else ()


def _title(page: Page, text: PageText) -> str:
    written = page.values.get("title")
    if isinstance(written, LegacyBoolean):  # read as a draft's spelling is: by the older rule
        written = written.is_true
    title = " ".join(as_text(written).split()) or text.first_heading
    return title or page.page_file.base_name or "/".join(page.page_file.key) or "Home"
