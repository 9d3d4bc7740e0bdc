"""rank-bm25 as it comes, over the product's terms: what an inverted index is compared with."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from rank_bm25 import BM25Okapi

from bench.passages import passages
from retrieval.analyzer import Analyzer
from retrieval.chunk_store import STORE_FILE, ChunkStore
from retrieval.manifest import read_manifest


def passage_terms(folder: Path) -> list[list[str]]:
    """The terms of every passage of a generation, in row order."""
    analyzer = Analyzer(())
    store = ChunkStore(folder / STORE_FILE)
    found = [analyzer.passage_terms(one.text, one.language) for one in passages(store)]
    store.close()
    return found


def plain_search(folder: Path, texts: Sequence[str], k: int) -> Callable[[int], list[int]]:
    """A search by the number of the query: a score for every passage, and the k best of them."""
    analyzer = Analyzer(read_manifest(folder).languages)
    model = BM25Okapi(passage_terms(folder))

    def search(number: int) -> list[int]:
        forms = [form for term in analyzer.query_terms(texts[number]) for form in term.forms]
        scores = model.get_scores(forms)
        best = np.argpartition(-scores, min(k, len(scores) - 1))[:k]
        rows: list[int] = best[np.argsort(-scores[best], kind="stable")].tolist()
        return rows

    return search
