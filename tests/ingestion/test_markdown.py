import pytest

from ingestion.anchors import GithubIds, HugoIds
from ingestion.errors import DocumentUnreadable
from ingestion.markdown import (
    MAX_HEADING_BRACKETS,
    MAX_HEADINGS,
    MAX_LINES,
    ParsedMarkdown,
    parse_markdown,
    plain_text,
)

CODE_AND_ODDITIES = """\
Before any heading.

## Install

```bash
# no heading
## neither
```

~~~python
# nor this
x = '''
```
# still in the tilde fence
'''
~~~

````
```
# nested
```
````

## Build

    # indented code\tand a tab
    make\u00a0all

#hashtag

\\# escaped

####### seven

<div>
# in raw HTML
</div>

Setext two
----------

Under it.

Setext
one
===

> ## Quoted

- item

  ## In an item

  > ### Deeper

##
After an empty heading.
"""


def hugo(text: str, first_line: int | None = 1) -> ParsedMarkdown:
    return parse_markdown(text, HugoIds(), first_line)


def test_sections_start_at_top_level_headings_only() -> None:
    parsed = hugo(CODE_AND_ODDITIES)
    assert [(section.headings, section.anchor) for section in parsed.sections] == [
        ((), ""),
        (("Install",), "install"),
        (("Build",), "build"),
        (("Setext two",), "setext-two"),
        (("Setext one",), "one"),
        (("Setext one",), ""),
    ]


def test_nested_headings_have_anchors() -> None:
    parsed = hugo(CODE_AND_ODDITIES)
    assert parsed.anchors == (
        "install", "build", "setext-two", "one", "quoted", "in-an-item", "deeper",
    )  # fmt: skip


def test_code_stays_whole_and_unchanged_in_its_section() -> None:
    install, build = hugo(CODE_AND_ODDITIES).sections[1:3]
    assert install.text.startswith("## Install\n\n```bash\n# no heading\n## neither\n```")
    assert install.text.endswith("````\n```\n# nested\n```\n````")
    assert "    # indented code\tand a tab\n    make\u00a0all" in build.text


def test_every_line_is_found_where_its_section_says() -> None:
    lines = CODE_AND_ODDITIES.split("\n")
    for section in hugo(CODE_AND_ODDITIES, first_line=1).sections:
        assert section.start_line is not None
        count = section.text.count("\n") + 1
        assert "\n".join(lines[section.start_line - 1 :][:count]) == section.text


def test_lines_count_from_the_first_line_given() -> None:
    assert [s.start_line for s in hugo("\n\ntext\n\n# H\nx", 10).sections] == [12, 14]
    assert [s.start_line for s in hugo("\n\ntext\n\n# H\nx", None).sections] == [None, None]


def test_line_ends_of_all_systems_count() -> None:
    parsed = hugo("a\r\n\r\n# H\r\n\r\nb\rc\r")
    assert [(s.text, s.start_line) for s in parsed.sections] == [("a", 1), ("# H\n\nb\nc", 3)]


def test_headings_are_a_path_of_rendered_titles() -> None:
    text = "# A *b* `c`\nx\n## D [e](f) & g's\nx\n#### Skipped\nx\n## I ![j](k)\nx\n# L\nx"
    assert [section.headings for section in hugo(text).sections] == [
        ("A b c",),
        ("A b c", "D e & g’s"),
        ("A b c", "D e & g’s", "Skipped"),
        ("A b c", "I j"),
        ("L",),
    ]


def test_titles_keep_straight_quotes_where_the_renderer_does() -> None:
    parsed = parse_markdown('## It\'s "x" -- y', GithubIds())
    assert parsed.sections[0].headings == ('It\'s "x" -- y',)
    assert hugo('## It\'s "x" -- y `a--b`').sections[0].headings == ("It’s “x” – y a--b",)


def test_a_bare_heading_is_left_to_the_deeper_one_below_it() -> None:
    parsed = hugo("# A\n\n## B\n\ntext\n\n## C\n\n# D\n")
    assert [(s.headings, s.text) for s in parsed.sections] == [
        (("A", "B"), "## B\n\ntext"),
        (("A", "C"), "## C"),
        (("D",), "# D"),
    ]
    assert parsed.anchors == ("a", "b", "c", "d")


def test_first_heading_and_opening_title() -> None:
    assert (hugo("# T\nx").first_heading, hugo("# T\nx").opening_title) == ("T", "T")
    assert (hugo("x\n# T").first_heading, hugo("x\n# T").opening_title) == ("T", "")
    assert (hugo("## T").first_heading, hugo("## T").opening_title) == ("T", "")
    assert (hugo("#\n## T").first_heading, hugo("").first_heading) == ("T", "")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a <!-- hidden --> b", "a  b"),
        ("<!--\n## hidden\n\nhidden\n-->\nb", "b"),
        ("a\n\n<!-- hidden -->\n\nb", "a\n\n\n\nb"),
        ("a <!-- hidden\nhidden --> b", "a \n b"),
        ("<div>\nx <!-- hidden --> y\n</div>", "<div>\nx  y\n</div>"),
        ("x\n\n<!-- hidden and never closed\n\n# hidden\n", "x"),
        ("`<!-- shown -->`", "`<!-- shown -->`"),
        ("``a ` <!-- shown -->`` <!-- hidden -->", "``a ` <!-- shown -->`` "),
        ("` <!-- hidden --> a", "`  a"),
        ("\\<!-- shown -->", "\\<!-- shown -->"),
        ("```\n<!-- shown -->\n```", "```\n<!-- shown -->\n```"),
        ("    <!-- shown -->", "    <!-- shown -->"),
        ("a <!-- shown: never closed", "a <!-- shown: never closed"),
        ("a <!-- shown\n\nb --> c", "a <!-- shown\n\nb --> c"),
        ("> <!-- hidden -->\n> b", "> \n> b"),
        ("- a\n\n  <!--\n  hidden\n  -->\n\n  b", "- a\n\n  \n\n\n\n  b"),
    ],
)
def test_comments_are_hidden_and_code_is_not(text: str, left: str) -> None:
    assert "\n".join(section.text for section in hugo(text).sections).rstrip() == left.rstrip()


def test_a_comment_does_not_move_the_lines_below_it() -> None:
    parsed = hugo("a\n\n<!--\nhidden\n-->\n\n## B\n\nc")
    assert [(s.text, s.start_line) for s in parsed.sections] == [("a", 1), ("## B\n\nc", 7)]


def test_a_page_of_blank_lines_has_no_sections() -> None:
    assert hugo(" \n\t\n\u00a0\n").sections == ()


@pytest.mark.parametrize("text", ["a\0b", "# a\ud800b\n", "# \0\n"])
def test_nul_and_lone_surrogates_are_text(text: str) -> None:
    assert hugo(text).sections[0].text == text.rstrip("\n")


@pytest.mark.parametrize(
    "text",
    ["> " * 5000 + "a", "- " * 5000 + "a", "[" * 50_000, "`" * 50_000, "*a " * 20_000,
     "# " + "[" * 900,
     "".join("  " * depth + "- a\n" for depth in range(300)), "[a]: b\n" * 5000, "|a" * 20_000,
     "# " + "[a](" * 200, "# " + "{" * 900, "# " + "*a " * 300, "a <!--" * 10_000,
     "# " + "#" * 5000],
)  # fmt: skip
def test_hostile_markup_is_kept_as_text(text: str) -> None:
    kept = "".join(section.text for section in hugo(text).sections)
    assert "".join(kept.split()) == "".join(text.split())


def test_a_heading_that_cannot_be_parsed_safely_has_no_anchor() -> None:
    parsed = hugo("# " + "[" * (MAX_HEADING_BRACKETS + 1) + "\n\n# After\n")
    assert parsed.anchors == ("after",)


@pytest.mark.parametrize(
    "text", ["x\n" * (MAX_LINES + 1), "# x\n" * (MAX_HEADINGS + 1), "a" * (3 << 20)]
)
def test_a_page_beyond_the_limits_is_refused_with_what_to_do(text: str) -> None:
    with pytest.raises(DocumentUnreadable, match=r"^too-large: .*split the page$"):
        hugo(text)


@pytest.mark.parametrize(
    ("markdown", "plain"),
    [
        ("## A *b* `c`\n\n[d](e) <b>f</b> &amp; g\nh", "A b c\nd f & g h"),
        ("- a\n- b\n\n```\nc  d\n```\n", "a\nb\nc  d"),
        ("|a|b|\n|-|-|\n|c|d|\n", "a\nb\nc\nd"),
        ("![alt](x) ~~s~~ <!-- no -->\n", "alt s"),
        ("", ""),
    ],
)
def test_plain_text_is_what_the_reader_sees(markdown: str, plain: str) -> None:
    assert "\n".join(line.strip() for line in plain_text(markdown).split("\n")) == plain
