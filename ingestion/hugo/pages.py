"""What does each page of the site say about itself, once its sections have had their say?"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ingestion.errors import DocumentUnreadable
from ingestion.front_matter import FrontMatter
from ingestion.hugo.cascade import CascadeRule, Inherited, inherit, read_cascade
from ingestion.hugo.casts import Values, as_text
from ingestion.hugo.content_files import logical
from ingestion.hugo.content_tree import Key, PageFile
from ingestion.hugo.dates import PageDates, page_dates
from ingestion.hugo.site_configuration import HugoConfiguration


@dataclass(frozen=True, slots=True)
class Page:
    """A page with everything that decides its publishing and its address.

    Attributes:
        page_file: Where it comes from.
        front_matter: As written.
        inherited: Its values with those of its sections and the site.
        dates: Its dates.
        sections: Its current section and those above it up to home, the nearest first; the page
            itself is the first where it is a section. Sections without a file are absent.
    """

    page_file: PageFile
    front_matter: FrontMatter
    inherited: Inherited
    dates: PageDates
    sections: tuple["Page", ...] = field(repr=False)

    @property
    def values(self) -> Values:
        """Its values with those of its sections and the site."""
        return self.inherited.values

    @property
    def slug(self) -> str:
        """Its own last segment of the address; "" where the file's name is that."""
        slug = as_text(self.values.get("slug")).strip().strip("-")
        return slug or self.dates.slug

    @property
    def title(self) -> str:
        """As front matter has it; may be empty."""
        return as_text(self.values.get("title"))


class PageMaker:
    """Makes pages of page files; sections must come before what is below them."""

    def __init__(self, site: HugoConfiguration, top_pages: frozenset[Key] = frozenset()) -> None:
        self._site = site
        self._top_pages = top_pages
        self._branches: dict[tuple[str, Key], Page] = {}
        self._rules: dict[tuple[str, Key], tuple[CascadeRule, ...]] = {}
        self._unknown: dict[tuple[str, Key], str] = {}

    def page(self, page_file: PageFile, front_matter: FrontMatter) -> Page:
        """The page of `page_file`.

        Raises:
            DocumentUnreadable: A date of its front matter cannot be read, or the cascade of one
                of its sections.
        """
        language = page_file.file.language
        for length in range(len(page_file.key)):
            section = self._unknown.get((language, page_file.key[:length]))
            if section:
                raise DocumentUnreadable(
                    f"front-matter-error: the section's {section} hands values down and cannot "
                    "be read"
                )
        above = tuple(self._above(page_file))
        inherited = inherit(
            front_matter.values,
            (rule for section in above for rule in self._rules[language, section.page_file.key]),
            self._site.cascade,
            page_file.kind,
            page_file.path,
            language,
        )
        branch = page_file.file.name == "_index"
        if branch:
            self._rules[language, page_file.key] = read_cascade(front_matter.values.get("cascade"))
        dates = page_dates(
            inherited.values, self._site.dates, self._site.time_zone, _dated_name(page_file)
        )
        page = Page(page_file, front_matter, inherited, dates, above)
        if branch:
            page = Page(page_file, front_matter, inherited, dates, (page, *above))
            self._branches[language, page_file.key] = page
        return page

    def unreadable(self, page_file: PageFile) -> None:
        """Note a section whose `cascade` cannot be read: what is below it stays unknown too."""
        if page_file.file.name == "_index":
            self._unknown[page_file.file.language, page_file.key] = page_file.file.path

    def _above(self, page_file: PageFile) -> Iterator[Page]:
        key, language = page_file.key, page_file.file.language
        for length in range(len(key) - 1, -1, -1):
            section = self._branches.get((language, key[:length]))
            if section is None and length == 1:
                section = self._top_section(page_file)
            if section:
                yield section

    def _top_section(self, page_file: PageFile) -> Page | None:
        """The section that Hugo makes of a first folder without a file of its own."""
        if not page_file.folders or page_file.key[:1] in self._top_pages:
            return None
        name = page_file.folders[0]
        file = replace(page_file.file, path="", folders=(name,), name="_index")
        branch = PageFile(file, "section", (logical(name),), (name,), "", bundle=True)
        return self.page(branch, FrontMatter({"title": _list_title(name)}, "", 1))


def _list_title(name: str) -> str:
    """Hugo's title for a section without one: capitals and an English plural."""
    title = " ".join(word[:1].upper() + word[1:] for word in name.replace("-", " ").split(" "))
    if title.endswith("s"):
        return title
    if title.endswith("y") and title[-2:-1] not in "aeiou":
        return f"{title[:-1]}ies"
    return title + ("es" if title.endswith(("x", "ch", "sh")) else "s")


def _dated_name(page_file: PageFile) -> str:
    """The name that may start with a date; what looks like an extension is no part of it."""
    if page_file.file.name == "_index":
        return page_file.folders[-1] if page_file.folders and page_file.file.path else ""
    name = page_file.base_name
    return name.rpartition(".")[0] or name
