"""Which paths does a list of include or exclude patterns match? Written as in .gitignore.

A pattern without a slash matches a name in any folder (`README*`); one with a slash starts at the
root (`docs/**`, `/README*`); `**` stands for any number of folders; a pattern that matches a folder
matches what is in it; a slash at the end matches folders only; `!` in front takes back what an
earlier pattern matched, and the last word counts. Beyond .gitignore, `{a,b}` is either.
"""

import re
from collections.abc import Iterable

from retrieval.errors import ConfigurationError

_TOKEN = re.compile(r"/\*\*(?=/)|^\*\*/|\*+|\?|\[[!^]?\]?[^\]]*\]|\\.|[{},]|.", re.DOTALL)
_SIMPLE = {"?": "[^/]", "{": "(?:", "}": ")"}


class PathPatterns:
    """An ordered list of patterns; see the module."""

    def __init__(self, patterns: Iterable[str]) -> None:
        """Compile `patterns`.

        Raises:
            ConfigurationError: One is empty or has a bracket that is not closed.
        """
        self._rules = tuple((not text.startswith("!"), _compiled(text)) for text in patterns)

    def __bool__(self) -> bool:
        return bool(self._rules)

    def matches(self, path: str) -> bool:
        """Whether the last pattern that says something about `path` includes it."""
        for includes, expression in reversed(self._rules):
            if expression.fullmatch(path):
                return includes
        return False


def _compiled(pattern: str) -> re.Pattern[str]:
    text = pattern.removeprefix("!")
    folders_only = text.endswith("/")
    body = text.strip("/") if folders_only else text.lstrip("/")
    if not body:
        raise ConfigurationError(f"the pattern {pattern!r} of include or exclude matches nothing")
    anchored = "/" in text.rstrip("/")
    prefix = "" if anchored else "(?:.*/)?"
    suffix = "/.+" if folders_only else "(?:/.+)?"
    try:
        return re.compile(f"{prefix}{_translated(body)}{suffix}", re.DOTALL)
    except re.error as error:
        raise ConfigurationError(
            f"the pattern {pattern!r} of include or exclude cannot be read: {error}"
        ) from error


def _translated(body: str) -> str:
    depth = 0
    parts = []
    for token in _TOKEN.findall(body.removesuffix("/**")):
        depth += {"{": 1, "}": -1}.get(token, 0)
        parts.append("|" if token == "," and depth > 0 else _expression(token))
    return "".join(parts) + ("/.+" if body.endswith("/**") else "")


def _expression(token: str) -> str:
    if token in ("/**", "**/") or token.startswith("*"):
        return {"/**": "(?:/.+)?", "**/": "(?:.*/)?"}.get(token, "[^/]*")
    if token in _SIMPLE:
        return _SIMPLE[token]
    if token.startswith("[") and len(token) > 2:
        inner = token[1:-1].replace("\\", r"\\").replace("[", r"\[").replace("/", "")
        return f"(?!/)[{'^' + inner[1:] if inner[0] in '!^' else inner}]"
    return re.escape(token[1:] if len(token) > 1 else token)
