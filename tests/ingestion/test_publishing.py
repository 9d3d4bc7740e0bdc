"""A generation whose text does not hold the blocks of its documents is not published."""

from dataclasses import replace
from pathlib import Path

import pytest

from ingestion.errors import SyncError
from ingestion.publishing import reconcile
from retrieval.generation import KNOWLEDGE_TEXT_FILE
from retrieval.manifest import file_record, read_manifest, write_manifest
from tests.command_line import askfolio
from tests.sites import write_configuration, write_site

KILN = "Source: https://portfolio.example/kiln/\n"


@pytest.fixture
def generation(tmp_path: Path) -> Path:
    write_site(tmp_path)
    write_configuration(tmp_path)
    assert askfolio("sync").code == 0
    (folder,) = (tmp_path / "knowledge/generations").iterdir()
    return folder


def rewrite(generation: Path, text: str) -> None:
    """Another text, which the manifest says belongs to the generation."""
    file = generation / KNOWLEDGE_TEXT_FILE
    file.unlink()  # published files are never written again
    file.write_text(text, encoding="utf-8")
    manifest = read_manifest(generation)
    files = {**manifest.files, KNOWLEDGE_TEXT_FILE: file_record(file)}
    write_manifest(generation, replace(manifest, files=files))


@pytest.mark.parametrize(
    ("was", "is_now"),
    [
        (KILN, KILN.replace("kiln", "Kiln")),
        (KILN, ""),
        (KILN, f" {KILN}"),
        (KILN, f"{KILN}\nSource: https://portfolio.example/more/\n"),
        (KILN, KILN.replace(": ", ":")),
        (KILN, KILN.replace("kiln/\n", "kiln/x\n")),
    ],
)
def test_a_text_with_other_blocks_is_refused(generation: Path, was: str, is_now: str) -> None:
    reconcile(generation)
    text = (generation / KNOWLEDGE_TEXT_FILE).read_text(encoding="utf-8")
    assert text.count(was) == 1
    rewrite(generation, text.replace(was, is_now))
    with pytest.raises(SyncError, match=r"knowledge\.txt has the block .*portfolio\.example"):
        reconcile(generation)


def test_a_text_cut_behind_its_last_block_is_refused(generation: Path) -> None:
    text = (generation / KNOWLEDGE_TEXT_FILE).read_text(encoding="utf-8")
    rewrite(generation, text[: text.rindex("Source:")])
    with pytest.raises(SyncError, match=r"knowledge\.txt has the block None"):
        reconcile(generation)
