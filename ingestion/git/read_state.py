"""At which commit was a repository read, by which rules, and what was left out of it?"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Literal, NamedTuple

from ingestion.code.grammars import GRAMMARS, is_installed
from retrieval.configuration import Repository

READER_VERSION = 2
"""Raise it when the same commit would give other documents or other reasons."""


Why = Literal["unread", "whole", "part"]
_WHYS: tuple[Why, ...] = ("unread", "whole", "part")


class LeftOut(NamedTuple):
    """A file, or a part of one, that is in no document.

    Attributes:
        path: Its path.
        reason: As it is reported.
        why: `unread`: by its name, kind or size; `whole` and `part`: by its content.
    """

    path: str
    reason: str
    why: Why


@dataclass(frozen=True, slots=True)
class ReadState:
    """What is said of a repository between two syncs.

    Attributes:
        rules: See `reading_rules`.
        commit: Full id of the commit that was read.
        left_out: What was left out, in the order of the report.
    """

    rules: str
    commit: str
    left_out: tuple[LeftOut, ...] = field(default=(), repr=False)

    def text(self) -> str:
        """As it is stored."""
        return json.dumps([self.rules, self.commit, self.left_out], separators=(",", ":"))

    def by_content(self) -> Mapping[str, tuple[LeftOut, ...]]:
        """What was left out for a content that had to be read, by path."""
        found: dict[str, tuple[LeftOut, ...]] = {}
        for entry in self.left_out:
            if entry.why != "unread":
                found[entry.path] = (*found.get(entry.path, ()), entry)
        return found


def parse_state(text: str, rules: str) -> ReadState | None:
    """A stored state; None where it is none, or was written under other rules."""
    try:
        found_rules, commit, left_out = json.loads(text)
        entries = tuple(_entry(*fields) for fields in left_out)
    except (ValueError, TypeError, RecursionError):
        return None
    if found_rules != rules or not isinstance(commit, str) or not commit:
        return None
    return ReadState(rules, commit, entries)


def _entry(path: object, reason: object, why: object) -> LeftOut:
    if not isinstance(path, str) or not isinstance(reason, str):
        raise TypeError(path)
    return LeftOut(path, reason, _WHYS[_WHYS.index(why)])


def reading_rules(repository: Repository) -> str:
    """SHA-256 (hex) of all but the commit that decides what a repository's documents are."""
    settings = [
        READER_VERSION,
        _versions(("askfolio", "detect-secrets", "markdown-it-py")),
        [language for language in sorted(GRAMMARS) if is_installed(language)],
        repository.model_dump(mode="json"),
        repository.source_name,
    ]
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode("ascii")).hexdigest()


@cache
def _versions(names: tuple[str, ...]) -> list[str]:
    found = []
    for name in names:
        try:
            found.append(version(name))
        except PackageNotFoundError:  # run from a checkout
            found.append("")
    return found
