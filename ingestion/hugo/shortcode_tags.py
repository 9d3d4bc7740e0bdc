"""Where are the shortcode tags of a content file?

Hugo looks for them before it reads Markdown, so a tag in a code fence is one all the same. What
only looks alike (`{{ x }}`, `{{> x }}`, `{{#if}}`) is text.
"""

import re
from dataclasses import dataclass, replace

from ingestion.errors import DocumentUnreadable

MAX_TAG_PARTS = 2_000
MAX_UNCLOSED = 200
"""Tags that never end; each costs a look at the text behind it."""
MAX_ENDLESS_CHARS = 65_536
"""Text behind a tag that never ends. A shorter one is kept as text, though Hugo builds neither."""

_START = re.compile(r"\{\{[<%]")
_PARAMS = (
    r'(?P<params>(?:"(?:\\.|[^"\\\n])*+"|`[^`]*+`|(?!/?[ \t\r\n]*[%s]\}\})(?!\{\{)[^"`])'
    rf"{{0,{MAX_TAG_PARTS}}}+)"
)
_TAG = (
    r"\{\{%s\s*(?P<close>/)?\s*(?P<name>[\w.:-][\w./:-]*?)(?=[\s%s]|/[\s%s])"
    + _PARAMS
    + (r"(?P<self>/)?\s*%s\}\}")
)
_END = {"<": ">", "%": "%"}
_ESCAPED = re.compile(r"\{\{([<%])(\s*)/\*(.{0,2000}?)\*/(\s*)([>%])\}\}", re.DOTALL)
_ARGUMENT = re.compile(
    r"""(?:(?P<name>\w[\w-]*)\s*=\s*)?(?:"(?P<text>(?:\\.|[^"\\\n])*)"|`(?P<raw>[^`]*)`|[^\s"`]+)"""
)


def _tag(opening: str, closing: str) -> re.Pattern[str]:
    return re.compile(_TAG % (opening, closing, closing, closing, closing))


_RAW, _MARKDOWN = _tag("<", ">"), _tag("%", "%")


@dataclass(frozen=True, slots=True)
class Tag:
    """One tag.

    Attributes:
        begin: Where it starts.
        end: Where the text goes on.
        name: Of the shortcode; "" for an escaped tag.
        markdown: `{{% %}}`: what it prints is Markdown of the page.
        closing: `{{< /name >}}`.
        self_closing: `{{< name />}}`.
        params: As written.
        shown: What an escaped tag shows.
        partner: Index of the closing tag of an opening one; -1 for none.
    """

    begin: int
    end: int
    name: str
    markdown: bool = False
    closing: bool = False
    self_closing: bool = False
    params: str = ""
    shown: str = ""
    partner: int = -1

    def arguments(self) -> list[tuple[str, str]]:
        """Quoted arguments as (name or "", text)."""
        found = []
        for match in _ARGUMENT.finditer(self.params):
            text = match["text"] if match["raw"] is None else match["raw"]
            if text is not None:
                found.append((match["name"] or "", text.replace('\\"', '"')))
        return found


def find_tags(text: str) -> list[Tag]:
    """The tags of `text` in order; opening tags know the closing ones.

    Raises:
        DocumentUnreadable: More than `MAX_UNCLOSED` tags never end, or one swallows more than
            `MAX_ENDLESS_CHARS`.
    """
    tags: list[Tag] = []
    position = unclosed = 0
    while start := _START.search(text, position):
        tag = _read(text, start.start())
        position = tag.end if tag else start.end()
        if tag:
            tags.append(tag)
        else:
            unclosed += 1
            _check_endless(text, start.start())
            if unclosed > MAX_UNCLOSED:
                raise DocumentUnreadable(
                    f"parse-error: more than {MAX_UNCLOSED} shortcodes without an end"
                )
    return _paired(tags)


def _check_endless(text: str, begin: int) -> None:
    if len(text) - begin > MAX_ENDLESS_CHARS and f"{_END[text[begin + 2]]}}}}}" not in text[begin:]:
        line = text.count("\n", 0, begin) + 1
        raise DocumentUnreadable(
            f"parse-error: line {line} of the text: a shortcode without an end swallows more than "
            f"{MAX_ENDLESS_CHARS:,} characters; close it"
        )


def _read(text: str, begin: int) -> Tag | None:
    escaped = _ESCAPED.match(text, begin)
    if escaped:
        mark, before, inner, after, end = escaped.groups()
        return Tag(begin, escaped.end(), "", shown=f"{{{{{mark}{before}{inner}{after}{end}}}}}")
    markdown = text[begin + 2] == "%"
    match = (_MARKDOWN if markdown else _RAW).match(text, begin)
    if not match:
        return None
    return Tag(
        begin,
        match.end(),
        match["name"],
        markdown,
        closing=bool(match["close"]),
        self_closing=bool(match["self"]),
        params=match["params"],
    )


def _paired(tags: list[Tag]) -> list[Tag]:
    """Each closing tag closes the nearest open one of its name; what is between stands alone."""
    open_tags: dict[str, list[int]] = {}
    for index, tag in enumerate(tags):
        if not tag.name or tag.self_closing:
            continue
        waiting = open_tags.setdefault(tag.name, [])
        if not tag.closing:
            waiting.append(index)
        elif waiting:
            opener = waiting.pop()
            tags[opener] = replace(tags[opener], partner=index)
    return tags
