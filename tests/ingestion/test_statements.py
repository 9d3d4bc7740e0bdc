"""Code that is too long is cut where a statement begins."""

from hypothesis import given
from hypothesis import strategies as st

from ingestion.packing import split_text
from ingestion.statements import statement_starts
from tests.fakes import CharacterCounter

FUNCTION = """\
def close(valve):
    first = open_line(
        valve,
        mode="slow",
    )
    if first:
        report(first)
        stop(first)
    else:
        wait()
    return [
        first,
        valve,
    ]
"""
BRACES = """\
void close(int valve)
{
\tint first = open_line(
\t\tvalve
\t);
\tif (first) {
\t\treport(first);
\t} else {
\t\twait();
\t}
\treturn;
}
"""


def begins(text: str, begin: int = 0) -> list[str]:
    starts = statement_starts(text, begin, len(text))
    return [text[place:].split("\n", 1)[0].strip() for place in starts]


def test_a_body_is_cut_at_its_statements() -> None:
    assert begins(FUNCTION) == ["first = open_line(", "if first:", "else:", "return ["]
    assert begins(BRACES) == ["int first = open_line(", "if (first) {", "return;"]


def test_a_block_inside_is_cut_at_its_own() -> None:
    inner = FUNCTION[FUNCTION.index("    if first") : FUNCTION.index("    else")]
    assert begins(inner) == ["report(first)", "stop(first)"]


def test_a_long_unit_is_split_between_statements() -> None:
    pieces = [
        FUNCTION[part.body : part.end]
        for part in split_text(FUNCTION, CharacterCounter(1), 90, 0, code=True)
    ]
    assert [piece.split("\n", 1)[0].strip() for piece in pieces] == [
        "def close(valve):", "if first:", "return [",
    ]  # fmt: skip
    assert "\n".join(pieces) == FUNCTION.rstrip("\n")


@given(st.text(alphabet="ab(){} \t\n", max_size=80), st.integers(1, 20))
def test_no_character_is_lost(text: str, size: int) -> None:
    starts = list(statement_starts(text, 0, len(text)))
    assert starts == sorted(set(starts))
    assert all(text[place - 1] == "\n" for place in starts)
    parts = split_text(text, CharacterCounter(1), size, 0, code=True)
    kept = "".join(text[part.begin : part.end] for part in parts)
    assert "".join(kept.split()) == "".join(text.split())
