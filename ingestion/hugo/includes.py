"""Which Markdown does an `include` shortcode bring into a page?"""

from collections.abc import Iterable

from ingestion.hugo.content_files import logical
from ingestion.hugo.pages import Page


class Includes:
    """The pages that may be included: all but drafts, future and expired ones."""

    def __init__(self, pages: Iterable[Page]) -> None:
        self._pages = {(page.page_file.file.language, page.page_file.key): page for page in pages}

    def body(self, path: str, page: Page) -> str | None:
        """The Markdown of the page at `path`, seen from `page`; None where there is none."""
        parts = [logical(part) for part in path.removesuffix(".md").split("/") if part]
        section = page.page_file.file.key
        tries = [tuple(parts)] if path.startswith("/") else [(*section, *parts), tuple(parts)]
        for key in tries:
            found = self._pages.get((page.page_file.file.language, key))
            if found:
                return found.front_matter.body.strip("\r\n")
        return None
