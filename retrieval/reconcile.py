"""Do all parts of a generation hold the same ids?"""

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np

from retrieval.dense.base import DenseIndex
from retrieval.errors import GenerationCorrupt
from retrieval.manifest import REPAIR, Manifest

_SAMPLED_ROWS = 16
_SAMPLE_K = 10
# A vector's own row has about this inner product in an index that keeps it nearly whole.
_OWN_SCORE = 0.95
_NEARLY_EXACT = frozenset({"flat", "sq8"})
_FLOAT16_BYTES = 2
# Each counts what may not be there.
_STRAYS = {
    "rows outside 0 to chunks - 1": (
        "SELECT count(*) FROM chunks WHERE row NOT BETWEEN 0 AND :chunks - 1"
    ),
    "chunks of no document": (
        "SELECT count(*) FROM chunks WHERE doc NOT IN (SELECT doc FROM documents)"
    ),
    "documents with another number of chunks than they say": (
        "SELECT count(*) FROM documents d WHERE d.chunks != "
        "(SELECT count(*) FROM chunks c WHERE c.doc = d.doc)"
    ),
    "chunk ids that occur twice": "SELECT count(*) - count(DISTINCT chunk_id) FROM chunks",
    "anchors of no document": (
        "SELECT count(*) FROM anchors WHERE doc NOT IN (SELECT doc FROM documents)"
    ),
    "addresses of no document": (
        "SELECT count(*) FROM addresses WHERE doc NOT IN (SELECT doc FROM documents)"
    ),
}


def check_store(file: Path, manifest: Manifest) -> None:
    """Check that the rows are 0 to chunks - 1 and that everything belongs to a document.

    Raises:
        GenerationCorrupt: Names what does not fit.
    """
    uri = f"{file.absolute().as_uri()}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            (documents,) = connection.execute("SELECT count(*) FROM documents").fetchone()
            strays = {
                what: connection.execute(query, {"chunks": manifest.chunks}).fetchone()[0]
                for what, query in _STRAYS.items()
            }
    except sqlite3.Error as error:
        raise GenerationCorrupt(f"{file} cannot be read: {error}. {REPAIR}") from error
    if documents != manifest.documents:
        raise GenerationCorrupt(
            f"{file} holds {documents} documents, the manifest says {manifest.documents}. {REPAIR}"
        )
    for what, count in strays.items():
        if count:
            raise GenerationCorrupt(f"{file} holds {count} {what}. {REPAIR}")


def check_vectors(file: Path, manifest: Manifest, dense: DenseIndex) -> None:
    """Check that there is one vector a row, and that the index finds rows by their own vector.

    Raises:
        GenerationCorrupt: Names the file and what does not fit.
    """
    shape = (manifest.chunks, manifest.dimension)
    expected = shape[0] * shape[1] * _FLOAT16_BYTES
    found = file.stat().st_size if file.exists() else 0
    if found != expected:
        raise GenerationCorrupt(
            f"{file} has {found} bytes, {shape[0]} vectors of {shape[1]} numbers have {expected}. "
            f"{REPAIR}"
        )
    if dense.kind not in _NEARLY_EXACT or not manifest.chunks:
        return
    stored = np.memmap(file, dtype="<f2", mode="r", shape=shape)
    without = frozenset(manifest.without_vector)
    for row in np.linspace(0, shape[0] - 1, _SAMPLED_ROWS, dtype=np.int64).tolist():
        if row in without:
            continue
        hits = dense.search(np.asarray(stored[row], dtype=np.float32), _SAMPLE_K)
        own = any(hit.row == row for hit in hits)
        # Rows of an equal text have equal vectors: more of them than were asked for hide one.
        if not own and not (hits and hits[-1].score >= _OWN_SCORE):
            raise GenerationCorrupt(
                f"{file.parent}: the dense index does not find row {row} by its own vector. "
                f"{REPAIR}"
            )
