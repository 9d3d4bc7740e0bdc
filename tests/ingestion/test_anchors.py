"""Ids as the real renderers gave them: Hugo 0.168, MkDocs 1.6 and github-slugger."""

from dataclasses import replace

import pytest

from ingestion.anchors import GithubIds, HeadingIds, HugoIdKind, HugoIds, PythonMarkdownIds
from ingestion.dialects import HUGO
from ingestion.markdown import parse_markdown


def ids(markdown: str, rule: HeadingIds) -> list[str]:
    return list(parse_markdown(markdown, rule).anchors)


def hugo(heading: str, kind: HugoIdKind = "github") -> str:
    return "".join(ids(f"## {heading}\n\n[ref]: http://x\n\n[^1]: note", HugoIds(kind)))


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("Café & Crème: what's new?", "café--crème-whats-new"),
        ("`make install` and **bold** text", "make-install-and-bold-text"),
        ("See the [docs](https://example.org/x) here", "see-the-docs-here"),
        ("C++ & C#", "c--c"),
        ("v1.0.0 (Apr 21, 2019)", "v100-apr-21-2019"),
        ("🚀 Launch", "-launch"),
        ("🚀", "heading"),
        ("a   b", "a---b"),
        ("a\ttab", "atab"),
        ("a -- b --- c ... 'x' \"y\" <<z>>", "a--b--c--x-y-z"),
        ("`a -- b` x", "a----b-x"),
        ("! ---", "-"),
        ("it's <b>raw</b> html <br> x", "its-raw-html--x"),
        ("![alt text](x.png) img", "alt-text-img"),
        ("&amp; &copy; &eacute; x &lt;b&gt;", "--é-x-b"),
        ("&#233;&eacute;&nbsp;x", "233éx"),
        ("Footnote[^1]", "footnote"),
        ("नमस्ते दुनिया", "नमसत-दनय"),
        ("日本語 テキスト", "日本語-テキスト"),
        ("e\\*scaped \\_x\\_", "escaped-_x_"),
        (":smile: emo", "smile-emo"),
        ("İstanbul ǅ ß", "istanbul-ǆ-ß"),
        ("1. foo ² ½ Ⅷ ①", "1-foo----"),
        ("foo@bar.com mail, (http://x.yz/a) x http://foo.bar/baz. end", "mail--x--end"),
        ("x http://x.yz/(a)b) z", "x--z"),
        ("http://localhost:8080/x", "httplocalhost8080x"),
        ("<http://a.bc>http://a.bc/d x", "x"),
        ("[ref] and [nr]", "ref-and-nr"),
        ("[ref](http://x/(y)) [ http://a.bc/d", "ref--httpabcd"),
        ("<!-- c --> comment", "comment"),
        ("Trailing ##", "trailing"),
    ],
)
def test_hugo_ids_come_from_the_rendered_text(heading: str, anchor: str) -> None:
    assert hugo(heading) == anchor


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("**a -- b *c* d** _x `c` y_", "a--x"),
        ("**it's bold** end", "it-end"),
        ("[link *x*](http://u/v) end", "link--end"),
        ("[![alt *e*](b)](c) tail", "alt--tail"),
        ("**[x](y) z** ***a** b*", "x-a"),
        ("**a [b]c** d", "a--d"),
        ("*www.example.com* x", "x"),
        ('**"q" r**', "heading"),
        ("*<b>c</b>*", ""),
        ("http://x.yz/a_b_c", ""),
    ],
)
def test_hugo_takes_the_first_piece_of_nested_markup_only(heading: str, anchor: str) -> None:
    assert hugo(heading) == anchor


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("T {#id1}", "id1"), ("T{#id3}", "id3"), ("T ## {#id2}", "id2"), ("T {#id1} ##", "t-id1"),
        ("T {id=id5}", "id5"), ('T {id="id 6"}', "id 6"), ("T \\{#id7}", "t-id7"),
        ("T {#id8 .c} x", "t-id8-c-x"), ("T `{#id9}`", "t-id9"), ("T {#a} {#b}", "b"),
        ("T {: #id11 }", "t--id11-"), ("T { #id12 }", "id12"), ("T {#a,#x}", "x"),
        ("T {#ïd}", "ïd"),
        ("T {#id15 data-x}", "t-id15-data-x"), ("T {#ID16}", "ID16"), ("{#id17}", "id17"),
        ("T {}", "t"), ("T {.a id=id20 data=[1,2]}", "id20"), ("T {#id21.cls}", "id21.cls"),
        ("T {#a/b}", "t-ab"), ("T {.cls}", "t"), ("T {#}", ""), ("T {#a b}", "t-a-b"),
        ('T {#c k="v w"}', "c"), ("T {#open", "t-open"),
    ],
)  # fmt: skip
def test_written_ids_are_read_as_goldmark_reads_them(heading: str, anchor: str) -> None:
    assert hugo(heading) == anchor


def test_hugo_numbers_repeated_ids_over_the_whole_page() -> None:
    text = "## Setup\n## Setup\n### Setup-1\n> ## Setup\n\n## Own {#setup-4}\n## Setup\n## Setup\n"
    assert ids(text, HugoIds()) == [
        "setup", "setup-1", "setup-1-1", "setup-2", "setup-4", "setup-3", "setup-5",
    ]  # fmt: skip


def test_an_empty_heading_has_no_id_and_takes_no_number() -> None:
    assert ids("##\n\n## 🚀\n\n## ！\n", HugoIds()) == ["heading", "heading-1"]


def test_the_last_line_of_a_setext_heading_makes_its_id() -> None:
    assert ids("multi\nline *x\ny* head\n===\n\na\nb {#sx}\n---\n", HugoIds()) == ["head", "sx"]


@pytest.mark.parametrize(
    ("kind", "anchor"),
    [
        ("github", "ñandú_x--ünïcode-日本-½"),
        ("github-ascii", "nandu_x--unicode--"),
        ("blackfriday", "ñandú-x-ünïcode-日本-½"),
    ],
)
def test_the_kinds_of_hugo_differ(kind: HugoIdKind, anchor: str) -> None:
    heading = "Ñandú_x & Ünïcode 日本 ½"
    assert hugo(heading, kind) == (anchor if kind != "github" else anchor.removesuffix("½"))


def test_without_automatic_ids_only_written_ones_are_left() -> None:
    assert ids("## A\n## B {#b}\n", HugoIds(auto=False)) == ["b"]


def test_without_typographer_dashes_stay_in_hugo_ids() -> None:
    plain = replace(HUGO, typographer=False)
    assert ids("## a -- b\n## *a -- b* c\n", HugoIds(dialect=plain)) == ["a----b", "a----b-c"]


@pytest.mark.parametrize(
    ("text", "anchors"),
    [
        ("# Hello, World!\n", ["hello-world"]),
        ("# a -- b's `c_d` **e**\n", ["a----bs-c_d-e"]),
        ("# 🚀 Launch\n", ["-launch"]),
        ("# :rocket: Launch\n", ["rocket-launch"]),
        ("# Ünï 日本語 हिन्दी\n", ["ünï-日本語-हिन्दी"]),
        ("# A {#own}\n", ["a-own"]),
        ("# A\n# A\n# A-1\n# A\n", ["a", "a-1", "a-1-1", "a-2"]),
        ("# [link](x) ![alt](y)\n", ["link-alt"]),
        ("#\n", []),
    ],
)
def test_github_ids(text: str, anchors: list[str]) -> None:
    assert ids(text, GithubIds()) == anchors


@pytest.mark.parametrize(
    ("text", "anchors"),
    [
        ("## Setup\n## Setup\n## Setup_1\n", ["setup", "setup_1", "setup_2"]),
        ("## A {#cust}\n## B {: #own .x }\n## Cust\n", ["cust", "own", "cust_1"]),
        (
            "## Ünïcode & Café\n## 日本\n## 日本語\n## Späte Ω\n",
            ["unicode-cafe", "_1", "_2", "spate"],
        ),
        ("## `code --x` **b** [l](http://u)\n", ["code-x-b-l"]),
        ("## a_b\n## A  -  B\n## 1. Foo\n", ["a_b", "a-b", "1-foo"]),
    ],
)
def test_python_markdown_ids(text: str, anchors: list[str]) -> None:
    assert ids(text, PythonMarkdownIds()) == anchors


def test_python_markdown_knows_written_ids_beforehand() -> None:
    text = "## Setup\n## x {#setup}\n"
    assert ids(text, PythonMarkdownIds({"setup"})) == ["setup_1", "setup"]


def test_python_markdown_keeps_letters_where_the_site_says_so() -> None:
    assert ids("## Späte Ω-Phase\n", PythonMarkdownIds(ascii_only=False)) == ["späte-ω-phase"]


@pytest.mark.parametrize("rule", [HugoIds(), GithubIds(), PythonMarkdownIds()])
def test_many_equal_headings_are_numbered_without_counting_again(rule: HeadingIds) -> None:
    anchors = [rule.next_id("Same", None) for _ in range(20_000)]
    assert len(set(anchors)) == 20_000
