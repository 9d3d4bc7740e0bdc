"""A sync that is killed, or meets a full disk, at many points: the old or the new generation
serves, complete, and the next sync ends right.

`make crash` runs POINTS of them, an ordinary test run some.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ingestion.knowledge_folder import LOCK_FILE
from ingestion.planning import SyncOptions
from ingestion.run import synchronise
from retrieval.configuration import Configuration, load_configuration
from retrieval.generation import Generation, current_name, open_generation, verify
from retrieval.opening import open_retriever
from tests.command_line import askfolio
from tests.fake_mistral import EmbeddingRules, FakeMistral
from tests.fakes import hashing_vector
from tests.interruptions import NEEDS_SPACE
from tests.sites import HUGO, write_files

ROOT = Path(__file__).parent.parent.parent
DIMENSION = 64
KILLS = int(os.environ.get("CRASH_KILLS", "14"))
FULL_DISKS = int(os.environ.get("CRASH_FULL_DISKS", "6"))
ANIMALS = ["heron", "badger", "lynx", "marten", "osprey", "petrel", "quail", "weasel", "stoat"]
OLD = {f"page-{n}": f"The {animal} sleeps in a box." for n, animal in enumerate(ANIMALS)}
NEW = {
    **{name: text for name, text in OLD.items() if name not in ("page-3", "page-8")},
    "page-1": "The otter sleeps under a bridge.",
    "page-20": "The raven watches over the harbour.",
}


def page(text: str) -> str:
    return f"---\ntitle: Page\n---\n{text}\n\n## More\n\nBeside it: {text.upper()}\n"


def write_pages(root: Path, pages: dict[str, str]) -> None:
    shutil.rmtree(root / "content", ignore_errors=True)
    write_files(root / "content", {f"{name}.md": page(text) for name, text in pages.items()})


class Crashes:
    """A site with a published generation, to be copied, and a process that runs syncs of copies."""

    def __init__(self, folder: Path, server: FakeMistral) -> None:
        self.folder = folder
        self.server = server
        self.base = folder / "base"
        self.count = 0
        write_files(
            self.base,
            {
                "hugo.toml": HUGO,
                "askfolio.toml": (
                    '[site]\npath = "."\n[answer]\nprovider = "extractive"\n[retrieval]\n'
                    "full_context_tokens = 0\n[knowledge]\nkeep = 1\n"
                    '[embedding]\nprovider = "mistral"\n'
                    f'server_url = "{server.url}"\n'
                ),
            },
        )
        for pages in ({"page-0": "Nobody is here yet."}, OLD):  # of two, one will be pruned
            write_pages(self.base, pages)
            synchronise(self.configuration(self.base), SyncOptions(datetime.now(UTC)))
        write_pages(self.base, NEW)
        self.child = subprocess.Popen(
            [sys.executable, "-m", "tests.crash_child"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    @staticmethod
    def configuration(root: Path) -> Configuration:
        return load_configuration(root / "askfolio.toml")

    def run(self, **point: float) -> tuple[Path, Any]:
        """Sync a fresh copy of the site; returns its folder and how the sync ended."""
        self.count += 1
        root = self.folder / f"copy-{self.count}"
        shutil.copytree(self.base, root)
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        asked = {"configuration": str(root / "askfolio.toml"), **point}
        self.child.stdin.write(json.dumps(asked) + "\n")
        self.child.stdin.flush()
        return root, json.loads(self.child.stdout.readline())

    def close(self) -> None:
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        self.child.stdin.close()
        self.child.wait()
        self.child.stdout.close()


@pytest.fixture
def crashes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Crashes]:
    monkeypatch.setenv("MISTRAL_API_KEY", "test-key")
    with FakeMistral(rules=EmbeddingRules(dimension=DIMENSION)) as server:
        running = Crashes(tmp_path, server)
        yield running
        running.close()


def held_pages(generation: Generation) -> dict[str, str]:
    """Text of every page by name, from the corpus as text."""
    text = (generation.folder / "knowledge.txt").read_text(encoding="utf-8")
    blocks = text.split("Source: https://portfolio.example/")[1:]
    return {
        block.partition("/\n")[0]: block.partition("# Page\n\n")[2].partition("\n")[0]
        for block in blocks
    }


def answers_completely(configuration: Configuration) -> dict[str, str]:
    """Check that every page that serves is found in every way; returns the pages."""
    generation = open_generation(configuration.knowledge_path)
    try:
        verify(generation)
        pages = held_pages(generation)
        assert pages in (OLD, NEW)
        assert generation.store.document_count == len(pages)
        for name, text in pages.items():
            assert generation.dense is not None
            by_vector = generation.dense.search(hashing_vector(f"Page\n\n{text}", DIMENSION), 1)
            by_words = generation.keyword.search(text, 1)
            for (hit,) in (by_vector, by_words):
                (found,) = generation.store.ranked([hit.row])
                assert found.document.path == f"content/{name}.md"
        for name in (OLD | NEW).keys() - pages.keys():
            assert not generation.keyword.search((OLD | NEW)[name].split()[1], 1)
    finally:
        generation.close()
    with open_retriever(configuration) as (_, retriever):
        text = pages["page-1"]
        assert text in retriever.retrieve(text, 3).chunks[0].chunk.text
    return pages


def ends_right(crashes: Crashes, root: Path) -> None:
    """The state behind a crash, the next sync, and the state behind that."""
    configuration = crashes.configuration(root)
    before = answers_completely(configuration)
    asked = len(crashes.server.embedded())
    report = synchronise(configuration, SyncOptions(datetime.now(UTC), yes=True))
    assert report.exit_code == 0
    assert len(report.plan.add) == (1 if before == OLD else 0)
    assert len(crashes.server.embedded()) - asked == report.embedded_texts
    assert answers_completely(configuration) == NEW
    knowledge = configuration.knowledge_path
    assert not list(knowledge.rglob(".building*"))
    assert not list(knowledge.rglob(".removing*"))
    assert not list(knowledge.rglob("*.new"))
    again = synchronise(configuration, SyncOptions(datetime.now(UTC)))
    assert (again.plan.add, again.plan.update, again.plan.delete) == ((), (), ())
    shutil.rmtree(root)


def evenly(count: int, first: int, last: int) -> list[int]:
    """At most `count` numbers from `first` to `last`, both included."""
    wanted = max(2, min(count, last - first + 1))
    return sorted({first + round(n * (last - first) / (wanted - 1)) for n in range(wanted)})


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits and signals of Linux")
def test_a_sync_that_is_killed_leaves_the_old_or_the_new_generation(crashes: Crashes) -> None:
    root, done = crashes.run()
    assert done["code"] == 0
    operations = done["operations"]
    written = max(
        n for n, what in enumerate(operations, 1) if re.match(r"write .*/manifest\.json$", what)
    )
    # Behind the manifest the folder is opened once, checked, and walked to be made durable.
    publishing = next(
        n
        for n, what in enumerate(operations, 1)
        if n > written and what.startswith(("os.scandir", "os.listdir")) and ".building" in what
    )
    ends_right(crashes, root)
    publish_points = evenly(KILLS * 2 // 3, publishing, len(operations))
    points: list[dict[str, float]] = [{"operation": number} for number in publish_points]
    others = evenly(max(2, (KILLS - len(points)) // 2), 1, publishing - 1)
    points += [{"operation": number} for number in others]
    timed = max(1, KILLS - len(points))
    points += [{"seconds": done["seconds"] * (n + 1) / (timed + 1)} for n in range(timed)]
    for point in points:
        root, ended = crashes.run(**point)
        assert ended["code"] != 99, point
        assert "seconds" in point or ended["code"] == -9
        ends_right(crashes, root)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits and signals of Linux")
def test_a_full_disk_leaves_the_old_generation_whatever_was_being_written(
    crashes: Crashes,
) -> None:
    root, done = crashes.run()
    sizes = [file.stat().st_size for file in (root / "knowledge").rglob("*") if file.is_file()]
    shutil.rmtree(root)
    writing = [
        number
        for number, what in enumerate(done["operations"], 1)
        if what.startswith(NEEDS_SPACE) and LOCK_FILE not in what
    ]
    serving = current_name(crashes.base / "knowledge")
    limits = evenly(FULL_DISKS // 2, 0, max(sizes) - 1)
    chosen = evenly(FULL_DISKS - len(limits), 0, len(writing) - 1)
    for limit in limits:
        root, ended = crashes.run(bytes=limit)
        assert ended["code"] == 1, limit
        assert current_name(root / "knowledge") == serving
        ends_right(crashes, root)
    for number in (writing[position] for position in chosen):
        root, ended = crashes.run(full_from=number)
        assert ended["code"] in (0, 1), done["operations"][number - 1]
        ends_right(crashes, root)


def test_the_command_line_answers_after_a_crash(
    crashes: Crashes, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, done = crashes.run()
    root, ended = crashes.run(operation=len(done["operations"]) - 1)
    assert ended["code"] == -9
    monkeypatch.chdir(root)
    asked = askfolio("ask", "Where does the lynx sleep?", "--json").json
    assert asked["citations"][0]["url"] == "https://portfolio.example/page-2/"
    assert askfolio("status", "--verify", "--json").json["verified"] is True
