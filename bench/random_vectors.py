"""Stored vectors without an embedder: what is timed is everything but the embedding."""

import numpy as np

from ingestion.embedding import chunk_hashes
from ingestion.vector_cache import CACHE_FILE, open_cache
from retrieval.chunk_store import STORE_FILE
from retrieval.configuration import Configuration
from retrieval.generation import GENERATIONS_FOLDER, current_name


def store_random_vectors(configuration: Configuration, embedder_id: str, dimension: int) -> None:
    """Give every text of the current generation a random unit vector of `embedder_id`."""
    knowledge = configuration.knowledge_path
    store = knowledge / GENERATIONS_FOLDER / current_name(knowledge) / STORE_FILE
    keys = sorted({key for _, key, _ in chunk_hashes(store)})
    vectors = np.random.default_rng(1).standard_normal((len(keys), dimension), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    with open_cache(knowledge / CACHE_FILE, embedder_id) as cache:
        cache.put(keys, vectors)
