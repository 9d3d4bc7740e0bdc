import pytest

from service.plain_text import MAX_SENTENCE_CHARS, sentences


@pytest.mark.parametrize(
    ("markdown", "found"),
    [
        ("## Hardware\n\nIt e.g. rains [here](/x/) **a lot**. It `read()`s a gauge!",
         ["It e.g. rains here a lot.", "It read()s a gauge!"]),
        ("# Only a heading about projects", []),
        ("```py\nx = read(1) or write(2)\n```\nThe code reads one.", ["The code reads one."]),
        ("![a picture of it](a.png)", []),
        ("<div>hidden words are here</div>\n\n<!-- and here too -->", []),
        ("{{< figure src=\"x\" >}} The mast is tall.", ["The mast is tall."]),
        ("- one item with words\n- ok\n  - nested item with words",
         ["one item with words", "nested item with words"]),
        ("| Name | Lang |\n|---|---|\n| Engine | Go |\n| Pump | |",
         ["Name: Engine; Lang: Go", "Name: Pump"]),
        ("これは文です。次の文です!", ["これは文です。", "次の文です!"]),
        ("> A quote is text too.", ["A quote is text too."]),
        ("x=1;y[2]{3}(4)==&&||", []),
        ("Dr. Ada built it in Oslo. She likes it.", ["Dr. Ada built it in Oslo.", "She likes it."]),
        ("> [!NOTE]\n> It uses the [sort][] function and [more][x].",
         ["It uses the sort function and more."]),
        ("", []),
    ],
)  # fmt: skip
def test_sentences(markdown: str, found: list[str]) -> None:
    assert sentences(markdown) == found


def test_a_long_sentence_is_cut_at_a_word() -> None:
    [cut] = sentences("word " * 200)
    assert len(cut) <= MAX_SENTENCE_CHARS
    assert cut.endswith("word…")
