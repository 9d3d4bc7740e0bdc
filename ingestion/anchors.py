"""Which id does a heading have on the published page?

Every renderer makes its ids from the rendered text of the heading and numbers the repeated ones
over the whole page, so a page is read once, from its first heading to its last, by one object.
"""

import re
from collections.abc import Iterable
from typing import Protocol

from ingestion.dialects import GITHUB, HUGO, MKDOCS, Dialect
from ingestion.slugs import HugoIdKind, github_slug, hugo_slug, python_markdown_slug

__all__ = ["GithubIds", "HeadingIds", "HugoIdKind", "HugoIds", "NoIds", "PythonMarkdownIds"]

_NUMBERED = re.compile(r"^(.*)_([0-9]+)$")


class HeadingIds(Protocol):
    """Ids of one page, in order."""

    @property
    def dialect(self) -> Dialect:
        """How the renderer that makes these ids reads a heading."""
        ...

    def next_id(self, rendered_text: str, custom_id: str | None) -> str:
        """Id of the next heading of the page; "" where it has none.

        Args:
            rendered_text: Text of the heading as the renderer's id rule sees it.
            custom_id: Id that the author wrote (`{#id}`), or None.
        """
        ...


class _Repeated:
    """Numbers ids that are taken already: `-1`, `-2`… in time linear in the headings."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def take(self, name: str) -> None:
        self._taken.add(name)

    def free(self, name: str) -> str:
        """`name`, or `name-<n>` with the smallest n from 1 that nobody has; takes it."""
        candidate = name
        number = self._next.get(name, 1)
        while candidate in self._taken:
            candidate = f"{name}-{number}"
            self._next[name] = number = number + 1
        self._taken.add(candidate)
        return candidate


class NoIds:
    """For text whose page is made elsewhere: no anchor is better than a wrong one."""

    dialect = GITHUB

    def next_id(self, rendered_text: str, custom_id: str | None) -> str:
        """See `HeadingIds`; always ""."""
        del rendered_text, custom_id
        return ""


class HugoIds:
    """Ids as goldmark makes them in Hugo 0.168 (`markup.goldmark.parser.autoHeadingIDType`).

    Args:
        kind: Hugo's `autoIDType`; `github` is its default.
        auto: False where the site switches `autoHeadingID` off: only written ids are left.
        dialect: `HUGO`, or a copy of it where the site switches attributes or the typographer off.
    """

    def __init__(
        self, kind: HugoIdKind = "github", *, auto: bool = True, dialect: Dialect = HUGO
    ) -> None:
        self.dialect = dialect
        self._kind = kind
        self._auto = auto
        self._ids = _Repeated()

    def next_id(self, rendered_text: str, custom_id: str | None) -> str:
        """See `HeadingIds`; a heading of nothing but dropped characters is `heading`."""
        if custom_id is not None:
            self._ids.take(custom_id)
            return custom_id
        if not rendered_text or not self._auto:
            return ""
        return self._ids.free(hugo_slug(rendered_text, self._kind) or "heading")


class GithubIds:
    """Ids as github.com gives the headings of Markdown files (and github-slugger)."""

    def __init__(self) -> None:
        self.dialect = GITHUB
        self._ids = _Repeated()

    def next_id(self, rendered_text: str, custom_id: str | None) -> str:
        """See `HeadingIds`; GitHub knows no written ids, so `custom_id` is not looked at."""
        del custom_id
        if not rendered_text.strip():
            return ""
        return self._ids.free(github_slug(rendered_text))


class PythonMarkdownIds:
    """Ids of Python-Markdown's `toc` extension, MkDocs' default.

    Args:
        reserved: Ids that the page's authors wrote: Python-Markdown knows them all beforehand.
        dialect: `MKDOCS`, or `GITHUB` where the site has not switched `attr_list` on.
        ascii_only: False for `pymdownx.slugs.slugify(case="lower")` and Python-Markdown's
            `slugify_unicode`, which keep all letters.
    """

    def __init__(
        self,
        reserved: Iterable[str] = (),
        *,
        dialect: Dialect = MKDOCS,
        ascii_only: bool = True,
    ) -> None:
        self.dialect = dialect
        self._ascii_only = ascii_only
        self._taken = set(reserved)
        self._last: dict[str, int] = {}

    def next_id(self, rendered_text: str, custom_id: str | None) -> str:
        """See `HeadingIds`; a heading without usable characters is `_1`, `_2` and so on."""
        if custom_id is not None:
            self._taken.add(custom_id)
            return custom_id
        candidate = python_markdown_slug(rendered_text, ascii_only=self._ascii_only)
        while candidate in self._taken or not candidate:
            candidate = self._following(candidate)
        self._taken.add(candidate)
        return candidate

    def _following(self, name: str) -> str:
        match = _NUMBERED.match(name)
        if match:
            return f"{match[1]}_{int(match[2]) + 1}"
        # A thousand equal headings must not each count up from 1 again.
        number = self._last[name] = self._last.get(name, 0) + 1
        return f"{name}_{number}"
