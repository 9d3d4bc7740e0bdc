"""Which document comes where, and is it chunked or copied?"""

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from ingestion.chunking import chunk_document
from ingestion.progress import progress_bar
from ingestion.reading import ReadCorpus
from ingestion.store_writer import StoreWriter
from ingestion.stored_corpus import StoredCorpus
from retrieval.configuration import Chunking
from retrieval.tokens import TekkenCounter, embedding_tokens
from retrieval.types import Chunk, SyncPlan, TokenCounter


def corpus_order(
    plan: SyncPlan, corpus: ReadCorpus, stored: StoredCorpus, names: Iterable[str]
) -> tuple[str, ...]:
    """doc_ids in corpus order: sources in the order of `names`, then by doc_id."""
    source_order = {name: position for position, name in enumerate(names)}

    def key(doc_id: str) -> tuple[int, str]:
        document = corpus.documents.get(doc_id)
        source = document.source if document else stored.sources[doc_id]
        return source_order.get(source, len(source_order)), doc_id

    return tuple(sorted((*plan.add, *plan.update, *plan.ignore), key=key))


def write_store(
    file: Path,
    order: tuple[str, ...],
    plan: SyncPlan,
    corpus: ReadCorpus,
    stored: StoredCorpus,
    chunking: Chunking,
) -> None:
    """Write chunks.sqlite: changed documents are chunked, the others copied.

    Args:
        file: Where to; must not exist.
        order: doc_ids in corpus order.
        plan: Decides between chunking and copying.
        corpus: Holds the changed documents.
        stored: Holds the others.
        chunking: Size and overlap of a chunk.

    Raises:
        OSError, sqlite3.Error: The disk is full, or the old store is torn.
    """
    changed = frozenset((*plan.add, *plan.update))
    with (
        closing(StoreWriter(file, stored.store)) as writer,
        progress_bar("chunking", "documents") as report,
    ):
        for done, doc_id in enumerate(order, start=1):
            if doc_id in changed:
                document = corpus.documents[doc_id]
                counter = TekkenCounter.load()
                chunks = chunk_document(
                    document, counter, chunking.max_tokens, chunking.overlap_tokens
                )
                whole = sum(_context_tokens(chunk, counter) for chunk in chunks)
                writer.add(document, corpus.hashes[doc_id], chunks, whole)
            else:
                writer.copy(doc_id)
            report(done, len(order))
        writer.finish()


def _context_tokens(chunk: Chunk, counter: TokenCounter) -> int:
    """Upper estimate of a chunk without its overlap: neighbours given whole repeat nothing."""
    text = chunk.text[chunk.overlap_chars :]
    return embedding_tokens(text, counter.count(text) if chunk.overlap_chars else chunk.tokens)
