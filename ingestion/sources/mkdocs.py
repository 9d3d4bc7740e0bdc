"""Where does MkDocs publish a page, and what does it call it?"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ingestion.anchors import PythonMarkdownIds
from ingestion.dialects import GITHUB, MKDOCS
from ingestion.errors import DocumentUnreadable, SourceError
from ingestion.sources.folder_files import read_text
from ingestion.sources.path_patterns import PathPatterns
from ingestion.yaml_values import read_yaml

FILE_NAMES = ("mkdocs.yml", "mkdocs.yaml")
_DEFAULT_EXCLUDED = ("/templates/",)


@dataclass(frozen=True, slots=True)
class MkDocs:
    """What of `mkdocs.yml` decides about pages.

    Attributes:
        docs_dir: Folder of the pages, relative to the site's root.
        site_url: Address of the published site; "" where it is not set.
        language: The theme's language; "" where it is not set.
        directory_urls: `/a/` instead of `/a.html`.
        excluded: Paths that are not published at all.
        drafts: Paths that `mkdocs serve` shows, and no build.
        nav_titles: Titles that the navigation gives, by path in docs_dir.
        attributes: `attr_list` is on.
        unicode_ids: `toc` has a slugify function that keeps letters beyond ASCII.
    """

    docs_dir: str
    site_url: str
    language: str
    directory_urls: bool
    excluded: PathPatterns
    drafts: PathPatterns
    nav_titles: Mapping[str, str]
    attributes: bool
    unicode_ids: bool

    def url_path(self, path: str) -> str:
        """Path of a page's address, without a leading `/`."""
        place = PurePosixPath(path)
        index = place.stem in {"index", "README"}
        folder = "" if str(place.parent) == "." else f"{place.parent}/"
        if not self.directory_urls:
            return f"{folder}{'index' if index else place.stem}.html"
        return folder if index else f"{folder}{place.stem}/"

    def ids(self, reserved: frozenset[str]) -> PythonMarkdownIds:
        """Ids of a page on which the authors wrote `reserved`."""
        dialect = MKDOCS if self.attributes else GITHUB
        return PythonMarkdownIds(reserved, dialect=dialect, ascii_only=not self.unicode_ids)


def read_mkdocs(root: Path) -> MkDocs | None:
    """The configuration in `root`, or None where there is none.

    Tags such as `!!python/name:…` and `!ENV` are read as plain values.

    Raises:
        SourceError: The file is not YAML.
    """
    file = next((root / name for name in FILE_NAMES if (root / name).is_file()), None)
    if file is None:
        return None
    try:
        values = read_yaml(read_text(file))
    except DocumentUnreadable as error:
        problem = str(error).removeprefix("front-matter-error: ")
        raise SourceError(f"{file} cannot be read: {problem}") from error
    return _mkdocs(values if isinstance(values, dict) else {})


def _mkdocs(values: Mapping[str, object]) -> MkDocs:
    theme = values.get("theme")
    options = theme if isinstance(theme, dict) else {}
    extensions = dict(_extensions(values.get("markdown_extensions")))
    toc = extensions.get("toc") or extensions.get("markdown.extensions.toc") or {}
    excluded = PathPatterns.from_text(_text(values.get("exclude_docs")))
    return MkDocs(
        docs_dir=_text(values.get("docs_dir")).rstrip("/") or "docs",
        site_url=_text(values.get("site_url")),
        language=(_text(options.get("language")) or _text(options.get("locale"))).lower(),
        directory_urls=values.get("use_directory_urls") is not False,
        excluded=PathPatterns((*_DEFAULT_EXCLUDED, *excluded.lines)),
        drafts=PathPatterns.from_text(_text(values.get("draft_docs"))),
        nav_titles=dict(_nav_titles(values.get("nav"))),
        attributes="attr_list" in extensions or "markdown.extensions.attr_list" in extensions,
        unicode_ids="slugify" in toc,
    )


def _extensions(value: object) -> Iterator[tuple[str, Mapping[str, object]]]:
    items = value if isinstance(value, list) else [value]
    for item in items:
        if isinstance(item, str):
            yield item, {}
        elif isinstance(item, dict):
            for name, options in item.items():
                yield name, options if isinstance(options, dict) else {}


def _nav_titles(nav: object) -> Iterator[tuple[str, str]]:
    for item in nav if isinstance(nav, list) else []:
        for title, target in item.items() if isinstance(item, dict) else []:
            if isinstance(target, str):
                yield target.removeprefix("./"), title
            else:
                yield from _nav_titles(target)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
