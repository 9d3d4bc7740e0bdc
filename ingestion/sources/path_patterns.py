"""Does a path match a list of patterns in the form of a .gitignore file?"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

_PART = re.compile(r"\*\*/|\*\*|\*|\?|\[[^]]*\]|.", re.DOTALL)
_GLOBS = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}


@dataclass(frozen=True, slots=True)
class PathPatterns:
    """Patterns, of which the last that matches decides; `!` in front takes a path back in."""

    lines: Sequence[str]

    @classmethod
    def from_text(cls, text: str) -> "PathPatterns":
        """One pattern a line; blank lines and `#` comments are passed over."""
        lines = (line.strip() for line in text.splitlines())
        return cls(tuple(line for line in lines if line and not line.startswith("#")))

    def match(self, path: str) -> bool:
        """Whether `path`, or a folder above it, is matched."""
        matched = False
        for line in self.lines:
            if _compiled(line.removeprefix("!")).match(path):
                matched = not line.startswith("!")
        return matched


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    folder = pattern.endswith("/")
    bare = pattern.rstrip("/")
    anchored = "/" in bare
    body = "".join(_translated(part) for part in _PART.findall(bare.lstrip("/")))
    start = "" if anchored else "(?:.*/)?"
    return re.compile(f"{start}{body}{'/' if folder else '(?:/|$)'}", re.DOTALL)


def _translated(part: str) -> str:
    if part in _GLOBS:
        return _GLOBS[part]
    if len(part) > 2 and part[0] == "[":
        inside = part[1:-1].replace("\\", "\\\\")
        return f"[^{inside[1:]}]" if inside[0] in "!^" else f"[{inside}]"
    return re.escape(part)
