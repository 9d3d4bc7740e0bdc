"""Which id did the author write behind a heading, as in `## Title {#id .class key=val}`?"""

import re
from collections.abc import Iterator

from ingestion.dialects import Attributes

_SPACE_OR_COMMA = re.compile(r"\s*,?\s*")
_SHORT = re.compile(r"""[#.][^\s!"#$%&'()*+,/;<=>?@\[\\\]^`{|}~]*""")
_PAIR = re.compile(
    r"""([A-Za-z_:][\w:.-]*)\s*=\s*("(?:\\.|[^"\\])*"|\[[^\]]*\]|\{[^}]*\}|[^\s,}"\[{]+)"""
)
_ATTR_LIST = re.compile(r"[ ]+\{:?[ ]*([^}\n ][^}\n]*?)[ ]*\}[ ]*$")
_ATTR_LIST_ID = re.compile(r"""(?:^|\s)(?:#([^\s=]+)|id=(?:"([^"]*)"|'([^']*)'|([^\s]+)))""")
_CLOSING_HASHES = re.compile(r"(?:^|[ \t]+)#+$")


def written_id(content: str, attributes: Attributes) -> tuple[str, str | None]:
    """The heading without its attribute block, and the id in the block (None: no id written).

    Args:
        content: Source of the heading without its marks; several lines for a Setext heading.
        attributes: Whose rules hold.
    """
    if attributes == "none" or "{" not in content:
        return content, None
    start = content.rfind("\n") + 1
    if attributes == "attr-list":
        return _attr_list(content, start)
    for begin in _opening_braces(content, start):
        end, custom = _goldmark_block(content, begin)
        if end >= 0 and not content[end:].strip(" \t\n"):
            return _CLOSING_HASHES.sub("", content[:begin].rstrip()), custom
    return content, None


def _opening_braces(content: str, start: int) -> Iterator[int]:
    for match in re.compile(r"\\.|\{").finditer(content, start):
        if match.group() == "{":
            yield match.start()


def _goldmark_block(content: str, begin: int) -> tuple[int, str | None]:
    """End of the block that opens at `begin`, or -1, and the last id in it."""
    custom: str | None = None
    position = _skip(content, begin + 1)
    while position < len(content) and content[position] != "}":
        if short := _SHORT.match(content, position):
            if short[0][0] == "#":
                custom = short[0][1:]
            position = _skip(content, short.end())
        elif pair := _PAIR.match(content, position):
            if pair[1] == "id":
                custom = pair[2].strip('"')
            position = _skip(content, pair.end())
        else:
            return -1, None
    return (position + 1, custom) if position < len(content) else (-1, None)


def _skip(content: str, position: int) -> int:
    match = _SPACE_OR_COMMA.match(content, position)
    return match.end() if match else position


def _attr_list(content: str, start: int) -> tuple[str, str | None]:
    block = _ATTR_LIST.search(content, start)
    if not block:
        return content, None
    ids = _ATTR_LIST_ID.findall(block[1])
    rest = _CLOSING_HASHES.sub("", content[: block.start()].rstrip())
    return rest, next(filter(None, ids[-1])) if ids and any(ids[-1]) else None
