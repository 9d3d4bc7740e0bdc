"""What is left of a page's text once its shortcodes are gone?"""

import re
from collections.abc import Callable

from ingestion.hugo.hidden_text import HiddenText, without_marks
from ingestion.hugo.shortcode_tags import Tag, find_tags

Include = Callable[[str], str | None]
"""The Markdown of the page that an include names; None where the site has none."""

_VISIBLE = frozenset({"title", "caption", "summary", "text", "label", "header", "heading",
                      "description", "attr", "alt", "content", "subheader"})  # fmt: skip
_SHOW_NOTHING = frozenset({"ref", "relref", "highlight", "param", "gist", "youtube", "vimeo", "x",
                           "instagram", "tweet", "comment", "include"})  # fmt: skip
_ANY_TAG = re.compile(r"\{\{[<%]")


def no_include(path: str) -> str | None:
    """For text whose includes are not followed."""
    del path
    return None


def hide_shortcodes(text: str, hidden: HiddenText, include: Include = no_include) -> str:
    """Replace shortcodes by what a reader sees of them; the number of lines stays.

    The inner text of `{{< >}}` is no Markdown of this page: it goes to `hidden`. That of
    `{{% %}}` stays where it is. Arguments that themes print (title, caption, …) are kept, escaped
    tags become text, `comment` disappears, and `{{% include %}}` becomes the included text.

    Raises:
        DocumentUnreadable: Too many tags have no end.
    """
    text = without_marks(text)
    if not _ANY_TAG.search(text):
        return text
    return _Reader(text, hidden, include).read()


class _Reader:
    """Walks the tags once."""

    def __init__(self, text: str, hidden: HiddenText, include: Include) -> None:
        self._text = text
        self._tags = find_tags(text)
        self._hidden = hidden
        self._include = include
        self._out: list[str] = []
        self._raw: list[str] = []
        self._raw_end = -1
        self._comment_end = -1

    def read(self) -> str:
        position = 0
        for index, tag in enumerate(self._tags):
            self._emit(self._text[position : tag.begin])
            position = tag.end
            self._tag(index, tag)
        self._emit(self._text[position:])
        return "".join(self._out)

    def _emit(self, text: str) -> None:
        if self._comment_end >= 0:
            text = "\n" * text.count("\n")
        (self._raw if self._raw_end >= 0 else self._out).append(text)

    def _tag(self, index: int, tag: Tag) -> None:
        lines = "\n" * self._text.count("\n", tag.begin, tag.end)
        if not tag.name:
            self._emit(tag.shown)
        elif tag.markdown and tag.name == "include" and self._raw_end < 0:
            self._emit(self._included(tag) + lines)
        elif self._raw_end < 0 and not tag.markdown and not tag.closing:
            self._open(tag, lines)
        else:
            self._emit(_shown(tag) + lines if not tag.closing and not tag.markdown else lines)
        if tag.name == "comment" and self._comment_end < 0 and tag.partner >= 0:
            self._comment_end = tag.partner
        self._close(index)

    def _open(self, tag: Tag, lines: str) -> None:
        shown = _shown(tag) if self._comment_end < 0 else ""
        if tag.partner < 0:
            self._out.append(self._hidden.hide(shown + lines))
            return
        self._raw_end = tag.partner
        self._raw = [shown, lines]

    def _close(self, index: int) -> None:
        if index == self._comment_end:
            self._comment_end = -1
        if index == self._raw_end:
            self._raw_end = -1
            self._out.append(self._hidden.hide("".join(self._raw)))

    def _included(self, tag: Tag) -> str:
        """The text of the included page, whose own includes are not followed."""
        arguments = tag.arguments()
        body = self._include(arguments[0][1]) if arguments else None
        return hide_shortcodes(body, self._hidden) if body else ""


def _shown(tag: Tag) -> str:
    """The arguments that a reader sees, as far as their names or their form tell."""
    if tag.name in _SHOW_NOTHING:
        return ""
    shown = []
    for name, text in tag.arguments():
        if name.lower() in _VISIBLE or (not name and " " in text.strip() and "=" not in text):
            shown.append(text)
    return " ".join(shown)
