"""A change of index kind is a line of configuration and one sync that embeds nothing."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from retrieval.generation import GENERATIONS_FOLDER, current_name
from retrieval.manifest import Manifest, read_manifest
from tests.command_line import Ran, askfolio
from tests.fake_mistral import EmbeddingRules, FakeMistral
from tests.sites import write_configuration, write_files, write_site

PARTS = ("pump", "valve", "rotor", "gear", "belt", "sensor", "filter", "relay", "motor", "cable")
SECTIONS = 700
DIMENSION = 32
QUERIES = ("pump 17 cooling", "relay 321", "cable of section 642")


def pages() -> dict[str, str]:
    """Seven pages in two languages, a hundred short sections each."""
    files = {}
    for page in range(SECTIONS // 100):
        sections = [
            f"## {PARTS[n % 10].title()} {n}\n\nThe {PARTS[n % 10]} {n} needs {PARTS[n % 7]} oil.\n"
            for n in range(100 * page, 100 * (page + 1))
        ]
        suffix = ".es.md" if page == 6 else ".md"
        files[f"parts{page}{suffix}"] = f"---\ntitle: Parts {page}\n---\n" + "\n".join(sections)
    return files


def word_sum(text: str, dimension: int) -> list[float]:
    """Sum of a random vector for each word: without the ties that counts of words make."""
    total = np.zeros(dimension)
    for word in text.lower().split():
        total += np.random.default_rng(list(word.encode())).standard_normal(dimension)
    vector: list[float] = (total / np.linalg.norm(total)).tolist()
    return vector


@pytest.fixture
def server() -> Iterator[FakeMistral]:
    with FakeMistral(EmbeddingRules(dimension=DIMENSION, vector=word_sum)) as fake:
        yield fake


@pytest.fixture
def site(tmp_path: Path, server: FakeMistral, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MISTRAL_API_KEY", "test-key")
    write_site(tmp_path, pages())
    write_files(
        tmp_path,
        {
            "hugo.toml": (
                'baseURL = "https://portfolio.example/"\ndefaultContentLanguage = "en"\n'
                "[languages.en]\nweight = 1\n[languages.es]\nweight = 2\n"
            )
        },
    )
    return tmp_path


def sync(site: Path, server: FakeMistral, **settings: object) -> Ran:
    lines = [f"{key} = {value}" for key, value in settings.items()]
    write_configuration(
        site,
        f'[embedding]\nprovider = "mistral"\nserver_url = "{server.url}"\n'
        "[retrieval]\nfull_context_tokens = 0\n" + "\n".join(lines) + "\n",
    )
    return askfolio("sync", "--json")


def manifest(site: Path) -> Manifest:
    return read_manifest(folder(site))


def folder(site: Path) -> Path:
    return site / "knowledge" / GENERATIONS_FOLDER / current_name(site / "knowledge")


def found(*options: str) -> list[list[str]]:
    return [
        [row["chunk_id"] for row in askfolio("search", query, *options, "--json").json["results"]]
        for query in QUERIES
    ]


def test_every_dense_kind_gives_the_same_ids_and_embeds_nothing(
    site: Path, server: FakeMistral
) -> None:
    first = sync(site, server, dense='"flat"')
    assert first.code == 0
    assert manifest(site).chunks >= SECTIONS
    flat_file = (folder(site) / "dense.flat").read_bytes()
    expected, dense = found(), found("--mode", "dense", "-k", "10")
    sent = len([r for r in server.requests if len(r.body["input"]) > 1])
    for kind in ("sq8", "ivf-pq", "flat"):
        ran = sync(site, server, dense=f'"{kind}"')
        assert (ran.code, ran.json["embedded_texts"]) == (0, 0)
        assert (ran.json["updated"], ran.json["deleted"]) == (0, 0)
        assert manifest(site).dense == kind
        assert (folder(site) / f"dense.{kind}").is_file()
        assert found() == expected
        assert found("--mode", "dense", "-k", "10") == dense
        assert askfolio("status", "--verify", "--json").code == 0
    assert (folder(site) / "dense.flat").read_bytes() == flat_file
    assert len([r for r in server.requests if len(r.body["input"]) > 1]) == sent


def test_the_tuning_of_a_trained_index_is_in_the_manifest(site: Path, server: FakeMistral) -> None:
    sync(site, server, dense='"ivf-pq"')
    tuning = manifest(site).dense_tuning
    assert tuning is not None
    assert tuning.recall >= 0.98
    assert 1 <= tuning.nprobe <= tuning.nlist
    sync(site, server, dense='"flat"')
    assert manifest(site).dense_tuning is None


def test_both_keyword_kinds_give_the_same_hits(site: Path, server: FakeMistral) -> None:
    sync(site, server, keyword='"rank-bm25"')
    options = [
        ("--mode", "keyword", "-k", "20"),
        ("--mode", "keyword", "-k", "20", "--language", "es"),
        ("-k", "5", "--language", "es", "--kind", "page", "--source", "site"),
    ]
    expected = [found(*some) for some in options]
    ran = sync(site, server, keyword='"tantivy"')
    assert (ran.code, ran.json["embedded_texts"]) == (0, 0)
    assert manifest(site).keyword == "tantivy"
    for some, hits in zip(options, expected, strict=True):
        assert [set(ids) for ids in found(*some)] == [set(ids) for ids in hits]
        assert [ids[0] for ids in found(*some)] == [ids[0] for ids in hits]
    assert askfolio("status", "--verify", "--json").code == 0


@pytest.mark.parametrize("kind", ["flat", "sq8", "ivf-pq"])
def test_a_filter_never_costs_results(kind: str, site: Path, server: FakeMistral) -> None:
    sync(site, server, dense=f'"{kind}"', keyword='"tantivy"')
    ran = askfolio("search", "pump", "--mode", "dense", "-k", "90", "--language", "es", "--json")
    assert len(ran.json["results"]) == 90
    assert {row["language"] for row in ran.json["results"]} == {"es"}


def test_a_trained_kind_on_a_small_corpus_is_refused_by_name(
    site: Path, server: FakeMistral
) -> None:
    for page in range(1, 7):
        (site / f"content/parts{page}{'.es' if page == 6 else ''}.md").unlink()
    ran = sync(site, server, dense='"ivf-pq"')
    assert ran.code != 0
    assert "624" in ran.json["error"]["message"]
    assert "flat" in ran.json["error"]["message"]
    assert sync(site, server, dense='"auto"').code == 0
    assert manifest(site).dense == "flat"


def test_what_does_not_fit_the_budget_is_refused_with_what_to_choose(
    site: Path, server: FakeMistral
) -> None:
    ran = sync(site, server, dense='"flat"', memory_mb=156)
    assert ran.code == 2
    assert "memory_mb is 156" in ran.json["error"]["message"]
    assert "sq8" in ran.json["error"]["message"]
    ran = sync(site, server, dense='"flat"', memory_mb=166)
    assert (ran.code, ran.json["embedded_texts"]) == (0, 0)


def test_the_status_shows_the_memory_of_the_kinds(site: Path, server: FakeMistral) -> None:
    sync(site, server, dense='"flat"')
    flat = askfolio("status", "--json").json["resident_bytes"]
    sync(site, server, dense='"sq8"')
    assert askfolio("status", "--json").json["resident_bytes"] < flat
