"""How long does a sync take, beside a plain copy of what it writes?

    python -m bench.sync_time [--pages 1000] [--chunks-per-page 10] [--repeats 5]
        [--keyword auto] [--profile FILE]

One changed page of many, its vectors cached, as a ratio to a copy of the generation's files; and a
sync with nothing to do, as a ratio to stat, SHA-256 and a cached look-up of every source file. The
process runs already, so that start-up is in neither. Times are medians of wall seconds. `reading_s`
is the part of both in which the sources are read and compared. `least_s` is what no sync can do
without: a look at every source file, and the generation's files written, made durable and summed
for the manifest.
"""

import argparse
import cProfile
import hashlib
import json
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from bench.corpora import docstrings
from bench.random_vectors import store_random_vectors
from ingestion.durable_files import make_durable
from ingestion.embedding import chunk_hashes
from ingestion.planning import SyncOptions, plan_work
from ingestion.run import synchronise
from retrieval.chunk_store import STORE_FILE
from retrieval.configuration import Configuration, load_configuration
from retrieval.generation import GENERATIONS_FOLDER, current_name
from retrieval.keyword import KEYWORD_KINDS
from retrieval.manifest import file_record

DIMENSION = 1024
MAX_CHARS = 900  # a docstring of this length is one chunk
EMBEDDER = "mistral:mistral-embed"
CONFIGURATION = """\
[site]
path = "."
base_url = "https://bench.example/"
kind = "hugo"
[retrieval]
full_context_tokens = 0
[embedding]
provider = "{provider}"
server_url = "http://127.0.0.1:9"
"""


def main() -> None:
    """Print one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--chunks-per-page", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--keyword", choices=("auto", *KEYWORD_KINDS), default="auto")
    parser.add_argument("--profile", type=Path, help="Write cProfile data of one changed page.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        os.environ["ASKFOLIO_RETRIEVAL__KEYWORD"] = options.keyword
        configuration = synced_site(root, options.pages, options.chunks_per_page)
        result = _measured(configuration, options.repeats)
        if options.profile:
            profile = cProfile.Profile()
            change_page(root)
            profile.runcall(_sync, configuration)
            profile.dump_stats(options.profile)
    print(json.dumps(result, indent=1))


def _measured(configuration: Configuration, repeats: int) -> dict[str, object]:
    root = configuration.folder
    changed, cpu = [], []
    for _ in range(repeats):
        change_page(root)
        used = time.process_time()
        changed.append(_seconds(lambda: _sync(configuration)))
        cpu.append(time.process_time() - used)
    folder = configuration.knowledge_path / GENERATIONS_FOLDER
    generation = folder / current_name(configuration.knowledge_path)
    copies = [_seconds(lambda: _copy(generation, durable=False)) for _ in range(repeats)]
    durable = [_seconds(lambda: _copy(generation, durable=True)) for _ in range(repeats)]
    nothing = [_seconds(lambda: _sync(configuration)) for _ in range(repeats)]
    options = SyncOptions(datetime.now(UTC))
    reading = [_seconds(lambda: plan_work(configuration, options)) for _ in range(repeats)]
    known = _look_up(root, {})
    floor = [_seconds(lambda: _look_up(root, known)) for _ in range(repeats)]
    median = statistics.median
    sums = [_seconds(lambda: _checksums(generation)) for _ in range(repeats)]
    least = median(durable) + median(sums) + median(floor)
    return {
        "chunks": len(chunk_hashes(generation / STORE_FILE)),
        "generation_bytes": sum(f.stat().st_size for f in generation.rglob("*") if f.is_file()),
        "changed_page_s": round(median(changed), 4),
        "changed_page_cpu_s": round(median(cpu), 4),
        "copy_s": round(median(copies), 4),
        "durable_copy_s": round(median(durable), 4),
        "changed_page_to_copy": round(median(changed) / median(copies), 2),
        "changed_page_to_durable_copy": round(median(changed) / median(durable), 2),
        "checksums_s": round(median(sums), 4),
        "least_s": round(least, 4),
        "least_to_copy": round(least / median(copies), 2),
        "changed_page_to_least": round(median(changed) / least, 2),
        "reading_s": round(median(reading), 4),
        "nothing_to_do_s": round(median(nothing), 4),
        "stat_hash_lookup_s": round(median(floor), 4),
        "nothing_to_do_to_stat_hash_lookup": round(median(nothing) / median(floor), 2),
    }


def synced_site(root: Path, pages: int, chunks_per_page: int) -> Configuration:
    """A synced site with random stored vectors."""
    found = list(docstrings())
    (root / "content").mkdir()
    (root / "hugo.toml").write_text('baseURL = "https://bench.example/"\n', encoding="utf-8")
    for page in range(pages):
        numbers = range(page * chunks_per_page, (page + 1) * chunks_per_page)
        body = "\n".join(_section(number, *found[number % len(found)]) for number in numbers)
        file = root / "content" / f"page-{page:05d}.md"
        file.write_text(f"---\ntitle: Page {page}\n---\n{body}", encoding="utf-8")
    configuration = _configured(root, "none")
    _sync(configuration)
    store_random_vectors(configuration, EMBEDDER, DIMENSION)
    configuration = _configured(root, "mistral")
    os.environ.setdefault("MISTRAL_API_KEY", "unused: every vector is stored")
    _sync(configuration)
    return configuration


def _configured(root: Path, provider: str) -> Configuration:
    file = root / "askfolio.toml"
    file.write_text(CONFIGURATION.format(provider=provider), encoding="utf-8")
    return load_configuration(file)


def _section(number: int, name: str, text: str) -> str:
    """A section of its own, without lines that Markdown would read as headings."""
    prose = text[:MAX_CHARS].replace("#", "").replace("\n---", "\n").replace("\n===", "\n")
    return f"## {name} {number}\n\nPassage {number}. {prose}\n"


def change_page(root: Path) -> None:
    """Another order of a page's sections: its vectors are stored already."""
    file = sorted((root / "content").glob("*.md"))[7]
    head, *sections = file.read_text(encoding="utf-8").split("\n## ")
    turned = sections[1:] + sections[:1]
    file.write_text("\n## ".join([head, *turned]), encoding="utf-8")


def _sync(configuration: Configuration) -> None:
    synchronise(configuration, SyncOptions(datetime.now(UTC)))


def _copy(generation: Path, *, durable: bool) -> None:
    copy = generation.parent / ".building-bench"
    shutil.copytree(generation, copy)
    if durable:
        make_durable(copy)
    shutil.rmtree(copy)


def _checksums(generation: Path) -> None:
    for file in generation.rglob("*"):
        if file.is_file():
            file_record(file)


def _look_up(root: Path, known: dict[str, tuple[int, str]]) -> dict[str, tuple[int, str]]:
    """Size and SHA-256 of every source file, compared with what is known of it."""
    found = {}
    for entry in os.scandir(root / "content"):
        content = Path(entry.path).read_bytes()
        found[entry.name] = (entry.stat().st_size, hashlib.sha256(content).hexdigest())
        known.get(entry.name)
    return found


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
