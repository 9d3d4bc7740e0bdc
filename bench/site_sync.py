"""How long does the sync of a real Hugo site take, beside the least that such a sync must do?

    python -m bench.site_sync SITE [--repeats 5]

A first sync with every vector stored, as a ratio to a bare parse of the same files (YAML front
matter and CommonMark); a sync with nothing to do, as a ratio to stat, SHA-256 and a look-up of
every source file in a stored state. The process runs already. Times are medians of CPU seconds
of this process, wall seconds beside them; where Hugo is installed, it runs beside us.
"""

import argparse
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

import yaml
from markdown_it import MarkdownIt

from bench.random_vectors import store_random_vectors
from ingestion.planning import SyncOptions
from ingestion.run import synchronise
from retrieval.configuration import Configuration, load_configuration
from retrieval.errors import AskfolioError
from retrieval.generation import CURRENT_FILE, GENERATIONS_FOLDER

DIMENSION = 1024
EMBEDDER = "mistral:mistral-embed"
CONFIGURATION = """\
[site]
kind = "hugo"
[retrieval]
full_context_tokens = 0
[embedding]
provider = "{provider}"
server_url = "http://127.0.0.1:9"
"""
Timed = tuple[float, float]


def main() -> None:
    """Print one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", type=Path)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "site"
        shutil.copytree(options.site, root)
        print(json.dumps(_measured(root, options.repeats), indent=1))


def _measured(root: Path, repeats: int) -> dict[str, object]:
    files = sorted(file for file in (root / "content").rglob("*.md") if file.is_file())
    configuration = _prepared(root)
    first, nothing, parse, look_up = [], [], [], []
    state = json.dumps({str(file): hashlib.sha256(file.read_bytes()).hexdigest() for file in files})
    for _ in range(repeats):
        shutil.rmtree(configuration.knowledge_path / GENERATIONS_FOLDER)
        (configuration.knowledge_path / CURRENT_FILE).unlink()
        first.append(_timed(lambda: _sync(configuration)))
        parse.append(_timed(lambda: _bare_parse(files)))
        nothing.append(_timed(lambda: _sync(configuration)))
        look_up.append(_timed(lambda: _look_up(files, state)))
    return {
        "files": len(files),
        "cpu_s, wall_s": {
            "first sync": _median(first),
            "bare parse": _median(parse),
            "nothing to do": _median(nothing),
            "stat + hash + look-up": _median(look_up),
        },
        "first sync to bare parse": round(_median(first)[0] / _median(parse)[0], 2),
        "nothing to do to stat + hash": round(_median(nothing)[0] / _median(look_up)[0], 2),
    }


def _prepared(root: Path) -> Configuration:
    """The site synced, and a stored vector for each of its texts."""
    os.environ.setdefault("MISTRAL_API_KEY", "unused: every vector is stored")
    _sync(_configured(root, "none"))
    configuration = _configured(root, "mistral")
    store_random_vectors(configuration, EMBEDDER, DIMENSION)
    _sync(configuration)
    return configuration


def _configured(root: Path, provider: str) -> Configuration:
    file = root / "askfolio.toml"
    file.write_text(CONFIGURATION.format(provider=provider), encoding="utf-8")
    return load_configuration(file)


def _sync(configuration: Configuration) -> None:
    report = synchronise(configuration, SyncOptions(datetime.now(UTC)))
    if report.errors:
        raise AskfolioError(f"the site cannot be read: {report.errors[0].reason}")


def _bare_parse(files: list[Path]) -> None:
    parser = MarkdownIt("commonmark")
    for file in files:
        text = file.read_text(encoding="utf-8")
        if text.startswith("---\n") and (end := text.find("\n---", 4)) > 0:
            yaml.load(text[4:end], Loader=yaml.CSafeLoader)
            text = text[end + 4 :]
        parser.parse(text)


def _look_up(files: list[Path], state: str) -> None:
    known = json.loads(state)
    for file in files:
        file.stat()
        if known[str(file)] != hashlib.sha256(file.read_bytes()).hexdigest():
            raise AssertionError(f"{file} changed while it was measured")


def _timed(work: Callable[[], object]) -> Timed:
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - cpu, time.perf_counter() - wall


def _median(times: list[Timed]) -> Timed:
    cpu, wall = zip(*times, strict=True)
    return round(statistics.median(cpu), 4), round(statistics.median(wall), 4)


if __name__ == "__main__":
    main()
