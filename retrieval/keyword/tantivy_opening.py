"""How is the inverted index opened without a trace in its folder?"""

import json
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import tantivy

from retrieval.errors import GenerationCorrupt, GenerationError, GenerationIncompatible
from retrieval.keyword.tantivy_building import FORMAT, TABLE_FILE
from retrieval.manifest import REPAIR

READABLE_FORMATS = (FORMAT - 1, FORMAT)
MAX_TABLE_BYTES = 1 << 20
REMOVALS = 10
REMOVAL_PAUSE_S = 0.02


@dataclass(frozen=True, slots=True)
class Table:
    """What `keyword.json` says.

    Attributes:
        format: One of READABLE_FORMATS.
        languages: Of the passages.
        passages: Number of them.
        files: Names of tantivy's files.
    """

    format: int
    languages: tuple[str, ...]
    passages: int
    files: tuple[str, ...]


def open_tantivy(folder: Path) -> tuple[tantivy.Index, tuple[str, ...], int]:
    """Open what `build_tantivy` wrote: the index, its languages, the number of its passages.

    tantivy makes lock files where it opens an index: it is given a private folder of links, which
    is gone again once the segments are mapped.

    Raises:
        GenerationCorrupt: A file is absent, torn or foreign.
        GenerationIncompatible: Another format.
        GenerationError: No temporary folder can be made.
    """
    table = read_table(folder / TABLE_FILE)
    for name in table.files:
        if not (folder / name).is_file():  # tantivy opens some of them at the first search
            raise GenerationCorrupt(f"{folder / name} is missing. {REPAIR}")
    try:
        with _links(folder) as place:
            index = _open_mapped(place, folder)
    except OSError as error:
        raise GenerationError(
            f"no temporary folder for {folder} can be made: {error}; set TMPDIR to one that can "
            "be written"
        ) from error
    return index, table.languages, table.passages


@contextmanager
def _links(folder: Path) -> Iterator[str]:
    """A temporary folder with a link to every file of `folder`."""
    place = tempfile.mkdtemp(prefix="askfolio-keyword-")
    try:
        for file in folder.iterdir():
            (Path(place) / file.name).symlink_to(file.absolute())
        yield place
    finally:
        # The reader that tantivy makes at first watches the folder from a thread of its own, which
        # may make a lock file at its end: a second go takes that along.
        for _ in range(REMOVALS):
            shutil.rmtree(place, ignore_errors=True)
            if not Path(place).exists():
                break
            time.sleep(REMOVAL_PAUSE_S)


def _open_mapped(place: str, folder: Path) -> tantivy.Index:
    try:
        index = tantivy.Index.open(place)
        # Without a watcher: the folder of links is gone in a moment, and a generation is immutable.
        index.config_reader(reload_policy="manual")
        index.reload()
    except ValueError as error:  # tantivy's only error
        raise GenerationCorrupt(f"{folder} is absent, torn or no keyword index") from error
    return index


def read_table(path: Path) -> Table:
    """Read `keyword.json`.

    Raises:
        GenerationCorrupt: It is absent, torn or foreign.
        GenerationIncompatible: Another format.
    """
    try:
        if path.stat().st_size > MAX_TABLE_BYTES:
            raise GenerationCorrupt(f"{path} is larger than {MAX_TABLE_BYTES} bytes")
        table = json.loads(path.read_bytes())
        version, languages, passages = table["format"], table["languages"], table["passages"]
        names = table["files"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise GenerationCorrupt(f"{path} is absent, torn or no keyword index") from error
    if version not in READABLE_FORMATS:
        readable = ", ".join(map(str, READABLE_FORMATS))
        raise GenerationIncompatible(
            f"{path} has format {version!r}, this version reads {readable}"
        )
    lists = isinstance(languages, list) and isinstance(names, list)
    if not lists or not all(isinstance(value, str) for value in (*languages, *names)):
        raise GenerationCorrupt(f"{path} is no keyword index")
    if not isinstance(passages, int):
        raise GenerationCorrupt(f"{path} is no keyword index")
    return Table(version, tuple(languages), passages, tuple(names))
