"""Flat, sq8 or ivf-pq; rank-bm25 or tantivy: what does each cost at a corpus' size?

    python -m bench.command [--n 1000,10000] [--dim 1024] [--quick] [--out results.json]

Every index is built by `sync`, and timed in a process of its own.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from bench.knowledge import configure, distinct_texts, store_vectors, write_corpus
from bench.machine import environment
from bench.measurement import BenchOptions, Measurement
from bench.probe import CANDIDATES, Part, Request
from bench.texts import queries
from bench.vectors import VectorSource
from retrieval.dense import DENSE_KINDS
from retrieval.dense.sizes import enough_to_train
from retrieval.errors import AskfolioError
from retrieval.generation import GENERATIONS_FOLDER, KEYWORD_FOLDER
from retrieval.manifest import Manifest, read_manifest

NPROBES = (4, 8, 16, 32, 64, 128)
ANSWER_CHUNKS = 8
# rank-bm25 keeps every posting in memory and counts terms in Python: beyond this it is no choice.
MAX_RANK_BM25 = 100_000
FORMAT = 1


def run_bench(options: BenchOptions, say: Callable[[str], None]) -> dict[str, object]:
    """Measure every size; the result is also written to `options.out` after each.

    Raises:
        AskfolioError: A build or a probe failed; says which.
    """
    measured: list[Measurement] = []
    result: dict[str, object] = {}
    for chunks in options.sizes:
        say(estimate(chunks, options.dimension))
        with tempfile.TemporaryDirectory(prefix="askfolio-bench-") as place:
            measured += measure_size(chunks, options, Path(place), say)
        shown = replace(options, out=None)
        result = {
            "format": FORMAT,
            "environment": environment(options.seed),
            "options": {key: value for key, value in asdict(shown).items() if key != "out"},
            "measurements": [asdict(one) for one in measured],
        }
        if options.out:
            options.out.write_text(json.dumps(result) + "\n", encoding="utf-8")
    return result


def estimate(chunks: int, dimension: int) -> str:
    """Time and memory of one size, before it starts."""
    seconds = 15 + chunks * 0.004
    megabytes = 300 + chunks * (dimension * 2 + 2_000) / 1e6
    disk = chunks * (dimension * 2 * 4 + 12_000) / 1e6
    return (
        f"{chunks} chunks of {dimension} dimensions: about {seconds / 60:.0f} minutes, "
        f"{megabytes:.0f} MB of memory and {disk:.0f} MB of disk"
    )


def measure_size(
    chunks: int, options: BenchOptions, root: Path, say: Callable[[str], None]
) -> Iterator[Measurement]:
    """Build every kind for one corpus and time it."""
    say("  writing pages and vectors")
    write_corpus(root, chunks)
    sync(root, "", "tantivy")
    hashes = distinct_texts(root)
    clustered = options.clustered
    source = VectorSource(len(hashes), options.dimension, options.seed, clustered=clustered)
    store_vectors(root, hashes, source)
    texts = tuple(queries(options.queries, options.seed))
    vectors = root / "queries.npy"
    np.save(vectors, source.queries(options.queries))
    bench = _Bench(root, chunks, options, texts, str(vectors), say)
    for kind in DENSE_KINDS:
        if kind != "ivf-pq" or enough_to_train(chunks):
            yield from bench.dense(kind)
    for kind in ("rank-bm25", "tantivy"):
        if kind == "tantivy" or chunks <= MAX_RANK_BM25:
            yield from bench.keyword(kind)
    yield bench.baseline()


def sync(root: Path, dense: str, keyword: str) -> dict[str, Any]:
    """Run `askfolio sync` in a process of its own; what it took.

    Raises:
        AskfolioError: It failed.
    """
    file = configure(root, dense, keyword)
    return _child("bench.knowledge", str(file), request="")


class _Bench:
    """One corpus on disk."""

    def __init__(
        self,
        root: Path,
        chunks: int,
        options: BenchOptions,
        texts: tuple[str, ...],
        vectors: str,
        say: Callable[[str], None],
    ) -> None:
        self._root = root
        self._chunks = chunks
        self._options = options
        self._texts = texts
        self._vectors = vectors
        self._say = say
        self._truth: list[list[int]] = []

    def dense(self, kind: str) -> Iterator[Measurement]:
        """A dense kind by itself, at several nprobe, and the whole query with it."""
        build, folder, manifest = self._built(kind, "tantivy")
        size = (folder / f"dense.{kind}").stat().st_size
        tuning = manifest.dense_tuning
        chosen = tuning.nprobe if tuning else 0
        probes = {chosen, *(n for n in NPROBES if tuning and n <= tuning.nlist)}
        for nprobe in sorted(probes):
            times = self._probe(folder, "dense", CANDIDATES, nprobe)
            recall = self._recall(times.pop("rows"))
            yield Measurement(
                self._chunks, "dense", kind, nprobe, nprobe == chosen, build, size, recall, times
            )
        times = self._probe(folder, "hybrid", ANSWER_CHUNKS, 0)
        del times["rows"]
        yield Measurement(
            self._chunks, "hybrid", f"{kind} + tantivy", chosen, True, build,
            manifest_bytes(manifest), None, times,
        )  # fmt: skip

    def baseline(self) -> Measurement:
        """The same by hand, over the generation that was built last."""
        build, folder, manifest = self._built("flat", "tantivy")
        times = self._probe(folder, "baseline", ANSWER_CHUNKS, 0)
        del times["rows"]
        size = manifest_bytes(manifest)
        return Measurement(self._chunks, "hybrid", "by hand", 0, True, build, size, None, times)

    def keyword(self, kind: str) -> Iterator[Measurement]:
        """A keyword kind by itself, and the whole query with it over flat."""
        build, folder, manifest = self._built("flat", kind)
        files = (folder / KEYWORD_FOLDER).iterdir()
        size = sum(file.stat().st_size for file in files)
        times = self._probe(folder, "keyword", CANDIDATES, 0)
        del times["rows"]
        yield Measurement(self._chunks, "keyword", kind, 0, True, build, size, None, times)
        if kind == "tantivy":
            return  # measured with the dense kinds
        times = self._probe(folder, "hybrid", ANSWER_CHUNKS, 0)
        del times["rows"]
        yield Measurement(
            self._chunks, "hybrid", f"flat + {kind}", 0, True, build,
            manifest_bytes(manifest), None, times,
        )  # fmt: skip

    def _built(self, dense: str, keyword: str) -> tuple[dict[str, Any], Path, Manifest]:
        self._say(f"  sync with {dense} and {keyword}")
        build = sync(self._root, dense, keyword)
        folder = self._root / "knowledge" / GENERATIONS_FOLDER / str(build["generation"])
        return build, folder, read_manifest(folder)

    def _probe(self, folder: Path, part: Part, k: int, nprobe: int) -> dict[str, Any]:
        self._say(f"    {part}{f', nprobe {nprobe}' if nprobe else ''}")
        request = Request(
            folder=str(folder),
            part=part,
            texts=self._texts,
            vectors=self._vectors,
            k=k,
            repeats=self._options.repeats,
            launched=time.time(),
            nprobe=nprobe,
        )
        return _child("bench.probe", request=json.dumps(asdict(request)))

    def _recall(self, rows: list[list[int]]) -> float:
        """Recall@10 against flat, which is measured first."""
        if not self._truth:
            self._truth = rows
        pairs = zip(rows, self._truth, strict=True)
        found = sum(len(set(got) & set(wanted)) for got, wanted in pairs)
        return round(found / max(1, sum(map(len, self._truth))), 4)


def manifest_bytes(manifest: Manifest) -> int:
    """Size of a generation."""
    return sum(record.bytes for record in manifest.files.values())


def _child(module: str, *arguments: str, request: str) -> dict[str, Any]:
    ran = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=Path(__file__).parent.parent,
        input=request,
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        raise AskfolioError(f"python -m {module} failed:\n{ran.stderr[-2000:]}")
    answer: dict[str, Any] = json.loads(ran.stdout)
    return answer
