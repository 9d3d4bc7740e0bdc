"""Which folders hold content, for which language, and where does it appear in the site?"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from ingestion.hugo.casts import Values, as_table, as_tables, as_text, as_texts, lowered
from ingestion.hugo.globs import matches
from ingestion.hugo.languages import Language


@dataclass(frozen=True, slots=True)
class Mount:
    """A folder, or a single file, that Hugo sees as part of `content/`.

    Attributes:
        source: Relative to the site's root, with `/`.
        target: Below `content`; "" for its root.
        language: Of files that name none; "" for the default.
        files: Globs of paths below `source`; a leading `!` excludes. None: all files.
    """

    source: str
    target: str
    language: str
    files: tuple[str, ...] = ()

    def holds(self, path: str) -> bool:
        """Whether the patterns let in the file at `path`, relative to `source`."""
        path = lowered(path)
        includes = [pattern for pattern in self.files if not pattern.startswith("!")]
        excludes = [pattern[1:].strip() for pattern in self.files if pattern.startswith("!")]
        if any(matches(lowered(pattern.lstrip("/")), path) for pattern in excludes):
            return False
        return not includes or any(matches(lowered(p.lstrip("/")), path) for p in includes)


def read_mounts(
    values: Values, languages: Mapping[str, Language], default: str
) -> tuple[Mount, ...]:
    """The content mounts: configured ones, else a `contentDir` for each language.

    Mounts of imported modules and themes are not known here.
    """
    configured = tuple(
        mount
        for table in as_tables(as_table(values.get("module")).get("mounts"))
        if (mount := _mount(table, languages))
    )
    if configured:
        return configured
    shared = _relative(as_text(values.get("contentdir")) or "content")
    mounts: dict[str, Mount] = {}
    for code, language in sorted(languages.items(), key=lambda item: item[0] != default):
        folder = _relative(language.content_dir) if language.content_dir else shared
        mounts.setdefault(folder, Mount(folder, "", code if language.content_dir else ""))
    return tuple(mounts.values())


def _mount(table: Values, languages: Mapping[str, Language]) -> Mount | None:
    target = _relative(as_text(table.get("target")))
    first, _, below = target.partition("/")
    source = as_text(table.get("source"))
    if first != "content" or not source:
        return None
    matrix = as_table(as_table(table.get("sites")).get("matrix"))
    wanted = as_texts(matrix.get("languages")) or as_texts(table.get("lang"))
    code = next((c for pattern in wanted for c in languages if matches(lowered(pattern), c)), "")
    if wanted and not code:
        return None
    excluded = tuple(f"!{pattern}" for pattern in as_texts(table.get("excludefiles")))
    files = as_texts(table.get("files")) or as_texts(table.get("includefiles"))
    return Mount(_relative(source), below, code, (*files, *excluded))


def _relative(path: str) -> str:
    plain = str(PurePosixPath(path.strip()))
    return "" if plain == "." else plain
