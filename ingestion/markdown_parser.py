"""What does a piece of Markdown say without its markup?"""

from dataclasses import dataclass
from functools import cache, lru_cache

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin

from ingestion.heading_text import visible_text

MAX_PLAIN_CHARS = 50_000


def plain_text(markdown: str) -> str:
    """Rendered text without markup, a line a block: for titles and excerpts.

    A text too long for a chunk (`MAX_PLAIN_CHARS`) comes back as it is.
    """
    if len(markdown) > MAX_PLAIN_CHARS:
        return markdown
    parts: list[str] = []
    for token in markdown_parser(tables=True).parse(markdown):
        if token.type == "inline":
            parts.append(visible_text(token.children or []))
        elif token.type in {"fence", "code_block"}:
            parts.append(token.content.rstrip("\n"))
    return "\n".join(part for part in parts if part.strip())


@dataclass(frozen=True, slots=True)
class ParsedBlocks:
    """The block structure of a text.

    Attributes:
        tokens: In order; inline text is not parsed.
        env: Link references and footnotes; the parser of inline text adds to a copy.
    """

    tokens: tuple[Token, ...]
    env: dict[str, object]


@lru_cache(maxsize=1)
def parsed_blocks(text: str, *, definition_lists: bool) -> ParsedBlocks:
    """Blocks without tables, which hold no headings and cost rows times columns.

    The last text is remembered: of a page the headings and the definition terms are asked for.
    """
    env: dict[str, object] = {}
    tokens: list[Token] = []
    parser = markdown_parser(definition_lists=definition_lists)
    parser.block.parse(text.replace("\0", "\ufffd"), parser, env, tokens)
    return ParsedBlocks(tuple(tokens), env)


@cache
def markdown_parser(
    *, tables: bool = False, guillemets: bool = False, definition_lists: bool = False
) -> MarkdownIt:
    """CommonMark with strikethrough and footnotes.

    Args:
        tables: GitHub's tables, too.
        guillemets: Leave `<<` to a typographer.
        definition_lists: Those of PHP Markdown Extra.
    """
    parser = MarkdownIt("commonmark").enable("strikethrough")
    if tables:
        parser.enable("table")
    if guillemets:
        parser.inline.ruler.before("autolink", "guillemets", _guillemets)
    if definition_lists:
        parser.use(deflist_plugin)
    return parser.use(footnote_plugin, inline=False)


def _guillemets(state: StateInline, silent: bool) -> bool:
    """`<<` is a quotation mark to goldmark's typographer, never the start of a tag."""
    if not state.src.startswith("<<", state.pos):
        return False
    if not silent:
        state.pending += "<<"
    state.pos += 2
    return True
