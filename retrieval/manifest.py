"""`manifest.json`: what a generation holds, and how it was made. Written last."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from retrieval.dense.base import DenseTuning
from retrieval.errors import GenerationCorrupt, GenerationIncompatible
from retrieval.types import ContextMode

FORMAT_VERSION = 1
READABLE_FORMATS = frozenset({1})
MANIFEST_FILE = "manifest.json"
MAX_MANIFEST_BYTES = 16 << 20
_READ_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class SourceCounts:
    """What one source holds.

    Attributes:
        documents: Pages, rows and files.
        chunks: Their chunks.
        tokens: Tokens of all chunks.
        context_tokens: Upper estimate of what the source takes when given whole, one translation
            of a page.
        languages: Documents by language code.
    """

    documents: int
    chunks: int
    tokens: int
    context_tokens: int
    languages: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class FileRecord:
    """Size and checksum of one file of the generation."""

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything that must be known before a generation is opened.

    Attributes:
        format_version: Layout of the folder.
        generation: `<number>-<hash of corpus and configuration>`: the folder's name.
        created: ISO 8601, UTC.
        corpus_hash: SHA-256 (hex) over every document's hashes.
        configuration_hash: SHA-256 (hex) over what the build depends on.
        embedder_id: `<provider>:<model>`; "" where nothing is embedded.
        dimension: Length of a vector; 0 where nothing is embedded.
        dense: Kind of the dense index; "" for none.
        keyword: Kind of the keyword index.
        chunker_version: Version of the splitting rules.
        max_tokens: Size of a chunk.
        overlap_tokens: Overlap of two chunks of a section.
        documents: Number of documents.
        chunks: Number of chunks: rows 0 to chunks - 1.
        tokens: Tokens of all chunks.
        languages: Language codes of the corpus, most documents first.
        sources: Counts by source, in the configured order.
        mode: Context policy at the time of the sync.
        mode_reason: Why, in one sentence.
        nonce: Random text for the delimiters of the prompt.
        without_vector: Rows that the embedder refused: found by keyword alone.
        files: Size and checksum by path relative to the folder.
        dense_tuning: How a trained dense index is searched; None for the others.
    """

    format_version: int
    generation: str
    created: str
    corpus_hash: str
    configuration_hash: str
    embedder_id: str
    dimension: int
    dense: str
    keyword: str
    chunker_version: int
    max_tokens: int
    overlap_tokens: int
    documents: int
    chunks: int
    tokens: int
    languages: tuple[str, ...]
    sources: Mapping[str, SourceCounts]
    mode: ContextMode
    mode_reason: str
    nonce: str
    without_vector: tuple[int, ...]
    files: Mapping[str, FileRecord]
    dense_tuning: DenseTuning | None = None


_ADAPTER = TypeAdapter(Manifest)


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a generation's folder.

    Raises:
        GenerationIncompatible: Written by a newer or unknown format.
        GenerationCorrupt: Absent, torn, or not a manifest.
    """
    file = folder / MANIFEST_FILE
    try:
        if file.stat().st_size > MAX_MANIFEST_BYTES:
            raise GenerationCorrupt(f"{file} is larger than {MAX_MANIFEST_BYTES} bytes")
        content = json.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        raise GenerationCorrupt(f"{file} cannot be read: {error}. {REPAIR}") from error
    version = content.get("format_version") if isinstance(content, dict) else None
    if version not in READABLE_FORMATS:
        raise GenerationIncompatible(
            f"{file} has format {version!r}; this askfolio reads "
            f"{', '.join(map(str, sorted(READABLE_FORMATS)))}: update askfolio, or remove "
            f"{folder} and run `askfolio sync`"
        )
    try:
        return _ADAPTER.validate_python(content)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in problem["loc"])
        raise GenerationCorrupt(f"{file}: {where}: {problem['msg']}. {REPAIR}") from error


def write_manifest(folder: Path, manifest: Manifest) -> Path:
    """Write `manifest.json`; the caller makes it durable and visible."""
    file = folder / MANIFEST_FILE
    text = json.dumps(asdict(manifest), ensure_ascii=False, indent=1)
    file.write_text(text + "\n", encoding="utf-8")
    return file


def file_record(file: Path) -> FileRecord:
    """Size and SHA-256 of a file, read in pieces."""
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while piece := stream.read(_READ_BYTES):
            digest.update(piece)
    return FileRecord(bytes=file.stat().st_size, sha256=digest.hexdigest())


REPAIR = (
    "Run `askfolio rollback` to serve the generation before it, or `askfolio sync` to build it "
    "anew; stored embeddings are not paid for again"
)
