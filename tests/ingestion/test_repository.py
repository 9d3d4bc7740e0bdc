"""A repository as a source: what is read, what is left out, and how it is cited."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from ingestion.errors import SourceUnreachable
from ingestion.sources.base import Listing
from ingestion.sources.repository import GitRepository, reachable
from retrieval.configuration import Repository
from retrieval.errors import ConfigurationError
from tests.git_repositories import GitFolder, new_repository

LINK = "https://git.example/r/blob/{commit}/{path}#L{start}-L{end}"


@pytest.fixture
def made(tmp_path: Path) -> GitFolder:
    return new_repository(tmp_path / "engine")


@pytest.fixture
def listed(tmp_path: Path) -> Callable[..., Listing]:
    def read(folder: GitFolder, **block: object) -> Listing:
        return source(folder, tmp_path, **block).listing()

    return read


def source(folder: GitFolder, tmp_path: Path, **block: object) -> GitRepository:
    repository = Repository.model_validate({"path": str(folder.path), **block})
    return GitRepository(repository, tmp_path, tmp_path / "clones")


def reasons(listing: Listing) -> Mapping[str, str]:
    return {skipped.path: skipped.reason for skipped in listing.skipped}


def paths(listing: Listing) -> list[str]:
    return [document.path for document in listing.documents]


def texts(listing: Listing, path: str) -> str:
    found = next(document for document in listing.documents if document.path == path)
    return "\n".join(section.text for section in found.sections)


def test_every_file_of_the_commit_is_a_document_or_skipped(
    made: GitFolder, listed: Callable[..., Listing]
) -> None:
    files: dict[str, str | bytes] = {
        "README.md": "# Engine\n\nIt turns.\n",
        "src/gauge.py": "def read():\n    return 1\n",
        "photo.png": b"\x89PNG\r\n\x1a\n\0\0" + b"x" * 2000,
        "empty.txt": "",
        "yarn.lock": "a@1:\n",
        "CHANGES": "First.\n",
    }
    commit = made.commit(files)
    listing = listed(made)
    assert sorted([*paths(listing), *reasons(listing)]) == sorted(files)
    assert reasons(listing) == {
        "photo.png": "binary", "empty.txt": "empty", "yarn.lock": "lockfile"
    }  # fmt: skip
    kinds = {document.path: document.kind for document in listing.documents}
    assert kinds == {"README.md": "text", "src/gauge.py": "code", "CHANGES": "text"}
    assert len(commit) == 40


def test_code_is_one_section_with_its_lines_and_prose_has_headings(
    made: GitFolder, tmp_path: Path
) -> None:
    commit = made.commit({"a b.py": "x = 1\ny = 2\n", "README.md": "Intro.\n\n# Engine\n\nRuns.\n"})
    repository = source(made, tmp_path, link=LINK)
    readme, code = repository.listing().documents
    assert repository.commit == commit
    assert code.sections[0].text == "x = 1\ny = 2\n"
    assert code.sections[0].start_line == 1
    assert code.title == "a b.py"
    assert code.language == ""
    assert code.url == f"https://git.example/r/blob/{commit}/a%20b.py"
    assert code.line_link == f"{code.url}#L{{start}}-L{{end}}"
    assert readme.title == "Engine"
    assert readme.doc_id == "engine:README.md"


def test_the_committed_state_is_read_and_not_the_work_tree(
    made: GitFolder, listed: Callable[..., Listing]
) -> None:
    made.commit({"README.md": "committed\n"})
    made.write("README.md", "edited since\n")
    made.write("new.md", "not added\n")
    listing = listed(made)
    assert paths(listing) == ["README.md"]
    assert "committed" in texts(listing, "README.md")


def test_a_second_run_reads_the_same_and_transfers_nothing(made: GitFolder, tmp_path: Path) -> None:
    made.commit({"README.md": "# One\n"})
    first = source(made, tmp_path).listing()
    packs = sorted((tmp_path / "clones").rglob("*.pack"))
    assert source(made, tmp_path).listing() == first
    assert sorted((tmp_path / "clones").rglob("*.pack")) == packs


def test_a_later_commit_is_fetched(made: GitFolder, listed: Callable[..., Listing]) -> None:
    made.commit({"README.md": "# One\n", "old.md": "gone soon\n"})
    listed(made)
    made.git("rm", "-q", "old.md")
    made.commit({"README.md": "# Two\n"})
    listing = listed(made)
    assert paths(listing) == ["README.md"]
    assert listing.documents[0].title == "Two"


def test_a_rewritten_history_is_read(made: GitFolder, listed: Callable[..., Listing]) -> None:
    made.commit({"README.md": "# One\n"})
    listed(made)
    made.git("checkout", "-q", "--orphan", "fresh")
    made.commit({"README.md": "# Rewritten\n"})
    made.git("branch", "-M", "fresh", "main")
    assert listed(made).documents[0].title == "Rewritten"


def test_a_renamed_default_branch_is_followed(
    made: GitFolder, listed: Callable[..., Listing]
) -> None:
    made.commit({"README.md": "# One\n"})
    listed(made)
    made.git("branch", "-m", "main", "trunk")
    made.commit({"README.md": "# Trunk\n"})
    assert listed(made).documents[0].title == "Trunk"


def test_a_head_left_behind_by_a_rename_is_no_empty_repository(
    made: GitFolder, listed: Callable[..., Listing]
) -> None:
    made.commit({"README.md": "# Main\n"})
    made.git("symbolic-ref", "HEAD", "refs/heads/master")
    assert listed(made).documents[0].title == "Main"
    made.git("branch", "-m", "main", "dev")
    made.git("branch", "other", "dev")
    with pytest.raises(SourceUnreachable, match="dev, other"):
        listed(made)


def test_a_ref_is_a_branch_a_tag_or_a_commit(
    made: GitFolder, listed: Callable[..., Listing]
) -> None:
    first = made.commit({"README.md": "# First\n"})
    made.git("tag", "-a", "v1", "-m", "one")
    made.commit({"README.md": "# Second\n"})
    made.git("branch", "topic/x")
    made.commit({"README.md": "# Third\n"})
    for ref, title in {"v1": "First", "topic/x": "Second", "main": "Third", first: "First"}.items():
        assert listed(made, ref=ref).documents[0].title == title
    with pytest.raises(SourceUnreachable, match="no branch or tag 'v2'"):
        listed(made, ref="v2")
    with pytest.raises(SourceUnreachable, match="engine"):
        listed(made, ref="0" * 40)


def test_a_repository_without_a_commit_is_empty_and_says_so(
    made: GitFolder, listed: Callable[..., Listing], tmp_path: Path
) -> None:
    listing = listed(made)
    assert listing.documents == ()
    assert [skipped.reason for skipped in listing.skipped] == [
        "empty: the repository has no commit"
    ]
    assert reachable(Repository(path=str(made.path)), tmp_path).commit == ""


def test_a_vanished_repository_is_unreachable_and_its_copy_stays(
    made: GitFolder, listed: Callable[..., Listing], tmp_path: Path
) -> None:
    made.commit({"README.md": "# One\n"})
    listed(made)
    made.path.rename(tmp_path / "moved")
    with pytest.raises(SourceUnreachable, match=r"engine.*no such folder"):
        listed(made)
    assert list((tmp_path / "clones").glob("*.git"))


def test_a_folder_inside_a_repository_is_answered_with_what_to_write(
    made: GitFolder, tmp_path: Path
) -> None:
    made.commit({"docs/a.md": "A\n"})
    with pytest.raises(SourceUnreachable, match=r'include = \["/docs/\*\*"\]'):
        reachable(Repository(path=str(made.path / "docs")), tmp_path)


@pytest.mark.parametrize("victim", ["*.pack", "*.idx", "HEAD", "head"])
def test_a_damaged_copy_is_made_anew(made: GitFolder, tmp_path: Path, victim: str) -> None:
    made.commit({"README.md": "# One\n", "src/a.py": "x = 1\n" * 50})
    expected = source(made, tmp_path).listing()
    for file in (tmp_path / "clones").rglob(victim):
        file.chmod(0o644)
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    assert source(made, tmp_path).listing() == expected


def test_what_an_interrupted_clone_left_is_cleared_away(made: GitFolder, tmp_path: Path) -> None:
    made.commit({"README.md": "# One\n"})
    expected = source(made, tmp_path).listing()
    (clone,) = (tmp_path / "clones").iterdir()
    clone.rename(clone.with_name(f".incoming-{clone.name}"))
    assert source(made, tmp_path).listing() == expected
    assert [folder.name for folder in (tmp_path / "clones").iterdir()] == [clone.name]


def test_a_lock_left_in_the_copy_does_not_stop_a_fetch(made: GitFolder, tmp_path: Path) -> None:
    made.commit({"README.md": "# One\n"})
    source(made, tmp_path).listing()
    (clone,) = (tmp_path / "clones").iterdir()
    (clone / "shallow.lock").touch()
    made.commit({"README.md": "# Two\n"})
    assert source(made, tmp_path).listing().documents[0].title == "Two"


def test_large_files_are_not_transferred(made: GitFolder, tmp_path: Path) -> None:
    made.commit(
        {
            "README.md": "# One\n",
            "exact.txt": "line of text\n" * 80659 + "12345678\n",
            "over.txt": "x" * (1 << 20) + "\n",
            "data.json": "{" + " " * (200 << 10) + "}",
            "big.log": os.urandom(3 << 20),
        }
    )
    listing = source(made, tmp_path).listing()
    assert reasons(listing) == dict.fromkeys(["over.txt", "data.json", "big.log"], "too-large")
    assert paths(listing) == ["README.md", "exact.txt"]
    size = sum(file.stat().st_size for file in (tmp_path / "clones").rglob("*.pack"))
    assert size < 1 << 20


def test_nothing_of_the_repository_is_checked_out_or_run(made: GitFolder, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    made.commit({"README.md": "# One\n", ".gitattributes": "*.md filter=evil\n"})
    hook = made.path / ".git/hooks/post-upload-pack"
    hook.write_text(f"#!/bin/sh\ntouch {marker}\n")
    hook.chmod(0o755)
    made.git("config", "filter.evil.smudge", f"touch {marker}")
    made.git("config", "uploadpack.packObjectsHook", f"touch {marker};")
    made.git("config", "core.fsmonitor", f"touch {marker}")
    source(made, tmp_path).listing()
    assert not marker.exists()
    assert not list((tmp_path / "clones").rglob("README.md"))


def test_a_tree_with_git_names_is_data(made: GitFolder, listed: Callable[..., Listing]) -> None:
    made.commit({"README.md": "# One\n"})
    blob = made.blob("[core]\n\tfsmonitor = touch x\n")
    attributes = made.blob("* export-ignore\n")
    inner = made.git("mktree", "-z", given=f"100644 blob {blob}\tconfig\0".encode())
    made.commit_tree(
        f"100644 blob {attributes}\t.gitattributes\0"
        f"040000 tree {inner}\t.git\0"
        f"100644 blob {blob}\t..\0".encode()
    )
    listing = listed(made)
    assert reasons(listing) == {".git/config": "unsafe-name", "..": "unsafe-name"}
    assert paths(listing) == [".gitattributes"]


def test_symbolic_links_are_never_followed(made: GitFolder, listed: Callable[..., Listing]) -> None:
    targets = {
        "abs": "/etc/passwd", "docs/up": "../../secret", "docs/in": "real.md", "docs/dir": "../src",
        "self": "self", "a": "b", "b": "a", "here": ".", "docs/parent": "..", "none": "nowhere/x",
        "chain": "docs/up", "via": "docs/dir/a.py", "deep/er/out": "../../../x",
    }  # fmt: skip
    for path, target in targets.items():
        made.link(path, target)
    made.commit({"docs/real.md": "Once.\n", "src/a.py": "x = 1\n"})
    listing = listed(made)
    assert reasons(listing) == {
        "abs": "symlink-outside", "docs/up": "symlink-outside", "chain": "symlink-outside",
        "deep/er/out": "symlink-outside", "docs/in": "symlink", "docs/dir": "symlink",
        "via": "symlink", "self": "symlink-loop", "a": "symlink-loop", "b": "symlink-loop",
        "here": "symlink-loop", "docs/parent": "symlink-loop", "none": "symlink-broken",
    }  # fmt: skip
    assert paths(listing) == ["docs/real.md", "src/a.py"]


def test_submodules_and_lfs_pointers_are_left_out(
    made: GitFolder, listed: Callable[..., Listing]
) -> None:
    first = made.commit({"README.md": "# One\n"})
    made.git("update-index", "--add", "--cacheinfo", f"160000,{first},lib/sub")
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 63}7\nsize 9\n"
    made.write("docs/photo.png", pointer)
    made.write("docs/note.md", pointer)
    made.write("docs/about-lfs.md", f"Pointers look so:\n\n    {pointer}")
    made.git("add", "docs")
    made.git("commit", "-qm", "pointers")
    assert reasons(listed(made)) == {
        "lib/sub": "submodule", "docs/photo.png": "lfs-pointer", "docs/note.md": "lfs-pointer"
    }  # fmt: skip


def test_odd_names_are_kept_and_linked(made: GitFolder, listed: Callable[..., Listing]) -> None:
    names = [
        "café/menü.md", "cafe\u0301.md", "a\nb.md", 'q"uote.md', "back\\slash.md", "100%.md",
        "-rf.md", ":(glob)x.md", "hash#tag.md", "資料/説明.md", "{start}.md", "Case.md", "case.md",
        " lead.md", "tab\there.md",
    ]  # fmt: skip
    commit = made.commit({name: f"About {number}.\n" for number, name in enumerate(names)})
    listing = listed(made, link=LINK)
    assert set(paths(listing)) == set(names)
    assert listing.skipped == ()
    urls = {document.path: document.url for document in listing.documents}
    base = f"https://git.example/r/blob/{commit}"
    assert urls["100%.md"] == f"{base}/100%25.md"
    assert urls["hash#tag.md"] == f"{base}/hash%23tag.md"
    assert urls["café/menü.md"] == f"{base}/caf%C3%A9/men%C3%BC.md"
    lines = {document.path: document.line_link for document in listing.documents}
    assert lines["{start}.md"] == f"{base}/%7Bstart%7D.md#L{{start}}-L{{end}}"


def test_a_name_that_is_not_utf8_is_shown_percent_encoded_and_linked_by_its_bytes(
    made: GitFolder, listed: Callable[..., Listing]
) -> None:
    made.write(b"caf\xe9 50%.md", "Latin.\n")
    made.write(b"caf%E9 50%25.md", "The same to look at.\n")
    commit = made.commit({"README.md": "# One\n"})
    listing = listed(made, link=LINK)
    assert paths(listing) == ["README.md", "caf%E9 50%25.md"]
    assert reasons(listing) == {"caf%E9 50%25.md": "name-collision"}
    made.git("rm", "-q", "caf%E9 50%25.md")
    commit = made.commit()
    documents = listed(made, link=LINK).documents
    assert documents[1].url == f"https://git.example/r/blob/{commit}/caf%E9%2050%25.md"


def test_attributes_of_the_commit_are_heeded(
    made: GitFolder, listed: Callable[..., Listing]
) -> None:
    made.commit(
        {
            ".gitattributes": "/tests export-ignore\n*.tpl linguist-generated\nown/vendor/** "
            "-linguist-vendored\nlib/** linguist-vendored=true\napi.pb.go -linguist-generated\n",
            "src/.gitattributes": "*.py export-ignore\nkept.py -export-ignore\n",
            "tests/deep/test_a.py": "x = 1\n",
            "page.tpl": "text\n",
            "own/vendor/mine.js": "let x = 1\n",
            "lib/theirs.js": "let x = 1\n",
            "api.pb.go": "// Code generated by hand. DO NOT EDIT.\npackage api\n",
            "src/gone.py": "x = 1\n",
            "src/kept.py": "x = 1\n",
            "vendor/x.go": "package x\n",
        }
    )
    listing = listed(made)
    assert reasons(listing) == {
        "tests/deep/test_a.py": "export-ignore", "page.tpl": "generated",
        "lib/theirs.js": "vendored", "src/gone.py": "export-ignore", "vendor/x.go": "vendored",
    }  # fmt: skip
    assert "own/vendor/mine.js" in paths(listing)
    assert "api.pb.go" in paths(listing)


def test_include_and_exclude_choose_and_every_other_file_is_reported(
    made: GitFolder, listed: Callable[..., Listing]
) -> None:
    made.commit(dict.fromkeys(["README.md", "docs/a/README.rst", "src/a.py", "src/b.py"], "x\n"))
    listing = listed(made, include=["README*", "**/*.py"], exclude=["b.py"])
    assert paths(listing) == ["README.md", "docs/a/README.rst", "src/a.py"]
    assert reasons(listing) == {"src/b.py": "excluded"}
    assert reasons(listed(made, include=["/docs/**"]))["src/a.py"] == "not-included"


def test_a_secret_in_a_file_is_left_out_and_its_line_reported(
    made: GitFolder, listed: Callable[..., Listing]
) -> None:
    code = 'def upload(frame):\n    """Sends frames."""\n    token = "ghp_%s"\n    return frame\n'
    made.commit(
        {"up.py": code % ("a1b2c3d4" * 4), "README.md": f"# ghp_{'z9y8x7w6' * 4}\n\nText.\n"}
    )
    listing = listed(made)
    assert reasons(listing) == {
        "up.py": "secret: line 3 left out", "README.md": "secret: line 1 left out"
    }  # fmt: skip
    assert texts(listing, "up.py") == (
        'def upload(frame):\n    """Sends frames."""\n    [secret left out]\n    return frame\n'
    )
    assert "a1b2c3d4" not in repr(listing)
    assert "z9y8x7w6" not in repr(listing)


def test_a_notebook_is_its_cells(made: GitFolder, listed: Callable[..., Listing]) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Tides\n", "\n", "Measured at noon."]},
        {"cell_type": "code", "source": "plot(tide)", "outputs": [{"text": "output-marker"}]},
        {"cell_type": "code", "source": 'key = "AKIAIOSFODNN7EXAMPLE"'},
        {"cell_type": "code", "source": []},
    ]
    made.commit({"a.ipynb": json.dumps({"nbformat": 4, "cells": cells}), "b.ipynb": "{broken"})
    listing = listed(made)
    (notebook,) = listing.documents
    assert notebook.title == "Tides"
    assert [section.text.strip() for section in notebook.sections][-1] == "plot(tide)"
    assert notebook.sections[-1].headings == ("Tides",)
    assert "output-marker" not in repr(listing)
    assert ("b.ipynb", "parse-error") in reasons(listing).items()
    assert ("a.ipynb", "secret: cell 3 left out") in reasons(listing).items()


def test_front_matter_gives_the_title_and_keeps_the_lines(
    made: GitFolder, listed: Callable[..., Listing]
) -> None:
    made.commit(
        {
            "docs/a.md": "---\ntitle: Guide\n---\n\nStart here.\n",
            "docs/b.md": "---\n\nA line across, and text.\n\n---\n",
        }
    )
    first, second = listed(made).documents
    assert first.title == "Guide"
    assert first.sections[0].start_line in (4, 5)
    assert "A line across, and text." in second.sections[0].text


def test_a_sha256_repository_is_read(tmp_path: Path) -> None:
    folder = new_repository(tmp_path / "wide", {"README.md": "# Wide\n"}, "--object-format=sha256")
    repository = source(folder, tmp_path)
    assert repository.listing().documents[0].title == "Wide"
    assert len(repository.commit) == 64


def test_a_shallow_or_bare_local_repository_is_read(made: GitFolder, tmp_path: Path) -> None:
    made.commit({"README.md": "# One\n"})
    made.commit({"README.md": "# Two\n"})
    for name, options in {"bare.git": ["--bare"], "shallow": ["--depth=1"]}.items():
        made.git("clone", "-q", *options, made.path.as_uri(), str(tmp_path / name))
        listing = source(GitFolder(tmp_path / name), tmp_path).listing()
        assert listing.documents[0].title == "Two"


def test_progress_ends_with_all_files(made: GitFolder, tmp_path: Path) -> None:
    made.commit({"a.md": "A\n", "b.png": b"\0"})
    seen: list[tuple[int, int]] = []
    source(made, tmp_path).listing(lambda done, total: seen.append((done, total)))
    assert seen == [(1, 2), (2, 2)]


def test_credentials_need_the_owner_to_say_public(tmp_path: Path) -> None:
    for block in (
        {"url": "https://host.example/a/b", "token_env": "T"},
        {"url": "git@host.example:a/b.git"},
        {"url": "ssh://git@host.example/a/b"},
    ):
        with pytest.raises(ConfigurationError, match="public = true"):
            GitRepository(Repository.model_validate(block), tmp_path, tmp_path)
        GitRepository(Repository.model_validate({**block, "public": True}), tmp_path, tmp_path)


def test_what_reachable_answers(made: GitFolder, tmp_path: Path) -> None:
    commit = made.commit({"README.md": "# One\n"})
    reached = reachable(Repository(path="engine"), tmp_path)
    assert (reached.default_branch, reached.commit) == ("main", commit)
    assert not (tmp_path / "clones").exists()


def test_a_pinned_commit_of_a_repository_that_is_not_there_is_not_reachable(
    made: GitFolder, tmp_path: Path
) -> None:
    commit = made.commit({"README.md": "# One\n"})
    assert reachable(Repository(path="engine", ref=commit), tmp_path).commit == commit
    with pytest.raises(SourceUnreachable, match="no such folder"):
        reachable(Repository(path="gone", ref=commit), tmp_path)


def test_prose_is_linked_by_its_headings_on_a_host_that_has_them_and_by_lines_elsewhere(
    made: GitFolder, listed: Callable[..., Listing]
) -> None:
    made.commit({"README.md": "# Engine\n\nRuns.\n\n## Use it\n\nTurn it.\n"})
    (document,) = listed(made, link=LINK).documents
    assert document.anchors == ()
    assert [section.anchor for section in document.sections] == [""] * len(document.sections)
    assert document.line_link.endswith("#L{start}-L{end}")
    assert [section.headings for section in document.sections][-1] == ("Engine", "Use it")
