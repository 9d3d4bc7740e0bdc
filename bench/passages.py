"""The passages of a generation, as the keyword index is given them."""

from collections.abc import Iterator

from ingestion.chunking import embedded_text
from retrieval.chunk_store import ChunkStore
from retrieval.keyword import Passage, label

_READ_ROWS = 4096


def passages(store: ChunkStore) -> Iterator[Passage]:
    """Every passage in row order, read in slices."""
    for start in range(0, len(store), _READ_ROWS):
        rows = range(start, min(start + _READ_ROWS, len(store)))
        for ranked in store.ranked(rows):
            chunk, document = ranked.chunk, ranked.document
            yield Passage(
                embedded_text(document.title, chunk.headings, chunk.text, chunk.context),
                document.language,
                (
                    label("source", document.source),
                    label("language", document.language),
                    label("kind", document.kind),
                ),
            )
