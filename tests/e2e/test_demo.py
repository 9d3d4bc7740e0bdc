"""`make demo ARGS=--once`: the whole path on the example, offline, in both modes."""

import pytest

from tests.command_line import askfolio


@pytest.mark.slow
def test_the_demo_ends_with_cited_answers_whole_and_retrieved() -> None:
    ran = askfolio("demo", "--once")
    assert ran.code == 0
    assert "[1] How the tide gauge measures the water level" in ran.stdout
    assert "https://portfolio.example/posts/tide-gauge/" in ran.stdout
    assert ran.stdout.count("(answered; full-context;") == 2
    assert ran.stdout.count("(answered; hybrid;") == 2
    for secret in ("Copper Lantern", "Violet Breakwater"):
        assert secret not in ran.stdout + ran.stderr
