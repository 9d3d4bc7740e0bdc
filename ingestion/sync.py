"""What must be added, updated, deleted or left alone: decided from hashes alone."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ingestion.chunking import CHUNKER_VERSION
from ingestion.errors import SyncRefused
from retrieval.configuration import Chunking
from retrieval.types import Document, SyncPlan

MASS_DELETE_FROM_DOCUMENTS = 10


class DocumentHashes(NamedTuple):
    """What decides whether a document must be written anew.

    Attributes:
        text: SHA-256 of what is embedded.
        metadata: SHA-256 of what is only stored beside it.
        chunking: SHA-256 of the rules by which it is split; each document keeps its own, so that
            one that cannot be read when the rules change is split again as soon as it can.
    """

    text: bytes
    metadata: bytes
    chunking: bytes = b""


def chunking_hash(chunking: Chunking) -> bytes:
    """SHA-256 of the rules by which documents are split."""
    return _digest([CHUNKER_VERSION, chunking.max_tokens, chunking.overlap_tokens])


def document_hashes(document: Document, chunking: bytes = b"") -> DocumentHashes:
    """Hashes of a document; a new commit alone changes none."""
    revision = document.revision
    sections = [
        [section.headings, _without(section.text, revision), section.context, section.continued]
        for section in document.sections
    ]
    text = [document.title, document.kind, sections]
    links = [document.url, document.line_link, *document.aliases]
    links = [link and _without(link, revision) for link in links]
    metadata = [
        links,
        document.path,
        document.language,
        document.anchors,
        document.translation_key,
        [[section.anchor, section.start_line] for section in document.sections],
    ]
    return DocumentHashes(_digest(text), _digest(metadata), chunking)


def _without(text: str, revision: str) -> str:
    return text.replace(revision, "") if revision else text


def plan_sync(
    stored: Mapping[str, DocumentHashes],
    wanted: Mapping[str, DocumentHashes],
    kept: frozenset[str] = frozenset(),
) -> SyncPlan:
    """Compare what a generation holds with what the sources hold now.

    Args:
        stored: Hashes by doc_id of the current generation.
        wanted: Hashes by doc_id of complete listings.
        kept: doc_ids that could not be read now: their last good version stays.
    """
    add, update, ignore = [], [], []
    for doc_id, hashes in wanted.items():
        if doc_id not in stored:
            add.append(doc_id)
        elif stored[doc_id] != hashes:
            update.append(doc_id)
        else:
            ignore.append(doc_id)
    ignore += [doc_id for doc_id in stored if doc_id in kept and doc_id not in wanted]
    delete = [doc_id for doc_id in stored if doc_id not in wanted and doc_id not in kept]
    return SyncPlan(tuple(add), tuple(update), tuple(delete), tuple(ignore))


def mass_delete(
    plan: SyncPlan, stored_sources: Mapping[str, str], configured: Iterable[str], limit: float
) -> str:
    """Why a plan takes too much away from a source that is still configured; "" if it does not.

    Args:
        plan: The plan.
        stored_sources: Source by doc_id of the current generation.
        configured: Sources that are configured now; removing a block is intention enough.
        limit: Share of a source's documents, 0 to 1.
    """
    before = Counter(stored_sources.values())
    gone = Counter(stored_sources[doc_id] for doc_id in plan.delete)
    for source in configured:
        lost, had = gone[source], before[source]
        if lost == 0:
            continue
        emptied = lost == had
        too_many = had >= MASS_DELETE_FROM_DOCUMENTS and lost > limit * had
        if emptied or too_many:
            return (
                f"source {source}: {lost} of {had} documents would be deleted (limit "
                f"knowledge.max_deleted = {limit}); nothing was changed. Check that the source is "
                "complete, or run `askfolio sync --yes`"
            )
    return ""


def refuse_mass_delete(
    plan: SyncPlan, stored_sources: Mapping[str, str], configured: Iterable[str], limit: float
) -> None:
    """Refuse a plan for which `mass_delete` has a reason.

    Raises:
        SyncRefused: Names the source, the counts and what to do.
    """
    if reason := mass_delete(plan, stored_sources, configured, limit):
        raise SyncRefused(reason)


def _digest(values: object) -> bytes:
    text = json.dumps(values, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).digest()
