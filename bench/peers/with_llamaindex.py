"""LlamaIndex: QueryFusionRetriever by reciprocal rank, over FAISS and its BM25, without a model."""

from pathlib import Path
from typing import Any

import faiss
from llama_index.core import StorageContext, VectorStoreIndex  # type: ignore[import-not-found]
from llama_index.core.embeddings import BaseEmbedding  # type: ignore[import-not-found]
from llama_index.core.llms import MockLLM  # type: ignore[import-not-found]
from llama_index.core.retrievers import QueryFusionRetriever  # type: ignore[import-not-found]
from llama_index.core.schema import TextNode  # type: ignore[import-not-found]
from llama_index.retrievers.bm25 import BM25Retriever  # type: ignore[import-not-found]
from llama_index.vector_stores.faiss import FaissVectorStore  # type: ignore[import-not-found]

from bench.peers.timed import Search, run
from bench.peers.workload import Workload


class ReadyEmbedding(BaseEmbedding):  # type: ignore[misc]
    """Knows the vector of every question."""

    known: dict[str, list[float]]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self.known[query]

    def _get_text_embedding(self, text: str) -> list[float]:
        return self.known[text]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self.known[query]


def build(workload: Workload, _: Path) -> Search:
    """Everything in memory."""
    limits = workload.limits
    pairs = zip(workload.questions, workload.question_vectors, strict=True)
    embedding = ReadyEmbedding(known={text: vector.tolist() for text, vector in pairs})
    vectors = FaissVectorStore(faiss.IndexFlatIP(workload.vectors.shape[1]))
    index = VectorStoreIndex(
        _nodes(workload),
        storage_context=StorageContext.from_defaults(vector_store=vectors),
        embed_model=embedding,
    )
    keyword = BM25Retriever.from_defaults(
        nodes=[TextNode(text=text, id_=str(row)) for row, text in enumerate(workload.texts)],
        similarity_top_k=limits.candidates,
    )
    fusion = QueryFusionRetriever(
        [index.as_retriever(similarity_top_k=limits.candidates), keyword],
        llm=MockLLM(),
        mode="reciprocal_rerank",
        num_queries=1,
        similarity_top_k=limits.k,
        use_async=False,
    )

    def search(number: int) -> list[int]:
        return [int(found.node.node_id) for found in fusion.retrieve(workload.questions[number])]

    return search


def _nodes(workload: Workload) -> list[Any]:
    return [
        TextNode(text=text, id_=str(row), embedding=vector.tolist())
        for row, (text, vector) in enumerate(zip(workload.texts, workload.vectors, strict=True))
    ]


if __name__ == "__main__":
    run(build)
