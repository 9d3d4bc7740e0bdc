"""A knowledge folder of any size, made by `sync` itself from synthetic pages and ready vectors."""

import json
import os
import sys
import time
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from bench.machine import peak_mb
from bench.texts import windows
from ingestion.embedding import chunk_hashes
from ingestion.planning import SyncOptions
from ingestion.run import synchronise
from ingestion.vector_cache import CACHE_FILE, open_cache
from retrieval.chunk_store import STORE_FILE
from retrieval.configuration import FILE_NAME, load_configuration
from retrieval.embedding.base import Vectors
from retrieval.generation import GENERATIONS_FOLDER, current_name

EMBEDDER_ID = "mistral:mistral-embed"
# Every vector is stored before it is asked for; should one be missing, nobody is there to send it.
NOBODY = "http://127.0.0.1:9"
SECTIONS_PER_PAGE = 10
_SITE = """[site]
name = "library"
kind = "markdown"
base_url = "https://bench.example/"
[knowledge]
keep = 100
[chunking]
max_tokens = 2000
[retrieval]
full_context_tokens = 0
"""


def write_corpus(root: Path, chunks: int) -> None:
    """Pages of SECTIONS_PER_PAGE sections, a chunk each."""
    page: list[str] = []
    for number, text in enumerate(windows(chunks)):
        page.append(f"## Section {number}\n\n{text}\n")
        if len(page) == SECTIONS_PER_PAGE or number == chunks - 1:
            name = f"page-{number // SECTIONS_PER_PAGE:06d}"
            body = f"---\ntitle: {name}\n---\n" + "\n".join(page)
            (root / f"{name}.md").write_text(body, encoding="utf-8")
            page = []


def configure(root: Path, dense: str, keyword: str, memory_mb: int = 100_000) -> Path:
    """Write askfolio.toml; "" as the dense kind is a corpus without vectors."""
    kinds = f'keyword = "{keyword}"\nmemory_mb = {memory_mb}\n'
    if dense:
        kinds += f'dense = "{dense}"\n'
    provider = "mistral" if dense else "none"
    file = root / FILE_NAME
    embedding = f'[embedding]\nprovider = "{provider}"\nserver_url = "{NOBODY}"\n'
    file.write_text(_SITE + kinds + embedding, encoding="utf-8")
    return file


def distinct_texts(root: Path) -> list[bytes]:
    """Hashes of the texts of the current generation, in row order."""
    knowledge = root / "knowledge"
    store = knowledge / GENERATIONS_FOLDER / current_name(knowledge) / STORE_FILE
    return list(dict.fromkeys(key for _, key, _ in chunk_hashes(store)))


def store_vectors(root: Path, hashes: Sequence[bytes], slices: Iterable[Vectors]) -> None:
    """Store a vector for each text, as an embedder's would be.

    Args:
        root: Of the corpus.
        hashes: As many as there are vectors.
        slices: float32 (n, dimension) each.
    """
    with open_cache(root / "knowledge" / CACHE_FILE, EMBEDDER_ID) as cache:
        start = 0
        for vectors in slices:
            cache.put(hashes[start : start + len(vectors)], vectors.astype(np.float16))
            start += len(vectors)


def main() -> None:
    """`python -m bench.knowledge FILE`: sync, and say what it took as JSON."""
    os.environ.setdefault("MISTRAL_API_KEY", "unused")
    configuration = load_configuration(Path(sys.argv[1]))
    started, used = time.perf_counter(), time.process_time()
    report = synchronise(configuration, SyncOptions(now=datetime.now(UTC)))
    result = {
        "by": "sync",
        "generation": report.generation,
        "chunks": report.chunks,
        "embedded_texts": report.embedded_texts,
        "wall_s": round(time.perf_counter() - started, 2),
        "cpu_s": round(time.process_time() - used, 2),
        "peak_mb": peak_mb(),
    }
    sys.stdout.write(json.dumps(result))


if __name__ == "__main__":
    main()
