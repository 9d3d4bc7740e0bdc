"""The figures of docs/scale.md are those of the committed results."""

import json
import re

from bench.scale_page import PAGE, README, RESULTS, rewritten, tables, with_readme_row


def test_every_table_of_the_page_is_made_from_the_results() -> None:
    page = PAGE.read_text(encoding="utf-8")
    made = tables()
    assert set(re.findall(r"<!-- begin (\w+) -->", page)) == set(made)
    assert rewritten(page, made) == page


def test_the_readme_says_what_the_results_say() -> None:
    readme = README.read_text(encoding="utf-8")
    assert "| a hybrid search of 10,000; 100,000; 1,000,000 chunks" in readme
    assert with_readme_row(readme) == readme


def test_every_result_says_on_what_it_was_measured() -> None:
    files = sorted(RESULTS.glob("*.json"))
    assert files
    for file in files:
        environment = json.loads(file.read_text(encoding="utf-8"))["environment"]
        assert {"processor", "cores", "versions", "commit", "command", "seed"} <= set(environment)
        assert not [part for part in environment["command"] if part.startswith("/")]


def test_a_table_is_replaced_between_its_marks_alone() -> None:
    page = "one <!-- begin a -->\nold\n<!-- end a --> two <!-- begin b -->x<!-- end b -->"
    assert rewritten(page, {"a": "| \\1 |"}) == (
        "one <!-- begin a -->\n| \\1 |\n<!-- end a --> two <!-- begin b -->x<!-- end b -->"
    )
