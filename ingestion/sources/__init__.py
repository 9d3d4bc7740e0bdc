"""Which source reads a configured block: the one switch."""

import os
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from types import MappingProxyType

from ingestion.errors import SourceMissing
from ingestion.sources.base import DocumentSource, KnownSource
from retrieval.configuration import Configuration, Site
from retrieval.errors import ConfigurationError

_KINDS_WITH_URL = frozenset({"html", "knowledge"})
_NOTHING_KNOWN = KnownSource()
CLONES_FOLDER = "askfolio/clones"
_HUGO_FILES = tuple(
    f"{name}.{suffix}" for name in ("hugo", "config") for suffix in ("toml", "yaml", "yml", "json")
)


def open_sources(
    configuration: Configuration,
    now: datetime,
    only: str | None = None,
    known: Mapping[str, KnownSource] = MappingProxyType({}),
) -> Iterator[DocumentSource]:
    """The configured sources in their order, or the one named `only`.

    Args:
        configuration: Names the sources.
        now: Aware; decides what is a future or an expired page.
        only: Name of a source.
        known: By name what is stored of a source; one without an entry is read as a whole.

    Raises:
        ConfigurationError: No source, or none of that name.
        SourceMissing: A site's folder is not there.
    """
    names = source_names(configuration)
    if not names:
        raise ConfigurationError(
            "no source is configured: add a [site] block to askfolio.toml, or run "
            "`askfolio add PATH`"
        )
    if only is not None and only not in names:
        raise ConfigurationError(f"no source is named {only!r}; the sources are {', '.join(names)}")
    for site in configuration.site:
        if only in (None, site.name):
            stored = known.get(site.name, KnownSource())
            yield open_site(site, configuration.resolve(site.path), now, stored)
    for repository in configuration.repository:
        if only in (None, repository.source_name):
            from ingestion.sources.repository import GitRepository

            stored = known.get(repository.source_name, KnownSource())
            yield GitRepository(repository, configuration.folder, clones_folder(), stored)


def clones_folder() -> Path:
    """Where copies of repositories are kept between syncs.

    Outside the knowledge folder: a copy holds the whole repository, and a knowledge folder is
    pushed to the server.
    """
    cache = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(cache) if cache else Path.home() / ".cache") / CLONES_FOLDER


def source_names(configuration: Configuration) -> tuple[str, ...]:
    """Names of the configured sources, sites first."""
    sites = (site.name for site in configuration.site)
    repositories = (repository.source_name for repository in configuration.repository)
    return (*sites, *repositories)


def open_site(
    site: Site, root: Path, now: datetime, known: KnownSource = _NOTHING_KNOWN
) -> DocumentSource:
    """The reader for a site's kind.

    Raises:
        SourceMissing: `root` is no folder, or kind auto finds no site in it.
        ConfigurationError: A kind that reads no address has one, or needs an absent extra.
    """
    kind = site.kind if site.kind != "auto" else _kind_of(site, root)
    if site.url and kind not in _KINDS_WITH_URL:
        raise ConfigurationError(
            f"site.url is read by kind html or knowledge, not by {kind}: set site.path, or the kind"
        )
    if kind == "knowledge":
        from ingestion.sources.knowledge_text import KnowledgeText

        return KnowledgeText(site, root)
    if kind == "html" and site.url:
        from ingestion.sources.html_web import HtmlWeb

        return HtmlWeb(site)
    from ingestion.sources.pdf import LinkedPdfs, PublishedFolders
    from ingestion.sources.unchanged_site import UnchangedSite, known_pages

    if kind == "html":
        from ingestion.sources.html_site import HtmlSite

        pages = LinkedPdfs(HtmlSite(site, root), PublishedFolders(root, (root,), False))
        return UnchangedSite(site, root, now, known, pages)
    if kind == "hugo":
        from ingestion.sources.hugo_site import HugoSite

        folders = PublishedFolders(root, (root / "static",), False)
        hugo = HugoSite(site, root, now, known=known_pages(known))
        linked = LinkedPdfs(hugo, folders)
        return UnchangedSite(site, root, now, known, linked, hugo.changes_at)
    from ingestion.sources.markdown_tree import MarkdownTree

    tree = LinkedPdfs(MarkdownTree(site, root), PublishedFolders(root, _markdown_files(root), True))
    return UnchangedSite(site, root, now, known, tree)


def _markdown_files(root: Path) -> tuple[Path, ...]:
    """Where generators for Markdown keep files that they publish as they are."""
    return (root, *(root / name for name in ("docs", "static", "public")))


def _kind_of(site: Site, root: Path) -> str:
    """The kind of a block that names none."""
    if site.url:
        return "knowledge" if site.url.endswith(".txt") else "html"
    if root.is_file():
        return "knowledge"
    return site_kind(root)


def site_kind(root: Path) -> str:
    """`hugo` where Hugo's configuration or content lies, else `markdown`.

    Raises:
        SourceMissing: `root` is no folder.
    """
    if not root.is_dir():
        raise SourceMissing(f"the site's folder {root} is not there: set site.path")
    hugo = any((root / name).is_file() for name in _HUGO_FILES)
    if hugo or (root / "config" / "_default").is_dir():
        return "hugo"
    if (root / "mkdocs.yml").is_file() or not (root / "content").is_dir():
        return "markdown"
    return "hugo"
