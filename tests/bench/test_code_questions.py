"""Questions are made of docstrings, and the copy that is searched does not hold them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.code_questions import source_folder, write_questions

SOURCE = '''\
"""A module about gauges and pumps."""


def read(pin):
    """Reads the level of one pin. More about it."""
    return pin


class Pump:
    def start(self, é="é"): "Starts the pump at once now"; return 1

    def stop(self):
        """Stops the pump
        after a while.

        Details.
        """

        return 2

    def short(self):
        """Too few."""
        return 3

    def stub(self):
        """Has nothing but this docstring."""
'''


@pytest.fixture
def package(tmp_path: Path) -> Path:
    files = {
        "gauge.py": SOURCE,
        "twice.py": 'def a():\n    """Does the same thing twice."""\n    return 1\n\n\n'
        'def b():\n    """Does the same thing twice."""\n    return 2\n',
        "table.py": "TABLE = {1: 2}\n",
        "broken.py": "def (:\n",
    }
    for name, text in files.items():
        place = tmp_path / "package" / name
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return tmp_path / "package"


def test_a_first_sentence_asks_for_its_function(package: Path, tmp_path: Path) -> None:
    questions = write_questions(package, tmp_path / "copy" / "package")
    assert [(one.query, one.first_line, one.last_line) for one in questions] == [
        ("Reads the level of one pin.", 4, 6),
        ("Starts the pump at once now", 10, 10),
        ("Stops the pump after a while.", 12, 19),
    ]
    assert {one.path for one in questions} == {"package/gauge.py"}
    assert questions[2].is_answered_by("package/gauge.py", 19, 30)
    assert not questions[2].is_answered_by("package/gauge.py", 20, 30)
    assert not questions[2].is_answered_by("package/other.py", 12, 18)


def test_docstrings_are_blanked_line_for_line(package: Path, tmp_path: Path) -> None:
    write_questions(package, tmp_path / "copy" / "package")
    copy = (tmp_path / "copy/package/gauge.py").read_text(encoding="utf-8").split("\n")
    before = SOURCE.split("\n")
    assert len(copy) == len(before)
    differing = [number for number, pair in enumerate(zip(copy, before, strict=True), 1)
                 if pair[0] != pair[1]]  # fmt: skip
    assert differing == [5, 10, 13, 14, 16, 17]
    assert copy[9] == '    def start(self, é="é"):; return 1'
    assert not any("Reads" in line or "Stops" in line for line in copy)
    names = sorted(file.name for file in (tmp_path / "copy/package").iterdir())
    assert names == ["gauge.py", "twice.py"]


def test_a_package_is_found_by_its_name() -> None:
    assert source_folder("json").name == "json"
    with pytest.raises(ValueError, match="no_such_package"):
        source_folder("no_such_package")


def test_a_set_is_measured_by_keywords(package: Path, tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    command = [
        sys.executable,
        "-m",
        "bench.code_search",
        str(package),
        "--work",
        str(tmp_path / "w"),
    ]
    ran = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    result = json.loads(ran.stdout)
    assert (result["questions"], result["files"]) == (3, 2)
    assert 0 < result["measures"]["keyword"]["nDCG@10"] <= 1


def test_a_distribution_is_read_whole(package: Path) -> None:
    root = Path(__file__).parents[2]
    (package / "README.md").write_text("# A\n\n## B\n\nText.\n<!-- no -->\n", encoding="utf-8")
    (package / "yarn.lock").write_text("x\n", encoding="utf-8")
    command = [sys.executable, "-m", "bench.repositories", str(package), "--left-out"]
    ran = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    found = json.loads(ran.stdout)["repositories"]["package"]
    assert (found["files"], found["documents"]) == (6, 5)
    assert found["skipped"] == {"yarn.lock": "lockfile"}
    assert (found["lost"], found["wrong"], found["unreported"]) == ([], [], [])
