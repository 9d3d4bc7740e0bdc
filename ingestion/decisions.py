"""What a build depends on: embedder, index kinds, and the hashes that say whether they changed."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ingestion.chunking import CHUNKER_VERSION
from ingestion.stored_corpus import StoredCorpus
from ingestion.sync import DocumentHashes
from retrieval.analyzer import ANALYZER_VERSION
from retrieval.configuration import Configuration
from retrieval.embedding import embedder_id_for
from retrieval.export.knowledge_text import BLOCKS_VERSION
from retrieval.manifest import FORMAT_VERSION
from retrieval.prices import cost

MISTRAL_PREFIX = "mistral:"


@dataclass(frozen=True, slots=True)
class IndexKinds:
    """Embedder and kinds as configured, `auto` among them, since the corpus decides it.

    "" for an embedder or a dense index that is not used.
    """

    embedder_id: str
    dense: str
    keyword: str


def decide_kinds(configuration: Configuration, stored: StoredCorpus, key: str) -> IndexKinds:
    """What embeds, and which kinds are asked for; `choose_kinds` resolves them in the end.

    Raises:
        ConfigurationError: A configured embedder cannot be used.
    """
    current = stored.manifest.embedder_id if stored.manifest else ""
    embedder_id = embedder_id_for(configuration.embedding, current or None, key) or ""
    settings = configuration.retrieval
    return IndexKinds(embedder_id, settings.dense if embedder_id else "", settings.keyword)


def configuration_hash(configuration: Configuration, kinds: IndexKinds) -> str:
    """SHA-256 (hex) over everything but the documents that decides what a build contains."""
    return _digest(
        [
            FORMAT_VERSION,
            CHUNKER_VERSION,
            ANALYZER_VERSION,
            BLOCKS_VERSION,
            configuration.chunking.max_tokens,
            configuration.chunking.overlap_tokens,
            [kinds.embedder_id, kinds.dense, kinds.keyword],
            configuration.retrieval.memory_mb,
            configuration.retrieval.full_context_tokens,
            configuration.retrieval.pinned,
        ]
    )


def corpus_hash(documents: Iterable[tuple[str, DocumentHashes]]) -> str:
    """SHA-256 (hex) over the documents in corpus order."""
    return _digest(
        [[doc_id, hashes.text.hex(), hashes.metadata.hex()] for doc_id, hashes in documents]
    )


def embedding_cost(configuration: Configuration, kinds: IndexKinds, tokens: int) -> float:
    """Amount that embedding `tokens` costs; 0 for the local model and for a server of one's own."""
    embedding = configuration.embedding
    if not kinds.embedder_id.startswith(MISTRAL_PREFIX) or embedding.server_url:
        return 0.0
    return cost(embedding.model, tokens, server=embedding.server)


def notices(stored: StoredCorpus, kinds: IndexKinds, documents: int) -> Iterator[str]:
    """What the owner must be told before the counts."""
    if stored.damage:
        yield f"the current generation is damaged and is built anew: {stored.damage}"
    before = stored.manifest.embedder_id if stored.manifest else kinds.embedder_id
    if before != kinds.embedder_id:
        yield (
            f"EMBEDDER CHANGED: {before or 'none'} -> {kinds.embedder_id or 'none'}: every text "
            "is embedded anew"
        )
    if not kinds.embedder_id:
        yield (
            "no embedder: keyword search only. Set MISTRAL_API_KEY, or install the local model "
            "with `pip install 'askfolio[local]'`"
        )
    if documents == 0:
        yield "no document was found: check site.path, and what was skipped"


def _digest(values: object) -> str:
    text = json.dumps(values, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()
