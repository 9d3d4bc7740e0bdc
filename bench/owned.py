"""The owner's own knowledge folder: its current generation with other kinds of index."""

import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import numpy as np

from bench.children import run_child
from bench.corpus import Built, Queries
from bench.measurement import BenchOptions
from bench.rebuild import Wanted
from retrieval.chunk_store import STORE_FILE, ChunkStore
from retrieval.dense import VectorFile
from retrieval.dense.base import Rows
from retrieval.dense.ivf_tuning import QUERIES
from retrieval.dense.vector_file import VECTORS_FILE
from retrieval.errors import ConfigurationError
from retrieval.generation import GENERATIONS_FOLDER, check_current, current_name
from retrieval.manifest import Manifest, read_manifest
from retrieval.words import words

QUERY_FILE = "queries.npy"
QUERY_WORDS = 5
MIN_WORD_CHARS = 4


class OwnedCorpus:
    """What serves now; nothing is written into the knowledge folder."""

    def __init__(self, options: BenchOptions, knowledge: Path, root: Path) -> None:
        """Read what serves.

        Args:
            options: How many queries, and their seed.
            knowledge: The owner's folder.
            root: Where generations are made.

        Raises:
            GenerationError: Nothing was synced yet, or what serves is damaged.
            ConfigurationError: It holds no chunks.
        """
        check_current(knowledge)
        self._folder = knowledge / GENERATIONS_FOLDER / current_name(knowledge)
        self._root = root
        self.manifest: Manifest = read_manifest(self._folder)
        if not self.manifest.chunks:
            raise ConfigurationError(f"{knowledge} holds no chunks: there is nothing to measure")
        rows, vectors = np.arange(self.manifest.chunks), ""
        if self.manifest.dimension:
            halves = VectorFile(self._folder / VECTORS_FILE, self.manifest.dimension)
            rows = _untuned(halves, self.manifest)
            vectors = str(root / QUERY_FILE)
        drawn = np.random.default_rng(options.seed)
        rows = drawn.choice(rows, min(options.queries, len(rows)), replace=False)
        if vectors:
            np.save(vectors, halves.read(rows).astype(np.float32))
        texts = _questions(self._folder, rows.tolist(), options.seed)
        self._queries = Queries(texts, vectors, tuple(rows.tolist()) if vectors else ())

    @property
    def chunks(self) -> int:
        """Number of passages."""
        return self.manifest.chunks

    @property
    def dimension(self) -> int:
        """Length of a vector; 0 where nothing is embedded."""
        return self.manifest.dimension

    @property
    def queries(self) -> Queries:
        """Passages on which `sync` tuned nothing, and words out of them."""
        return self._queries

    @property
    def current(self) -> Mapping[str, str]:
        """Kinds of index that serve now."""
        return {"dense": self.manifest.dense, "keyword": self.manifest.keyword}

    def build(self, dense: str, keyword: str) -> Built:
        """The generation with other indexes, made by the code that `sync` runs."""
        place = Path(tempfile.mkdtemp(prefix="generation-", dir=self._root))
        wanted = Wanted(str(self._folder), str(place), dense, keyword)
        return Built(place, run_child("bench.rebuild", request=asdict(wanted)))


def _untuned(halves: VectorFile, manifest: Manifest) -> Rows:
    """Rows with a vector on which nprobe was not chosen; all, where that leaves none."""
    rows = np.setdiff1d(np.arange(len(halves)), manifest.without_vector)
    others = np.setdiff1d(rows, halves.spread(QUERIES))
    return others if len(others) else rows


def _questions(folder: Path, rows: list[int], seed: int) -> tuple[str, ...]:
    """For each row QUERY_WORDS of its words."""
    store = ChunkStore(folder / STORE_FILE)
    drawn = np.random.default_rng(seed)
    found = []
    for ranked in store.ranked(rows):
        longer = sorted({word for word in words(ranked.chunk.text) if len(word) >= MIN_WORD_CHARS})
        chosen = drawn.permutation(len(longer))[:QUERY_WORDS]
        found.append(" ".join(longer[place] for place in chosen) or ranked.document.title)
    store.close()
    return tuple(found)
