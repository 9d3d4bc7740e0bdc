"""What does a permalink pattern become for a page?"""

import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from urllib.parse import unquote_plus

from ingestion.hugo.pages import Page

_TOKEN = re.compile(r":\w+(?:\[.+?\])?")
_ESCAPED_COLON = "\x00"
_NO_DATE = datetime(1, 1, 1, tzinfo=UTC)
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September",
           "October", "November", "December")  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

Sanitize = Callable[[str], str]
"""Makes a name fit for a path."""


def expand(pattern: str, page: Page, sanitize: Sanitize) -> str:
    """`pattern` with its tokens replaced; unknown tokens, an error in Hugo, stay as they are."""
    escaped = pattern.replace("\\:", _ESCAPED_COLON)
    expanded = _TOKEN.sub(lambda match: _token(match.group()[1:], page, sanitize), escaped)
    # Hugo undoes query escapes that it never made: a plus becomes a space.
    return unquote_plus(expanded.replace(_ESCAPED_COLON, ":"))


def _token(name: str, page: Page, sanitize: Sanitize) -> str:
    if name in _BY_NAME:
        return _BY_NAME[name](page, sanitize)
    if name.startswith("sections["):
        return "/".join(_cut(_section_names(page), name.removeprefix("sections")))
    if name.startswith("sectionslugs["):
        return "/".join(_cut(_section_slugs(page, sanitize), name.removeprefix("sectionslugs")))
    formatted = _go_format(name, page.dates.date or _NO_DATE)
    return formatted if formatted is not None else f":{name}"


def _date(render: Callable[[datetime], str]) -> Callable[[Page, Sanitize], str]:
    return lambda page, _: render(page.dates.date or _NO_DATE)


def _title(page: Page, sanitize: Sanitize) -> str:
    return sanitize(page.title.replace("/", "-").replace("\\", "-"))


def _slug_or(other: Callable[[Page, Sanitize], str]) -> Callable[[Page, Sanitize], str]:
    return lambda page, sanitize: sanitize(page.slug) if page.slug else other(page, sanitize)


def _file_name(page: Page, sanitize: Sanitize) -> str:
    return sanitize(page.page_file.base_name)


def _content_base_name(page: Page, sanitize: Sanitize) -> str:
    if page.page_file.file.name == "_index":
        return sanitize(page.page_file.folders[-1]) if page.page_file.folders else ""
    return sanitize(page.page_file.base_name)


def _first_section(page: Page, _: Sanitize) -> str:
    return page.page_file.key[0] if page.page_file.folders else ""


def _section_names(page: Page) -> list[str]:
    """Logical names of the current section."""
    return list(next((section.page_file.key for section in page.sections), ()))


def _section_slugs(page: Page, sanitize: Sanitize) -> list[str]:
    branches = [section for section in page.sections if section.page_file.key]
    return [_slug_or(_title)(section, sanitize) for section in reversed(branches)]


def _first_section_slug(page: Page, sanitize: Sanitize) -> str:
    top = [section for section in page.sections if len(section.page_file.key) == 1]
    return _slug_or(_title)(top[0], sanitize) if top else ""


_BY_NAME: dict[str, Callable[[Page, Sanitize], str]] = {
    "year": _date(lambda day: str(day.year)),
    "month": _date(lambda day: f"{day.month:02}"),
    "monthname": _date(lambda day: _MONTHS[day.month - 1]),
    "day": _date(lambda day: f"{day.day:02}"),
    "weekday": _date(lambda day: str(day.isoweekday() % 7)),
    "weekdayname": _date(lambda day: _DAYS[day.weekday()]),
    "yearday": _date(lambda day: str(day.timetuple().tm_yday)),
    "section": _first_section,
    "sectionslug": _first_section_slug,
    "sections": lambda page, _: "/".join(_section_names(page)),
    "sectionslugs": lambda page, sanitize: "/".join(_section_slugs(page, sanitize)),
    "title": _title,
    "slug": _slug_or(_title),
    "slugorfilename": _slug_or(_file_name),
    "filename": _file_name,
    "contentbasename": _content_base_name,
    "slugorcontentbasename": _slug_or(_content_base_name),
}

_GO_PARTS: tuple[tuple[str, Callable[[datetime], str]], ...] = (
    ("January", lambda day: _MONTHS[day.month - 1]),
    ("Monday", lambda day: _DAYS[day.weekday()]),
    ("2006", lambda day: f"{day.year:04}"),
    ("Jan", lambda day: _MONTHS[day.month - 1][:3]),
    ("Mon", lambda day: _DAYS[day.weekday()][:3]),
    ("002", lambda day: f"{day.timetuple().tm_yday:03}"),
    ("01", lambda day: f"{day.month:02}"),
    ("02", lambda day: f"{day.day:02}"),
    ("06", lambda day: f"{day.year % 100:02}"),
    ("15", lambda day: f"{day.hour:02}"),
    ("04", lambda day: f"{day.minute:02}"),
    ("05", lambda day: f"{day.second:02}"),
    ("1", lambda day: str(day.month)),
    ("2", lambda day: str(day.day)),
)


def _go_format(layout: str, day: datetime) -> str | None:
    """A date in Go's reference layout; None where the layout names no part of a date."""
    out, position, found = "", 0, False
    while position < len(layout):
        part = next((p for p in _GO_PARTS if layout.startswith(p[0], position)), None)
        if part:
            out += part[1](day)
            position += len(part[0])
            found = True
        else:
            out += layout[position]
            position += 1
    return out if found else None


def _cut(names: list[str], spec: str) -> Iterable[str]:
    """Hugo's lenient slices: `[1:]`, `[:last]`, `[0]`, `[last]`."""
    parts = [part.strip().lower() for part in spec[1:-1].split(":")]
    if not names:
        return []
    low = _index(parts[0], len(names), 0)
    if len(parts) == 1:
        return names[low : low + 1] if 0 <= low < len(names) else []
    high = _index(parts[1], len(names), len(names))
    return names[low : min(high, len(names))] if low < len(names) else []


def _index(text: str, count: int, absent: int) -> int:
    if not text:
        return absent
    return count - 1 if text == "last" else max(int(text), 0) if text.isdigit() else 0
