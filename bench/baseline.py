"""The least that a query can be by hand: what the product's is compared with.

FAISS IndexFlatIP + tantivy + reciprocal rank fusion, with the product's analyzer, index files and
texts, and nothing else: no weights, ties, filters, twins or coverage.
"""

import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import faiss
import numpy as np
import tantivy
from tantivy import Occur, Query

from retrieval.analyzer import Analyzer
from retrieval.chunk_store import STORE_FILE
from retrieval.dense import VectorFile
from retrieval.dense.vector_file import VECTORS_FILE
from retrieval.embedding.base import Vectors
from retrieval.generation import KEYWORD_FOLDER
from retrieval.keyword.tantivy_building import KEY, TERMS
from retrieval.manifest import read_manifest

RRF_K = 60


def by_hand(
    folder: Path, texts: Sequence[str], vectors: Vectors, candidates: int, k: int
) -> Callable[[int], list[int]]:
    """A search by the number of the query, giving the rows of the k best chunks."""
    manifest = read_manifest(folder)
    dense = faiss.IndexFlatIP(manifest.dimension)
    for _, halves in VectorFile(folder / VECTORS_FILE, manifest.dimension).slices():
        dense.add(halves.astype(np.float32))
    searcher, schema = _opened(folder / KEYWORD_FOLDER)
    analyzer = Analyzer(manifest.languages)
    store = f"{(folder / STORE_FILE).absolute().as_uri()}?mode=ro&immutable=1"
    connection = sqlite3.connect(store, uri=True, check_same_thread=False)

    def search(number: int) -> list[int]:
        faiss.omp_set_num_threads(1)
        _, nearest = dense.search(vectors[number : number + 1], candidates)
        forms = {form for term in analyzer.query_terms(texts[number]) for form in term.forms}
        clauses = [(Occur.Should, Query.term_query(schema, TERMS, f, "freq")) for f in forms]
        hits = searcher.search(Query.boolean_query(clauses), candidates, count=False).hits
        matching = searcher.fast_field_values(KEY, [address for _, address in hits])
        scores: dict[int, float] = {}
        for rows in (nearest[0].tolist(), matching):
            for rank, row in enumerate(rows, start=1):
                scores[int(row)] = scores.get(int(row), 0.0) + 1 / (RRF_K + rank)
        best = sorted(scores, key=scores.__getitem__, reverse=True)[:k]
        marks = ",".join("?" * len(best))
        query = f"SELECT row, url, text FROM chunks WHERE row IN ({marks})"
        found = {row: text for row, _, text in connection.execute(query, best)}
        return [row for row in best if found[row]]

    return search


def matrix_product(folder: Path, vectors: Vectors) -> Callable[[int], list[int]]:
    """`X @ q` by the number of the query, over float32 vectors in memory, and nothing else.

    It chooses no rows: the time of reading every vector once.
    """
    manifest = read_manifest(folder)
    matrix = np.empty((manifest.chunks, manifest.dimension), dtype=np.float32)
    for start, halves in VectorFile(folder / VECTORS_FILE, manifest.dimension).slices():
        matrix[start : start + len(halves)] = halves

    def multiply(number: int) -> list[int]:
        matrix @ vectors[number]
        return []

    return multiply


def _opened(folder: Path) -> tuple[tantivy.Searcher, tantivy.Schema]:
    with tempfile.TemporaryDirectory() as place:
        for file in folder.iterdir():
            (Path(place) / file.name).symlink_to(file.absolute())
        index = tantivy.Index.open(place)
        index.config_reader(reload_policy="manual")
        index.reload()
    return index.searcher(), index.schema
