"""What does a reader see of the raw HTML in a Markdown page?"""

import html
import re
from functools import cache

from markdown_it import MarkdownIt

from ingestion.hugo.hidden_text import HiddenText

_MAY_HAVE_BLOCK = re.compile(r"^[ \t>*+\-0-9.)]*<[A-Za-z/!?]", re.MULTILINE)
_FENCED = re.compile(
    r"^```[^`\n]*\n(?:.*\n)*?[ ]{0,3}```[ \t]*$|^~~~[^\n]*\n(?:.*\n)*?[ ]{0,3}~~~[ \t]*$",
    re.MULTILINE,
)
_OTHER_FENCE = re.compile(r"````|~~~~|^[ \t>*+\-0-9.)]+(?:```|~~~)", re.MULTILINE)
_INVISIBLE = re.compile(
    r"<(script|style|template|noscript)\b[^>]*>.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE
)
_MARKUP = re.compile(r"</?[A-Za-z][^<>]*>|<!--.*?(?:-->|\Z)|<[!?][^<>]*>", re.DOTALL)
_ID = re.compile(r"""<[A-Za-z][^<>]*?\s(?:id|name)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")


def hide_raw_html(text: str, hidden: HiddenText, *, shown: bool) -> tuple[str, tuple[str, ...]]:
    """Replace the HTML blocks of a Markdown text by what a reader sees of them.

    Args:
        text: Markdown whose shortcodes are hidden already.
        hidden: Takes the blocks' visible text: it is no Markdown.
        shown: Whether the site renders raw HTML (`markup.goldmark.renderer.unsafe`). If not,
            Hugo drops the blocks; the text between inline tags is on the page either way.

    Returns:
        The text without the blocks, and the ids that they define on the page.
    """
    if not _may_have_block(text):
        return text, ()
    lines = text.split("\n")
    ids: list[str] = []
    for token in reversed(_parser().parse(text)):
        if token.type != "html_block" or token.map is None:
            continue
        begin, end = token.map
        block = "\n".join(lines[begin:end])
        if shown:
            ids = [one or two or three for one, two, three in _ID.findall(block)] + ids
        source = hidden.restore(block)
        lines[begin:end] = [hidden.hide(_visible(source) if shown else _blank(source))]
    return "\n".join(lines), tuple(dict.fromkeys(filter(None, ids)))


def _may_have_block(text: str) -> bool:
    """Spare most pages a parse: HTML in a fence that starts its line is code.

    Where a fence is indented, in a quote or list, or of more than three marks, the parser decides.
    """
    if not _MAY_HAVE_BLOCK.search(text):
        return False
    if _OTHER_FENCE.search(text):
        return True
    return bool(_MAY_HAVE_BLOCK.search(_FENCED.sub("", text)))


def _visible(block: str) -> str:
    without = _INVISIBLE.sub(lambda match: _blank(match.group()), block)
    return html.unescape(_MARKUP.sub(lambda match: _blank(match.group()), without))


def _blank(text: str) -> str:
    return "\n" * text.count("\n")


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").disable("inline").disable("text_join")
