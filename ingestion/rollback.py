"""`askfolio rollback`: which generation served before, and is it whole?"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ingestion.errors import SyncError
from ingestion.knowledge_folder import KnowledgeFolder
from retrieval.errors import GenerationError, GenerationMissing
from retrieval.generation import (
    generation_names,
    generation_number,
    open_generation,
    verify,
)


@dataclass(frozen=True, slots=True)
class RolledBack:
    """What a rollback, or the release of a hold, did.

    Attributes:
        generation: The one that serves now.
        previous: The one that served before; "" where CURRENT named none.
        held: Whether the next sync leaves CURRENT alone.
        passed_over: Generations that were not whole, with what is wrong with them.
    """

    generation: str
    previous: str
    held: bool
    passed_over: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        """The outcome for a person."""
        yield from self.passed_over
        if self.generation == self.previous:
            yield f"generation {self.generation} serves, as before"
        else:
            yield f"generation {self.generation} serves; before: {self.previous or 'none'}"
        if self.held:
            yield "held: a sync does not publish until `askfolio rollback --release`"


def roll_back(knowledge: Path, *, hold: bool = False) -> RolledBack:
    """Let the generation before the current one serve, after checking that it is whole.

    Args:
        knowledge: The folder of generations.
        hold: The next syncs build, but do not publish, until `release_hold`.

    Raises:
        GenerationMissing: Nothing was synced yet.
        SyncRunning: A sync is running.
        SyncError: There is no whole generation before it, or the folder cannot be written.
    """
    folder = _existing(knowledge)
    with folder.locked():
        previous = folder.current()
        number = generation_number(previous)
        names = [
            name
            for name in reversed(generation_names(knowledge))
            if name != previous and (number is None or _number(name) < number)
        ]
        chosen, damaged = _newest_whole(knowledge, names)
        if not chosen:
            reasons = "".join(f"; {reason}" for reason in damaged)
            raise SyncError(
                f"{knowledge} holds no whole generation before {previous or 'the current one'}"
                f"{reasons}. Run `askfolio sync` to build one"
            )
        try:
            if hold:
                folder.hold()
            folder.make_current(chosen)
        except OSError as error:
            raise SyncError(f"{knowledge} cannot be written: {error.strerror}") from error
        return RolledBack(chosen, previous, folder.held_at() is not None, damaged)


def release_hold(knowledge: Path) -> RolledBack:
    """End a hold, and publish the newest whole generation that was built during it.

    Raises:
        GenerationMissing: Nothing was synced yet.
        SyncRunning: A sync is running.
        SyncError: The folder cannot be written.
    """
    folder = _existing(knowledge)
    with folder.locked():
        previous, held_at = folder.current(), folder.held_at()
        names = list(reversed(generation_names(knowledge))) if held_at is not None else []
        since = _number(held_at or "")
        chosen, damaged = _newest_whole(knowledge, [n for n in names if _number(n) > since])
        try:
            if chosen:
                folder.make_current(chosen)
            folder.release()
        except OSError as error:
            raise SyncError(f"{knowledge} cannot be written: {error.strerror}") from error
        return RolledBack(chosen or previous, previous, held=False, passed_over=damaged)


def _existing(knowledge: Path) -> KnowledgeFolder:
    if not generation_names(knowledge):
        raise GenerationMissing(f"{knowledge} holds no generation yet: run `askfolio sync`")
    return KnowledgeFolder(knowledge)


def _newest_whole(knowledge: Path, names: list[str]) -> tuple[str, tuple[str, ...]]:
    damaged: list[str] = []
    for name in names:
        try:
            generation = open_generation(knowledge, name)
            try:
                verify(generation)
            finally:
                generation.close()
        except GenerationError as error:
            damaged.append(f"{name} was passed over: {error}")
        else:
            return name, tuple(damaged)
    return "", tuple(damaged)


def _number(name: str) -> int:
    return generation_number(name) or 0
