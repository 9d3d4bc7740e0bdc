"""Which fields of front matter hold a page's dates?"""

from dataclasses import dataclass

from ingestion.hugo.casts import Values, as_texts, lowered

_DEFAULTS = {
    "date": ("date", "publishdate", "pubdate", "published", "lastmod", "modified"),
    "publishdate": ("publishdate", "pubdate", "published", "date"),
    "expirydate": ("expirydate", "unpublishdate"),
}
_ALIASES = {
    "lastmod": ("modified",),
    "publishdate": ("pubdate", "published"),
    "expirydate": ("unpublishdate",),
}


@dataclass(frozen=True, slots=True)
class DateFields:
    """Names in the order in which they are asked; `:filename` is the date in the file's name."""

    date: tuple[str, ...]
    publish: tuple[str, ...]
    expiry: tuple[str, ...]


def read_date_fields(table: Values) -> DateFields:
    """The `[frontmatter]` table over Hugo's defaults; `:default` stands for the default list."""
    return DateFields(
        _names(table, "date"), _names(table, "publishdate"), _names(table, "expirydate")
    )


def _names(table: Values, field: str) -> tuple[str, ...]:
    if field not in table:
        return _DEFAULTS[field]
    names: list[str] = []
    for name in map(lowered, as_texts(table[field])):
        names += _DEFAULTS[field] if name == ":default" else (name, *_ALIASES.get(name, ()))
    return tuple(dict.fromkeys(names))
