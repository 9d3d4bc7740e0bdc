"""`knowledge.txt` of a generation: the corpus as text, every block headed `Source: <url>`."""

from pathlib import Path

from retrieval.chunk_store import ChunkStore
from retrieval.export.knowledge_text import knowledge_blocks

__all__ = ["knowledge_blocks", "write_knowledge_text"]


def write_knowledge_text(store: ChunkStore, file: Path) -> None:
    """Write every document in corpus order."""
    with file.open("w", encoding="utf-8", newline="\n") as stream:
        for block in knowledge_blocks(store.all_chunks()):
            stream.write(block)
