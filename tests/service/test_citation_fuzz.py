"""Many generated outputs: no link outside the list, no lost text, streamed equal to unstreamed.

`FUZZ_OUTPUTS` sets how many; the release is checked with 10,000.
"""

import os
import random
import re

import pytest

from service.citations import CitationStyle
from tests.service.corpus import SITE
from tests.service.test_citation_stream import SENSITIVE, read, rendered

OUTPUTS = int(os.environ.get("FUZZ_OUTPUTS", "150"))
SPLITS = 20
# In a block of code an address can stand right before a tag or a quote.
LINK = re.compile(r"(?i)(?:https?://|ftp://|(?<!\w)www\.(?=\w))[^\s|\]`<>\"']*")
STYLES: tuple[CitationStyle, ...] = ("numbers", "wiki", "none")
WORDS = [f"word{n}" for n in range(40)]
FORMED = [
    *("[1]", "[2][3]", "[1, 3]", "[7]", "[99]", "[[/pump/|the pump]]", "[[/nowhere/|x]]"),
    *("[label](/pump/)", "[label](/nowhere/ 'title')", "<https://evil.test/a>", "`x[1]`"),
    *("https://evil.test/a", "www.evil.test", "**bold**", "\n\n", "\n- ", "\n> ", "\n1. "),
    *("\n\n```py\na[1] = 2\n```\n\n", "![image](https://evil.test/i.png)", "<a href=//e.test>"),
]
# What is dropped here may bring together a definition, a link or a tag.
JOINING = [
    *("[x]: ", "[x]", ":", " /nowhere/", "/nowhere/", "#a", "[a]", "[a][x]", "[", "]", "(", ")"),
    *("<a href=//e.test>", "</a>", "<img src=x>", "<", ">", "![i](/x)", "[7]", "[99]", "[1]"),
    *("\n", "\n\n", "\r\n", " ", "   ", "- ", "> ", "\\", "`", "```", "www", ".e.test", "//"),
    *("[x](/nowhere/)", "[](/nowhere/)", "[[/nowhere/]]", "https", "://e.test", "mailto:a@b.test"),
]


def generated(chance: random.Random) -> tuple[str, list[str]]:
    """An output, and words that must come out of it."""
    family = chance.random()
    if family < 0.6:
        pool = [*SENSITIVE, *WORDS] if family < 0.3 else [*JOINING, "word"]
        return "".join(chance.choices(pool, k=chance.randint(1, 24))), []
    words = chance.sample(WORDS, chance.randint(1, 8))
    return "".join(f"{word} {chance.choice(FORMED)} " for word in words), words


def pieces(text: str, chance: random.Random) -> list[str]:
    cuts = sorted(chance.choices(range(len(text) + 1), k=chance.randint(1, 8)))
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def check(text: str, words: list[str], style: CitationStyle, chance: random.Random) -> None:
    whole = read([text], style)
    shown, citations = whole
    known = {citation.url for citation in citations}
    known |= {place.url for citation in citations for place in citation.places}
    links, outside_code = rendered(shown)
    assert not links
    assert set(LINK.findall(outside_code)) <= known
    assert set(LINK.findall(shown)) <= known | {f"{SITE}/pump/"}
    assert [word for word in words if word not in shown] == []
    assert read(list(text), style) == whole
    for _ in range(SPLITS):
        assert read(pieces(text, chance), style) == whole


@pytest.mark.slow
def test_generated_outputs() -> None:
    failed = []
    for seed in range(OUTPUTS):
        chance = random.Random(seed)
        text, words = generated(chance)
        for style in STYLES:
            try:
                check(text, words, style, chance)
            except AssertionError as error:
                failed.append(f"seed {seed}, {style}: {text!r}: {str(error)[:200]}")
    assert not failed, "\n".join(failed)
