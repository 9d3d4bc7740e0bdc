"""Which page is each content file: its kind, its logical path and its sections?"""

from collections.abc import Iterable
from dataclasses import dataclass

from ingestion.hugo.content_files import ContentFile, LeftOut, logical
from ingestion.hugo.site_configuration import HugoConfiguration

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageFile:
    """A content file that is a page.

    Attributes:
        file: The file.
        kind: page, section, home, taxonomy or term.
        key: Segments of its logical path.
        folders: Spelled names of the folders of its address, for a leaf bundle without its own.
        base_name: Spelled name of the page: its file's, or for a bundle its folder's.
        bundle: Whether it is an index file.
    """

    file: ContentFile
    kind: str
    key: Key
    folders: tuple[str, ...]
    base_name: str
    bundle: bool

    @property
    def path(self) -> str:
        """Hugo's logical path, `/` for home."""
        return "/" + "/".join(self.key)


@dataclass(frozen=True, slots=True)
class ContentTree:
    """All page files, sections before what is below them, and what is no page."""

    pages: tuple[PageFile, ...]
    left_out: tuple[LeftOut, ...]

    def top_pages(self) -> frozenset[Key]:
        """Paths of the pages in the root of the content: none of them is a section as well."""
        return frozenset(
            page.key for page in self.pages if page.kind == "page" and len(page.key) == 1
        )


def content_tree(found: Iterable[ContentFile | LeftOut], site: HugoConfiguration) -> ContentTree:
    """Sort the content files into pages, resources of leaf bundles, and doubles.

    A folder with an `index` file of any language is a leaf bundle: nothing else in it or below
    it is a page.
    """
    files, left_out = [], []
    for item in found:
        if isinstance(item, LeftOut):
            left_out.append(item)
        elif item.language not in site.languages:
            left_out.append(LeftOut(item.path, "not-rendered"))
        else:
            files.append(item)
    leaves = {file.key for file in files if file.name == "index"}
    pages: dict[tuple[Key, str], PageFile] = {}
    for file in files:
        if _in_leaf(file, leaves):
            left_out.append(LeftOut(file.path, "not-rendered"))
            continue
        page = _page(file, site)
        rival = pages.get((page.key, file.language))
        if rival and _rank(rival) >= _rank(page):
            left_out.append(LeftOut(file.path, "not-rendered"))
            continue
        if rival:
            left_out.append(LeftOut(rival.file.path, "not-rendered"))
        pages[page.key, file.language] = page
    ordered = sorted(pages.values(), key=lambda page: (page.key, page.file.path))
    return ContentTree(tuple(ordered), tuple(left_out))


def _rank(page: PageFile) -> tuple[bool, bool]:
    """Which of two files of one page Hugo takes; of equal ones the first."""
    return page.file.explicit, page.bundle


def _in_leaf(file: ContentFile, leaves: set[Key]) -> bool:
    key = file.key
    if any(key[:length] in leaves for length in range(len(key))):
        return True
    return key in leaves and file.name != "index"


def _page(file: ContentFile, site: HugoConfiguration) -> PageFile:
    if file.name == "_index":
        return PageFile(file, _branch_kind(file.key, site), file.key, file.folders, "", True)
    if file.name == "index":
        base_name = file.folders[-1] if file.folders else ""
        return PageFile(file, "page", file.key, file.folders[:-1], base_name, True)
    key = (*file.key, logical(file.name))
    return PageFile(file, "page", key, file.folders, file.name, False)


def _branch_kind(key: Key, site: HugoConfiguration) -> str:
    if not key:
        return "home"
    path = "/".join(key)
    if path in site.taxonomies:
        return "taxonomy"
    below = any(path.startswith(f"{plural}/") for plural in site.taxonomies)
    return "term" if below else "section"
