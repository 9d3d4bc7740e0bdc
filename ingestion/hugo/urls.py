"""At which addresses is a page published?"""

import posixpath

from ingestion.hugo.casts import as_text, as_texts
from ingestion.hugo.pages import Page
from ingestion.hugo.path_names import escaped, path_name
from ingestion.hugo.permalinks import expand
from ingestion.hugo.site_configuration import HugoConfiguration

_INDEX = "index.html"


class PageUrls:
    """Addresses of the pages of one site."""

    def __init__(self, site: HugoConfiguration) -> None:
        self._site = site

    def url(self, page: Page) -> str:
        """Absolute address of `page`, percent-encoded as Hugo prints it."""
        return self._base(page) + escaped(self._path(page))

    def aliases(self, page: Page) -> tuple[str, ...]:
        """Absolute addresses that redirect to `page`."""
        folder = posixpath.dirname(self._path(page, prefixed=False).rstrip("/"))
        urls = []
        for alias in as_texts(page.values.get("aliases")):
            if alias.startswith(("http://", "https://")):
                continue
            path = alias if alias.startswith("/") else posixpath.join(folder or "/", alias)
            path = _clean(self._prefix(page) + path)
            if not path.endswith(".html"):
                path = f"{path.rstrip('/')}.html" if self._ugly(page) else f"{path.rstrip('/')}/"
            urls.append(self._base(page) + escaped(path.removesuffix(_INDEX)))
        return tuple(dict.fromkeys(urls))

    def _base(self, page: Page) -> str:
        return self._site.languages[page.page_file.file.language].base_url

    def _prefix(self, page: Page) -> str:
        prefix = self._site.languages[page.page_file.file.language].prefix
        return f"/{prefix}" if prefix else ""

    def _path(self, page: Page, *, prefixed: bool = True) -> str:
        prefix = self._prefix(page) if prefixed else ""
        written = as_text(page.values.get("url"))
        if written and page.page_file.kind != "home":
            path = _written_path(expand(written, page, self._name) if ":" in written else written)
            return path if written.startswith("/") else _clean(prefix + path)
        expanded = self._expanded(page)
        if page.page_file.kind == "page":
            path = self._page_path(page, expanded)
        else:
            path = self._branch_path(page, expanded)
        return _clean(prefix + self._name(path))

    def _name(self, text: str) -> str:
        return path_name(text, lower=self._site.lower_paths, accents=not self._site.remove_accents)

    def _expanded(self, page: Page) -> str:
        rules = self._site.languages[page.page_file.file.language].permalinks
        for rule in rules:
            if rule.fits(page.page_file.kind, page.page_file.path):
                return expand(rule.pattern, page, self._name).strip()
        return ""

    def _page_path(self, page: Page, expanded: str) -> str:
        base_name = page.slug or self._spelled(page.page_file.base_name)
        plain_index = base_name == "index" and not page.page_file.bundle
        if expanded:
            path = expanded
        elif plain_index:
            return self._folder(page) + "/"
        else:
            path = f"{self._folder(page)}/{base_name}"
        path = path.rstrip("/").rstrip()
        return f"{path}.html" if self._ugly(page) and path else f"{path}/"

    def _branch_path(self, page: Page, expanded: str) -> str:
        if page.page_file.kind == "home":
            path = ""
        elif expanded:
            path = expanded.rstrip("/")
        else:
            path = self._folder(page)
        if not self._ugly(page):
            return f"{path}/"
        return f"{path}.html" if page.page_file.kind == "term" else f"{path}/{_INDEX}"

    def _folder(self, page: Page) -> str:
        """The folders of the address; a section's slug stands for its name in all below it."""
        slugs = {
            len(section.page_file.key): section.slug
            for section in page.sections
            if section.page_file.key and section.slug
        }
        names = (
            slugs.get(depth) or self._spelled(name)
            for depth, name in enumerate(page.page_file.folders, start=1)
        )
        return "".join(f"/{name}" for name in names)

    def _spelled(self, name: str) -> str:
        """A file's name as Hugo starts from: of logical paths, where each space is a hyphen."""
        return name.replace(" ", "-") if self._site.lower_paths else name

    def _ugly(self, page: Page) -> bool:
        ugly = self._site.ugly_urls
        if isinstance(ugly, bool):
            return ugly
        return bool(page.page_file.folders) and page.page_file.key[0] in ugly


def _written_path(url: str) -> str:
    """The path that a page's own `url` stands for: a folder, unless its name has a dot."""
    path = "/" + "/".join(part for part in url.split("/") if part)
    if url.endswith("/") or "." not in url:
        path += "/"
    return _clean(path.removesuffix(_INDEX) if path.endswith(f"/{_INDEX}") else path)


def _clean(path: str) -> str:
    """One leading slash, no doubled ones, no `..`; a slash at the end stays."""
    cleaned = posixpath.normpath("/" + path.lstrip("/"))
    return f"{cleaned.rstrip('/')}/" if path.endswith("/") else cleaned
