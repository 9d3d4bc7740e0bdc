"""Is a page published now, and if not, why?"""

from datetime import datetime

from ingestion.hugo.cascade import Inherited
from ingestion.hugo.casts import as_bool, as_careful_bool, as_table, as_text
from ingestion.hugo.dates import PageDates

_UNRENDERED = frozenset({"never", "link"})


def reason_left_out(
    page: Inherited, dates: PageDates, now: datetime, built: frozenset[str] = frozenset()
) -> str:
    """Why the page is not published at `now`: a word of the report's vocabulary, or "".

    Args:
        page: Its values.
        dates: Its dates.
        now: Aware.
        built: Kinds that the site builds all the same: draft, future, expired.

    A page below an unpublished section is published by the current Hugo; a section's `cascade`
    is what hides its pages, and then the reason says `-ancestor`.
    """
    if "draft" not in built and (key := _draft_key(page)):
        return "draft-ancestor" if key in page.from_sections else "draft"
    if "future" not in built and dates.publish and dates.publish > now:
        return "future-ancestor" if _dated_by_section(page) else "future"
    if "expired" not in built and dates.expiry and dates.expiry <= now:
        return "expired"
    return "not-rendered" if not _rendered(page) else ""


def _draft_key(page: Inherited) -> str:
    if "draft" in page.values:
        return "draft" if as_careful_bool(page.values["draft"]) else ""
    published = page.values.get("published")
    return "published" if published is False else ""


def _dated_by_section(page: Inherited) -> bool:
    own = {"date", "publishdate", "pubdate", "published"} & page.values.keys()
    return bool(own) and own <= page.from_sections


def _rendered(page: Inherited) -> bool:
    if as_bool(page.values.get("headless")):
        return False
    build = as_table(page.values.get("build")) or as_table(page.values.get("_build"))
    render = build.get("render")
    if render is False or as_text(render) in _UNRENDERED:
        return False
    outputs = page.values.get("outputs")
    return not (isinstance(outputs, list) and outputs and "html" not in map(_lower, outputs))


def _lower(value: object) -> str:
    return as_text(value).lower()
