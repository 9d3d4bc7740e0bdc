import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.outcome import OutcomeMarkers

PARTS = st.lists(
    st.sampled_from(["<<unknown>>", "<<", "<", ">>", "un", "contact", " ", "\n", "a", "<<x>>"]),
    max_size=10,
).map("".join)


def read(*parts: str) -> tuple[str, str | None]:
    markers = OutcomeMarkers()
    text = "".join([markers.feed(part) for part in parts] + [markers.finish()])
    return text, markers.outcome


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<<unknown>>\nNo.", ("No.", "unknown")),
        (" \n<<Contact>> Ask Ada.", ("Ask Ada.", "contact")),
        ("<< declined >>\n\nNo.", ("No.", "declined")),
        ("Yes [1].", ("Yes [1].", None)),
        ("  Yes", ("  Yes", None)),
        ("No.\n<<unknown>>", ("No.\n", "unknown")),
        ("<<unknown>><<contact>> x", ("x", "unknown")),
        ("<<answered>> x", ("x", None)),
        ("a << b and <<other>> c <", ("a << b and <<other>> c <", None)),
        ("<<unknown", ("<<unknown", None)),
        ("", ("", None)),
    ],
)
def test_markers_are_stripped_and_named(text: str, expected: tuple[str, str | None]) -> None:
    assert read(text) == expected


@given(PARTS, st.integers(0, 40))
def test_the_result_does_not_depend_on_the_splits(text: str, cut: int) -> None:
    assert read(*text) == read(text) == read(text[:cut], text[cut:])


def test_words_are_not_held_back() -> None:
    assert OutcomeMarkers().feed("Two") == "Two"
