"""Whatever a file starts with, it is front matter, text, or an error that names the file's line."""

from hypothesis import given
from hypothesis import strategies as st

from ingestion.errors import DocumentUnreadable
from ingestion.front_matter import FrontMatter, split_front_matter

PARTS = st.one_of(
    st.sampled_from(
        [
            "---",
            "---\n",
            "+++\n",
            "{",
            "}",
            "\n",
            "\r\n",
            "title: a\n",
            'title = "a"\n',
            "a: b: c\n",
        ]
    ),
    st.sampled_from(
        ["- x\n", "\t", "&a [*a]\n", "<<: *a\n", '"', "'", "\ufeff", "\0", "!!binary x\n"]
    ),
    st.text(max_size=12),
)
FILES = st.lists(PARTS, max_size=12).map("".join)


def read(text: str) -> FrontMatter | None:
    try:
        return split_front_matter(text)
    except DocumentUnreadable as error:
        if not str(error).startswith("front-matter-error: line "):
            raise
        return None


@given(FILES)
def test_no_other_exception_comes_out_and_the_body_is_the_end_of_the_file(text: str) -> None:
    found = read(text)
    if found is None:
        return
    assert text.endswith(found.body)
    assert found.body_line == 1 + text[: len(text) - len(found.body)].count("\n")


@given(st.text(alphabet=st.characters(exclude_characters="-+{\ufeff#", codec="utf-8"), max_size=60))
def test_a_text_without_a_block_is_body_to_the_character(text: str) -> None:
    found = read(text)
    if found is None:
        return
    assert dict(found.values) == {}
    assert "".join(found.body.split()) == "".join(text.split())
