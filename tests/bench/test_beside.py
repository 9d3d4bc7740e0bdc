"""What stands beside the product in the bench: plain libraries, changed documents, load."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.baseline import by_hand, matrix_product
from bench.changed_document import rebuild_rank_bm25, replace_in_tantivy
from bench.concurrent_searches import search_at_once
from bench.measurement import BenchOptions
from bench.peers.environments import PEERS
from bench.peers.summary import median_cpu_ms, peers_table
from bench.peers.workload import Limits, Workload, read_workload, write_workload
from bench.plain_bm25 import plain_search
from bench.probe import CANDIDATES
from bench.ready_vectors import ReadyVectors
from bench.synthetic import SyntheticCorpus
from retrieval.configuration import RetrievalSection
from retrieval.generation import open_folder
from retrieval.retriever import HybridRetriever

pytest.importorskip("tantivy", reason="the extra `scale` is not installed")

CHUNKS = 300


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> SyntheticCorpus:
    options = BenchOptions(sizes=(CHUNKS,), dimension=32, queries=10)
    return SyntheticCorpus(CHUNKS, options, tmp_path_factory.mktemp("corpus"))


@pytest.fixture(scope="module")
def folder(corpus: SyntheticCorpus) -> Path:
    return corpus.build("flat", "tantivy").folder


def test_the_one_by_hand_finds_what_plain_fusion_of_the_product_finds(
    corpus: SyntheticCorpus, folder: Path
) -> None:
    asked = corpus.queries
    vectors = np.load(asked.vectors)
    search = by_hand(folder, asked.texts, vectors, CANDIDATES, 8)
    generation = open_folder(folder)
    embedder = ReadyVectors(generation.manifest.embedder_id, asked.texts, vectors)
    retriever = HybridRetriever(generation, embedder, RetrievalSection(keyword_weight=1))
    same = 0
    for number, text in enumerate(asked.texts):
        found = retriever.retrieve(text, 8, "hybrid").chunks
        rows = generation.store.chunk_ids(search(number)).values()
        same += len(set(rows) & {ranked.chunk.chunk_id for ranked in found})
    generation.close()
    # Terms weigh a little otherwise by hand: no bonus for the word as it was typed.
    assert same >= 0.75 * 8 * len(asked.texts)


def test_the_matrix_product_reads_every_vector_and_chooses_none(
    corpus: SyntheticCorpus, folder: Path
) -> None:
    multiply = matrix_product(folder, np.load(corpus.queries.vectors))
    assert multiply(0) == []


def test_plain_rank_bm25_finds_passages_by_their_words(
    corpus: SyntheticCorpus, folder: Path
) -> None:
    search = plain_search(folder, corpus.queries.texts, 10)
    generation = open_folder(folder)
    for number, text in enumerate(corpus.queries.texts):
        theirs = search(number)
        ours = [hit.row for hit in generation.keyword.search(text, 10)]
        assert len(theirs) == 10
        assert set(theirs[:3]) & set(ours)
    generation.close()


def test_a_changed_document_is_replaced_in_both_engines(folder: Path) -> None:
    before = sorted((path.name, path.stat().st_mtime_ns) for path in folder.rglob("*"))
    for change in (replace_in_tantivy, rebuild_rank_bm25):
        assert len(change(folder, 3).wall_ms) == 3
    assert sorted((path.name, path.stat().st_mtime_ns) for path in folder.rglob("*")) == before


def test_searches_at_once_fail_nowhere(corpus: SyntheticCorpus) -> None:
    result = search_at_once(corpus, "flat", threads=20, seconds=0.5)
    assert result["errors"] == 0
    assert result["searches"] >= 20
    assert len(result["memory_mb"]) == 60
    json.dumps(result)


def test_a_workload_is_read_as_it_was_written(tmp_path: Path) -> None:
    vectors = np.eye(3, dtype=np.float32)
    workload = Workload(["a", "b", "ü"], vectors, ["q"], vectors[:1], Limits(10, 8, 2))
    write_workload(workload, tmp_path)
    found = read_workload(tmp_path)
    assert (found.texts, found.questions, found.limits) == (
        ["a", "b", "ü"],
        ["q"],
        Limits(10, 8, 2),
    )
    assert (found.vectors == vectors).all()
    assert (found.question_vectors == vectors[:1]).all()


def test_peers_are_compared_by_the_median_of_their_rounds() -> None:
    def rounds(*medians: float) -> list[dict[str, Any]]:
        return [
            {"cpu_ms": [one, one, 99.0], "wall_ms": [one] * 3, "resident_mb": 5.0}
            for one in medians
        ]

    assert median_cpu_ms(rounds(3.0, 1.0, 2.0)) == 2.0
    table = peers_table({"rounds": {"askfolio": rounds(2.0, 2.0, 8.0), "other": rounds(9.0)}})
    assert table.splitlines()[2:] == [
        "| askfolio | 2.00 | 1.00 | 2.00 | 5 |",
        "| other | 9.00 | 4.50 | 9.00 | 5 |",
    ]


def test_every_peer_has_a_module_of_its_own() -> None:
    root = Path(__file__).parent.parent.parent
    modules = [root / f"{peer.module.replace('.', '/')}.py" for peer in PEERS]
    assert all(module.is_file() for module in modules)
    assert sorted(modules) == sorted((root / "bench" / "peers").glob("with_*.py"))
