"""A hostile file beside an ordinary page: left out with its reason or read, in bounded memory."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sites import PAGES, write_configuration, write_site

MAX_PEAK_KB = 200_000
ORDINARY_PAGES = sum("draft: true" not in text for text in PAGES.values())
# ru_maxrss would begin with what the test's own process holds.
SYNC = """
import atexit, pathlib, sys
atexit.register(lambda: sys.stderr.write(pathlib.Path("/proc/self/status").read_text()))
from askfolio import app
app(["sync", "--json"])
"""
HEAD = "---\ntitle: Hostile\n---\n"


def _written(text: str) -> Callable[[Path], None]:
    return lambda file: _write(file, text.encode())


def _write(file: Path, content: bytes) -> None:
    file.write_bytes(content)


def _outside(file: Path) -> None:
    target = file.parents[2] / "outside.md"
    target.write_text(HEAD + "Not of this site.\n", encoding="utf-8")
    file.symlink_to(target)


HOSTILE: dict[str, tuple[Callable[[Path], None], str | None]] = {
    "a page of 50 MB": (_written(HEAD + "word " * 10_000_000), "too-large"),
    "100,000 headings": (_written(HEAD + "## H\n\ntext\n\n" * 100_000), "too-large"),
    "900 nested list items": (
        _written(HEAD + "".join("  " * depth + "- item\n" for depth in range(900))),
        None,
    ),
    "20,000 quote marks": (_written(HEAD + ">" * 20_000 + " deep\n"), None),
    "an endless shortcode": (_written(HEAD + "{{< figure " + "a " * 400_000), "parse-error"),
    "an endless quoted argument": (_written(HEAD + '{{< x y="' + "a " * 400_000), "parse-error"),
    "500 shortcodes without an end": (_written(HEAD + "{{< figure \n" * 500), "parse-error"),
    "one paragraph of 400,000 words": (_written(HEAD + "a " * 400_000), None),
    "one word of 800,000 letters": (_written(HEAD + "a" * 800_000), None),
    "40,000 emphasis marks": (_written(HEAD + "*a _b " * 40_000), None),
    "invalid UTF-8": (lambda file: _write(file, HEAD.encode() + b"caf\xe9 \xff\xfe"), "encoding"),
    "a link out of the site": (_outside, "symlink-outside"),
}


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells the peak on Linux alone")
@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_file_costs_bounded_memory_and_no_other_page(tmp_path: Path, kind: str) -> None:
    make, reason = HOSTILE[kind]
    root = tmp_path / "site"
    make(write_site(root) / "hostile.md")
    write_configuration(root)

    code, peak_kb, ran = _sync(root)

    assert code == 0, ran
    report = json.loads(ran)
    named = [left["reason"] for left in report["skipped"] if "hostile" in left["path"]]
    assert [why.split(":")[0] for why in named] == ([reason] if reason else [])
    assert report["added"] == ORDINARY_PAGES + (reason is None)
    assert peak_kb < MAX_PEAK_KB


def _sync(root: Path) -> tuple[int, int, str]:
    """Exit code, peak resident kB and output of a sync in a process of its own."""
    command = [sys.executable, "-c", SYNC]
    ran = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    peak = re.search(r"VmHWM:\s+(\d+) kB", ran.stderr)
    assert peak is not None, ran.stderr
    return ran.returncode, int(peak[1]), ran.stdout
