"""`askfolio bench` from pages to plots, on corpora that take seconds."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.estimate import estimate
from bench.measurement import BenchOptions
from bench.owned import OwnedCorpus
from bench.synthetic import SyntheticCorpus
from bench.tables import HEADER, advice, rows, table
from retrieval.dense import VectorFile
from retrieval.dense.ivf_tuning import QUERIES
from retrieval.dense.vector_file import VECTORS_FILE
from retrieval.errors import ConfigurationError, GenerationMissing
from retrieval.generation import GENERATIONS_FOLDER, current_name
from tests.command_line import askfolio

pytest.importorskip("tantivy", reason="the extra `scale` is not installed")

CHUNKS = 700
SMALL = BenchOptions(sizes=(CHUNKS,), dimension=32, queries=10, repeats=1)


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one generation that an owner could have: flat and rank-bm25."""
    root = tmp_path_factory.mktemp("owned")
    SyntheticCorpus(CHUNKS, SMALL, root).build("flat", "rank-bm25")
    return root / "knowledge"


def content(folder: Path) -> dict[str, tuple[int, int]]:
    return {
        str(path): (path.stat().st_size, path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def parts(result: dict[str, Any]) -> set[tuple[str, str]]:
    return {(one["part"], one["kind"]) for one in result["measurements"]}


@pytest.mark.slow
def test_every_kind_is_built_by_sync_and_timed(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra `bench` is not installed")
    file, plots = tmp_path / "results.json", tmp_path / "plots"
    ran = askfolio(
        *("bench", "--n", "700", "--dim", "64", "--queries", "10", "--repeats", "2"),
        *("--out", str(file), "--plots", str(plots)),
    )
    assert ran.code == 0
    assert "stay with flat" in ran.stdout
    result = json.loads(file.read_text(encoding="utf-8"))
    assert {"processor", "versions", "commit", "seed"} <= set(result["environment"])
    assert parts(result) == {
        ("dense", "flat"), ("dense", "sq8"), ("dense", "ivf-pq"), ("dense", "numpy X @ q"),
        ("keyword", "rank-bm25"), ("keyword", "tantivy"), ("keyword", "rank_bm25 as it comes"),
        ("hybrid", "flat + tantivy"), ("hybrid", "sq8 + tantivy"), ("hybrid", "ivf-pq + tantivy"),
        ("hybrid", "flat + rank-bm25"), ("hybrid", "by hand"),
        ("change", "tantivy"), ("change", "rank_bm25 as it comes"),
    }  # fmt: skip
    for one in result["measurements"]:
        assert one["build"].get("embedded_texts", 0) == 0
        if one["part"] in ("dense", "hybrid"):
            assert len(one["times"]["cpu_ms"]) == len(one["times"]["wall_ms"]) == 20
            assert one["times"]["not_needed_but_imported"] == []
    recalls = {one["kind"]: one["recall"] for one in result["measurements"] if one["chosen"]}
    assert recalls["flat"] == 1.0
    assert recalls["ivf-pq"] >= 0.9
    shown = askfolio("bench", "--show", str(file))
    assert shown.stdout == ran.stdout
    assert sorted(path.name for path in plots.iterdir()) == [
        "growth.png", "growth.svg", "recall.png", "recall.svg",
    ]  # fmt: skip


@pytest.mark.slow
def test_the_owners_knowledge_is_measured_and_left_as_it_was(
    knowledge: Path, tmp_path: Path
) -> None:
    before, file = content(knowledge), tmp_path / "results.json"
    ran = askfolio("bench", "--knowledge", str(knowledge), "--quick", "--out", str(file))
    assert ran.code == 0
    assert content(knowledge) == before
    assert ran.stderr.startswith("700 chunks of 32 dimensions: about ")
    assert not set(ran.stderr) & {"\r", "\x1b"}  # the bar is for a terminal
    assert "stay with flat" in ran.stdout
    assert "stay with rank-bm25" in ran.stdout
    result = json.loads(file.read_text(encoding="utf-8"))
    assert result["current"] == {"dense": "flat", "keyword": "rank-bm25"}
    assert ("dense", "ivf-pq") in parts(result)
    assert str(knowledge) not in file.read_text(encoding="utf-8")
    recalls = [one["recall"] for one in result["measurements"] if one["part"] == "dense"]
    assert min(recalls) >= 0.9


def test_questions_about_the_owners_knowledge_tuned_nothing(
    knowledge: Path, tmp_path: Path
) -> None:
    corpus = OwnedCorpus(SMALL, knowledge, tmp_path)
    asked = corpus.queries
    generation = knowledge / GENERATIONS_FOLDER / current_name(knowledge)
    vectors = VectorFile(generation / VECTORS_FILE, corpus.dimension)
    assert len(set(asked.own_rows)) == len(asked.texts) == SMALL.queries
    assert not set(asked.own_rows) & set(vectors.spread(QUERIES).tolist())
    assert (np.load(asked.vectors) == vectors.read(np.array(asked.own_rows))).all()
    assert all(asked.texts)


def test_knowledge_that_was_never_synced_cannot_be_measured(tmp_path: Path) -> None:
    with pytest.raises(GenerationMissing):
        OwnedCorpus(SMALL, tmp_path, tmp_path)
    ran = askfolio("bench", "--knowledge", str(tmp_path))
    assert ran.code == 2
    assert "askfolio sync" in ran.stderr


@pytest.mark.slow
def test_a_corpus_that_is_kept_is_used_again_for_other_vectors(tmp_path: Path) -> None:
    first = SyntheticCorpus(CHUNKS, SMALL, tmp_path)
    built = first.build("flat", "rank-bm25")
    assert SyntheticCorpus(CHUNKS, SMALL, tmp_path).build("flat", "rank-bm25") == built
    vectors = (built.folder / VECTORS_FILE).read_bytes()
    page = next(tmp_path.glob("page-*.md"))
    written = page.stat().st_mtime_ns
    given = np.random.default_rng(5).standard_normal((CHUNKS + 10, 48)).astype(np.float32)
    np.save(tmp_path / "given.npy", given)
    options = BenchOptions(queries=10, vectors=tmp_path / "given.npy")
    again = SyntheticCorpus(CHUNKS, options, tmp_path)
    assert again.dimension == 48
    assert page.stat().st_mtime_ns == written
    folder = again.build("flat", "rank-bm25").folder
    assert (folder / VECTORS_FILE).read_bytes() != vectors
    stored = VectorFile(folder / VECTORS_FILE, 48).read(np.arange(CHUNKS))
    expected = given[:CHUNKS] / np.linalg.norm(given[:CHUNKS], axis=1, keepdims=True)
    assert np.allclose(stored, expected, atol=1e-3)
    assert np.allclose(
        np.load(again.queries.vectors) * np.linalg.norm(given[CHUNKS:], axis=1, keepdims=True),
        given[CHUNKS:],
        atol=1e-4,
    )


def measurement(
    part: str, kind: str, cpu_ms: float, recall: float | None = None, chunks: int = 100_000
) -> dict[str, object]:
    times = {
        "cpu_ms": [cpu_ms] * 3, "wall_ms": [cpu_ms] * 3, "per_second": 10.0, "resident_mb": 1.0,
        "first_answer_s": 0.1,
    }  # fmt: skip
    build = {"wall_s": 1.0, "peak_mb": 1.0}
    return {
        "chunks": chunks, "part": part, "kind": kind, "nprobe": 0, "chosen": True,
        "build": build, "disk_bytes": 1, "recall": recall, "times": times,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("now", "flat_ms", "recall", "expected"),
    [
        ("flat", 1.0, 0.99, "stay with flat: 1.0 ms"),
        ("ivf-pq", 1.0, 0.99, 'switch from ivf-pq to flat (retrieval.dense = "flat"'),
        ("flat", 30.0, 0.97, "0.50 ms a query, flat takes 30.0; 3.0% of the nearest ten are lost"),
        ("flat", 30.0, 0.97, "switch from flat to ivf-pq"),
        ("ivf-pq", 30.0, 0.97, "stay with ivf-pq"),
        ("flat", 30.0, 0.80, "take sq8"),
    ],
)
def test_the_advice_weighs_time_against_what_is_lost(
    now: str, flat_ms: float, recall: float, expected: str
) -> None:
    result = {
        "current": {"dense": now, "keyword": "rank-bm25"},
        "measurements": [
            measurement("dense", "flat", flat_ms, 1.0),
            measurement("dense", "ivf-pq", 0.5, recall),
        ],
    }
    (sentence,) = advice(result)
    assert expected in sentence
    assert len(table(result).splitlines()) == 4
    assert all(len(row) == len(HEADER) for row in rows(result))


@pytest.mark.parametrize(
    ("now", "okapi_ms", "expected"),
    [
        ("rank-bm25", 0.3, "stay with rank-bm25"),
        ("rank-bm25", 8.0, "switch from rank-bm25 to tantivy"),
        ("tantivy", 8.0, "stay with tantivy"),
    ],
)
def test_the_advice_names_a_keyword_kind(now: str, okapi_ms: float, expected: str) -> None:
    result = {
        "current": {"dense": "", "keyword": now},
        "measurements": [
            measurement("keyword", "rank-bm25", okapi_ms),
            measurement("keyword", "tantivy", 0.2),
        ],
    }
    without_vectors, sentence = advice(result)
    assert "nothing is embedded" in without_vectors
    assert expected in sentence


def test_an_estimate_names_time_memory_and_disk_and_grows() -> None:
    small, large = (estimate(chunks, 1024, BenchOptions()) for chunks in (1_000, 1_000_000))
    assert "seconds" in small
    assert "minutes" in large
    assert "of memory" in large
    assert "of disk" in large


@pytest.mark.parametrize("sizes", ["0", "10,-1"])
def test_sizes_below_one_are_refused(sizes: str) -> None:
    ran = askfolio("bench", "--n", sizes)
    assert ran.code == 2
    assert "at least 1" in ran.stderr


def test_options_that_cannot_be_measured_are_refused(tmp_path: Path) -> None:
    assert askfolio("bench", "--n", "many").code == 2
    unknown = askfolio("bench", "--dense", "hnsw")
    assert (unknown.code, "hnsw" in unknown.stderr) == (2, True)
    (tmp_path / "vectors.npy").write_bytes(b"none")
    given = BenchOptions(sizes=(CHUNKS,), vectors=tmp_path / "vectors.npy")
    with pytest.raises(ConfigurationError, match=r"no \.npy file"):
        SyntheticCorpus(5, given, tmp_path)
    broken = tmp_path / "broken.json"
    broken.write_text("{}", encoding="utf-8")
    assert askfolio("bench", "--show", str(broken)).code == 2
