import os
import pty
import subprocess
import sys

import pytest

from ingestion.progress import progress_bar


def test_in_a_pipe_a_stage_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("reading site", "files") as report:
        for done in range(1, 4):
            report(done, 3)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("reading site: 3 files, ")
    assert shown.err.count("\n") == 1


def test_a_stage_without_work_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("embedding", "texts"):
        pass
    assert capsys.readouterr().err == ""


def test_on_a_terminal_a_stage_is_a_bar_that_goes_away() -> None:
    controller, terminal = pty.openpty()
    code = (
        "from ingestion.progress import progress_bar\n"
        "with progress_bar('chunking', 'documents') as report:\n"
        "    report(2, 5)\n"
    )
    subprocess.run([sys.executable, "-c", code], stderr=terminal, check=True)
    os.close(terminal)
    shown = os.read(controller, 1 << 16).decode()
    os.close(controller)
    assert "chunking" in shown
    assert "2/5" in shown
    assert "chunking: " not in shown
