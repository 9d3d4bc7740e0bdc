"""Which values does a page inherit from its sections and from the site?"""

from collections.abc import Iterable
from dataclasses import dataclass

from ingestion.hugo.casts import Values, as_table, as_tables, as_text, as_texts, lowered
from ingestion.hugo.configuration_files import ENVIRONMENT
from ingestion.hugo.globs import matches

_TARGETS = ("target", "_target")


@dataclass(frozen=True, slots=True)
class Inherited:
    """A page's values with what it inherits.

    Attributes:
        values: Its own, completed.
        from_sections: Keys that came from another page's cascade.
    """

    values: Values
    from_sections: frozenset[str]


@dataclass(frozen=True, slots=True)
class CascadeRule:
    """Values for the pages that a target describes; an empty target means every page below."""

    target: Values
    values: Values

    def fits(self, kind: str, path: str, language: str) -> bool:
        """Whether the rule is for a page of this kind, logical path and language."""
        if not self.target:
            return True
        matrix = as_table(as_table(self.target.get("sites")).get("matrix"))
        return (
            _fits(as_text(self.target.get("path")), path)
            and _fits(as_text(self.target.get("kind")), kind)
            and _fits(as_text(self.target.get("lang")), language)
            and _fits(as_text(self.target.get("environment")), ENVIRONMENT)
            and _any_fits(as_texts(matrix.get("languages")), language)
        )


def read_cascade(cascade: object) -> tuple[CascadeRule, ...]:
    """The rules of a `cascade` value, a map or a list of maps."""
    rules = []
    for table in as_tables(cascade):
        target = next((as_table(table[key]) for key in _TARGETS if key in table), {})
        values = {key: value for key, value in table.items() if key not in _TARGETS}
        rules.append(CascadeRule(target, values))
    return tuple(rules)


def inherit(
    values: Values,
    section_rules: Iterable[CascadeRule],
    site_rules: Iterable[CascadeRule],
    kind: str,
    path: str,
    language: str,
) -> Inherited:
    """Complete a page's own values; the nearest source of a key wins, whole keys at a time.

    Args:
        values: The page's front matter; a `cascade` of its own counts for the page itself.
        section_rules: Of its sections, the nearest section's first.
        site_rules: The site's configured ones.
        kind: page, section, home, taxonomy or term.
        path: Logical path.
        language: Code.
    """
    completed = dict(values)
    inherited: set[str] = set()
    for rule in read_cascade(values.get("cascade")):
        if rule.fits(kind, path, language):
            completed = {**rule.values, **completed}
    for rule in section_rules:
        if rule.fits(kind, path, language):
            inherited |= rule.values.keys() - completed.keys()
            completed = {**rule.values, **completed}
    for rule in site_rules:
        if rule.fits(kind, path, language):
            completed = {**rule.values, **completed}
    return Inherited(completed, frozenset(inherited))


def _fits(pattern: str, text: str) -> bool:
    return not pattern or matches(lowered(pattern), text)


def _any_fits(patterns: tuple[str, ...], text: str) -> bool:
    return not patterns or any(_fits(pattern, text) for pattern in patterns)
