"""How is the inverted file made: how many lists, how long codes, trained on what?"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from retrieval.dense.base import DenseTuning
from retrieval.dense.flat import half_index
from retrieval.dense.index_file import write_index
from retrieval.dense.ivf_pq import FILE_NAME, inverted_lists
from retrieval.dense.ivf_tuning import measured_tuning
from retrieval.dense.queries import use_every_core, use_one_thread
from retrieval.dense.sizes import (
    CODE_WORDS,
    VECTORS_PER_LIST,
    check_enough,
    code_bytes,
    list_count,
    rotated_dimension,
)
from retrieval.dense.vector_file import VectorFile
from retrieval.errors import DenseIndexError

if TYPE_CHECKING:
    import faiss


def build_ivf_pq(vectors: VectorFile, folder: Path) -> DenseTuning:
    """Train on a sample, add every vector, measure how to search, and write `dense.ivf-pq`.

    Memory: a sample of at most 40 vectors a list as float32, twice, beside the index itself.

    Returns:
        How to search it.

    Raises:
        TooFewTrainingVectors: Below MIN_VECTORS.
        DenseIndexError: A value is not finite.
        OSError: The file cannot be written.
    """
    check_enough(len(vectors))
    index, lists = _trained(vectors)
    use_every_core()
    for _, halves in vectors.slices():
        index.add(halves.astype(np.float32))
    centroids = _halved_centroids(lists)
    tuning = measured_tuning(index, lists, vectors)
    write_index(index, folder / FILE_NAME)
    del centroids  # which FAISS reads until here
    return tuning


def _halved_centroids(lists: "faiss.IndexIVFPQ") -> "faiss.Index":
    """Let a query compare itself with float16 centroids; the caller keeps them alive.

    Every query reads all centroids before it looks into a list: 1,000,000 vectors of 1,024
    dimensions have 17 MB of them as float32 (.41 ms), half of it as float16 (.19 ms). Vectors are
    assigned before, by matrix products that float16 does not have.
    """
    whole = lists.quantizer
    centroids = half_index(lists.d)
    centroids.add(whole.reconstruct_n(0, lists.nlist))
    lists.own_fields = False
    lists.quantizer = centroids
    whole.thisown = True  # type: ignore[attr-defined]  # its last owner
    return centroids


def _trained(vectors: VectorFile) -> "tuple[faiss.Index, faiss.IndexIVFPQ]":
    """An empty trained index and its lists, equal for equal vectors.

    One thread: with several, FAISS sums in an order that depends on their number. After a random
    rotation the stretches of a residual are distributed alike, so that they share one codebook:
    trained in a tenth of the time of one for each (m 128, nlist 1024: 57 CPU s to 9, and recall@10
    of 30 candidates .993 to .991).
    """
    import faiss

    dimension, nlist = vectors.dimension, list_count(len(vectors))
    rotated, m = rotated_dimension(dimension), code_bytes(dimension)
    index = faiss.index_factory(
        dimension, f"RR{rotated},IVF{nlist},PQ{m}np", faiss.METRIC_INNER_PRODUCT
    )
    lists = inverted_lists(index)
    if lists is None:
        raise DenseIndexError("FAISS's factory made no inverted file")
    lists.pq.train_type = faiss.ProductQuantizer.Train_shared
    lists.pq.cp.min_points_per_centroid = 1
    lists.cp.min_points_per_centroid = 1
    wanted = max((VECTORS_PER_LIST + 1) * nlist, VECTORS_PER_LIST * CODE_WORDS)
    use_one_thread()
    index.train(vectors.sample(wanted))
    return index, lists
