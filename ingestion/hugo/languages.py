"""Which languages does the site publish, and where do their pages start?"""

from dataclasses import dataclass

from ingestion.hugo.casts import Values, as_bool, as_table, as_text, as_texts, lowered
from ingestion.hugo.permalink_rules import PermalinkRule, read_permalink_rules

DEFAULT_LANGUAGE = "en"


@dataclass(frozen=True, slots=True)
class Language:
    """One published language.

    Attributes:
        code: Lower-case.
        base_url: Absolute, without a slash at its end.
        prefix: First segment of its pages' paths; "" for none.
        content_dir: Folder of its content; "" for the site's.
        permalinks: Patterns of page addresses, the first that matches wins.
    """

    code: str
    base_url: str
    prefix: str
    content_dir: str
    permalinks: tuple[PermalinkRule, ...]


@dataclass(frozen=True, slots=True)
class Languages:
    """The site's languages.

    Attributes:
        published: By code.
        default: Code of the language of files that name none.
        unpublished: Codes that are configured and switched off.
    """

    published: dict[str, Language]
    default: str
    unpublished: frozenset[str]


def read_languages(values: Values, base_url: str) -> Languages:
    """The languages of a configuration.

    Without `languages` the default is the only one. Where one language has a base URL of its
    own, none has a prefix (Hugo's multihost mode).
    """
    default = lowered(as_text(values.get("defaultcontentlanguage"))) or DEFAULT_LANGUAGE
    tables = {lowered(code): as_table(table) for code, table in
              as_table(values.get("languages")).items()}  # fmt: skip
    disabled = set(map(lowered, as_texts(values.get("disablelanguages"))))
    published = {code: table for code, table in tables.items()
                 if code not in disabled and not as_bool(table.get("disabled"))}  # fmt: skip
    if not published:
        published = {default: {}}
    if default not in published:
        default = min(published, key=lambda code: (_weight(published[code]), code))
    multihost = any(table.get("baseurl") for table in published.values())
    everywhere = as_bool(values.get("defaultcontentlanguageinsubdir"))
    languages = {}
    for code, table in published.items():
        prefixed = not multihost and (code != default or everywhere)
        languages[code] = Language(
            code=code,
            base_url=(as_text(table.get("baseurl")) or base_url).rstrip("/"),
            prefix=code if prefixed else "",
            content_dir=as_text(table.get("contentdir")),
            permalinks=read_permalink_rules(table.get("permalinks") or values.get("permalinks")),
        )
    return Languages(languages, default, frozenset(tables.keys() - published.keys()))


def _weight(table: Values) -> int:
    weight = table.get("weight")
    # A language without a weight comes last.
    return weight if isinstance(weight, int) and weight else 1 << 30
