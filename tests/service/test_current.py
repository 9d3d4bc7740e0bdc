"""A large generation answers at once, and is read as a whole behind its answers."""

from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from retrieval.configuration import Configuration
from retrieval.generation import GENERATIONS_FOLDER, current_name
from service.current import CurrentAnswering
from service.upstream import open_upstream
from tests.service.running import configure

PATIENCE_S = 20.0


@pytest.fixture
def configuration(tmp_path: Path) -> Configuration:
    return configure(tmp_path)


def change_text(configuration: Configuration) -> None:
    """Change a byte that no opening looks at."""
    name = current_name(configuration.knowledge_path)
    file = configuration.knowledge_path / GENERATIONS_FOLDER / name / "knowledge.txt"
    content = bytearray(file.read_bytes())
    content[-3] ^= 1
    file.write_bytes(content)


@pytest.mark.anyio
async def test_a_small_generation_that_was_changed_does_not_serve(
    configuration: Configuration,
) -> None:
    change_text(configuration)
    current = CurrentAnswering(configuration, open_upstream(configuration))
    await current.refresh()
    assert not current.is_ready
    assert "GenerationCorrupt" in current.problem


@pytest.mark.anyio
async def test_a_large_one_serves_and_its_damage_is_told(configuration: Configuration) -> None:
    change_text(configuration)
    current = CurrentAnswering(configuration, open_upstream(configuration), bytes_read_at_start=0)
    await current.refresh()
    assert (current.is_ready, current.problem) == (True, "")
    with anyio.fail_after(PATIENCE_S):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(current.watch)
            while not current.problem:
                await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()
    assert current.is_ready
    assert "GenerationCorrupt" in current.problem
    await current.refresh()
    assert "GenerationCorrupt" in current.problem
    current.close()
