"""From which index before a new one is made, and from which not.

The rows say that the passages are those of the index before, which is another corpus here: words
of the one or of the other are found.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from ingestion.keyword_building import Rows, write_keyword_index
from ingestion.planning import SyncOptions
from ingestion.run import synchronise
from ingestion.stored_corpus import StoredCorpus, read_stored_corpus
from retrieval.chunk_store import ChunkStore
from retrieval.configuration import load_configuration
from retrieval.generation import KEYWORD_FOLDER
from retrieval.keyword import KEYWORD_KINDS, open_keyword_index
from retrieval.keyword.merging import NEW
from retrieval.keyword.tantivy_building import TABLE_FILE
from retrieval.manifest import file_record

CONFIGURATION = """\
[site]
path = "."
base_url = "https://portfolio.example/"
kind = "hugo"
[embedding]
provider = "none"
[retrieval]
full_context_tokens = 0
keyword = "{kind}"
"""


def synced(root: Path, kind: str, words: tuple[str, ...]) -> StoredCorpus:
    """A corpus of one page and one passage a word."""
    (root / "content").mkdir(parents=True)
    (root / "hugo.toml").write_text('baseURL = "https://portfolio.example/"\n')
    for number, word in enumerate(words):
        (root / "content" / f"page{number}.md").write_text(f"---\ntitle: Page\n---\n{word}\n")
    (root / "askfolio.toml").write_text(CONFIGURATION.format(kind=kind))
    configuration = load_configuration(root / "askfolio.toml")
    synchronise(configuration, SyncOptions(datetime.now(UTC)))
    return read_stored_corpus(configuration.knowledge_path)


class Corpora:
    """One corpus that was indexed, and one to index."""

    def __init__(self, place: Path, kind: str) -> None:
        self.kind = kind
        self.staging = place / "staging"
        self.staging.mkdir()
        self.before = synced(place / "before", kind, ("tide", "kiln", "lamp", "gear"))
        self.after = synced(place / "after", kind, ("oats", "wool", "salt", "rope"))

    @property
    def settings(self) -> str:
        assert self.before.manifest is not None
        return self.before.manifest.configuration_hash

    @property
    def keyword_folder(self) -> Path:
        assert self.before.folder is not None
        return self.before.folder / KEYWORD_FOLDER

    def found(self, rows: Rows | None, settings: str = "") -> dict[str, list[int]]:
        """Rows by word, of those that the new index knows."""
        assert self.after.store is not None
        store = ChunkStore(self.after.store)
        write_keyword_index(
            self.kind, self.staging, store, self.before, settings or self.settings, rows
        )
        index = open_keyword_index(self.kind, self.staging / KEYWORD_FOLDER)
        words = ("tide", "kiln", "lamp", "gear", "oats", "wool", "salt", "rope")
        hits = {word: [hit.row for hit in index.search(word, 9)] for word in words}
        return {word: found for word, found in hits.items() if found}


@pytest.fixture(params=KEYWORD_KINDS)
def corpora(request: pytest.FixtureRequest, tmp_path: Path) -> Corpora:
    return Corpora(tmp_path, request.param)


KEPT = np.array([3, 0, NEW, 1], dtype=np.int64)
ALL_NEW: Mapping[str, list[int]] = {"oats": [0], "wool": [1], "salt": [2], "rope": [3]}


def test_kept_rows_are_taken_from_the_index_before(corpora: Corpora) -> None:
    assert corpora.found(KEPT) == {"gear": [0], "tide": [1], "salt": [2], "kiln": [3]}


@pytest.mark.parametrize("rows", [None, np.array([3, NEW, NEW, NEW], dtype=np.int64)])
def test_with_few_kept_rows_everything_is_indexed(corpora: Corpora, rows: Rows | None) -> None:
    assert corpora.found(rows) == ALL_NEW


def test_other_settings_index_everything(corpora: Corpora) -> None:
    assert corpora.found(KEPT, "another analyzer") == ALL_NEW


def test_a_damaged_generation_is_not_taken_from(corpora: Corpora) -> None:
    corpora.before = replace(corpora.before, damage="a file was changed")
    assert corpora.found(KEPT) == ALL_NEW


def test_an_index_with_a_changed_file_is_not_taken_from(corpora: Corpora) -> None:
    file = max(corpora.keyword_folder.iterdir())
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    assert corpora.found(KEPT) == ALL_NEW


def test_an_index_of_another_kind_is_not_taken_from(corpora: Corpora) -> None:
    corpora.kind = next(kind for kind in KEYWORD_KINDS if kind != corpora.kind)
    assert corpora.found(KEPT) == ALL_NEW


def test_an_index_of_a_format_without_terms_is_not_taken_from(tmp_path: Path) -> None:
    corpora = Corpora(tmp_path, "tantivy")
    table = corpora.keyword_folder / TABLE_FILE
    table.write_text(json.dumps(json.loads(table.read_text()) | {"format": 1}))
    manifest = corpora.before.manifest
    assert manifest is not None
    files = {**manifest.files, f"{KEYWORD_FOLDER}/{TABLE_FILE}": file_record(table)}
    corpora.before = replace(corpora.before, manifest=replace(manifest, files=files))
    assert corpora.found(KEPT) == ALL_NEW
