"""What will this sync do? Sources read, compared with what is stored, and judged."""

from dataclasses import dataclass
from datetime import datetime

from ingestion.decisions import IndexKinds, configuration_hash, decide_kinds
from ingestion.errors import SyncRefused
from ingestion.reading import ReadCorpus, kept_documents, read_corpus
from ingestion.sources import source_names
from ingestion.stored_corpus import StoredCorpus, read_stored_corpus, without_torn_store
from ingestion.sync import mass_delete, plan_sync
from retrieval.configuration import Configuration, api_key
from retrieval.manifest import Manifest
from retrieval.types import SyncPlan


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """How a sync is asked for.

    Attributes:
        now: Aware; decides what is a future or an expired page.
        dry_run: Report what would be done, change nothing.
        yes: A mass delete is meant.
        source: Read this source alone.
    """

    now: datetime
    dry_run: bool = False
    yes: bool = False
    source: str | None = None


@dataclass(frozen=True, slots=True)
class SyncWork:
    """Everything that is known once the plan is made.

    Attributes:
        configuration: What was asked for.
        stored: The current generation.
        corpus: The sources as they are now.
        plan: Operation of every document.
        kinds: Embedder and index kinds.
        key: The provider's key; "" for none.
        refusal: Why the plan is only carried out with --yes; "" where it is harmless. Filled in a
            dry run alone, which shows what would be refused.
    """

    configuration: Configuration
    stored: StoredCorpus
    corpus: ReadCorpus
    plan: SyncPlan
    kinds: IndexKinds
    key: str
    refusal: str = ""

    @property
    def unchanged(self) -> Manifest | None:
        """The manifest of the current generation where it can stay as it is."""
        manifest = self.stored.manifest
        if manifest is None or self.stored.damage:
            return None
        if self.plan.add or self.plan.update or self.plan.delete:
            return None
        same = manifest.configuration_hash == configuration_hash(self.configuration, self.kinds)
        return manifest if same else None


def plan_work(configuration: Configuration, options: SyncOptions) -> SyncWork:
    """Read the sources and plan.

    Raises:
        ConfigurationError: A source, an embedder or a key is missing.
        SourceMissing: A folder that the configuration names is not there.
        GenerationIncompatible: The current generation was written by another format.
        SyncRefused: Too much would disappear and `options.yes` is not set.
    """
    key = api_key()
    stored = read_stored_corpus(configuration.knowledge_path)
    corpus = read_corpus(configuration, stored, options.now, options.source)
    if not stored.damage and not corpus.documents and corpus.unchanged.issuperset(stored.doc_ids):
        plan = SyncPlan((), (), (), stored.doc_ids)
    else:
        trusted = without_torn_store(stored, configuration.knowledge_path)
        if trusted is not stored:
            stored = trusted
            if corpus.unchanged:  # of what the torn store says; the stand-in may hold other text
                corpus = read_corpus(configuration, stored, options.now, options.source)
        kept = kept_documents(corpus, stored, options.source)
        plan = plan_sync(stored.hashes, corpus.hashes, kept)
    kinds = decide_kinds(configuration, stored, key)
    refusal = "" if options.yes else _refusal(configuration, stored, corpus, plan)
    if refusal and not options.dry_run:
        raise SyncRefused(refusal)
    return SyncWork(configuration, stored, corpus, plan, kinds, key, refusal)


def _refusal(
    configuration: Configuration, stored: StoredCorpus, corpus: ReadCorpus, plan: SyncPlan
) -> str:
    limit = configuration.knowledge.max_deleted
    names = source_names(configuration)
    reason = mass_delete(plan, stored.sources, names, limit) if plan.delete else ""
    if reason or not stored.damage or stored.manifest or corpus.documents:
        return reason
    return (
        f"the current generation cannot be read ({stored.damage}) and no document was found: an "
        "empty generation would take its place; nothing was changed. Check that the sources are "
        "complete, or run `askfolio sync --yes`"
    )
