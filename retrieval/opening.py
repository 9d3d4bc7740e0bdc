"""From a configuration to something that can be searched."""

from collections.abc import Iterator
from contextlib import contextmanager

from retrieval.configuration import Configuration, api_key
from retrieval.embedding import open_embedder
from retrieval.embedding.base import Embedder
from retrieval.errors import ConfigurationError
from retrieval.generation import Generation, open_generation
from retrieval.retriever import HybridRetriever


@contextmanager
def open_retriever(
    configuration: Configuration,
) -> Iterator[tuple[Generation, HybridRetriever]]:
    """The current generation and its retriever; closed at the end of the block.

    Raises:
        GenerationMissing: Nothing was synced yet.
        GenerationError: The generation cannot be used.
    """
    generation = open_generation(configuration.knowledge_path)
    try:
        embedder, why_not = query_embedder(configuration, generation)
        retriever = HybridRetriever(generation, embedder, configuration.retrieval, why_not)
        yield generation, retriever
    finally:
        generation.close()


def query_embedder(
    configuration: Configuration, generation: Generation
) -> tuple[Embedder | None, str]:
    """The embedder for queries, or None with the reason: keyword search goes on without it."""
    if generation.dense is None:
        return None, "the generation has no vectors"
    try:
        embedder = open_embedder(
            configuration.embedding, generation.manifest.embedder_id, api_key()
        )
    except ConfigurationError as error:
        return None, str(error)
    return embedder, "" if embedder else "no embedder is configured"
