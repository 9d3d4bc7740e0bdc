"""Is a function found by a sentence about it? nDCG@10, MRR@10 and R@10 by keyword, dense, hybrid.

    python -m bench.code_search flask rich [--embedding local] [--work DIR] [--limit 500]

Takes checkouts or installed packages. The first sentence of a docstring is the query, its function
the answer, and the docstring is blanked in the copy that is indexed. Without `--embedding local`
only the keyword index is measured; the local model embeds about four texts a second and CPU, kept
in DIR for the next run. `words` and `identifiers` rank the same texts by plain BM25, of lower-case
words and of the product's terms: what splitting identifiers brings.
"""

import argparse
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from rank_bm25 import BM25Okapi

from bench.code_questions import CodeQuestion, source_folder, write_questions
from ingestion.chunking import embedded_text
from ingestion.planning import SyncOptions
from ingestion.run import synchronise
from retrieval.analyzer import Analyzer
from retrieval.configuration import Configuration, load_configuration
from retrieval.embedding.base import EmbeddedBatch, Embedder, Vectors
from retrieval.generation import Generation, open_generation
from retrieval.opening import query_embedder
from retrieval.retriever import HybridRetriever, RequestedMode
from retrieval.types import RankedChunk

K = 10
K1, B = 1.2, 0.75
_CONFIGURATION = """\
[[repository]]
path = "code"
[embedding]
provider = "{provider}"
[retrieval]
full_context_tokens = 0
"""
_WORD = re.compile(r"\w+")
_IDENTITY = {name: "bench" for name in ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME")} | {
    name: "bench@localhost" for name in ("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL")
}
Rank = Callable[[str], Sequence[RankedChunk]]


def main() -> None:
    """Print one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", nargs="+", help="a folder or an installed package")
    parser.add_argument("--embedding", choices=("none", "local"), default="none")
    parser.add_argument("--work", type=Path, help="kept: holds the vectors for the next run")
    parser.add_argument("--limit", type=int, default=0, help="ask so many questions, evenly chosen")
    options = parser.parse_args()
    with _work_folder(options.work) as work:
        questions = _prepare(work, [source_folder(name) for name in options.source])
        configuration = _configuration(work, options.embedding)
        started = time.perf_counter()
        report = synchronise(configuration, SyncOptions(now=datetime.now(UTC), yes=True))
        seconds = time.perf_counter() - started
        if options.limit:
            questions = questions[:: max(1, len(questions) // options.limit)][: options.limit]
        result = {
            "sources": options.source,
            "questions": len(questions),
            "files": report.documents,
            "chunks": report.chunks,
            "tokens": report.tokens,
            "embedding": options.embedding,
            "sync_s": round(seconds, 1),
            "measures": _measures(configuration, questions, options.embedding),
        }
    print(json.dumps(result, indent=1))


@contextmanager
def _work_folder(kept: Path | None) -> Iterator[Path]:
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept
        return
    with tempfile.TemporaryDirectory() as place:
        yield Path(place)


def _prepare(work: Path, sources: Sequence[Path]) -> list[CodeQuestion]:
    """A repository of the blanked copies; its documents' paths begin with the source's name."""
    code = work / "code"
    shutil.rmtree(code, ignore_errors=True)
    questions = [
        question for source in sources for question in write_questions(source, code / source.name)
    ]
    for arguments in (
        ("init", "--quiet", "-b", "main"),
        ("add", "-A", "-f", "."),
        ("commit", "--quiet", "--allow-empty", "-m", "copy"),
    ):
        environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull} | _IDENTITY
        subprocess.run(["git", *arguments], cwd=code, env=environment, check=True)
    return questions


def _configuration(work: Path, provider: str) -> Configuration:
    file = work / "askfolio.toml"
    file.write_text(_CONFIGURATION.format(provider=provider), encoding="utf-8")
    return load_configuration(file)


def _measures(
    configuration: Configuration, questions: Sequence[CodeQuestion], embedding: str
) -> dict[str, dict[str, float]]:
    modes: tuple[RequestedMode, ...] = ("keyword", "dense", "hybrid")
    with _open(configuration) as (generation, retriever):
        ranks: dict[str, Rank] = {
            mode: lambda query, mode=mode: retriever.retrieve(query, K, mode).chunks  # type: ignore[misc]
            for mode in (modes if embedding == "local" else modes[:1])
        }
        ranks |= _plain_ranks(generation)
        measures = {}
        for name, rank in ranks.items():
            measures[name] = _measure(questions, rank)
            print(f"{name}: {measures[name]}", file=sys.stderr)
        return measures


class _RememberedQueries:
    """An embedder that embeds each query once: dense and hybrid ask for the same ones."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, Vectors] = {}

    @property
    def embedder_id(self) -> str:
        return self._embedder.embedder_id

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    def embed_passages(self, texts: Sequence[str]) -> Iterator[EmbeddedBatch]:
        return self._embedder.embed_passages(texts)

    def embed_query(self, text: str) -> Vectors:
        if text not in self._vectors:
            self._vectors[text] = self._embedder.embed_query(text)
        return self._vectors[text]


@contextmanager
def _open(configuration: Configuration) -> Iterator[tuple[Generation, HybridRetriever]]:
    generation = open_generation(configuration.knowledge_path)
    try:
        embedder, _ = query_embedder(configuration, generation)
        remembered = _RememberedQueries(embedder) if embedder else None
        yield generation, HybridRetriever(generation, remembered, configuration.retrieval)
    finally:
        generation.close()


def _plain_ranks(generation: Generation) -> dict[str, Rank]:
    """BM25 as it is over all chunks, by two ways to make terms of them."""
    chunks = list(generation.store.all_chunks())
    texts = [
        embedded_text(one.document.title, one.chunk.headings, one.chunk.text, one.chunk.context)
        for one in chunks
    ]
    analyzer = Analyzer(generation.manifest.languages)

    def words(text: str) -> list[str]:
        return _WORD.findall(text.lower())

    def identifiers(text: str) -> list[str]:
        return analyzer.passage_terms(text, "en")

    def ranked(terms: Callable[[str], list[str]]) -> Rank:
        index = BM25Okapi([terms(text) for text in texts], k1=K1, b=B)

        def rank(query: str) -> list[RankedChunk]:
            scores = index.get_scores(terms(query))
            return [chunks[row] for row in np.argsort(-scores, kind="stable")[:K].tolist()]

        return rank

    return {"words": ranked(words), "identifiers": ranked(identifiers)}


def _measure(questions: Sequence[CodeQuestion], rank: Rank) -> dict[str, float]:
    """Means over the questions; a function counts where its first chunk stands.

    nDCG@10 = 1 / log2(1 + rank), as there is one answer; MRR@10 = 1 / rank; R@10 = found or not.
    """
    gains, reciprocals, found = [], [], []
    for question in questions:
        place = _place(question, rank(question.query))
        gains.append(1 / math.log2(1 + place) if place else 0.0)
        reciprocals.append(1 / place if place else 0.0)
        found.append(1.0 if place else 0.0)
    values = {f"nDCG@{K}": gains, f"MRR@{K}": reciprocals, f"R@{K}": found}
    return {name: round(sum(some) / max(1, len(some)), 4) for name, some in values.items()}


def _place(question: CodeQuestion, chunks: Sequence[RankedChunk]) -> int:
    """Rank from 1 of the first chunk that answers; 0 for none."""
    for place, one in enumerate(chunks, start=1):
        chunk = one.chunk
        if question.is_answered_by(one.document.path, chunk.start_line, chunk.end_line):
            return place
    return 0


if __name__ == "__main__":
    main()
