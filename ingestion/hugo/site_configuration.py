"""What in the site's configuration decides publishing, addresses and anchors?"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ingestion.anchors import HugoIdKind
from ingestion.errors import SourceError
from ingestion.hugo.cascade import CascadeRule, read_cascade
from ingestion.hugo.casts import Values, as_bool, as_table, as_tables, as_text, as_texts, lowered
from ingestion.hugo.configuration_files import read_configuration
from ingestion.hugo.date_fields import DateFields, read_date_fields
from ingestion.hugo.languages import Language, read_languages
from ingestion.hugo.mounts import Mount, read_mounts
from retrieval.errors import ConfigurationError

_ID_KINDS: dict[str, HugoIdKind] = {
    "github": "github",
    "github-ascii": "github-ascii",
    "blackfriday": "blackfriday",
}


@dataclass(frozen=True, slots=True)
class Rendering:
    """How the site's Markdown becomes HTML, as far as text and anchors go.

    Attributes:
        id_kind: Rule for the ids of headings.
        auto_ids: False where only written ids count.
        attributes: Whether `{#id}` behind a heading is an id.
        raw_html: Whether raw HTML is on the page; Hugo drops it by default.
        definition_ids: Whether the terms of definition lists have ids.
    """

    id_kind: HugoIdKind = "github"
    auto_ids: bool = True
    attributes: bool = True
    raw_html: bool = False
    definition_ids: bool = False


@dataclass(frozen=True, slots=True)
class HugoConfiguration:
    """The site's configuration, decoded.

    Attributes:
        base_url: Absolute, without a slash at its end.
        languages: The published ones by code.
        default_language: Language of files that name none.
        unpublished_languages: Configured and switched off: their files are no pages.
        mounts: Folders that hold content.
        ignore_files: Whether an absolute path is no content.
        time_zone: Of dates that name none.
        build: Kinds of unpublished pages that are built all the same: draft, future, expired.
        ugly_urls: True, False or the sections that have them.
        lower_paths: Whether paths are lower-cased.
        remove_accents: Whether paths lose their accents.
        dates: Fields of front matter that hold the dates.
        cascade: Values for pages by target, as configured.
        disabled_kinds: Page kinds that are not built.
        taxonomies: Plural names, the folders of their terms.
        rendering: How Markdown becomes HTML.
        module_imports: Whether modules or a theme are needed to run Hugo itself.
    """

    base_url: str
    languages: dict[str, Language]
    default_language: str
    unpublished_languages: frozenset[str]
    mounts: tuple[Mount, ...]
    ignore_files: Callable[[str], bool]
    time_zone: tzinfo
    build: frozenset[str]
    ugly_urls: bool | frozenset[str]
    lower_paths: bool
    remove_accents: bool
    dates: DateFields
    cascade: tuple[CascadeRule, ...]
    disabled_kinds: frozenset[str]
    taxonomies: frozenset[str]
    rendering: Rendering
    module_imports: bool

    @property
    def multilingual(self) -> bool:
        """Whether there is more than one language."""
        return len(self.languages) > 1


def load_site_configuration(root: Path, base_url: str = "") -> HugoConfiguration:
    """Read the configuration of the site in `root`.

    Args:
        root: Where the configuration lies.
        base_url: Overrides the site's own `baseURL`.

    Raises:
        SourceError: A configuration file is broken.
        ConfigurationError: No absolute base URL is known.
    """
    values = read_configuration(root)
    address = base_url or as_text(values.get("baseurl")).strip()
    if not address.lower().startswith(("http://", "https://")):
        raise ConfigurationError(
            f"the Hugo configuration in {root} has no absolute baseURL (found {address!r}): set "
            "base_url in the [site] block of askfolio.toml"
        )
    languages = read_languages(values, address)
    module = as_table(values.get("module"))
    return HugoConfiguration(
        base_url=address.rstrip("/"),
        languages=languages.published,
        default_language=languages.default,
        unpublished_languages=languages.unpublished,
        mounts=read_mounts(values, languages.published, languages.default),
        ignore_files=_ignored(as_texts(values.get("ignorefiles"))),
        time_zone=_time_zone(values, languages.default),
        build=frozenset(
            kind
            for kind in ("draft", "future", "expired")
            if as_bool(values.get(f"build{kind}" + ("s" if kind == "draft" else "")))
        ),
        ugly_urls=_ugly(values.get("uglyurls")),
        lower_paths=not as_bool(values.get("disablepathtolower")),
        remove_accents=as_bool(values.get("removepathaccents")),
        dates=read_date_fields(as_table(values.get("frontmatter"))),
        cascade=read_cascade(values.get("cascade")),
        disabled_kinds=frozenset(map(lowered, as_texts(values.get("disablekinds")))),
        taxonomies=_taxonomies(values.get("taxonomies")),
        rendering=_rendering(values),
        module_imports=bool(as_texts(values.get("theme")) or as_tables(module.get("imports"))),
    )


def _ignored(patterns: tuple[str, ...]) -> Callable[[str], bool]:
    compiled = []
    for pattern in patterns:
        try:
            compiled.append(re.compile(pattern))
        except re.error as error:
            raise SourceError(
                f"ignoreFiles of the Hugo configuration has {pattern!r}, which is no regular "
                f"expression here: {error}"
            ) from error
    return lambda path: any(pattern.search(path) for pattern in compiled)


def _time_zone(values: Values, default: str) -> tzinfo:
    language = as_table(as_table(values.get("languages")).get(default))
    name = as_text(language.get("timezone") or values.get("timezone")) or "UTC"
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise SourceError(
            f"timeZone {name!r} of the Hugo configuration is not known on this machine: correct "
            "it, or install the system's time zone data (tzdata)"
        ) from error


def _ugly(value: object) -> bool | frozenset[str]:
    if isinstance(value, dict):
        return frozenset(section for section, ugly in value.items() if as_bool(ugly))
    return as_bool(value)


def _taxonomies(value: object) -> frozenset[str]:
    if not isinstance(value, dict):
        return frozenset({"tags", "categories"})
    return frozenset(lowered(plural).strip("/") for plural in as_texts(list(value.values())))


def _rendering(values: Values) -> Rendering:
    goldmark = as_table(as_table(values.get("markup")).get("goldmark"))
    parser = as_table(goldmark.get("parser"))
    kind = as_text(parser.get("autoidtype") or parser.get("autoheadingidtype")) or "github"
    return Rendering(
        id_kind=_ID_KINDS.get(lowered(kind), "github"),
        auto_ids=as_bool(parser.get("autoheadingid", True)),
        attributes=as_bool(as_table(parser.get("attribute")).get("title", True)),
        raw_html=as_bool(as_table(goldmark.get("renderer")).get("unsafe")),
        definition_ids=as_bool(parser.get("autodefinitiontermid")),
    )
