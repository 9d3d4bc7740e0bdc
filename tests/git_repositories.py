"""Real Git repositories in temporary folders: one author, one date, none of the user's settings."""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Sam",
    "GIT_AUTHOR_EMAIL": "sam@example.org",
    "GIT_AUTHOR_DATE": "2024-05-01T10:00:00Z",
    "GIT_COMMITTER_NAME": "Sam",
    "GIT_COMMITTER_EMAIL": "sam@example.org",
    "GIT_COMMITTER_DATE": "2024-05-01T10:00:00Z",
}


@dataclass(frozen=True, slots=True)
class GitFolder:
    """A repository with a work tree."""

    path: Path

    def git(self, *arguments: str, given: bytes = b"") -> str:
        """Run git in the repository and return what it wrote."""
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.path,
            env=_ENVIRONMENT,
            input=given,
            capture_output=True,
            check=True,
        )
        return done.stdout.decode().strip()

    def write(self, path: str | bytes, content: str | bytes) -> None:
        """Write a file of the work tree; a path in bytes need not be UTF-8."""
        place = os.path.join(os.fsencode(self.path), os.fsencode(path))
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)

    def link(self, path: str, target: str) -> None:
        """Make a symbolic link in the work tree."""
        place = self.path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(target)

    def commit(self, files: Mapping[str, str | bytes] | None = None) -> str:
        """Write `files`, commit everything and return the commit's id."""
        for path, content in (files or {}).items():
            self.write(path, content)
        self.git("add", "-A", "-f", "--", ".")
        self.git("commit", "--quiet", "--allow-empty", "-m", "change")
        return self.git("rev-parse", "HEAD")

    def commit_tree(self, listing: bytes) -> str:
        """Make a commit of a tree that no work tree could hold, as `git mktree -z` reads it."""
        tree = self.git("mktree", "-z", given=listing)
        commit = self.git("commit-tree", "-m", "change", tree)
        self.git("update-ref", "refs/heads/main", commit)
        return commit

    def blob(self, content: str) -> str:
        """Store a content and return its id."""
        return self.git("hash-object", "-w", "--stdin", given=content.encode())


def new_repository(
    path: Path, files: Mapping[str, str | bytes] | None = None, *options: str
) -> GitFolder:
    """A new repository on branch `main`, with one commit when `files` are given."""
    path.mkdir(parents=True)
    folder = GitFolder(path)
    folder.git("init", "--quiet", "-b", "main", *options)
    if files is not None:
        folder.commit(files)
    return folder
