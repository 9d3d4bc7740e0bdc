import hashlib
import random
from dataclasses import replace
from itertools import pairwise

import pytest

from ingestion.anchors import HugoIds
from ingestion.chunking import chunk_document, embedded_text
from ingestion.markdown import parse_markdown
from ingestion.packing import split_text
from retrieval.types import Chunk, Document, Section
from tests.fakes import CharacterCounter

CHARACTERS = CharacterCounter(1)


def document(*sections: Section, kind: str = "page", **changes: object) -> Document:
    plain = Document(
        "site:a.md", "site", "a.md", "https://x.example/a/", "A", "en", "page", sections
    )
    return replace(plain, kind=kind, **changes)  # type: ignore[arg-type]


def page(text: str) -> Document:
    return document(*parse_markdown(text, HugoIds(), 1).sections)


def chunks(text: str, size: int, overlap: int = 0) -> list[Chunk]:
    return list(chunk_document(page(text), CHARACTERS, size, overlap))


def pieces(text: str, size: int, overlap: int = 0, *, code: bool = False) -> list[str]:
    slices = split_text(text, CHARACTERS, size, overlap, code=code)
    return [text[part.begin : part.end] for part in slices]


def long_page() -> str:
    rng = random.Random(9)
    token = "".join(rng.choice("ABCDEFabcdef0123456789+/") for _ in range(9000))
    code = "\n".join(f"    step_{n:03} = measure(channel={n}, gain={3 * n})" for n in range(220))
    long = f"## Token\n\n{token}\n\n## Program\n\n```python\n{code}\n```"
    return f"Intro.\n\n{long}\n\n## Tiny A\n\na\n\n## Tiny B\n\nb\n"


def test_an_unbroken_line_and_a_long_fence_are_cut_to_size() -> None:
    text = long_page()
    found = chunks(text, 1200, 150)
    assert max(len(chunk.text) for chunk in found) <= 1200
    assert [chunk.headings for chunk in found if chunk.chunk_id.endswith(".0")] == [
        (), ("Token",), ("Program",), ("Tiny A",), ("Tiny B",),
    ]  # fmt: skip
    assert sum(chunk.headings == ("Token",) for chunk in found) >= 8
    assert all(chunk.text.strip() for chunk in found)
    bare = "".join(chunk.text[chunk.overlap_chars :] for chunk in found)
    assert "".join(bare.split()) == "".join(text.split())


def test_code_lines_are_cut_between_lines_only() -> None:
    program = [chunk for chunk in chunks(long_page(), 1200, 150) if chunk.headings == ("Program",)]
    for chunk in program[1:]:
        assert chunk.text.startswith("    step_")
    for chunk in program[:-1]:
        assert chunk.text.endswith(")")


@pytest.mark.parametrize(("size", "overlap"), [(500, 500), (500, 501), (0, 0), (500, -1), (-1, 0)])
def test_impossible_sizes_are_refused(size: int, overlap: int) -> None:
    with pytest.raises(ValueError, match="overlap_tokens"):
        chunk_document(page("x"), CHARACTERS, size, overlap)


def test_ids_are_positions_and_ordinals_count_over_the_document() -> None:
    found = chunks("intro\n\n# A\n\naaaa bbbb\n\n# B\n\nb", 10)
    assert [(chunk.chunk_id, chunk.ordinal) for chunk in found] == [
        ("site:a.md#0.0", 0),
        ("site:a.md#1.0", 1),
        ("site:a.md#1.1", 2),
        ("site:a.md#2.0", 3),
    ]


def test_ids_of_a_data_row_keep_the_row() -> None:
    row = document(
        Section((), "", "x"), doc_id="site:p.yaml@engine", url="https://x.example/p/#engine"
    )
    found = chunk_document(row, CHARACTERS, 10, 0)[0]
    assert (found.chunk_id, found.url) == ("site:p.yaml@engine#0.0", "https://x.example/p/#engine")


def test_addresses_carry_the_readable_anchor() -> None:
    assert [chunk.url for chunk in chunks("intro\n\n# Café\n\nx", 100)] == [
        "https://x.example/a/",
        "https://x.example/a/#café",
    ]


def test_code_is_linked_by_lines_and_has_exact_ones() -> None:
    text = "def a():\n    pass\n\n\ndef b():\n    return 1\n"
    code = document(
        Section(("a",), "", text, 10),
        kind="code",
        line_link="https://git.example/a.py#L{start}-L{end}",
    )
    found = chunk_document(code, CHARACTERS, 25, 0)
    assert [(chunk.text, chunk.start_line, chunk.end_line) for chunk in found] == [
        ("def a():\n    pass", 10, 11),
        ("def b():\n    return 1", 14, 15),
    ]
    assert found[1].url == "https://git.example/a.py#L14-L15"


def test_text_without_an_address_has_none() -> None:
    plain = document(Section(("A",), "a", "x"), url=None)
    assert chunk_document(plain, CHARACTERS, 10, 0)[0].url is None
    code = replace(plain, kind="code", line_link="https://git.example/{start}")
    assert chunk_document(code, CHARACTERS, 10, 0)[0].url is None


def test_a_section_without_lines_gives_chunks_without_lines() -> None:
    found = chunk_document(document(Section((), "", "a b c d")), CHARACTERS, 4, 0)
    assert {(chunk.start_line, chunk.end_line) for chunk in found} == {(None, None)}


def test_a_fence_that_fits_is_kept_whole() -> None:
    fence = "```\na\n\nb\n\nc\n```"
    assert pieces(f"Some text before.\n\n{fence}\n\nafter", 20) == [
        "Some text before.",
        fence,
        "after",
    ]


def test_blocks_come_before_items_lines_sentences_and_words() -> None:
    assert pieces("aa bb\n\ncc dd", 8) == ["aa bb", "cc dd"]
    assert pieces("- aa bb\n  cc\n- dd ee\n  ff", 16) == ["- aa bb\n  cc", "- dd ee\n  ff"]
    assert pieces("aa bb\ncc dd", 8) == ["aa bb", "cc dd"]
    assert pieces("Aa bb. Cc dd. Ee", 14) == ["Aa bb. Cc dd.", "Ee"]
    assert pieces("これは文です。次の文です。", 8) == ["これは文です。", "次の文です。"]
    assert pieces("aaa bbb ccc", 8) == ["aaa bbb", "ccc"]
    assert pieces("abcdefgh", 3) == ["abc", "def", "gh"]


def test_indentation_of_the_first_line_is_kept() -> None:
    assert pieces("a:\n\n    x = 1\n\n    y = 2", 9, code=True) == ["a:", "    x = 1", "    y = 2"]


def test_a_line_that_fits_but_for_its_line_break_is_kept_whole() -> None:
    assert pieces("aa bb cc\ndd ee ff\n\n\ngg", 8) == ["aa bb cc", "dd ee ff", "gg"]


def test_overlap_repeats_whole_words_and_prefers_sentences() -> None:
    assert pieces("aa bb cc dd ee ff", 9, 3) == ["aa bb cc", "cc dd ee", "ee ff"]
    assert pieces("One two. Three four. Five six. Seven.", 24, 12)[1:] == [
        "Three four. Five six.",
        "Five six. Seven.",
    ]


def test_overlap_is_counted_at_the_start_of_the_text() -> None:
    text = "# A\n\naa bb cc dd ee ff"
    found = chunks(text, 12, 3)
    for before, after in pairwise(found):
        repeated = after.text[: after.overlap_chars].strip()
        assert repeated
        assert before.text.endswith(repeated)


def test_overlap_never_crosses_a_heading() -> None:
    found = chunks("# A\n\naa bb cc dd\n\n# B\n\nee ff", 12, 6)
    assert next(chunk for chunk in found if chunk.headings == ("B",)).overlap_chars == 0


def test_a_piece_that_fills_the_chunk_leaves_no_room_for_overlap() -> None:
    assert pieces("aaaa\n\nbbbbbbbb", 8, 4) == ["aaaa", "bbbbbbbb"]


def test_an_accented_letter_is_not_torn_apart() -> None:
    assert pieces("e\u0301" * 4, 3) == ["e\u0301"] * 4
    family = "\U0001f468\u200d\U0001f469"
    assert pieces(family * 2, 4) == [family, family]


def test_a_character_of_too_many_tokens_is_a_chunk_of_its_own() -> None:
    class Heavy(CharacterCounter):
        def count(self, text: str) -> int:
            return 3 * len(text)

    assert [part.tokens for part in split_text("ab", Heavy(1), 1, 0)] == [3, 3]


def test_counts_that_do_not_add_up_do_not_make_a_chunk_too_large() -> None:
    class Growing(CharacterCounter):
        def count(self, text: str) -> int:
            return len(text) + text.count(" ") * 3

    text = "aa bb cc dd ee ff gg"
    parts = list(split_text(text, Growing(1), 12, 5))
    assert all(Growing(1).count(text[part.begin : part.end]) == part.tokens <= 12 for part in parts)


@pytest.mark.parametrize("text", ["", " \n\t\n", "\u00a0\u2003"])
def test_blank_text_has_no_chunks(text: str) -> None:
    assert pieces(text, 10) == []


def test_nul_and_lone_surrogates_do_not_stop_the_hash() -> None:
    found = chunk_document(document(Section((), "", "a\0b \ud800")), CHARACTERS, 10, 0)
    assert len(found[0].content_hash) == 64


def test_the_hash_is_of_what_is_embedded() -> None:
    found = chunks("# B\n\nx", 100)[0]
    embedded = embedded_text("A", ("B",), "# B\n\nx")
    assert found.content_hash == hashlib.sha256(embedded.encode()).hexdigest()


@pytest.mark.parametrize(
    ("title", "headings", "embedded"),
    [
        ("A", ("B", "C"), "A\nB\nC\n\ntext"),
        ("A", ("A", "C"), "A\nC\n\ntext"),
        ("A", (), "A\n\ntext"),
        ("src/gauge.py", ("Gauge", "read"), "src/gauge.py\nGauge\nread\n\ntext"),
    ],
)
def test_embedded_text_is_title_headings_text(
    title: str, headings: tuple[str, ...], embedded: str
) -> None:
    assert embedded_text(title, headings, "text") == embedded
