"""The root of every error that askfolio raises on purpose.

AskfolioError
    ConfigurationError            the file, a key or the environment is wrong
    GenerationError
        GenerationMissing         nothing was synced yet
        GenerationIncompatible    another format or embedder
        GenerationCorrupt         a file is absent, torn or changed
    DenseIndexError
        DimensionMismatch
        TooFewTrainingVectors
    ProviderError                 embeddings or chat
        ProviderUnavailable       network, time-out, 5xx
        ProviderRateLimited       429 after every retry
        ProviderRefused           4xx: key, model or input
    ingestion.errors: SourceError, SyncError
    service.errors: RequestRejected

A message says what failed, the value and the limit, and what to do.
"""


class AskfolioError(Exception):
    """Root of the tree; its message is fit to be shown to the owner."""


class ConfigurationError(AskfolioError):
    """The configuration file, a key or an environment variable is wrong."""


class GenerationError(AskfolioError):
    """A generation in the knowledge folder cannot be used."""


class GenerationMissing(GenerationError):
    """The knowledge folder names no generation."""


class GenerationIncompatible(GenerationError):
    """The generation has a format, an embedder or a dimension that does not fit."""


class GenerationCorrupt(GenerationError):
    """A file of the generation is absent, torn or not the one the manifest names."""


class DenseIndexError(AskfolioError):
    """The dense index cannot be built, opened or searched."""


class DimensionMismatch(DenseIndexError):
    """A vector has another dimension than the index."""


class TooFewTrainingVectors(DenseIndexError):
    """A trained index kind was asked for a corpus that is too small for it."""


class ProviderError(AskfolioError):
    """The embedding or chat provider did not do its work."""


class ProviderUnavailable(ProviderError):
    """The provider cannot be reached, timed out or answered with a server error."""


class ProviderRateLimited(ProviderError):
    """The provider still answered 429 after every allowed retry."""


class ProviderRefused(ProviderError):
    """The provider refused the request: key, model or input."""
