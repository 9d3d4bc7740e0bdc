import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.errors import DocumentUnreadable
from ingestion.hugo.page_text import PageText, markdown_text
from ingestion.hugo.shortcode_tags import MAX_ENDLESS_CHARS
from ingestion.hugo.site_configuration import Rendering

RAW_HTML = Rendering(raw_html=True)


def _text(body: str) -> str:
    return "\n".join(section.text for section in markdown_text(body, 1, Rendering()).sections)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("a {{< b >}} c", "a  c"),
        ("{{< lead >}}\nInner **text**\n{{< /lead >}}", "\nInner **text**\n"),
        ("{{% hint info %}}Inner{{% /hint %}}", "Inner"),
        ('{{< figure src="x.png" caption="A `pump`" >}}', "A `pump`"),
        ('{{< alert "Mind the gap" >}}', "Mind the gap"),
        ('{{< highlight go "linenos=table, x=1" >}}\nfunc x\n{{< /highlight >}}', "\nfunc x\n"),
        ('[go]({{< relref "a b.md" >}})', "[go]()"),
        ("{{</* figure src=x */>}} {{%/* hint */%}}", "{{< figure src=x >}} {{% hint %}}"),
        ("{{ name }} {{> part}} {{#if}} {{<>}}", "{{ name }} {{> part}} {{#if}} {{<>}}"),
        ("a {{< note >}}b {{< icon x >}}c{{< /note >}} d", "a b c d"),
        ("{{< typeit `raw >}} text here` />}}", "raw >}} text here"),
        ("{{< unclosed text", "{{< unclosed text"),
        ("```\n{{< badge >}}# code\n```", "```\n# code\n```"),
        ("{{% comment %}}\nhidden\n{{% /comment %}}\nseen", "seen"),
        ("Text <b>bold</b> &amp; <span>span</span>", "Text <b>bold</b> &amp; <span>span</span>"),
        ("seen <!-- hidden --> too", "seen  too"),
    ],
)  # fmt: skip
def test_what_a_reader_sees_is_kept(body: str, text: str) -> None:
    assert _text(body) == text


def test_an_endless_shortcode_is_named_with_its_line() -> None:
    with pytest.raises(DocumentUnreadable, match=r"^parse-error: line 3 of the text: .*close it$"):
        _text("one\n\n{{< figure " + "a " * MAX_ENDLESS_CHARS)
    behind = " {{% x %}} {{< y >}}"
    assert _text("{{< figure " + "a " * MAX_ENDLESS_CHARS + behind).startswith("{{< figure a a")


def test_html_blocks_are_on_the_page_only_where_the_site_renders_them() -> None:
    body = (
        "<div id='box' class='x'>\nBoxed &lt;text&gt;\n<script>var x = 1</script>\n</div>\n\n"
        "## After\n\nEnd."
    )
    assert "Boxed" not in _text(body)
    shown = markdown_text(body, 1, RAW_HTML)
    assert shown.sections[0].text.split() == ["Boxed", "<text>"]
    assert shown.anchors == ("after", "box")
    assert markdown_text(body, 1, Rendering()).anchors == ("after",)


def test_raw_inner_text_makes_no_headings_and_no_fences() -> None:
    body = "## A\n\n{{< tabs >}}\n# no heading\n```\nunclosed\n{{< /tabs >}}\n\n## B\n\nEnd."
    text = markdown_text(body, 10, Rendering())
    assert text.anchors == ("a", "b")
    first, second = text.sections
    assert "# no heading\n```\nunclosed" in first.text
    assert (second.text, second.start_line) == ("## B\n\nEnd.", 18)


def test_a_heading_with_a_shortcode_has_text_but_no_anchor() -> None:
    text = markdown_text('## Install {{< badge text="now" >}}\n\nx\n\n## Install', 1, Rendering())
    assert text.anchors == ("install",)
    assert [section.headings for section in text.sections] == [("Install now",), ("Install",)]
    assert text.sections[0].anchor == ""


def test_lines_are_those_of_the_file() -> None:
    body = (
        "a\n{{< x\n  y=1\n>}}\n<div>\nraw\n</div>\n\n"
        "## B\n\nb\n{{< r >}}\n1\n2\n{{< /r >}}\n\n## C\n"
    )
    lines = body.split("\n")
    for rendering in (Rendering(), RAW_HTML):
        for section in markdown_text(body, 1, rendering).sections[1:]:
            assert section.start_line is not None
            assert lines[section.start_line - 1] == section.text.split("\n")[0]


def test_private_characters_of_the_page_do_not_bring_anything_back() -> None:
    assert _text("a \U0010fffd\U0010ff00\U0010fffd b {{< x >}}secret{{< /x >}}") == "a  b secret"


FORMS = st.sampled_from(
    [
        "%s", "## %s", "%s\n---", "{{< box >}}\n%s\n{{< /box >}}",
        "{{%% hint %%}}\n%s\n{{%% /hint %%}}",
        "```\n%s\n```", "- %s", "> %s <b>x</b>", "<p>%s</p>", '{{< figure caption="%s" >}}',
        "{{< a >}}{{< b >}}%s{{< /b >}}{{< /a >}}", "{{</* %s */>}}",
    ]
)  # fmt: skip
WORDS = st.from_regex(r"[a-z]{3,8}", fullmatch=True)


@given(st.lists(st.tuples(FORMS, WORDS), max_size=12))
def test_no_word_is_lost(pieces: list[tuple[str, str]]) -> None:
    body = "\n\n".join(form % word for form, word in pieces)
    text = markdown_text(body, 1, RAW_HTML)
    kept = "\n".join("\n".join((*section.headings, section.text)) for section in text.sections)
    assert all(word in kept for _, word in pieces)


MARKUP = st.sampled_from(
    ["{{<", "{{%", ">}}", "%}}", " a", "/", '"', "`", "*/", "/*", "\n", "<div>", "<!--", "-->", "#",
     "- ", "    ", "[", "](", ": ", "\\", "\x00", "\U0010fffd", "\U0010ff01", "é", "---\n"]
)  # fmt: skip


@given(st.lists(st.one_of(MARKUP, st.text(max_size=5)), max_size=40).map("".join), st.booleans())
def test_no_text_raises_anything_unforeseen(body: str, raw_html: bool) -> None:
    rendering = Rendering(raw_html=raw_html, definition_ids=True)
    try:
        text = markdown_text(body, 1, rendering)
    except DocumentUnreadable:
        return
    assert isinstance(text, PageText)
    assert all(section.text.strip() for section in text.sections)
