"""Links to a passage deep on a page: an addition for people, which programs never see."""

from dataclasses import replace
from urllib.parse import unquote, urlsplit

import pytest

from service.passage_links import deep_text, passage_link
from tests.service.corpus import CODE, SITE, passage

PAGE = f"{SITE}/station/"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The station ran for nine years. Then it stopped.", "The station ran for nine years"),
        (
            "- **Bold words** and `code` are [seen](/x/) plain.",
            "Bold words and code are seen plain",
        ),
        (
            "It's 3–4 km. The mast, built in 1998, stands here.",
            "The mast, built in 1998, stands here",
        ),
        ("Die Messstation am Fjord läuft seit Jahren ohne Pause.", None),
        (
            "one two three four five six seven eight nine ten.",
            "one two three four five six seven eight",
        ),
    ],
)
def test_the_first_words_that_a_page_shows_as_written_are_named(
    text: str, words: str | None
) -> None:
    expected = words or text.removesuffix(".").rsplit(" ", 1)[0]
    link = passage_link(PAGE, text)
    assert unquote(link) == f"{PAGE}#:~:text={expected}"
    assert link.partition("#")[2].removeprefix(":~:text=").isascii()


@pytest.mark.parametrize(
    "text", ["", "Two words.", "```\ncode is left out of it\n```", "観測所は雨を測ります。"]
)
def test_without_such_words_the_address_stays(text: str) -> None:
    assert passage_link(f"{PAGE}#hardware", text) == f"{PAGE}#hardware"


def test_the_anchor_and_what_has_a_meaning_in_a_fragment_are_kept_apart() -> None:
    link = passage_link(f"{PAGE}#hardware", "The bucket, which tips over, is made of tin.")
    assert link == (
        f"{PAGE}#hardware:~:text=The%20bucket%2C%20which%20tips%20over%2C%20is%20made%20of"
    )
    assert urlsplit(link).path == "/station/"


def test_only_a_passage_that_its_address_does_not_lead_to_is_deep() -> None:
    first = passage("The station measures rain.")
    later = passage("rain. The mast was built later.")
    deep = replace(later, chunk=replace(later.chunk, chunk_id="site:a#0.1", overlap_chars=6))
    assert deep_text(first) == ""
    assert deep_text(deep) == "The mast was built later."
    nowhere = passage("No heading here.", anchor="", headings=(), ordinal=4)
    section = replace(nowhere, chunk=replace(nowhere.chunk, chunk_id="site:a#4.0"))
    assert deep_text(section) == "No heading here."
    start = passage("The first words.", anchor="", headings=())
    assert deep_text(start) == ""
    code = passage("def read():\n    return 1", CODE, "", ordinal=2)
    assert deep_text(replace(code, chunk=replace(code.chunk, chunk_id="e:a#0.2"))) == ""
