import pytest

from ingestion.errors import DocumentUnreadable
from ingestion.html.main_text import main_text
from ingestion.html.sections import page_sections
from ingestion.html.tree import decoded, parse_html
from retrieval.types import Section

MENU = "<nav id='menu'><a href='/'>Home page</a> <a href='/x/'>Everything else</a></nav>"
FOOT = "<footer><p>Copyright 2026 by nobody in particular</p></footer>"
PROSE = "The harbour gauge measures the level of the water once a minute and sends it to land. " * 3


def sections(html: str) -> tuple[Section, ...]:
    return page_sections(main_text(parse_html(html)))


def main(body: str) -> list[tuple[tuple[str, ...], str, str]]:
    found = sections(f"<html><body>{MENU}<main>{body}</main>{FOOT}</body></html>")
    return [(section.headings, section.anchor, section.text) for section in found]


def test_headings_cut_the_text_and_their_ids_are_anchors() -> None:
    assert main(
        "<h1>Gauge</h1><p>Intro\n text.</p><h2 id='w'>Wiring</h2><p>Three pins.</p>"
        "<h3><a id='deep'></a>Deep <a class='x' href='#deep'>¶</a></h3><p>Down.</p><h2>End</h2>"
    ) == [
        (("Gauge",), "", "# Gauge\n\nIntro text."),
        (("Gauge", "Wiring"), "w", "## Wiring\n\nThree pins."),
        (("Gauge", "Wiring", "Deep"), "deep", "### Deep\n\nDown."),
        (("Gauge", "End"), "", "## End"),
    ]


def test_an_element_with_an_id_is_a_section_and_ends_where_it_ends() -> None:
    assert main(
        "<h1>Projects</h1><div class='grid'><div id='engine'><h2>Engine</h2><p>Go.</p></div>"
        "<div id='kiln'><h2>Kiln</h2><p>Hot.</p></div></div><p>All of them.</p>"
        "<ul><li id='t1'>One</li><li id='t2'>Two <b>bold</b></li></ul>"
    ) == [
        (("Projects", "Engine"), "engine", "## Engine\n\nGo."),
        (("Projects", "Kiln"), "kiln", "## Kiln\n\nHot."),
        (("Projects",), "", "All of them."),
        (("Projects",), "t1", "- One"),
        (("Projects",), "t2", "- Two bold"),
    ]


def test_a_heading_has_its_own_id_before_that_of_the_element_around_it() -> None:
    assert main("<section id='outer'><h2 id='inner'>A</h2><p>x</p></section>") == [
        (("A",), "inner", "## A\n\nx")
    ]


def test_a_named_anchor_in_front_of_a_paragraph_is_its_anchor() -> None:
    assert main("<h2>A</h2><p>x</p><a name='old'></a><p>y</p><p>z <a name='in'></a>w</p>") == [
        (("A",), "", "## A\n\nx"),
        (("A",), "old", "y\n\nz w"),
    ]


def test_code_tables_and_lists_keep_their_form() -> None:
    ((_, _, text),) = main(
        "<pre><code>def f():\n    return '```'\n</code></pre><table><tr><th>a</th><th>b</th></tr>"
        "<tr><td>1</td><td>2</td></tr></table><ul><li>x<ul><li>y</li></ul></li></ul>"
        "<dl><dt>t</dt><dd>d</dd></dl><p>one<br>two <img alt='a boat'> <code>c</code></p>"
    )
    assert text == (
        "````\ndef f():\n    return '```'\n````\n\na | b\n1 | 2\n\n- x\n  - y\n\nt\nd\n\n"
        "one\ntwo a boat c"
    )


def test_what_no_reader_sees_is_left_out() -> None:
    ((_, _, text),) = main(
        "<p>seen</p><script>alert(1)</script><style>x{}</style><template>t</template><!-- c -->"
        "<p hidden>h</p><p aria-hidden='true'>a</p><nav>n</nav><button>b</button>"
        "<svg><text>s</text></svg>"
    )
    assert text == "seen"


def test_without_a_main_element_the_menu_and_the_footer_are_told_apart() -> None:
    found = sections(
        f"<html><body><div class='menu'>{MENU}</div><div id='content'><h1>Gauge</h1><p>{PROSE}</p>"
        f"<h2 id='w'>Wiring</h2><p id='pins'>{PROSE}</p></div>{FOOT}</body></html>"
    )
    assert [(s.headings, s.anchor) for s in found] == [
        (("Gauge",), "content"),
        (("Gauge", "Wiring"), "pins"),
    ]
    text = "\n".join(section.text for section in found)
    assert PROSE.strip() in text
    assert "xq" not in text
    assert "Copyright" not in text
    assert "Everything else" not in text


def test_a_page_of_short_cards_loses_none() -> None:
    cards = "".join(
        f"<div class='card' id='p{n}'><h2>Project {n}</h2><p>Short {n}.</p><a href='/p'>Go</a>"
        "</div>"
        for n in range(10)
    )
    found = sections(f"<html><body>{MENU}<h1>Projects</h1>{cards}{FOOT}</body></html>")
    assert [s.anchor for s in found] == [f"p{n}" for n in range(10)]
    assert all(f"Short {n}." in s.text for n, s in enumerate(found))
    assert not any("Copyright" in s.text or "Everything" in s.text for s in found)


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 100_000 + "x",
        "<ul><li>" * 5_000 + "x",
        "<h2>a</h2>" * 50_000,
        "<p id='x'>a</p>" * 50_000,
        "<b>" * 100_000,
        "<table>" * 2_000 + "x",
        "<a name='x'>" * 50_000 + "x",
        "&lt;" * 200_000,
        "<main>" + "<p>x" * 100_000,
    ],
    ids=range(9),
)
def test_a_hostile_page_ends_in_a_page_or_in_a_reason(html: str) -> None:
    try:
        assert len(sections(html)) <= 10_000
    except DocumentUnreadable as error:
        reason = str(error).split(":")[0]
    else:
        reason = ""
    assert reason in {"", "too-large", "parse-error"}


@pytest.mark.parametrize(
    ("content", "charset"),
    [
        ("<p>año</p>".encode(), ""),
        ("<p>año</p>".encode("utf-8-sig"), "latin-1"),
        ("<p>año</p>".encode("utf-16"), ""),
        ("<meta charset=iso-8859-1><p>año</p>".encode("latin-1"), ""),
        ("<p>año</p>".encode("latin-1"), "iso-8859-1"),
    ],
)
def test_the_encoding_is_the_one_that_is_named(content: bytes, charset: str) -> None:
    assert "año" in decoded(content, charset)


@pytest.mark.parametrize(("content", "charset"), [(b"\xff<p>", ""), (b"x", "no-such-encoding")])
def test_a_page_in_no_known_encoding_says_so(content: bytes, charset: str) -> None:
    with pytest.raises(DocumentUnreadable, match=r"^encoding"):
        decoded(content, charset)


@pytest.mark.parametrize("html", ["", " ", "<!-- x -->"])
def test_nothing_is_no_page(html: str) -> None:
    with pytest.raises(DocumentUnreadable):
        parse_html(html)
