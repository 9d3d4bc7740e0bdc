"""At which address does a Markdown file of a plain tree lie?

`url_pattern` is a path with these placeholders:

- `{path}`: the file's path without its suffix; `index` and `README` stand for their folder.
- `{folder}`: the folder alone; `_posts` is none, as in Jekyll.
- `{name}`: the file's name without suffix and date.
- `{slug}`: the page's own `slug`, or else `{name}`.
- `{year}`, `{month}`, `{day}`: from the page's `date`, or from a name such as
  `2024-05-06-title.md`.

A page's own `permalink`, or `url`, that starts with `/` wins.
"""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from ingestion.front_matter import scalar_text
from retrieval.errors import ConfigurationError

PLACEHOLDERS = frozenset({"path", "folder", "name", "slug", "year", "month", "day"})
JEKYLL_POSTS = "_posts"
_SUFFIXED = re.compile(r"(\{(?:path|name|slug)\})\.\w+$")
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_DATE = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_DATED_NAME = re.compile(r"\d{4}-\d{1,2}-\d{1,2}-(?=.)")
_REPEATED_SLASHES = re.compile(r"/{2,}")
_UNSAFE = re.compile(r"[\s%?#\"<>\\^`{|}]")


def check_pattern(pattern: str) -> None:
    """Refuse a pattern with a placeholder that does not exist.

    Raises:
        ConfigurationError: Names the placeholder and the known ones.
    """
    for name in _PLACEHOLDER.findall(pattern):
        if name not in PLACEHOLDERS:
            known = ", ".join(f"{{{known}}}" for known in sorted(PLACEHOLDERS))
            raise ConfigurationError(f"site.url_pattern: unknown {{{name}}}; known: {known}")


def url_path(pattern: str, path: str, values: Mapping[str, object]) -> str:
    """Path of the page's address, without a leading `/`; unsafe characters percent-encoded.

    Args:
        pattern: As configured.
        path: The file, relative to the folder of the pages.
        values: Its front matter.
    """
    for key in ("permalink", "url"):
        own = scalar_text(values.get(key))
        if own.startswith("/"):
            return quoted(own.lstrip("/"))
    place = PurePosixPath(path)
    folder = "/".join(part for part in place.parent.parts if part != JEKYLL_POSTS)
    index = place.stem.lower() in {"index", "_index", "readme"}
    name = _DATED_NAME.sub("", place.stem)
    date = _DATE.search(scalar_text(values.get("date"))) or _DATE.match(place.stem)
    parts = {
        "path": folder if index else f"{folder}/{place.stem}",
        "folder": folder,
        "name": "" if index else name,
        "slug": scalar_text(values.get("slug")) or ("" if index else name),
        "year": date[1] if date else "",
        "month": date[2].zfill(2) if date else "",
        "day": date[3].zfill(2) if date else "",
    }
    if index:  # the page of a folder has no suffix
        pattern = _SUFFIXED.sub(r"\1/", pattern)
    filled = _PLACEHOLDER.sub(lambda match: parts[match[1]], pattern)
    return quoted(_REPEATED_SLASHES.sub("/", filled).lstrip("/"))


def quoted(path: str) -> str:
    """`path` with what an address cannot hold percent-encoded; letters stay readable."""
    return _UNSAFE.sub(lambda match: "".join(f"%{b:02X}" for b in match[0].encode()), path)
