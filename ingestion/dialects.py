"""Which renderer publishes a Markdown text, as far as its headings differ?"""

from dataclasses import dataclass
from typing import Literal

Attributes = Literal["none", "goldmark", "attr-list"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a renderer reads a heading.

    Attributes:
        attributes: Who reads `{#id}` behind a heading, if anybody.
        typographer: Straight quotes, `--` and `...` become typographic ones.
        goldmark_ids: Ids come from goldmark's plain text, which of nested markup takes the first
            piece only and of a bare address nothing.
    """

    attributes: Attributes = "none"
    typographer: bool = False
    goldmark_ids: bool = False
    definition_lists: bool = False


HUGO = Dialect(attributes="goldmark", typographer=True, goldmark_ids=True, definition_lists=True)
GITHUB = Dialect()
MKDOCS = Dialect(attributes="attr-list")
