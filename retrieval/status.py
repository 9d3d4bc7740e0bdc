"""What serves, how large it is, and what the next size step will be."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from retrieval.configuration import Configuration
from retrieval.context import decide_context
from retrieval.generation import GENERATIONS_FOLDER, Generation, current_name
from retrieval.manifest import Manifest, SourceCounts, read_manifest
from retrieval.prices import CURRENCY, PRICED_ON, cost
from retrieval.sizing import ChosenKinds, most_chunks, resident_bytes
from retrieval.types import ContextMode, Kind

LAST_SYNC_FILE = "last_sync.json"
MAX_LAST_SYNC_BYTES = 64 << 20
ANSWER_TOKENS = 300
PROMPT_RULES_TOKENS = 700


@dataclass(frozen=True, slots=True)
class Cost:
    """An amount with the date of the price table."""

    amount: float
    currency: str
    priced_on: str


@dataclass(frozen=True, slots=True)
class Status:
    """The state of a knowledge folder; its fields are the JSON of `askfolio status`.

    Attributes:
        generation: The one that serves.
        created: When it was built.
        last_sync: Content of last_sync.json without its list of documents; None if absent.
        mode: Context policy that answers follow.
        mode_reason: Why.
        documents: Number of documents.
        chunks: Number of chunks.
        tokens: Tokens of all chunks.
        sources: Counts by source.
        languages: Documents by language code.
        embedder: `<provider>:<model>`; "" for none.
        dense: Kind of the dense index; "" for none.
        keyword: Kind of the keyword index.
        disk_bytes: Size of the generation.
        resident_bytes: Expected memory of the service.
        cost_per_question: With the configured model, uncached.
        spend_today: By the service, since midnight UTC; None where that cannot be read.
        daily_budget: What it may spend; 0 for no limit.
        held: Whether `rollback --hold` keeps a sync from publishing.
        next_step: What the next size step will be.
        verified: Whether every checksum was compared.
    """

    generation: str
    created: str
    last_sync: Mapping[str, object] | None
    mode: ContextMode
    mode_reason: str
    documents: int
    chunks: int
    tokens: int
    sources: Mapping[str, SourceCounts]
    languages: Mapping[str, int]
    embedder: str
    dense: str
    keyword: str
    disk_bytes: int
    resident_bytes: int
    cost_per_question: Cost
    spend_today: Cost | None
    daily_budget: float
    held: bool
    next_step: str
    verified: bool = False

    def lines(self) -> Iterator[str]:
        """The status for a person."""
        yield f"generation  {self.generation}, built {self.created}"
        if self.held:
            yield "held        a sync does not publish until `askfolio rollback --release`"
        if self.last_sync is not None:
            ended = f"exit {self.last_sync.get('exit_code')}"
            yield f"last sync   {self.last_sync.get('time')}, {ended}"
        yield f"mode        {self.mode}: {self.mode_reason}"
        yield f"corpus      {self.documents} documents, {self.chunks} chunks, {self.tokens} tokens"
        for name, counts in self.sources.items():
            languages = ", ".join(f"{code or '-'} {n}" for code, n in counts.languages.items())
            yield (
                f"  {name}: {counts.documents} documents ({languages}), {counts.chunks} chunks, "
                f"{counts.tokens} tokens"
            )
        yield f"indexes     dense {self.dense or 'none'}, keyword {self.keyword}"
        yield f"embedder    {self.embedder or 'none: keyword search only'}"
        yield f"on disk     {self.disk_bytes / 1e6:.1f} MB"
        yield f"in memory   about {self.resident_bytes / 1e6:.0f} MB expected for the service"
        cost = self.cost_per_question
        yield (
            f"a question  about {cost.amount:.4f} {cost.currency} uncached "
            f"(prices of {cost.priced_on})"
        )
        yield f"spend today {self._spend()}"
        yield f"next step   {self.next_step}"
        if self.verified:
            yield "verified    every file equals its checksum"

    def _spend(self) -> str:
        if self.spend_today is None:
            return "unknown: what the service wrote cannot be read"
        spent = f"{self.spend_today.amount:.4f} {self.spend_today.currency}"
        limit = f"at most {self.daily_budget:.2f}" if self.daily_budget else "no limit"
        return f"{spent} (UTC day, {limit})"


@dataclass(frozen=True, slots=True)
class PageRow:
    """A document in `askfolio status --pages`."""

    source: str
    path: str
    url: str | None
    title: str
    language: str
    kind: Kind
    chunks: int
    anchors: tuple[str, ...]


def read_status(
    configuration: Configuration, *, spent: float | None, held: bool, verified: bool = False
) -> Status:
    """Read the manifest and last_sync.json.

    Args:
        configuration: Says where they lie.
        spent: By the service today.
        held: Whether a rollback keeps a sync from publishing.
        verified: Whether every checksum was compared.

    Raises:
        GenerationMissing: Nothing was synced yet.
        GenerationError: The manifest cannot be read.
    """
    knowledge = configuration.knowledge_path
    manifest = read_manifest(knowledge / GENERATIONS_FOLDER / current_name(knowledge))
    policy = decide_context(manifest.sources, configuration.retrieval, bool(manifest.dense))
    languages: dict[str, int] = {}
    for counts in manifest.sources.values():
        for code, documents in counts.languages.items():
            languages[code] = languages.get(code, 0) + documents
    return Status(
        generation=manifest.generation,
        created=manifest.created,
        last_sync=read_last_sync(knowledge),
        mode=policy.mode,
        mode_reason=policy.reason,
        documents=manifest.documents,
        chunks=manifest.chunks,
        tokens=manifest.tokens,
        sources=manifest.sources,
        languages=languages,
        embedder=manifest.embedder_id,
        dense=manifest.dense,
        keyword=manifest.keyword,
        disk_bytes=sum(record.bytes for record in manifest.files.values()),
        resident_bytes=expected_resident_bytes(manifest),
        cost_per_question=_cost_per_question(manifest, configuration, policy.whole),
        spend_today=None if spent is None else Cost(round(spent, 6), CURRENCY, PRICED_ON),
        daily_budget=configuration.service.daily_budget,
        held=held,
        next_step=_next_step(manifest, configuration),
        verified=verified,
    )


def read_last_sync(knowledge: Path) -> Mapping[str, object] | None:
    """last_sync.json without the list of documents; None where it is absent or torn."""
    file = knowledge / LAST_SYNC_FILE
    try:
        if file.stat().st_size > MAX_LAST_SYNC_BYTES:
            return None
        content = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return None
    if not isinstance(content, dict):
        return None
    return {key: value for key, value in content.items() if key != "documents"}


def expected_resident_bytes(manifest: Manifest) -> int:
    """Memory of a service that holds one generation."""
    return resident_bytes(manifest.dense, manifest.keyword, manifest.chunks, manifest.dimension)


def page_rows(generation: Generation) -> list[PageRow]:
    """Every document in corpus order."""
    return [
        PageRow(
            source=document.source,
            path=document.path,
            url=document.url,
            title=document.title,
            language=document.language,
            kind=document.kind,
            chunks=document.chunks,
            anchors=tuple(generation.store.anchors(document.doc_id)),
        )
        for document in generation.store.documents()
    ]


def _cost_per_question(
    manifest: Manifest, configuration: Configuration, whole: frozenset[str]
) -> Cost:
    context = sum(manifest.sources[name].context_tokens for name in whole)
    if whole != frozenset(manifest.sources):
        context += configuration.retrieval.k * configuration.chunking.max_tokens
    answer = configuration.answer
    amount = 0.0
    if answer.provider != "extractive" and not answer.server_url:
        prompt = PROMPT_RULES_TOKENS + context
        amount = cost(answer.model, prompt, ANSWER_TOKENS, server=answer.server)
    return Cost(round(amount, 6), CURRENCY, PRICED_ON)


def _next_step(manifest: Manifest, configuration: Configuration) -> str:
    limit = configuration.retrieval.full_context_tokens
    context = sum(counts.context_tokens for counts in manifest.sources.values())
    if context <= limit:
        return f"above {limit} tokens ({limit - context} more) passages are retrieved"
    settings = configuration.retrieval
    kinds = ChosenKinds(manifest.dense, manifest.keyword)
    most = most_chunks(settings, kinds, manifest.dimension)
    held = " and ".join(filter(None, (manifest.dense, manifest.keyword)))
    return (
        f"{held} hold about {most} chunks within memory_mb = {settings.memory_mb}, "
        "both generations of a swap included"
    )
