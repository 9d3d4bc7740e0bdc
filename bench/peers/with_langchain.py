"""LangChain: EnsembleRetriever over FAISS and rank-bm25."""

from pathlib import Path

from langchain_classic.retrievers import EnsembleRetriever  # type: ignore[import-not-found]
from langchain_community.retrievers import BM25Retriever  # type: ignore[import-not-found]
from langchain_community.vectorstores import FAISS  # type: ignore[import-not-found]
from langchain_core.embeddings import Embeddings  # type: ignore[import-not-found]

from bench.peers.timed import Search, run
from bench.peers.workload import Workload


class ReadyEmbeddings(Embeddings):  # type: ignore[misc]
    """Knows the vector of every question."""

    def __init__(self, workload: Workload) -> None:
        pairs = zip(workload.questions, workload.question_vectors, strict=True)
        self._vectors = {text: vector.tolist() for text, vector in pairs}

    def embed_query(self, text: str) -> list[float]:
        """The vector that was given with the question."""
        return list(self._vectors[text])

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of questions; those of passages are given to the store."""
        return [self.embed_query(text) for text in texts]


def build(workload: Workload, _: Path) -> Search:
    """Everything in memory."""
    limits = workload.limits
    rows = [{"row": row} for row in range(len(workload.texts))]
    store = FAISS.from_embeddings(
        list(zip(workload.texts, workload.vectors, strict=True)),
        ReadyEmbeddings(workload),
        metadatas=rows,
    )
    keyword = BM25Retriever.from_texts(workload.texts, metadatas=rows)
    keyword.k = limits.candidates
    dense = store.as_retriever(search_kwargs={"k": limits.candidates})
    ensemble = EnsembleRetriever(retrievers=[keyword, dense], weights=[0.5, 0.5])

    def search(number: int) -> list[int]:
        found = ensemble.invoke(workload.questions[number])
        return [int(document.metadata["row"]) for document in found[: limits.k]]

    return search


if __name__ == "__main__":
    run(build)
