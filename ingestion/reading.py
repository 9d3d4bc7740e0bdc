"""Every source read once: documents, what was left out, and what keeps its last good version."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from ingestion.chunking import CHUNKER_VERSION
from ingestion.errors import SourceUnreachable
from ingestion.progress import progress_bar
from ingestion.source_states import read_states
from ingestion.sources import open_sources, source_names
from ingestion.sources.base import KnownSource
from ingestion.storable import storable
from ingestion.stored_corpus import StoredCorpus
from ingestion.sync import DocumentHashes, chunking_hash, document_hashes
from retrieval.configuration import Configuration
from retrieval.types import Document, Skipped, Unreadable


@dataclass(frozen=True, slots=True)
class ReadCorpus:
    """The sources as they are now.

    Attributes:
        documents: By doc_id, in corpus order: sources as configured, then by doc_id.
        skipped: Left out on purpose.
        errors: Could not be read.
        unchanged: doc_ids that were not read since they are as `stored` has them.
        states: What each source said of itself, by name; see `KnownSource`.
        hashes: Of `documents`, by doc_id.
    """

    documents: Mapping[str, Document]
    skipped: tuple[Skipped, ...]
    errors: tuple[Unreadable, ...]
    unchanged: frozenset[str] = frozenset()
    states: Mapping[str, str] = field(default_factory=dict)
    hashes: Mapping[str, DocumentHashes] = field(default_factory=dict)


def read_corpus(
    configuration: Configuration, stored: StoredCorpus, now: datetime, only: str | None
) -> ReadCorpus:
    """Read the configured sources, or the one named `only`.

    Raises:
        ConfigurationError: No source is configured, or none of that name.
        SourceMissing: A folder that the configuration names is not there.
    """
    documents: dict[str, Document] = {}
    skipped: list[Skipped] = []
    errors: list[Unreadable] = []
    unchanged: set[str] = set()
    states = _usable_states(configuration, stored)
    known = _known_sources(stored, states)
    for source in open_sources(configuration, now, only, known):
        try:
            with progress_bar(f"reading {source.name}", "files") as report:
                listing = source.listing(report)
        except SourceUnreachable as error:
            errors.append(Unreadable(source.name, "", str(error)))
            continue
        for document in sorted(listing.documents, key=lambda document: document.doc_id):
            documents[document.doc_id] = storable(document)
        skipped += listing.skipped
        errors += listing.errors
        unchanged |= listing.unchanged
        # What was not read may follow older rules of chunking: it is read as soon as it can be.
        states[source.name] = "" if listing.errors else listing.state
    rules = chunking_hash(configuration.chunking)
    return ReadCorpus(
        documents,
        tuple(skipped),
        tuple(errors),
        frozenset(unchanged),
        states,
        {doc_id: document_hashes(found, rules) for doc_id, found in documents.items()},
    )


def _usable_states(configuration: Configuration, stored: StoredCorpus) -> dict[str, str]:
    """State by name of each configured source; none where other rules of chunking hold now."""
    manifest, chunking = stored.manifest, configuration.chunking
    if manifest is None or stored.damage:
        return {}
    before = (manifest.chunker_version, manifest.max_tokens, manifest.overlap_tokens)
    if before != (CHUNKER_VERSION, chunking.max_tokens, chunking.overlap_tokens):
        return {}
    states = read_states(configuration.knowledge_path, stored.current)
    return {name: states[name] for name in source_names(configuration) if name in states}


def _known_sources(stored: StoredCorpus, states: Mapping[str, str]) -> dict[str, KnownSource]:
    """In corpus order the documents of a source lie side by side."""
    known = {}
    start = 0
    for name, counts in stored.manifest.sources.items() if stored.manifest else ():
        if states.get(name):
            doc_ids = stored.doc_ids[start : start + counts.documents]
            known[name] = KnownSource(states[name], frozenset(doc_ids))
        start += counts.documents
    return known


def kept_documents(corpus: ReadCorpus, stored: StoredCorpus, only: str | None) -> frozenset[str]:
    """doc_ids whose stored version stays: unchanged, not asked for, or named in the errors.

    Args:
        corpus: What was read; an error without a path stands for its whole source.
        stored: The current generation.
        only: The one source that was asked for; None for all.
    """
    unreadable = {(error.source, error.path) for error in corpus.errors}
    return corpus.unchanged | frozenset(
        doc_id
        for doc_id, (source, path) in stored.paths.items()
        if (only is not None and source != only)
        or (source, "") in unreadable
        or (source, path) in unreadable
    )
