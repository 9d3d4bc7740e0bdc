"""Which pages need not be read, since everything that decides about them is as at the last sync?

A page that includes another is always read. So are all pages where one of them names a PDF file:
what such a link leads to depends on the addresses of the others.
"""

import json
import re
from collections.abc import Iterable, Mapping

from ingestion.hugo.casts import as_text
from ingestion.hugo.documents import DocumentMaker, PublishedPage
from ingestion.sources.base import KnownSource

PAGE_RULES_VERSION = 1
"""Raise it when the same page would give another document."""

_INCLUDES = re.compile(r"\{\{%\s*include")


class KnownPages:
    """The pages of a site, each by a digest of what decides about its document.

    Args:
        known: What the current generation holds of the site.
        source: Name of the site.
        maker: Makes the site's documents.
        pages: All that become documents.
    """

    def __init__(
        self, known: KnownSource, source: str, maker: DocumentMaker, pages: Iterable[PublishedPage]
    ) -> None:
        self._known = known
        self._before = _digests(known.state)
        self._now: dict[str, str] = {}
        for published in pages:
            if _names_pdf(published):
                self._now = {}
                break
            if not _INCLUDES.search(published.page.front_matter.body):
                self._now[f"{source}:{published.path}"] = maker.digest(published)

    def unchanged(self, doc_id: str) -> bool:
        """Whether the stored document is the one that the page would give."""
        now = self._now.get(doc_id)
        return (
            now is not None and now == self._before.get(doc_id) and doc_id in self._known.documents
        )

    def forget(self, doc_id: str) -> None:
        """Have a page read again by the next sync, whose report must name it."""
        self._now.pop(doc_id, None)

    def state(self) -> str:
        """For `Listing.state`; "" where every page is to be read again."""
        if not self._now:
            return ""
        return json.dumps({"rules": PAGE_RULES_VERSION, "pages": self._now})


def _names_pdf(published: PublishedPage) -> bool:
    page = published.page
    described = as_text(page.values.get("description"))
    return any(".pdf" in text.lower() for text in (page.front_matter.body, described))


def _digests(state: str) -> Mapping[str, str]:
    """Digest by doc_id; none where other rules, or nothing at all, wrote the state."""
    try:
        content = json.loads(state)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(content, dict) or content.get("rules") != PAGE_RULES_VERSION:
        return {}
    pages = content.get("pages")
    return pages if isinstance(pages, dict) else {}
