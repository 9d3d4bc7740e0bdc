"""What does the generation before hold of the vectors that a sync needs?

They are what is left where `embeddings.sqlite` was lost or torn, and read faster than from there.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ingestion.embedding import chunk_hashes
from ingestion.stored_corpus import StoredCorpus
from retrieval.chunk_store import STORE_FILE
from retrieval.dense.vector_file import VECTORS_FILE, Halves, VectorFile
from retrieval.manifest import file_record

_TAKEN_ROWS = 1000


@dataclass(frozen=True, slots=True)
class GenerationVectors:
    """The vectors that a generation holds.

    Attributes:
        rows: Row by content hash.
        vectors: float16 (chunks, dimension).
    """

    rows: Mapping[bytes, int]
    vectors: VectorFile

    def slices(self, wanted: Iterable[bytes]) -> Iterator[tuple[list[bytes], Halves]]:
        """Those of `wanted` that it holds, with float16 (n, dimension)."""
        found = [key for key in dict.fromkeys(wanted) if key in self.rows]
        for start in range(0, len(found), _TAKEN_ROWS):
            some = found[start : start + _TAKEN_ROWS]
            yield some, self.vectors.read(np.array([self.rows[key] for key in some]))


def generation_vectors(
    stored: StoredCorpus, embedder_id: str, wanted: Container[bytes] | None = None
) -> GenerationVectors | None:
    """Those of an embedder, or those of them that are `wanted`.

    The file is only compared with its checksum where it holds one of them.

    Returns:
        None where there are none, or their file was changed.
    """
    manifest, folder = stored.manifest, stored.folder
    if manifest is None or folder is None or manifest.embedder_id != embedder_id:
        return None
    file, record = folder / VECTORS_FILE, manifest.files.get(VECTORS_FILE)
    if not record or not record.bytes:
        return None
    without = frozenset(manifest.without_vector)
    rows = {
        key: row
        for row, key, _ in chunk_hashes(folder / STORE_FILE)
        if row not in without and (wanted is None or key in wanted)
    }
    if not rows or not file.is_file() or file_record(file) != record:
        return None
    return GenerationVectors(rows, VectorFile(file, manifest.dimension))
