"""A sync takes over what it indexed before, and finds as much as one that starts anew."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from retrieval.keyword import KEYWORD_KINDS
from tests.command_line import askfolio
from tests.e2e.test_index_kinds import (
    DIMENSION,
    QUERIES,
    folder,
    found,
    manifest,
    pages,
    sync,
    word_sum,
)
from tests.fake_mistral import EmbeddingRules, FakeMistral
from tests.sites import write_site

SECRET = "zirconium"


@pytest.fixture
def server() -> Iterator[FakeMistral]:
    with FakeMistral(EmbeddingRules(dimension=DIMENSION, vector=word_sum)) as fake:
        yield fake


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MISTRAL_API_KEY", "test-key")
    write_site(tmp_path, pages())
    return tmp_path


@pytest.mark.parametrize("keyword", KEYWORD_KINDS)
def test_pages_come_change_and_go(keyword: str, site: Path, server: FakeMistral) -> None:
    kinds = {"dense": '"ivf-pq"', "keyword": f'"{keyword}"'}
    assert sync(site, server, **kinds).code == 0
    trained = manifest(site).dense_tuning
    assert trained is not None

    page = site / "content" / "parts3.md"
    text = page.read_text(encoding="utf-8")
    added = f"## Coating\n\nThe pump 17 has a coating of {SECRET}.\n\n## Pump 300\n"
    page.write_text(text.replace("## Pump 300\n", added), encoding="utf-8")
    (site / "content" / "a-first.md").write_text(
        "---\ntitle: First\n---\nThe relay 321 of the first page.\n", encoding="utf-8"
    )
    ran = sync(site, server, **kinds)
    assert (ran.code, ran.json["added"], ran.json["updated"]) == (0, 1, 1)
    tuning = manifest(site).dense_tuning
    assert tuning is not None
    assert tuning.changed > 0  # it was not trained again
    for mode in ("dense", "keyword"):
        best = askfolio("search", f"coating of {SECRET}", "--mode", mode, "--json").json["results"]
        assert best[0]["url"].endswith("/parts3/#coating")
    assert askfolio("status", "--verify", "--json").code == 0
    assert files_with(SECRET, folder(site))

    page.write_text(text, encoding="utf-8")
    (site / "content" / "a-first.md").write_text(
        "---\ntitle: First\ndraft: true\n---\nThe relay 321 of the first page.\n", encoding="utf-8"
    )
    assert sync(site, server, **kinds).json["deleted"] == 1
    taken_over = found(), found("--mode", "dense"), found("--mode", "keyword")
    assert not files_with(SECRET, folder(site))
    assert askfolio("status", "--verify", "--json").code == 0

    assert sync(site, server, dense='"flat"', keyword=f'"{keyword}"').code == 0
    assert sync(site, server, **kinds).code == 0  # with another kind between: trained and built
    again = manifest(site).dense_tuning
    assert again is not None
    assert again.changed == 0
    assert (found(), found("--mode", "dense"), found("--mode", "keyword")) == taken_over
    assert len(taken_over[0]) == len(QUERIES)


def files_with(word: str, generation: Path) -> list[Path]:
    files = [file for file in generation.rglob("*") if file.is_file()]
    return [file for file in files if word.encode() in file.read_bytes()]
