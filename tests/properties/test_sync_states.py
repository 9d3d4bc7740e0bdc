"""Random edits, renames, drafts, deletes, breakages, interruptions and syncs, against a model of
what must be searchable."""

import shutil
import tempfile
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from ingestion.planning import SyncOptions
from ingestion.report import SyncReport
from ingestion.rollback import release_hold, roll_back
from ingestion.run import synchronise
from retrieval.configuration import load_configuration
from retrieval.generation import current_name, generation_names, open_generation, verify
from tests.interruptions import interrupted_before
from tests.sites import HUGO, write_files

NAMES = st.sampled_from([f"page{n}" for n in range(6)])
OPERATIONS = st.integers(min_value=1, max_value=60)
KEEP = 3
LETTERS = "bcdfghjklmnpqrtvwx"
MEMORY = Path("/dev/shm")  # a thousand syncs, each of which waits for its disk


@dataclass(frozen=True)
class Page:
    """A file of the site; `word` is in no other text."""

    word: str
    is_draft: bool = False
    is_broken: bool = False

    def source(self) -> str:
        title = "Page: of a kind that YAML refuses" if self.is_broken else "Page"
        draft = "draft: true\n" if self.is_draft else ""
        return f"---\ntitle: {title}\n{draft}---\nThe {self.word} is here.\n"


Served = dict[str, str]
"""The word of every page that is searchable, by name."""


class SyncStates(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        place = MEMORY if MEMORY.is_dir() else None
        self.root = Path(tempfile.mkdtemp(prefix="sync-states-", dir=place))
        write_files(
            self.root,
            {
                "hugo.toml": HUGO,
                "content/_index.md": "---\ntitle: Home\n---\nWelcome.\n",
                "askfolio.toml": (
                    '[site]\npath = "."\n[embedding]\nprovider = "none"\n'
                    f"[knowledge]\nkeep = {KEEP}\n"
                ),
            },
        )
        self.configuration = load_configuration(self.root / "askfolio.toml")
        self.knowledge = self.configuration.knowledge_path
        self.pages: dict[str, Page] = {}
        self.words: list[str] = []
        self.served_by: dict[str, Served] = {}
        self.checked = ""

    def teardown(self) -> None:
        shutil.rmtree(self.root)

    @initialize()
    def first_sync(self) -> None:
        self.sync()

    @rule(name=NAMES)
    def write_new_text(self, name: str) -> None:
        # Letters alone: a word with a digit in it is split into its parts.
        tens, ones = divmod(len(self.words), len(LETTERS))
        word = f"quok{LETTERS[tens]}{LETTERS[ones]}zq"
        self.words.append(word)
        self._put(name, Page(word))

    @precondition(lambda self: self.pages)
    @rule(data=st.data(), name=NAMES)
    def rename(self, data: st.DataObject, name: str) -> None:
        old = data.draw(st.sampled_from(sorted(self.pages)))
        if name not in self.pages:
            self._put(name, self._take(old))

    @precondition(lambda self: self.pages)
    @rule(data=st.data(), is_draft=st.booleans(), is_broken=st.booleans())
    def change_front_matter(self, data: st.DataObject, is_draft: bool, is_broken: bool) -> None:
        name = data.draw(st.sampled_from(sorted(self.pages)))
        self._put(name, replace(self.pages[name], is_draft=is_draft, is_broken=is_broken))

    @precondition(lambda self: self.pages)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        self._take(data.draw(st.sampled_from(sorted(self.pages))))

    @rule()
    def sync(self) -> None:
        before = self._served()
        report = self._synchronise()
        assert report.exit_code == (4 if any(p.is_broken for p in self.pages.values()) else 0)
        if report.plan.add or report.plan.update or report.plan.delete or not before:
            built = generation_names(self.knowledge)[-1]
            self.served_by[built] = self._wanted(before)
        assert self._is_held() or self._served() == self._wanted(before)

    @rule(number=OPERATIONS)
    def interrupted_sync(self, number: int) -> None:
        before, serving = self._served(), current_name(self.knowledge)
        with interrupted_before(self.knowledge, number):
            self._synchronise()
        for name in generation_names(self.knowledge):
            self.served_by.setdefault(name, self._wanted(before))
        assert self._served() in (before, self._wanted(before))
        assert self._is_held() <= (current_name(self.knowledge) == serving)

    @precondition(lambda self: self._older())
    @rule(hold=st.booleans())
    def go_back(self, hold: bool) -> None:
        done = roll_back(self.knowledge, hold=hold)
        assert done.generation == current_name(self.knowledge) == self._older_before(done.previous)

    @precondition(lambda self: self._is_held())
    @rule()
    def end_the_hold(self) -> None:
        release_hold(self.knowledge)
        assert not self._is_held()

    @invariant()
    def what_serves_is_what_the_model_says(self) -> None:
        if not generation_names(self.knowledge) or current_name(self.knowledge) == self.checked:
            return
        generation = open_generation(self.knowledge)
        try:
            verify(generation)
            found: Served = {}
            for word in self.words:
                for hit in generation.keyword.search(word, 5):
                    (ranked,) = generation.store.ranked([hit.row])
                    assert word in ranked.chunk.text
                    found[Path(ranked.document.path).stem] = word
            assert found == self._served()
            text = (generation.folder / "knowledge.txt").read_text(encoding="utf-8")
            assert {word for word in self.words if word in text} == set(found.values())
        finally:
            generation.close()
        self.checked = current_name(self.knowledge)

    def _synchronise(self) -> SyncReport:
        return synchronise(self.configuration, SyncOptions(datetime.now(UTC), yes=True))

    def _wanted(self, before: Served) -> Served:
        """What a sync makes searchable: a page that cannot be read stays as it was."""
        wanted: Served = {}
        for name, page in self.pages.items():
            if page.is_broken:
                wanted |= {name: before[name]} if name in before else {}
            elif not page.is_draft:
                wanted[name] = page.word
        return wanted

    def _served(self) -> Served:
        return self.served_by[current_name(self.knowledge)] if self.served_by else {}

    def _older(self) -> list[str]:
        names = generation_names(self.knowledge)
        return names[: names.index(current_name(self.knowledge))] if names else []

    def _older_before(self, name: str) -> str:
        number = int(name.partition("-")[0])
        names = generation_names(self.knowledge)
        return [other for other in names if int(other.partition("-")[0]) < number][-1]

    def _is_held(self) -> bool:
        return (self.knowledge / "HOLD").exists()

    def _put(self, name: str, page: Page) -> None:
        self.pages[name] = page
        write_files(self.root / "content", {f"{name}.md": page.source()})

    def _take(self, name: str) -> Page:
        (self.root / f"content/{name}.md").unlink()
        return self.pages.pop(name)


TestSyncStates = SyncStates.TestCase
TestSyncStates.settings = settings(
    max_examples=12,
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
