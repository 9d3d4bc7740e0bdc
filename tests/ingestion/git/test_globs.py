"""Include and exclude patterns, as .gitignore reads them."""

import subprocess
from pathlib import Path

import pytest

from ingestion.git.globs import PathPatterns
from retrieval.errors import ConfigurationError
from tests.git_repositories import new_repository

PATHS = [
    "README.md", "readme.md", "docs/README.rst", "docs/a.md", "docs/deep/b.md", "src/a.py",
    "src/deep/er/c.py", "a.py", "src/docs/x.md", "a/b/c", "foo/docs", "x1.txt", "x12.txt", "x.txt",
    "[x].md", "a-b.c", "src", "weird\nname.md", "src2/a.py",
]  # fmt: skip
PATTERNS = [
    "README*", "/README*", "docs/**", "docs/", "docs", "**/*.py", "*.py", "src/*.py", "src/**/*.py",
    "/src", "a/**/c", "**/docs", "x?.txt", "x[0-9].txt", "x[!0-9].txt", r"\[x\].md", "*", "**",
    "**/deep/**", "src/**", "d*/a.md", "a-[a-c].c", "foo/*",
]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_matches_what_git_ignores(pattern: str, tmp_path: Path) -> None:
    folder = new_repository(tmp_path / "r")
    folder.write(".gitignore", f"{pattern}\n")
    # A path that is a folder of another is asked about by itself.
    done = subprocess.run(
        ["git", "check-ignore", "-z", "--no-index", "--stdin"],
        cwd=folder.path,
        input="\0".join(PATHS).encode(),
        capture_output=True,
        check=False,
    )
    ignored = set(done.stdout.decode().split("\0")) - {""}
    patterns = PathPatterns([pattern])
    assert {path for path in PATHS if patterns.matches(path)} == ignored


def test_the_last_pattern_that_matches_counts() -> None:
    patterns = PathPatterns(["docs/**", "!docs/private/**", "docs/private/shown.md"])
    assert patterns.matches("docs/a.md")
    assert not patterns.matches("docs/private/a.md")
    assert patterns.matches("docs/private/shown.md")


def test_braces_are_alternatives() -> None:
    patterns = PathPatterns(["src/**/*.{ts,tsx}"])
    assert patterns.matches("src/a.ts")
    assert patterns.matches("src/deep/a.tsx")
    assert not patterns.matches("src/a.t")
    assert PathPatterns(["a,b.md"]).matches("a,b.md")


@pytest.mark.parametrize("pattern", ["", "/", "!", "a{b", "a}b", "[z-a]"])
def test_a_pattern_that_cannot_be_read_is_refused(pattern: str) -> None:
    with pytest.raises(ConfigurationError, match="include or exclude"):
        PathPatterns([pattern])
