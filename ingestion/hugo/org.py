"""What does an Org file say, and which anchors does Hugo give its headlines?"""

import re
from collections.abc import Iterator

from ingestion.front_matter import FrontMatter
from ingestion.hugo.page_text import PageText
from retrieval.types import Section

_KEYWORD = re.compile(r"#\+([A-Za-z_]+)(\[\])?:[ \t]*(.*)")
_HEADLINE = re.compile(r"(\*+)[ \t]+(.*)")
_CUSTOM_ID = re.compile(r"[ \t]*:CUSTOM_ID:[ \t]*(\S+)", re.IGNORECASE)
_BLOCK = re.compile(r"[ \t]*#\+(begin|end)_", re.IGNORECASE)
_UNSEEN = re.compile(r"[ \t]*(?:#\+|# |#$|:[A-Za-z_]+:)")
_LISTS = frozenset({"tags", "categories", "aliases", "keywords"})
_TRUE_WORDS = frozenset({"true", "t"})


def split_org(text: str) -> FrontMatter:
    """The keywords at the start as front matter; dates keep their text without brackets."""
    values: dict[str, object] = {}
    lines = text.removeprefix("\ufeff").split("\n")
    body = 0
    for number, line in enumerate(lines, start=1):
        match = _KEYWORD.match(line.rstrip("\r"))
        if match:
            values[match[1].lower()] = _value(match[1].lower(), match[3].strip(), bool(match[2]))
            body = number
        elif line.strip():
            break
    return FrontMatter(values, "\n".join(lines[body:]), body + 1)


def _value(key: str, text: str, is_list: bool) -> object:
    if is_list or key in _LISTS:
        return text.split()
    if key in {"draft", "headless"}:
        return text.lower() in _TRUE_WORDS
    if key.endswith("date") or key in {"date", "lastmod"}:
        return re.sub(r"^[<\[](\d{4}-\d\d-\d\d)[^>\]]*[>\]]$", r"\1", text)
    return text


def org_text(body: str, body_line: int) -> PageText:
    """Text cut at its headlines, without comments, drawers and block markers.

    The ids are those of go-org: `CUSTOM_ID`, else `headline-<n>` counted over the page.
    """
    sections: list[Section] = []
    anchors: list[str] = []
    path: list[tuple[int, str]] = []
    first = ""
    for number, (start, headline, lines) in enumerate(_stretches(body)):
        anchor = ""
        if headline:
            level, title = len(headline[1]), headline[2].strip()
            path = [*(entry for entry in path if entry[0] < level), (level, title)]
            first = first or title
            custom = next((m[1] for line in lines if (m := _CUSTOM_ID.match(line))), "")
            anchor = custom or f"headline-{number}"
            anchors.append(anchor)
        shown = [headline[2]] if headline else []
        text = "\n".join([*shown, *(line for line in lines if not _UNSEEN.match(line))])
        if text.strip():
            titles = tuple(title for _, title in path)
            sections.append(Section(titles, anchor, text.strip("\n"), body_line + start))
    return PageText(tuple(sections), tuple(anchors), first)


def _stretches(body: str) -> Iterator[tuple[int, re.Match[str] | None, list[str]]]:
    """(first line, headline or None, lines below it); the first stretch has no headline."""
    headline: re.Match[str] | None = None
    start, lines, in_block = 0, list[str](), False
    for number, line in enumerate(body.split("\n")):
        block = _BLOCK.match(line)
        if block:
            in_block = block[1].lower() == "begin"
        match = None if in_block else _HEADLINE.match(line)
        if match:
            yield start, headline, lines
            headline, start, lines = match, number, []
        else:
            lines.append(line.rstrip("\r"))
    yield start, headline, lines
