"""Which files can a generation be exported as?"""

from collections.abc import Iterator
from typing import Literal

from retrieval.chunk_store import ChunkStore
from retrieval.configuration import Configuration
from retrieval.export.knowledge_text import knowledge_blocks
from retrieval.export.llms import llms_full_txt, llms_txt

ExportName = Literal["knowledge.txt", "llms.txt", "llms-full.txt"]


def export(name: ExportName, store: ChunkStore, configuration: Configuration) -> Iterator[str]:
    """The pieces of the file `name`: equal bytes for an equal corpus and configuration.

    Args:
        name: Which file.
        store: Of an open generation.
        configuration: Names the site's owner, the title of an llms.txt.
    """
    chunks = store.all_chunks()
    links = [document for document in store.documents() if document.url and not document.chunks]
    if name == "knowledge.txt":
        return knowledge_blocks(chunks, links)
    owner = next((site.owner for site in configuration.site if site.owner), "")
    write = llms_txt if name == "llms.txt" else llms_full_txt
    return write(chunks, owner, links)
