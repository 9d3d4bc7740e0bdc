"""Which configured pattern makes a page's address?"""

from dataclasses import dataclass

from ingestion.hugo.casts import Values, as_table, as_tables, as_text, lowered
from ingestion.hugo.globs import matches

_KINDS = ("page", "section", "taxonomy", "term")


@dataclass(frozen=True, slots=True)
class PermalinkRule:
    """A pattern such as `/:year/:slug/` for pages of some kinds below some path.

    Attributes:
        pattern: With tokens.
        kind: Glob of the page's kind; "" for every kind but home.
        path: Glob of the page's logical path; "" for every path.
    """

    pattern: str
    kind: str = ""
    path: str = ""

    def fits(self, kind: str, path: str) -> bool:
        """Whether the rule is for a page of this kind and logical path."""
        if kind not in _KINDS or (self.kind and not matches(self.kind, kind)):
            return False
        return not self.path or matches(self.path, path)


def read_permalink_rules(value: object) -> tuple[PermalinkRule, ...]:
    """`permalinks` in its three forms: by section, by kind and section, or as a list."""
    if isinstance(value, list):
        return tuple(_targeted(table) for table in as_tables(value))
    rules = []
    for key, entry in sorted(as_table(value).items()):
        if isinstance(entry, dict):
            rules += [_for_section(section, pattern, key) for section, pattern in
                      sorted(entry.items())]  # fmt: skip
        else:
            rules.append(_for_section(key, entry, "{page,term}"))
    return tuple(rules)


def _for_section(section: str, pattern: object, kind: str) -> PermalinkRule:
    name = lowered(section).strip(" /")
    path = f"/{{{name},{name}/**}}" if name else "/*"
    return PermalinkRule(as_text(pattern), kind, path)


def _targeted(table: Values) -> PermalinkRule:
    target = as_table(table.get("target"))
    return PermalinkRule(
        as_text(table.get("pattern")),
        lowered(as_text(target.get("kind"))),
        lowered(as_text(target.get("path"))),
    )
