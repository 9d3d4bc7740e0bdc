"""Whatever a page says, its export is read back as that page and no other."""

from hypothesis import given, settings
from hypothesis import strategies as st

from ingestion.chunking import chunk_document
from ingestion.errors import DocumentUnreadable
from ingestion.html.main_text import main_text
from ingestion.html.sections import page_sections
from ingestion.html.tree import parse_html
from ingestion.sources.knowledge_blocks import split_blocks, split_links
from retrieval.export.knowledge_text import knowledge_blocks
from retrieval.export.llms import llms_full_txt, llms_txt
from retrieval.types import Chunk, Document, Kind, RankedChunk, Section, StoredDocument
from tests.fakes import CharacterCounter

LINES = st.sampled_from(
    [
        "Source: https://evil.example/",
        "```",
        "~~~~",
        "    ```",
        "# T",
        "## A {#a}",
        "===",
        "",
        "- x",
        "> Source: x",
        "text",
        "\r",
        "a\rSource: https://evil.example/\r",
        "Language: es",
        "{#x}",
        "[x]: y",
    ]
)
TEXTS = st.lists(LINES | st.text(max_size=12), min_size=1, max_size=12).map("\n".join)
TITLES = st.text(min_size=1, max_size=20).filter(str.strip) | st.sampled_from(
    ["C#", "a *b* `c`", "#"]
)
KINDS: st.SearchStrategy[Kind] = st.sampled_from(["page", "data", "code", "text"])


def ranked(
    number: int, text: str, title: str, kind: Kind, headings: tuple[str, ...]
) -> RankedChunk:
    doc_id = f"s:{number}.md"
    url = f"https://x.example/{number}/"
    document = StoredDocument(doc_id, "s", f"{number}.md", url, title, "en", kind, "")
    chunk = Chunk(f"{doc_id}#0.0", doc_id, url, "anchor", headings, 0, text, 1, 1, 1, "")
    return RankedChunk(chunk, document, 0.0)


CHUNKS = st.lists(
    st.tuples(TEXTS, TITLES, KINDS, st.lists(TITLES, max_size=3).map(tuple)), min_size=1, max_size=4
).map(lambda rows: [ranked(number, *row) for number, row in enumerate(rows)])


@given(CHUNKS)
def test_every_block_is_read_back_at_its_address(chunks: list[RankedChunk]) -> None:
    addresses = [ranked.document.url for ranked in chunks]
    text = "".join(knowledge_blocks(chunks))
    assert [block.address for block in split_blocks(text)] == addresses
    assert [line[8:] for line in text.splitlines() if line.startswith("Source: ")] == addresses
    full = "".join(llms_full_txt(chunks, "T"))
    assert [block.address for block in split_blocks(full)] == ["", *addresses]


@given(CHUNKS)
def test_no_word_of_a_page_is_lost(chunks: list[RankedChunk]) -> None:
    text = "".join(knowledge_blocks(chunks)).split()
    for ranked_chunk in chunks:
        if "#" not in ranked_chunk.chunk.text and "{" not in ranked_chunk.chunk.text:
            assert not set(ranked_chunk.chunk.text.split()) - set(text)


@given(
    st.lists(st.text("abcdefg.", min_size=1, max_size=9), min_size=1, max_size=60),
    st.lists(st.sampled_from([" ", "\n", "\n\n"]), min_size=60, max_size=60),
    st.integers(8, 16),
    st.integers(0, 6),
)
def test_a_text_that_was_cut_is_whole_again(
    words: list[str], spaces: list[str], max_tokens: int, overlap: int
) -> None:
    text = "".join(word + space for word, space in zip(words, spaces, strict=False)).strip()
    section = Section((), "", text, 1)
    document = Document("s:a", "s", "a", "https://x.example/", "T", "", "page", (section,))
    chunks = chunk_document(document, CharacterCounter(4), max_tokens, min(overlap, max_tokens - 1))
    stored = StoredDocument("s:a", "s", "a", document.url, "T", "", "page", "")
    (block,) = knowledge_blocks(RankedChunk(chunk, stored, 0.0) for chunk in chunks)
    assert block.split()[4:] == text.split()


@given(CHUNKS)
def test_every_page_is_one_entry_of_the_list(chunks: list[RankedChunk]) -> None:
    entries = list(split_links("".join(llms_txt(chunks, "T"))))
    assert sorted(entry.address for entry in entries) == sorted(
        ranked.document.url or "" for ranked in chunks
    )


TAGS = st.sampled_from(
    [
        "div",
        "p",
        "h1",
        "h2",
        "main",
        "li",
        "ul",
        "table",
        "tr",
        "td",
        "pre",
        "a",
        "b",
        "nav",
        "head",
    ]
)
SOUP = st.lists(
    st.tuples(
        st.sampled_from(["<", "</"]), TAGS, st.sampled_from(["", " id='x'", " hidden", " id"])
    ).map(lambda parts: f"{parts[0]}{parts[1]}{parts[2]}>")
    | st.text(max_size=8),
    max_size=30,
).map("".join)


@settings(deadline=None)  # the first page loads trafilatura
@given(SOUP)
def test_no_page_makes_the_reader_fail(html: str) -> None:
    try:
        sections = page_sections(main_text(parse_html(html)))
    except DocumentUnreadable:
        return
    assert all(section.text.strip() for section in sections)


@given(st.lists(st.text(alphabet="abc de", min_size=1).filter(str.strip), min_size=1, max_size=8))
def test_no_text_of_a_main_element_is_lost(texts: list[str]) -> None:
    body = "".join(f"<div id='n{n}'><p>{text}</p></div>" for n, text in enumerate(texts))
    sections = page_sections(main_text(parse_html(f"<main>{body}</main>")))
    assert [section.text for section in sections] == [" ".join(text.split()) for text in texts]
    assert [section.anchor for section in sections] == [f"n{n}" for n in range(len(texts))]
