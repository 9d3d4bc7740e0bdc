"""A repository that was read before: only what differs is read, and the report stays complete."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ingestion.git.clone import discard_clone
from ingestion.sources.base import KnownSource, Listing
from ingestion.sources.repository import GitRepository
from retrieval.configuration import Repository
from tests.git_repositories import GitFolder, new_repository

FILES = {
    "README.md": "# Engine\n\nTurns.\n",
    "src/a.py": "def a():\n    return 1\n",
    "src/b.py": f'def b():\n    token = "ghp_{"a1b2c3d4" * 4}"\n    return 2\n',
    "page.min.js": "var x = 1;\n",
    "wide.js": "var y = 2;" * 200 + "\n",
    "Zcase.txt": "Words.\n",
    ".env": "KEY=1\n",
}


@pytest.fixture
def made(tmp_path: Path) -> GitFolder:
    return new_repository(tmp_path / "engine", FILES)


@pytest.fixture
def read(tmp_path: Path, made: GitFolder) -> Callable[..., Listing]:
    def listing(before: Listing | None = None, state: str = "", **block: object) -> Listing:
        known = KnownSource()
        if before is not None:
            doc_ids = {document.doc_id for document in before.documents} | before.unchanged
            known = KnownSource(state or before.state, frozenset(doc_ids))
        repository = Repository.model_validate({"path": str(made.path), **block})
        return GitRepository(repository, tmp_path, tmp_path / "clones", known).listing()

    return listing


def documents(listing: Listing) -> list[str]:
    return [document.path for document in listing.documents]


def unchanged(listing: Listing) -> list[str]:
    return sorted(doc_id.partition(":")[2] for doc_id in listing.unchanged)


def test_a_commit_that_is_known_is_not_even_opened(
    read: Callable[..., Listing], tmp_path: Path
) -> None:
    first = read()
    for copy in (tmp_path / "clones").iterdir():
        discard_clone(copy)
    again = read(first)
    assert documents(again) == []
    assert unchanged(again) == ["README.md", "Zcase.txt", "src/a.py", "src/b.py"]
    assert again.skipped == first.skipped
    assert again.state == first.state
    assert list((tmp_path / "clones").iterdir()) == []


def test_after_a_commit_only_the_paths_that_differ_are_read(
    made: GitFolder, read: Callable[..., Listing]
) -> None:
    first = read()
    made.git("rm", "-q", "Zcase.txt")
    made.git("mv", "src/a.py", "src/moved.py")
    made.commit({"README.md": "# Engine\n\nStands.\n", "new.md": "New.\n", "wide.js": "let y;\n"})
    again = read(first)
    assert documents(again) == ["README.md", "new.md", "src/moved.py", "wide.js"]
    assert unchanged(again) == ["src/b.py"]
    assert again.skipped == read().skipped
    assert ("src/b.py", "secret: line 2 left out") in {(s.path, s.reason) for s in again.skipped}
    whole = read()
    assert again.state == whole.state
    assert {*documents(again), *unchanged(again)} == set(documents(whole))


def test_what_was_left_out_for_its_content_is_not_read_again(
    made: GitFolder, read: Callable[..., Listing]
) -> None:
    first = read()
    made.commit({"new.md": "New.\n"})
    again = read(first)
    assert ("wide.js", "minified") in {(s.path, s.reason) for s in again.skipped}
    assert documents(again) == ["new.md"]


def test_a_file_that_becomes_a_secret_or_a_link_is_a_document_no_longer(
    made: GitFolder, read: Callable[..., Listing]
) -> None:
    first = read()
    (made.path / "src/a.py").unlink()
    made.link("src/a.py", "/etc/passwd")
    made.commit({"README.md": FILES["README.md"]})
    again = read(first)
    assert documents(again) == []
    assert "src/a.py" not in unchanged(again)
    assert ("src/a.py", "symlink-outside") in {(s.path, s.reason) for s in again.skipped}


def test_a_history_that_was_rewritten_is_compared_too(
    made: GitFolder, read: Callable[..., Listing]
) -> None:
    first = read()
    made.git("checkout", "-q", "--orphan", "fresh")
    made.commit({"src/a.py": "def a():\n    return 3\n"})
    made.git("branch", "-M", "fresh", "main")
    assert documents(read(first)) == ["src/a.py"]


@pytest.mark.parametrize(
    "block", [{"include": ["*.md", "*.py"]}, {"exclude": ["*.txt"]}, {"link": "https://h/{path}"}]
)
def test_other_settings_read_everything(read: Callable[..., Listing], block: object) -> None:
    again = read(read(), **dict(block))  # type: ignore[call-overload]
    assert again.unchanged == frozenset()
    assert "README.md" in documents(again)


@pytest.mark.parametrize("state", ["x", "[]", "[1,2]", '["a","b",[["x"]]]', "null", "[" * 99_999])
def test_a_state_that_is_none_reads_everything(read: Callable[..., Listing], state: str) -> None:
    first = read()
    assert read(first, state).documents == first.documents


def test_changed_attributes_and_a_lost_copy_read_everything(
    made: GitFolder, read: Callable[..., Listing], tmp_path: Path
) -> None:
    first = read()
    made.commit({"src/.gitattributes": "b.py linguist-generated\n"})
    second = read(first)
    assert second.unchanged == frozenset()
    assert ("src/b.py", "generated") in {(s.path, s.reason) for s in second.skipped}
    made.commit({"new.md": "New.\n"})
    for copy in (tmp_path / "clones").iterdir():
        discard_clone(copy)
    assert read(second).unchanged == frozenset()


def test_a_document_that_is_not_stored_is_read(
    made: GitFolder, read: Callable[..., Listing]
) -> None:
    first = read()
    made.commit({"new.md": "New.\n"})
    partly = Listing(first.documents[:2], state=first.state)
    assert documents(read(partly)) == ["new.md", "src/a.py", "src/b.py"]


def test_a_file_that_takes_the_place_of_one_that_looked_alike_is_read(
    made: GitFolder, read: Callable[..., Listing]
) -> None:
    made.write(b"caf\xe9 50%.md", "Latin.\n")
    made.write(b"caf%E9 50%25.md", "The same to look at.\n")
    made.commit({})
    first = read()
    assert ("caf%E9 50%25.md", "name-collision") in {(s.path, s.reason) for s in first.skipped}
    os.remove(os.path.join(os.fsencode(made.path), b"caf%E9 50%25.md"))
    made.commit({})
    second = read(first)
    assert documents(second) == ["caf%E9 50%25.md"]
    assert "Latin." in second.documents[0].sections[0].text
    assert [s for s in second.skipped if s.reason == "name-collision"] == []
