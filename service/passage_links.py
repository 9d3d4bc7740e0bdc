"""Where on a long page does the cited passage begin? A link that scrolls there, for people.

A text fragment (`#anchor:~:text=...`) is an addition that browsers take off the address: one that
does not find the words opens the page at its anchor. Programs get the address alone.
Source: WICG, URL Fragment Text Directives.
"""

import re
from urllib.parse import quote

from retrieval.types import RankedChunk
from service.plain_text import sentences

# Words that a page shows as they were written: no quotes, dashes or dots, which templates replace.
_WORDS = re.compile(r"(?<!\S)(?:[^\W_]+,? ){3,7}[^\W_]+(?=[\s.,;:!?]|$)")


def deep_text(ranked: RankedChunk) -> str:
    """The passage, where its address leads elsewhere than to its beginning; else ""."""
    chunk = ranked.chunk
    in_section = int(chunk.chunk_id.rpartition(".")[2])
    is_deep = in_section > 0 or (not chunk.anchor and chunk.ordinal > 0)
    if ranked.document.kind != "page" or not is_deep:
        return ""
    return chunk.text[chunk.overlap_chars :]


def passage_link(url: str, passage: str) -> str:
    """The address with the first words of the passage; unchanged where there are none to show."""
    found = next(filter(None, map(_WORDS.search, sentences(passage))), None)
    if found is None:
        return url
    words = quote(found[0], safe="").replace("-", "%2D")
    return f"{url}{'' if '#' in url else '#'}:~:text={words}"
