"""Which definition terms of a page take ids before its headings do?

With `autoDefinitionTermID` the terms of definition lists have ids from the same supply as the
headings, in the order of the page.
"""

import re
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ingestion.heading_text import goldmark_text
from ingestion.markdown_parser import markdown_parser, parsed_blocks

_MAY_DEFINE = re.compile(r"^[ \t>*+\-]*:[ \t]", re.MULTILINE)
_DEFINITION = re.compile(r":[ \t]")


def definition_terms(text: str) -> list[list[str]]:
    """Rendered texts of the terms before each heading; the last list is behind all headings."""
    if not _MAY_DEFINE.search(text):
        return []
    parser = markdown_parser(definition_lists=True)
    terms: list[list[str]] = [[]]
    for token, following in pairwise(parsed_blocks(text, definition_lists=True).tokens):
        if token.type == "heading_open":
            terms.append([])
        elif token.type == "dt_open" or (token.type == "paragraph_open" and not token.level):
            lines = following.content.split("\n")
            terms[-1] += [_rendered(line, parser) for line in _term_lines(token.type, lines)]
    return terms


def _term_lines(kind: str, lines: list[str]) -> list[str]:
    if kind == "dt_open":
        return lines
    # markdown-it ends no paragraph at a definition; for goldmark each of its lines is a term.
    end = next((n for n, line in enumerate(lines) if n and _DEFINITION.match(line)), 0)
    return lines[:end]


def _rendered(line: str, parser: MarkdownIt) -> str:
    children: list[Token] = []
    parser.inline.parse(line, parser, {}, children)
    return goldmark_text(children)
