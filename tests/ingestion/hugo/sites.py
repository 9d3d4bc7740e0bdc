"""Small Hugo sites, written by the tests that read them."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from ingestion.hugo.authority import own_rules
from ingestion.sources.base import Listing
from ingestion.sources.hugo_site import HugoSite
from retrieval.configuration import Site
from retrieval.types import Document

NOW = datetime(2024, 6, 15, 12, tzinfo=UTC)
BASE = 'baseURL = "https://e.example/"\n'


def page(front_matter: str = "title: T", body: str = "Some text.") -> str:
    """A content file with YAML front matter."""
    return f"---\n{front_matter}\n---\n{body}\n"


def write_site(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write `files` below `root`; `hugo.toml` with a base URL unless there is a configuration."""
    configured = any(name.startswith(("hugo.", "config")) for name in files)
    root.mkdir(parents=True, exist_ok=True)
    if not configured:
        (root / "hugo.toml").write_text(BASE, encoding="utf-8")
    for name, content in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def own_source(root: Path, now: datetime = NOW, **keys: str) -> HugoSite:
    """The source of the site in `root`, without the real Hugo."""
    site = Site(name="site", path=str(root), **keys)
    return HugoSite(site, root, now, own_rules)


def listing(root: Path, files: Mapping[str, str | bytes], now: datetime = NOW) -> Listing:
    """What our rules make of `files`, whatever Hugo is on the machine."""
    write_site(root, files)
    return own_source(root, now).listing()


def documents(
    root: Path, files: Mapping[str, str | bytes], now: datetime = NOW
) -> dict[str, Document]:
    """Documents by path."""
    return {document.path: document for document in listing(root, files, now).documents}


def reasons(root: Path, files: Mapping[str, str | bytes], now: datetime = NOW) -> dict[str, str]:
    """Why each path is left out."""
    return {item.path: item.reason for item in listing(root, files, now).skipped}
