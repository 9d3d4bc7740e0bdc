"""What goes wrong between a source and a generation.

SourceError
    SourceUnreachable       a repository or address that does not answer
    SourceMissing           a folder or file that the configuration names is not there
    DocumentUnreadable      one file; the rest goes on
SyncError
    SyncRefused             a mass delete or an empty source, without --yes
    SyncRunning             another sync holds the lock
"""

from retrieval.errors import AskfolioError


class SourceError(AskfolioError):
    """A source cannot be read."""


class SourceUnreachable(SourceError):
    """A repository or an address does not answer; its documents stay as they were."""


class SourceMissing(SourceError):
    """A folder or file that the configuration names is not there."""


class DocumentUnreadable(SourceError):
    """One file cannot be read; its last good version stays."""


class SyncError(AskfolioError):
    """A sync cannot end as asked."""


class SyncRefused(SyncError):
    """Too much would disappear; --yes says that it is meant."""


class SyncRunning(SyncError):
    """Another sync of the same knowledge folder is running."""
