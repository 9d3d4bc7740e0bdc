"""Flat, sq8 or ivf-pq; rank-bm25 or tantivy: what does each cost at a corpus' size?

Every generation is built by what `sync` runs, and every part timed in a process of its own.
"""

import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from bench.children import run_child
from bench.corpus import Built, Corpus
from bench.machine import environment
from bench.measurement import BenchOptions, Measurement
from bench.owned import OwnedCorpus
from bench.probe import CANDIDATES, Part, Request
from bench.synthetic import SyntheticCorpus
from ingestion.progress import progress_bar
from retrieval.dense.sizes import enough_to_train
from retrieval.generation import KEYWORD_FOLDER
from retrieval.manifest import read_manifest

NPROBES = (4, 8, 16, 32, 64, 128)
ANSWER_CHUNKS = 8
STARTS = 5
# Python's loop over every passage, and its memory: beyond this they are no choice.
MAX_RANK_BM25 = 100_000
PLAIN_QUERIES = 20
MAX_FLOATS = 200_000  # vectors as float32 in memory: 4 GB for a million
FORMAT = 2

Steps = Iterator[list[Measurement]]


def run_bench(options: BenchOptions) -> dict[str, object]:
    """Measure everything; the result is also written to `options.out` after each step.

    Raises:
        AskfolioError: A build or a probe failed; says which.
    """
    options.check()
    measured: list[Measurement] = []
    result: dict[str, object] = {}
    with progress_bar("benchmark", "steps") as report:
        corpora = _corpora(options)
        total = len(corpora) * (2 + len(options.dense) + len(options.keyword))
        done = 0
        for opened in corpora:
            with opened() as corpus:
                for found in _steps(corpus, options):
                    measured += found
                    done += 1
                    report(done, total)
                    result = _result(options, measured, corpus.current)
                    if options.out:
                        text = json.dumps(result, separators=(",", ":"))
                        options.out.write_text(text + "\n", encoding="utf-8")
    return result


def _corpora(options: BenchOptions) -> list[Callable[[], Any]]:
    @contextmanager
    def owned(knowledge: Path) -> Iterator[Corpus]:
        with tempfile.TemporaryDirectory(prefix="askfolio-bench-") as place:
            yield OwnedCorpus(options, knowledge, Path(place))

    @contextmanager
    def synthetic(chunks: int) -> Iterator[Corpus]:
        if options.work:
            root = options.work.absolute() / f"{chunks}"
            root.mkdir(parents=True, exist_ok=True)
            yield SyntheticCorpus(chunks, options, root)
            return
        with tempfile.TemporaryDirectory(prefix="askfolio-bench-") as place:
            yield SyntheticCorpus(chunks, options, Path(place))

    if options.knowledge:
        knowledge = options.knowledge.absolute()
        return [lambda: owned(knowledge)]
    return [lambda chunks=chunks: synthetic(chunks) for chunks in options.sizes]  # type: ignore[misc]


def _result(
    options: BenchOptions, measured: list[Measurement], current: Mapping[str, str]
) -> dict[str, object]:
    # Paths say where something lay on this machine, and nothing about what was measured.
    shown = {
        one.name: getattr(options, one.name)
        for one in fields(options)
        if not isinstance(getattr(options, one.name), Path)
    }
    return {
        "format": FORMAT,
        "environment": environment(options.seed),
        "options": shown,
        "current": current,
        "measurements": [asdict(one) for one in measured],
    }


def _steps(corpus: Corpus, options: BenchOptions) -> Steps:
    """One list of measurements for each kind; flat comes first, as the truth for the others."""
    bench = _Bench(corpus, options)
    yield bench.exact() if corpus.dimension else []
    for kind in options.dense:
        possible = corpus.dimension and (kind != "ivf-pq" or enough_to_train(corpus.chunks))
        yield bench.dense(kind) if possible and kind != "flat" else []
    for kind in options.keyword:
        possible = kind == "tantivy" or corpus.chunks <= MAX_RANK_BM25
        yield bench.keyword(kind) if possible else []
    yield bench.beside() if options.beside else []


class _Bench:
    """One corpus."""

    def __init__(self, corpus: Corpus, options: BenchOptions) -> None:
        self._corpus = corpus
        self._repeats = options.repeats
        self._known: dict[tuple[str, str], Built] = {}
        self._truth: list[list[int]] = []
        # Where nothing is embedded the keyword kinds are all there is.
        self._flat = "flat" if corpus.dimension else ""

    def exact(self) -> list[Measurement]:
        """Flat, alone and in the whole query."""
        return self.dense("flat")

    def dense(self, kind: str) -> list[Measurement]:
        """A dense kind by itself, at several nprobe, and the whole query with it."""
        built = self._built(kind, "tantivy")
        size = (built.folder / f"dense.{kind}").stat().st_size
        tuning = read_manifest(built.folder).dense_tuning
        chosen = tuning.nprobe if tuning else 0
        probes = {chosen, *(n for n in NPROBES if tuning and n <= tuning.nlist)}
        found = []
        for nprobe in sorted(probes):
            times = self._probe(built, "dense", CANDIDATES, nprobe=nprobe)
            recall = self._recall(times.pop("rows"))
            found.append(
                Measurement(
                    self._corpus.chunks,
                    "dense",
                    kind,
                    nprobe,
                    nprobe == chosen,
                    built.cost,
                    size,
                    recall,
                    times,
                )
            )
        return [*found, self._whole(built, f"{kind} + tantivy", chosen)]

    def keyword(self, kind: str) -> list[Measurement]:
        """A keyword kind by itself, and the whole query with it over flat."""
        built = self._built(self._flat, kind)
        times = self._probe(built, "keyword", CANDIDATES)
        found = [self._keyword_one(kind, built, times)]
        if kind != "tantivy":  # which is measured with the dense kinds
            found.append(self._whole(built, f"{self._flat or 'no vectors'} + {kind}", 0))
        return found

    def beside(self) -> list[Measurement]:
        """The same by plain libraries, and one changed document."""
        built = self._built(self._flat, "tantivy")
        found = []
        if self._flat and self._corpus.chunks <= MAX_FLOATS:
            found.append(self._whole(built, "by hand", 0, "baseline"))
            times = self._probe(built, "matrix", CANDIDATES)
            found.append(self._plain("dense", "numpy X @ q", times))
        if self._corpus.chunks <= MAX_RANK_BM25:
            times = self._probe(built, "rank_bm25", CANDIDATES, queries=PLAIN_QUERIES)
            found.append(self._plain("keyword", "rank_bm25 as it comes", times))
            found.append(self._change(built, "rank_bm25 as it comes"))
        return [*found, self._change(built, "tantivy")]

    def _keyword_one(self, kind: str, built: Built, times: dict[str, Any]) -> Measurement:
        size = sum(file.stat().st_size for file in (built.folder / KEYWORD_FOLDER).iterdir())
        del times["rows"]
        return Measurement(
            self._corpus.chunks, "keyword", kind, 0, True, built.cost, size, None, times
        )

    def _whole(self, built: Built, kind: str, nprobe: int, part: Part = "hybrid") -> Measurement:
        """The whole query, and up to STARTS fresh processes to their first answer."""
        times = self._probe(built, part, ANSWER_CHUNKS)
        del times["rows"]
        others = range(min(STARTS, self._repeats) - 1)
        starts = [self._probe(built, part, ANSWER_CHUNKS, repeats=0) for _ in others]
        for name in ("first_answer_s", "first_answer_mb"):
            times[name] = statistics.median([times[name], *(one[name] for one in starts)])
        size = sum(record.bytes for record in read_manifest(built.folder).files.values())
        return Measurement(
            self._corpus.chunks, "hybrid", kind, nprobe, part == "hybrid", built.cost, size, None,
            times,
        )  # fmt: skip

    def _plain(self, part: str, kind: str, times: dict[str, Any]) -> Measurement:
        del times["rows"]
        return Measurement(self._corpus.chunks, part, kind, 0, False, {}, 0, None, times)

    def _change(self, built: Built, kind: str) -> Measurement:
        request = {"folder": str(built.folder), "kind": kind, "repeats": self._repeats}
        times = run_child("bench.changed_document", request=request)
        return Measurement(self._corpus.chunks, "change", kind, 0, False, {}, 0, None, times)

    def _built(self, dense: str, keyword: str) -> Built:
        built = self._known.get((dense, keyword))
        if built is None:
            built = self._known[dense, keyword] = self._corpus.build(dense, keyword)
        return built

    def _probe(
        self, built: Built, part: Part, k: int, *, nprobe: int = 0, repeats: int | None = None,
        queries: int | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        asked = self._corpus.queries
        own = asked.own_rows if part == "dense" else ()
        request = Request(
            folder=str(built.folder),
            part=part,
            texts=asked.texts[:queries],
            vectors=asked.vectors,
            k=k + bool(own),
            repeats=self._repeats if repeats is None else repeats,
            launched=time.time(),
            nprobe=nprobe,
            own_rows=own,
        )
        return run_child("bench.probe", request=asdict(request), one_thread=part == "matrix")

    def _recall(self, rows: list[list[int]]) -> float:
        """Recall@10 against flat, which is measured first."""
        if not self._truth:
            self._truth = rows
        pairs = zip(rows, self._truth, strict=True)
        found = sum(len(set(got) & set(wanted)) for got, wanted in pairs)
        return round(found / max(1, sum(map(len, self._truth))), 4)
