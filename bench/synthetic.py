"""A corpus of any size: real texts, synthetic or given vectors, generations made by `sync`."""

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np

from bench.children import run_child
from bench.corpus import Built, Queries
from bench.knowledge import configure, distinct_texts, store_vectors, write_corpus
from bench.measurement import BenchOptions
from bench.rebuild import Wanted
from bench.texts import queries
from bench.vectors import SLICE, VectorSource
from retrieval.embedding.base import Vectors
from retrieval.errors import ConfigurationError
from retrieval.generation import CURRENT_FILE, GENERATIONS_FOLDER, generation_names

KNOWLEDGE = "knowledge"
QUERY_FILE = "queries.npy"
MARK_FILE = "bench.json"
LARGE, LARGE_KIND = 200_000, "ivf-pq"


@dataclass(slots=True)
class Mark:
    """What a folder holds, written behind each step.

    Attributes:
        pages: Chunks of its texts; 0 for none.
        vectors: Which vectors are stored.
        built: What each generation took to build, by its kinds.
    """

    pages: int = 0
    vectors: str = ""
    built: dict[str, dict[str, object]] = field(default_factory=dict)


class Source(Protocol):
    """Where vectors come from."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    def slices(self) -> Iterator[Vectors]:
        """float32 (up to SLICE, dimension) of every passage."""
        ...

    def queries(self, count: int) -> Vectors:
        """float32 (count, dimension) that are no passage."""
        ...


class GivenVectors:
    """Vectors of a .npy file, normalised: the first are passages, the last are queries."""

    def __init__(self, file: Path, count: int, queries: int) -> None:
        """Open the file.

        Raises:
            ConfigurationError: It cannot be read, or holds too few.
        """
        try:
            self._vectors = np.load(file, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError) as error:
            raise ConfigurationError(f"{file} is no .npy file of vectors: {error}") from error
        if self._vectors.ndim != 2 or len(self._vectors) < count + queries:
            raise ConfigurationError(
                f"{file} has shape {self._vectors.shape}; {count} passages and {queries} queries "
                f"need ({count + queries}, dimension): choose a smaller --n"
            )
        self._count = count

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self._vectors.shape[1])

    def slices(self) -> Iterator[Vectors]:
        """float32 (up to SLICE, dimension) of every passage."""
        for start in range(0, self._count, SLICE):
            yield self._unit(start, min(start + SLICE, self._count))

    def queries(self, count: int) -> Vectors:
        """float32 (count, dimension) from the end of the file."""
        return self._unit(len(self._vectors) - count, len(self._vectors))

    def _unit(self, start: int, end: int) -> Vectors:
        vectors = np.asarray(self._vectors[start:end], dtype=np.float32)
        unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


class SyntheticCorpus:
    """Pages on disk, a vector stored for each of their texts."""

    def __init__(self, chunks: int, options: BenchOptions, root: Path) -> None:
        """Write pages and vectors, unless `root` has these very ones from a run before."""
        self._root = root
        marked = _marked(root)
        if marked.pages != chunks:
            write_corpus(root, chunks)
            _sync(root, "", "tantivy")
            marked = Mark(chunks)
            _mark(root, marked)
        hashes = distinct_texts(root)
        source = _source(len(hashes), options)
        self._dimension = source.dimension
        vectors = str(options.vectors or (self._dimension, options.seed, options.clustered))
        if marked.vectors != vectors:
            _forget_vectors(root)
            store_vectors(root, hashes, source.slices())
            _mark(root, Mark(chunks, vectors))
        np.save(root / QUERY_FILE, source.queries(options.queries))
        self._queries = Queries(
            tuple(queries(options.queries, options.seed)), str(root / QUERY_FILE)
        )
        self._chunks = chunks

    @property
    def chunks(self) -> int:
        """As asked for; a text that is too long for one chunk makes a few more."""
        return self._chunks

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._dimension

    @property
    def queries(self) -> Queries:
        """Words of the library, and vectors of the passages' distribution that are no passage."""
        return self._queries

    @property
    def current(self) -> Mapping[str, str]:
        """Nothing serves."""
        return {}

    def build(self, dense: str, keyword: str) -> Built:
        """A generation by `askfolio sync`, which embeds nothing; one that is there is kept.

        A sync of a large corpus takes minutes for each: there one is synced, of the kind that is
        for large ones, and the others are made of it by what `sync` runs.
        """
        synced = self._kept(LARGE_KIND, "tantivy") if self._chunks > LARGE else None
        return self._kept(dense, keyword, synced)

    def _kept(self, dense: str, keyword: str, made_of: Built | None = None) -> Built:
        mark, name = _marked(self._root), f"{dense} and {keyword}"
        cost = mark.built.get(name)
        if cost is None:
            if made_of is None:
                cost = _sync(self._root, dense, keyword)
            else:
                place = self._root / KNOWLEDGE / GENERATIONS_FOLDER / name.replace(" ", "-")
                place.mkdir()
                wanted = Wanted(str(made_of.folder), str(place), dense, keyword)
                cost = run_child("bench.rebuild", request=asdict(wanted))
            mark.built[name] = cost
            _mark(self._root, mark)
        folder = self._root / KNOWLEDGE / GENERATIONS_FOLDER / str(cost["generation"])
        return Built(folder, cost)


def _source(count: int, options: BenchOptions) -> Source:
    if options.vectors:
        return GivenVectors(options.vectors, count, options.queries)
    return VectorSource(count, options.dimension, options.seed, clustered=options.clustered)


def _sync(root: Path, dense: str, keyword: str) -> dict[str, object]:
    return run_child("bench.knowledge", str(configure(root, dense, keyword)))


def _forget_vectors(root: Path) -> None:
    """Go back to the first generation, which has texts alone."""
    knowledge = root / KNOWLEDGE
    first = generation_names(knowledge)[0]
    (knowledge / CURRENT_FILE).write_text(f"{first}\n", encoding="ascii")
    for folder in (knowledge / GENERATIONS_FOLDER).iterdir():
        if folder.name != first:
            shutil.rmtree(folder)


def _marked(root: Path) -> Mark:
    try:
        return Mark(**json.loads((root / MARK_FILE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return Mark()


def _mark(root: Path, mark: Mark) -> None:
    (root / MARK_FILE).write_text(json.dumps(asdict(mark)), encoding="utf-8")
