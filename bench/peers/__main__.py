"""The product's hybrid retrieval beside other libraries' and the same by hand.

    python -m bench.peers [--n 10000] [--dense flat] [--environments FOLDER] [--work FOLDER]
        [--rounds 5] [--repeats 1] [--questions 100] [--candidates 10] [--out FILE]

In every round each of them runs once in a fresh process, so that what else the machine does meets
all alike. The libraries take `--candidates` from each list, the product and the one by hand 100.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from bench.children import ROOT, run_child
from bench.corpus import Built
from bench.index_kinds import ANSWER_CHUNKS
from bench.machine import environment
from bench.measurement import BenchOptions
from bench.passages import passages
from bench.peers.environments import PEERS, installed, interpreter
from bench.peers.summary import BY_HAND, PRODUCT, Round, peers_table
from bench.peers.workload import Limits, Workload, write_workload
from bench.probe import Part, Request
from bench.synthetic import SyntheticCorpus
from ingestion.progress import progress_bar
from retrieval.chunk_store import STORE_FILE, ChunkStore
from retrieval.dense import VectorFile
from retrieval.dense.vector_file import VECTORS_FILE
from retrieval.errors import AskfolioError
from retrieval.manifest import read_manifest

FORMAT = 1


def main() -> None:
    """Measure, print the table, and write the raw times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=10_000)
    parser.add_argument("--dense", default="flat", help="the product's dense kind")
    parser.add_argument("--environments", type=Path, help="kept; default: a temporary folder")
    parser.add_argument("--work", type=Path, help="keeps the corpus for the next run")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=1, help="of every question in a round")
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--candidates", type=int, default=10)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    with _folder(given.work) as work, _folder(given.environments) as environments:
        result = run_peers(given, work, environments)
    if given.out:
        text = json.dumps(result, separators=(",", ":"))
        given.out.write_text(text + "\n", encoding="utf-8")
    print(peers_table(result))


def run_peers(given: argparse.Namespace, work: Path, environments: Path) -> dict[str, Any]:
    """One corpus through everything, `given.rounds` times."""
    options = BenchOptions(sizes=(given.n,), queries=given.questions, repeats=given.repeats)
    options.check()
    root = work / f"{given.n}"
    root.mkdir(parents=True, exist_ok=True)
    pythons = {peer.name: interpreter(peer, environments) for peer in PEERS}
    corpus = SyntheticCorpus(given.n, options, root)
    built = corpus.build(given.dense, "tantivy")
    rounds: dict[str, list[Round]] = {name: [] for name in (PRODUCT, BY_HAND, *pythons)}
    with tempfile.TemporaryDirectory() as place, progress_bar("peers", "rounds") as report:
        limits = Limits(given.candidates, ANSWER_CHUNKS, given.repeats)
        write_workload(_workload(built.folder, corpus, limits), Path(place))
        for number in range(given.rounds):
            rounds[PRODUCT].append(_own(built, corpus, "hybrid", given.repeats))
            rounds[BY_HAND].append(_own(built, corpus, "baseline", given.repeats))
            for peer in PEERS:
                rounds[peer.name].append(_peer(pythons[peer.name], peer.module, Path(place)))
            report(number + 1, given.rounds)
    return {
        "format": FORMAT,
        "environment": environment(options.seed),
        "versions": {name: installed(python) for name, python in pythons.items()},
        "options": {
            "chunks": given.n, "dense": given.dense, "keyword": "tantivy",
            "questions": given.questions, "repeats": given.repeats, "rounds": given.rounds,
            "candidates": given.candidates, "k": ANSWER_CHUNKS,
        },
        "rounds": rounds,
    }  # fmt: skip


def _own(built: Built, corpus: SyntheticCorpus, part: Part, repeats: int) -> Round:
    request = Request(
        folder=str(built.folder),
        part=part,
        texts=corpus.queries.texts,
        vectors=corpus.queries.vectors,
        k=ANSWER_CHUNKS,
        repeats=repeats,
        launched=time.time(),
    )
    times = run_child("bench.probe", request=asdict(request))
    return {name: times[name] for name in ("cpu_ms", "wall_ms", "resident_mb")}


def _peer(python: Path, module: str, workload: Path) -> Round:
    ran = subprocess.run(
        [python, "-m", module, str(workload)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        raise AskfolioError(f"{module} failed:\n{ran.stderr[-2000:]}")
    times: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return times


def _workload(folder: Path, corpus: SyntheticCorpus, limits: Limits) -> Workload:
    manifest = read_manifest(folder)
    store = ChunkStore(folder / STORE_FILE)
    texts = [one.text for one in passages(store)]
    store.close()
    vectors = np.empty((manifest.chunks, manifest.dimension), dtype=np.float32)
    for start, halves in VectorFile(folder / VECTORS_FILE, manifest.dimension).slices():
        vectors[start : start + len(halves)] = halves
    asked = corpus.queries
    return Workload(texts, vectors, asked.texts, np.load(asked.vectors), limits)


@contextmanager
def _folder(given: Path | None) -> Iterator[Path]:
    if given:
        given.mkdir(parents=True, exist_ok=True)
        yield given.absolute()
        return
    with tempfile.TemporaryDirectory(prefix="askfolio-peers-") as place:
        yield Path(place)


if __name__ == "__main__":
    try:
        main()
    except AskfolioError as error:
        sys.exit(f"bench.peers: {error}")
