"""Relative links of a README lead to the file at the commit; nothing else changes."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.git.address import repository_address
from ingestion.git.link_targets import link_target
from ingestion.git.links import file_links
from ingestion.git.relative_links import with_absolute_links
from retrieval.configuration import Repository

COMMIT = "c0ffee00" * 5
BLOB = f"https://github.com/ada/engine/blob/{COMMIT}"
RAW = f"https://github.com/ada/engine/raw/{COMMIT}"


def linked(
    markdown: str,
    name: str = "docs/README.md",
    url: str = "https://github.com/ada/engine.git",
    link: str = "",
) -> str:
    repository = Repository(url=url, link=link)
    links = file_links(repository, repository_address(repository, Path()))
    return with_absolute_links(
        markdown,
        lambda destination, is_image: link_target(
            links, COMMIT, name.encode(), destination, is_image=is_image
        ),
    )


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("[g](guide.md#use 'T')", f"[g]({BLOB}/docs/guide.md#use 'T')"),
        ("[g](./a/../guide.md)", f"[g]({BLOB}/docs/guide.md)"),
        ("[g](<my file.md>)", f"[g]({BLOB}/docs/my%20file.md)"),
        ("[g](my%20file.md?plain=1)", f"[g]({BLOB}/docs/my%20file.md?plain=1)"),
        ("[g](a\\(1\\).md)", f"[g]({BLOB}/docs/a%281%29.md)"),
        ("[g](/root.md) [d](../src/)", f"[g]({BLOB}/root.md) [d]({BLOB}/src)"),
        ("[i](../../../issues)", "[i](https://github.com/ada/engine/issues)"),
        ("[u](#use)", f"[u]({BLOB}/docs/README.md#use)"),
        ("![l](../logo.png)", f"![l]({RAW}/logo.png)"),
        ("[![b](b.svg)](ci.md)", f"[![b]({RAW}/docs/b.svg)]({BLOB}/docs/ci.md)"),
        ("# Title [x](x.md) #", f"# Title [x]({BLOB}/docs/x.md) #"),
        ("> - deep [x](x.md)", f"> - deep [x]({BLOB}/docs/x.md)"),
        ("| [t](t.md) |\n|---|\n| [u](u.md) |",
         f"| [t]({BLOB}/docs/t.md) |\n|---|\n| [u]({BLOB}/docs/u.md) |"),
        ("See [r] and [long\ntext](x.md).\n\n[r]: r.md 'T'",
         f"See [r] and [long\ntext]({BLOB}/docs/x.md).\n\n[r]: {BLOB}/docs/r.md 'T'"),
        ("![p][pic]\n\n[pic]: <p 1.png>", f"![p][pic]\n\n[pic]: {RAW}/docs/p%201.png"),
        ("[b]:\n   next.md", f"[b]:\n   {BLOB}/docs/next.md"),
        ('<p>\n<img width="3"\n src="l.png"></p>',
         f'<p>\n<img width="3"\n src="{RAW}/docs/l.png"></p>'),
        ("Text <a href='x.md'>X</a>", f"Text <a href='{BLOB}/docs/x.md'>X</a>"),
        ("[^1]: Note [n](n.md)", f"[^1]: Note [n]({BLOB}/docs/n.md)"),
    ],
)  # fmt: skip
def test_a_relative_link_is_made_absolute(markdown: str, expected: str) -> None:
    assert linked(markdown) == expected


@pytest.mark.parametrize(
    "markdown",
    [
        "`[x](x.md)` and \\[x](x.md)",
        "```md\n[x](x.md)\n```",
        "~~~\n<img src='x.png'>\n[r]: r.md\n~~~",
        "    [x](x.md)",
        "[a](https://e.example/x) [m](mailto:a@b.example) [p](//cdn.example/x) <https://e.example>",
        "[empty]() and [not a link] (x.md)",
        "Tabs\tand  spaces  \nstay\\\nas they are.\r",
    ],
)
def test_what_is_no_relative_link_stays(markdown: str) -> None:
    assert linked(markdown) == markdown


@pytest.mark.parametrize(
    ("url", "page", "raw"),
    [
        ("https://gitlab.com/a/b/c.git", "/-/blob/", "/-/raw/"),
        ("https://codeberg.org/a/b", "/src/commit/", "/raw/commit/"),
        ("https://bitbucket.org/a/b", "/src/", "/raw/"),
        ("https://git.sr.ht/~a/b", "/tree/", "/blob/"),
    ],
)
def test_every_known_host_has_pages_and_contents(url: str, page: str, raw: str) -> None:
    made = linked("[x](x.md) ![y](y.png)", "README.md", url)
    assert f"{page}{COMMIT}/" in made.split(" ")[0]
    assert f"{raw}{COMMIT}/y.png" in made.split(" ")[1]


def test_a_template_of_ones_own_serves_links_and_images() -> None:
    link = "https://git.example/?c={commit}&p={path}#n{start}"
    made = linked("[x](x.md?a=1#b) ![y](/y.png) [z](../../z)", link=link)
    place = f"https://git.example/?c={COMMIT}&p="
    assert made == f"[x]({place}docs/x.md#b) ![y]({place}y.png) [z](../../z)"


def test_a_repository_without_a_public_address_keeps_its_links() -> None:
    assert linked("[x](x.md)", url="https://git.example/a/b") == "[x](x.md)"


def test_a_text_made_to_be_slow_is_left_as_it_is() -> None:
    slow = "[a](" * 200_000 + "\n\n" + ("![a" * 800 + "\n\n") * 300
    assert linked(slow) == slow


@given(st.text(alphabet="ab[]()!<>#`*_\\\"':/. \n\t-|~&;\0é", max_size=120))
def test_no_line_is_lost_and_nothing_is_written_where_nothing_is_resolved(text: str) -> None:
    assert with_absolute_links(text, lambda destination, is_image: "") == text
    marked = with_absolute_links(text, lambda destination, is_image: "\ue000")
    assert marked.count("\n") == text.count("\n")
