"""How many lists must a query look into? Measured on the corpus' own vectors, never promised."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from retrieval.dense.base import DenseTuning, Rows
from retrieval.dense.flat import exact_scores
from retrieval.dense.ivf_pq import search_probes
from retrieval.dense.queries import use_one_thread
from retrieval.dense.vector_file import VectorFile
from retrieval.embedding.base import Vectors

if TYPE_CHECKING:
    import faiss

# Above what is wanted of questions, since they lie further from the passages than these do from
# each other.
TARGET_RECALL = 0.98
RECALL_AT = 10
QUERIES = 256
MIN_PROBES = 8
GROWTH = 1.5
RERANKED = (100, 200, 400)
SPARED = 0.01
TIE_TOLERANCE = 1e-6
NEW_QUERIES = 32
WIDER = 16


def measured_tuning(
    index: "faiss.Index", lists: "faiss.IndexIVFPQ", vectors: VectorFile
) -> DenseTuning:
    """The fewest lists, and then the fewest candidates, that reach TARGET_RECALL.

    Queries are stored vectors at even distances; the vector itself does not count as found. Where
    even all lists do not reach the target, so many are taken that SPARED is lost at most: in
    vectors without clusters the last hundredth costs as much as all before.
    """
    use_one_thread()  # hundreds of short searches: waking other threads costs more than they do
    sample = vectors.spread(QUERIES)
    queries = vectors.read(sample).astype(np.float32)
    thresholds = _tenth_scores(queries, sample, vectors)
    measured: list[DenseTuning] = []
    for probes in _probe_counts(lists.nlist):
        _, found = index.search(queries, RERANKED[-1] + 1, params=search_probes(probes))
        recalls = _recalls(queries, sample, found, thresholds, vectors)
        for reranked, recall in zip(RERANKED, recalls, strict=True):
            tuning = DenseTuning(
                lists.nlist, lists.pq.M, probes, reranked, round(recall, 4), len(sample)
            )
            if recall >= TARGET_RECALL:
                return tuning
            measured.append(tuning)
    best = max(tuning.recall for tuning in measured)
    return next(tuning for tuning in measured if tuning.recall >= best - SPARED)


def share_within_probes(
    index: "faiss.Index", tuning: DenseTuning, new: Rows, vectors: VectorFile
) -> float:
    """Of the ten nearest of new vectors, the share that lies in the lists that are looked into.

    The ten are those of WIDER times as many lists, by their codes: no vector that was there before
    is read. Vectors unlike those that the lists were trained on are spread over many lists.

    Args:
        index: Holds all vectors.
        tuning: How it is searched.
        new: At least one row; NEW_QUERIES of them are asked for, at even distances.
        vectors: All of them.
    """
    queries = vectors.read(new[:: math.ceil(len(new) / NEW_QUERIES)]).astype(np.float32)
    wide = search_probes(min(WIDER * tuning.nprobe, tuning.nlist))
    thresholds = index.search(queries, RECALL_AT, params=wide)[0][:, -1:]
    scores = index.search(queries, RECALL_AT, params=search_probes(tuning.nprobe))[0]
    return float(np.mean(scores >= thresholds - TIE_TOLERANCE))


def _probe_counts(nlist: int) -> Iterator[int]:
    """From MIN_PROBES up to all lists, each GROWTH times the one before."""
    probes = min(MIN_PROBES, nlist)
    while probes < nlist:
        yield probes
        probes = min(math.ceil(GROWTH * probes), nlist)
    yield nlist


def _tenth_scores(queries: Vectors, sample: Rows, vectors: VectorFile) -> Vectors:
    """Of every query the exact score of its tenth neighbour, itself left out."""
    best = np.full((len(queries), RECALL_AT), -np.inf, dtype=np.float32)
    for start, halves in vectors.slices():
        scores = queries @ halves.astype(np.float32).T
        own = sample - start
        inside = (own >= 0) & (own < len(halves))
        scores[np.flatnonzero(inside), own[inside]] = -np.inf
        both = np.concatenate((best, scores), axis=1)
        best = -np.partition(-both, RECALL_AT - 1, axis=1)[:, :RECALL_AT]
    tenth: Vectors = best.min(axis=1)
    return tenth


def _recalls(
    queries: Vectors, sample: Rows, found: Rows, thresholds: Vectors, vectors: VectorFile
) -> list[float]:
    """Share of the true ten among the first RERANKED candidates; ties with the tenth count."""
    totals = np.zeros(len(RERANKED), dtype=np.int64)
    for position, own in enumerate(sample.tolist()):
        rows = found[position]
        rows = rows[(rows >= 0) & (rows != own)]
        if not len(rows):
            continue
        order, scores = exact_scores(queries[position : position + 1], vectors.read(rows))
        places = order[scores >= thresholds[position] - TIE_TOLERANCE]
        for step, reranked in enumerate(RERANKED):
            totals[step] += min(RECALL_AT, int(np.count_nonzero(places < reranked)))
    return [float(total) / (RECALL_AT * len(sample)) for total in totals]
