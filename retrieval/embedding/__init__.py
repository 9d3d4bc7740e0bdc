"""Who turns texts into vectors? One Protocol, one switch between its providers."""

from collections.abc import Callable
from urllib.parse import urlsplit

from retrieval.configuration import Embedding
from retrieval.embedding import local_embedder
from retrieval.embedding.base import EmbeddedBatch, Embedder, Vectors
from retrieval.embedding.batching import TokenEstimate, byte_estimate
from retrieval.embedding.mistral_embedder import PROVIDER as MISTRAL
from retrieval.embedding.mistral_embedder import MistralEmbedder, Server
from retrieval.errors import ConfigurationError

__all__ = [
    "EmbeddedBatch",
    "Embedder",
    "Vectors",
    "chosen_provider",
    "embedder_id_for",
    "open_embedder",
]

NONE = "none"
LOCAL = local_embedder.PROVIDER
PLACEHOLDER_KEY = "no-key"  # for a compatible server that asks for none


def chosen_provider(embedding: Embedding, current_embedder_id: str | None, key: str) -> str:
    """mistral, local or none.

    auto is the provider of the current generation's embedder, whatever else is there by now;
    without a generation mistral with a key, else local if it can run here, else none.

    Args:
        embedding: The configuration section.
        current_embedder_id: Of the generation that serves; "" if it has no vectors, None without
            a generation.
        key: Of Mistral, "" for none.
    """
    if embedding.provider != "auto":
        return embedding.provider
    if current_embedder_id is not None:
        return current_embedder_id.partition(":")[0] or NONE
    if key or embedding.server_url:
        return MISTRAL
    return NONE if local_embedder.why_unusable() else LOCAL


def embedder_id_for(embedding: Embedding, current_embedder_id: str | None, key: str) -> str:
    """Id of the embedder that the configuration asks for, "" for none; loads and checks nothing."""
    match chosen_provider(embedding, current_embedder_id, key):
        case "none":
            return ""
        case "local":
            return f"{LOCAL}:{local_embedder.MODEL}"
        case _:
            return f"{MISTRAL}:{embedding.model}"


def open_embedder(
    embedding: Embedding,
    current_embedder_id: str | None,
    key: str,
    tokens: TokenEstimate = byte_estimate,
    sleep: Callable[[float], None] | None = None,
) -> Embedder | None:
    """The embedder that the configuration asks for, None for keyword search alone.

    Args:
        embedding: The configuration section.
        current_embedder_id: As for `chosen_provider`.
        key: Of Mistral, "" for none.
        tokens: Upper estimate of a text's tokens for the limits of a request.
        sleep: Waits between requests; None: as time goes by.

    Raises:
        ConfigurationError: No key, an address that is none, or no local model on this machine.
    """
    match chosen_provider(embedding, current_embedder_id, key):
        case "none":
            return None
        case "local":
            return local_embedder.open_local_embedder()
        case "mistral":
            server = Server(_checked_key(embedding, key), embedding.server, embedding.server_url)
            return MistralEmbedder(server, embedding.model, tokens, sleep)
        case other:
            raise ConfigurationError(
                f"the current generation was embedded by {other!r}, which this version does not "
                'know: set [embedding] provider to "mistral", "local" or "none" and run a sync'
            )


def _checked_key(embedding: Embedding, key: str) -> str:
    url = embedding.server_url
    if url and (urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname):
        raise ConfigurationError(
            f"[embedding] server_url = {url!r} is no address: it starts with http:// or https://"
        )
    if not key and url:
        return PLACEHOLDER_KEY
    if not key:
        raise ConfigurationError(
            "embedding with mistral needs a key: set MISTRAL_API_KEY or MISTRAL_API_KEY_FILE, or "
            f'[embedding] provider = "local" ({local_embedder.INSTALL}) or "none"'
        )
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ConfigurationError(
            "MISTRAL_API_KEY holds a character that cannot be sent in a header: copy the key anew"
        )
    return key
