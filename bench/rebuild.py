"""A generation with other kinds of index, made of one that serves; in a process of its own.

    python -m bench.rebuild < wanted.json > cost.json

The indexes are built by the functions that `sync` calls; texts, vectors and a keyword index of
the kind that is wanted are linked or copied.
"""

import json
import os
import shutil
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

from bench.machine import peak_mb
from bench.passages import passages
from retrieval.chunk_store import STORE_FILE, ChunkStore
from retrieval.dense import VectorFile, build_dense_index
from retrieval.dense.vector_file import VECTORS_FILE
from retrieval.generation import KEYWORD_FOLDER
from retrieval.keyword import build_keyword_index
from retrieval.manifest import file_record, read_manifest, write_manifest


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is made.

    Attributes:
        source: Folder of the generation that is there.
        place: Empty folder for the new one.
        dense: Kind; "" for none.
        keyword: Kind.
    """

    source: str
    place: str
    dense: str
    keyword: str


def rebuild(wanted: Wanted) -> None:
    """Write the generation.

    Raises:
        DenseIndexError: The vectors cannot be indexed by that kind.
        OSError: There is no space.
    """
    source, place = Path(wanted.source), Path(wanted.place)
    manifest = read_manifest(source)
    tuning = None
    _take(source / STORE_FILE, place)
    if wanted.dense:
        _take(source / VECTORS_FILE, place)
        vectors = VectorFile(place / VECTORS_FILE, manifest.dimension)
        tuning = build_dense_index(wanted.dense, vectors, place)
    keyword = place / KEYWORD_FOLDER
    keyword.mkdir()
    if wanted.keyword == manifest.keyword:
        for file in sorted((source / KEYWORD_FOLDER).iterdir()):
            _take(file, keyword)
    else:
        store = ChunkStore(place / STORE_FILE)
        build_keyword_index(wanted.keyword, passages(store), keyword)
        store.close()
    files = sorted(path for path in place.rglob("*") if path.is_file())
    made = replace(
        manifest,
        dense=wanted.dense,
        keyword=wanted.keyword,
        dense_tuning=tuning,
        files={path.relative_to(place).as_posix(): file_record(path) for path in files},
    )
    write_manifest(place, made)


def _take(file: Path, place: Path) -> None:
    """A link where the file system allows one: the file is never changed."""
    try:
        os.link(file, place / file.name)
    except OSError:
        shutil.copyfile(file, place / file.name)


def main() -> None:
    """Answer one request, and say what it took."""
    wanted = Wanted(**json.load(sys.stdin))
    started, used = time.perf_counter(), time.process_time()
    rebuild(wanted)
    cost = {
        "by": "rebuild",
        "generation": Path(wanted.place).name,
        "embedded_texts": 0,
        "wall_s": round(time.perf_counter() - started, 2),
        "cpu_s": round(time.process_time() - used, 2),
        "peak_mb": peak_mb(),
    }
    sys.stdout.write(json.dumps(cost))


if __name__ == "__main__":
    main()
