"""Which published pages are stubs of a translation that nobody wrote yet?"""

from collections.abc import Iterable

from ingestion.hugo.casts import as_bool, as_text
from ingestion.hugo.documents import PublishedPage


def stub_paths(pages: Iterable[PublishedPage]) -> frozenset[str]:
    """Paths of pages that say `untranslated: true`, or have no text while a translation has.

    A page without text that has no translation with text is a real page: it may be linked.
    """
    written: dict[str, bool] = {}
    everything = list(pages)
    for published in everything:
        written[published.key] = written.get(published.key, False) or _has_text(published)
    return frozenset(
        published.path
        for published in everything
        if as_bool(published.page.values.get("untranslated"))
        or (written[published.key] and not _has_text(published))
    )


def _has_text(published: PublishedPage) -> bool:
    page = published.page
    return bool(page.front_matter.body.strip() or as_text(page.values.get("externalurl")))
