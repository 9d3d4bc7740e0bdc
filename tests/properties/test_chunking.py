"""No text is lost, no chunk is too large, and equal input gives equal chunks."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ingestion.anchors import GithubIds, HugoIds
from ingestion.chunking import chunk_document
from ingestion.errors import DocumentUnreadable
from ingestion.front_matter import split_front_matter
from ingestion.markdown import parse_markdown, plain_text
from ingestion.packing import split_text
from retrieval.types import Document
from tests.fakes import CharacterCounter

PIECES = st.sampled_from(
    ["# ", "## H\n", "a", "word ", "Sentence. ", "\n", "\n\n", "```\n", "~~~\n", "- item\n", "> ",
     "    ", "\t", "`", "<!--", "-->", "{#id}", "|a|b|\n|-|-|\n", "===\n", "---\n", "[l](u)", "*b*",
     "é", "日本。", "\U0001f468\u200d\U0001f469", "\u0301", "\u00a0", "x" * 40, "\r\n",
     "\0", "[^1]: ", "{{< s >}}"]
)  # fmt: skip
TEXTS = st.one_of(st.text(), st.lists(PIECES).map("".join))
SIZES = st.integers(1, 40).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size - 1)))
COUNTERS = st.integers(1, 4).map(CharacterCounter)


def bare(text: str) -> str:
    return "".join(text.split())


@given(TEXTS, SIZES, COUNTERS, st.booleans())
def test_slices_cover_the_text_once_and_fit(
    text: str, sizes: tuple[int, int], counter: CharacterCounter, code: bool
) -> None:
    size, overlap = sizes
    slices = list(split_text(text, counter, size, overlap, code=code))
    assert bare("".join(text[part.body : part.end] for part in slices)) == bare(text)
    for part in slices:
        exact = text[part.begin : part.end]
        assert exact.strip()
        assert part.tokens == counter.count(exact) <= size
        assert counter.count(text[part.begin : part.body]) <= overlap or overlap == 0
    assert slices == list(split_text(text, counter, size, overlap, code=code))


@given(TEXTS, SIZES)
def test_overlap_repeats_the_slice_before(text: str, sizes: tuple[int, int]) -> None:
    size, overlap = sizes
    slices = list(split_text(text, CharacterCounter(1), size, overlap))
    for before, after in pairwise(slices):
        assert before.body <= after.begin <= after.body
        assert before.end <= after.body
    assert all(part.begin == part.body for part in slices[:1])


@given(TEXTS)
def test_every_line_of_a_page_is_in_a_section_or_is_a_heading_that_one_repeats(text: str) -> None:
    visible = text.replace("<!", "<")
    lines = visible.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    parsed = parse_markdown(visible, GithubIds(), 0)
    for section in parsed.sections:
        start = section.start_line or 0
        count = section.text.count("\n") + 1
        assert "\n".join(lines[start : start + count]) == section.text
        lines[start : start + count] = [""] * count
    titles = {char for section in parsed.sections for char in "".join(section.headings)}
    left = {char for char in "".join(lines) if char.isalnum()}
    assert left <= titles | set("uidxn1")


@given(TEXTS, SIZES)
def test_chunks_lie_on_the_lines_they_name(text: str, sizes: tuple[int, int]) -> None:
    sections = parse_markdown(text, HugoIds(), 1).sections
    page = Document("s:a.md", "s", "a.md", None, "A", "en", "page", sections)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for chunk in chunk_document(page, CharacterCounter(1), *sizes):
        assert chunk.start_line is not None
        assert chunk.end_line is not None
        assert chunk.end_line - chunk.start_line == chunk.text.count("\n")
        if "<!--" not in text:
            assert chunk.text in "\n".join(lines[chunk.start_line - 1 : chunk.end_line])


@given(
    st.one_of(TEXTS, TEXTS.map(lambda text: f"---\n{text}\n---\nbody"), TEXTS.map("+++\n{}".format))
)
def test_front_matter_is_read_or_refused_and_the_body_is_an_end_of_the_file(text: str) -> None:
    try:
        matter = split_front_matter(text)
    except DocumentUnreadable as error:
        assert str(error).startswith("front-matter-error: line ")  # noqa: PT017
        return
    assert text.endswith(matter.body)
    above = text[: len(text) - len(matter.body)].replace("\r\n", "\n").replace("\r", "\n")
    assert matter.body_line == above.count("\n") + 1


@given(TEXTS)
def test_plain_text_takes_any_text(text: str) -> None:
    assert isinstance(plain_text(text), str)
