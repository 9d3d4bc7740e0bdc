"""A generation: the immutable folder that serves, opened and checked.

CURRENT names it. Opening checks sizes, formats and id counts; `verify` checks every checksum and
that all parts hold the same ids.
"""

import fcntl
import os
import re
from dataclasses import dataclass
from pathlib import Path

from retrieval.chunk_store import STORE_FILE, ChunkStore
from retrieval.dense import open_dense_index
from retrieval.dense.base import DenseIndex
from retrieval.dense.vector_file import VECTORS_FILE
from retrieval.errors import GenerationCorrupt, GenerationMissing
from retrieval.keyword import open_keyword_index
from retrieval.keyword.base import KeywordIndex
from retrieval.manifest import MANIFEST_FILE, REPAIR, Manifest, file_record, read_manifest
from retrieval.reconcile import check_store, check_vectors

CURRENT_FILE = "CURRENT"
GENERATIONS_FOLDER = "generations"
KEYWORD_FOLDER = "keyword"
KNOWLEDGE_TEXT_FILE = "knowledge.txt"
BYTES_READ_AT_START = 256 << 20
"""A generation up to this size is compared with its checksums before it answers: half a second."""
_MAX_NAME_BYTES = 200
_NAME = re.compile(r"([0-9]{1,12})-[0-9A-Za-z]+")
_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Generation:
    """An open generation; a shared lock keeps it from being pruned until `close`."""

    folder: Path
    manifest: Manifest
    store: ChunkStore
    dense: DenseIndex | None
    keyword: KeywordIndex
    lock: int

    def close(self) -> None:
        """Close the store and release the lock."""
        self.store.close()
        os.close(self.lock)


def current_name(knowledge: Path) -> str:
    """Name of the generation that serves.

    Raises:
        GenerationMissing: Nothing was synced yet.
        GenerationCorrupt: CURRENT holds no name of a generation.
    """
    file = knowledge / CURRENT_FILE
    try:
        with file.open("rb") as stream:
            name = stream.read(_MAX_NAME_BYTES).decode("ascii").strip()
    except FileNotFoundError as error:
        raise GenerationMissing(
            f"{knowledge} holds no generation yet: run `askfolio sync`"
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise GenerationCorrupt(f"{file} cannot be read: {error}. {REPAIR}") from error
    if not name or "/" in name or name.startswith("."):
        raise GenerationCorrupt(f"{file} holds {name!r}, which names no generation. {REPAIR}")
    return name


def generation_number(name: str) -> int | None:
    """The number in a generation's name; None where it is no such name."""
    match = _NAME.fullmatch(name)
    return int(match[1]) if match else None


def generation_names(knowledge: Path) -> list[str]:
    """Names of the generations that lie in the folder, oldest first, whether whole or not."""
    try:
        found = [folder.name for folder in (knowledge / GENERATIONS_FOLDER).iterdir()]
    except FileNotFoundError:
        return []
    numbered = [(number, name) for name in found if (number := generation_number(name)) is not None]
    return [name for _, name in sorted(numbered)]


def open_generation(knowledge: Path, name: str | None = None) -> Generation:
    """Open the generation that CURRENT names, or `name`.

    Raises:
        GenerationMissing: Nothing was synced yet.
        GenerationIncompatible: Written by a newer format.
        GenerationCorrupt: A file is absent, torn, or does not fit the others.
    """
    if name is not None:
        return open_folder(knowledge / GENERATIONS_FOLDER / name)
    current = current_name(knowledge)
    for _ in range(_ATTEMPTS):
        try:
            return open_folder(knowledge / GENERATIONS_FOLDER / current)
        except GenerationCorrupt:
            before, current = current, current_name(knowledge)
            if current == before:
                raise
            # Two syncs ended in between and this generation was pruned: another one serves.
    return open_folder(knowledge / GENERATIONS_FOLDER / current)


def open_folder(folder: Path) -> Generation:
    """Open the generation in `folder`, published or not.

    Raises:
        GenerationIncompatible: Written by a newer format.
        GenerationCorrupt: A file is absent, torn, or does not fit the others.
    """
    try:
        lock = os.open(folder / MANIFEST_FILE, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise GenerationCorrupt(
            f"{folder / MANIFEST_FILE} cannot be read: {error.strerror}. {REPAIR}"
        ) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_SH)
        return _open(folder, lock)
    except BaseException:
        os.close(lock)
        raise


def check_current(knowledge: Path) -> None:
    """Compare the files of the current generation with their checksums, without opening an index.

    Of a large one (`is_large`) the sizes: who serves it looks at the rest once it answers.

    Raises:
        GenerationMissing: Nothing was synced yet.
        GenerationIncompatible: Written by a newer format.
        GenerationCorrupt: A file is absent or was changed.
    """
    folder = knowledge / GENERATIONS_FOLDER / current_name(knowledge)
    manifest = read_manifest(folder)
    if is_large(manifest):
        check_files(folder, manifest)
    else:
        _check_checksums(folder, manifest)


def is_large(manifest: Manifest, limit: int = BYTES_READ_AT_START) -> bool:
    """Whether reading all of the generation would keep a service from answering for seconds."""
    return sum(record.bytes for record in manifest.files.values()) > limit


def verify(generation: Generation) -> None:
    """Compare every file with its checksum, and the ids of all parts with each other.

    Raises:
        GenerationCorrupt: A file was changed, or the parts do not fit each other.
    """
    _check_checksums(generation.folder, generation.manifest)
    check_ids(generation)


def check_ids(generation: Generation) -> None:
    """Check that chunk store, vectors and dense index hold the same rows of the same documents.

    Raises:
        GenerationCorrupt: Names the part and the difference.
    """
    manifest, folder = generation.manifest, generation.folder
    check_store(folder / STORE_FILE, manifest)
    if generation.dense is not None:
        check_vectors(folder / VECTORS_FILE, manifest, generation.dense)


def _open(folder: Path, lock: int) -> Generation:
    manifest = read_manifest(folder)
    check_files(folder, manifest)
    store = ChunkStore(folder / STORE_FILE)
    try:
        dense = None
        if manifest.dense:
            dense = open_dense_index(
                manifest.dense, folder, manifest.dimension, manifest.dense_tuning
            )
        keyword = open_keyword_index(manifest.keyword, folder / KEYWORD_FOLDER)
        _check_counts(folder, manifest, store, dense, keyword)
    except BaseException:
        store.close()
        raise
    return Generation(folder, manifest, store, dense, keyword, lock)


def _check_checksums(folder: Path, manifest: Manifest) -> None:
    for path, expected in manifest.files.items():
        file = folder / path
        try:
            found = file_record(file)
        except OSError as error:
            raise GenerationCorrupt(f"{file} cannot be read: {error.strerror}. {REPAIR}") from error
        if found != expected:
            raise GenerationCorrupt(f"{file} was changed after it was published. {REPAIR}")


def check_files(folder: Path, manifest: Manifest) -> None:
    """Check that every file of a generation is there with its size.

    Raises:
        GenerationCorrupt: Names the file.
    """
    for path, expected in manifest.files.items():
        file = folder / path
        try:
            found = file.stat().st_size
        except OSError as error:
            raise GenerationCorrupt(f"{file} is missing: {error.strerror}. {REPAIR}") from error
        if found != expected.bytes:
            raise GenerationCorrupt(
                f"{file} has {found} bytes, the manifest says {expected.bytes}. {REPAIR}"
            )


def _check_counts(
    folder: Path,
    manifest: Manifest,
    store: ChunkStore,
    dense: DenseIndex | None,
    keyword: KeywordIndex,
) -> None:
    counts = {"chunks.sqlite": len(store), "keyword index": len(keyword)}
    if dense is not None:
        counts["dense index"] = len(dense)
    for part, count in counts.items():
        if count != manifest.chunks:
            raise GenerationCorrupt(
                f"{folder}: the {part} holds {count} chunks, the manifest says "
                f"{manifest.chunks}. {REPAIR}"
            )
