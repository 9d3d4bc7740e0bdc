"""Repositories from `add` to a cited line, and back out again."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from retrieval.chunk_store import STORE_FILE, ChunkStore
from retrieval.generation import current_name
from retrieval.types import RankedChunk
from tests.command_line import askfolio
from tests.fake_mistral import FakeMistral
from tests.git_repositories import GitFolder, new_repository
from tests.ingestion.hosts.api_host import api_host, forgejo, github

LINK = "https://git.example/{name}/blob/{{commit}}/{{path}}#L{{start}}-L{{end}}"
SECRET = f"ghp_{'a1b2c3d4' * 4}"
FILES: dict[str, str | bytes] = {
    "README.md": "# Engine\n\nIt filters tides: [how](docs/how.md).\n\n## Install\n\nMake.\n",
    "docs/how.md": "# How\n\nBy a running median of nine samples.\n",
    "src/filter.py": 'import numpy\n\n\ndef median(values):\n    """The middle one."""\n'
    "    return sorted(values)[len(values) // 2]\n",
    "src/up.py": f'TOKEN = "{SECRET}"\n\n\ndef upload(frame):\n    return frame\n',
    ".env": "PASSWORD=heron-marker-12\n",
    "photo.png": b"\x89PNG\r\n\x1a\n\0\0",
    "yarn.lock": "a@1:\n",
}


@pytest.fixture
def engine(tmp_path: Path) -> GitFolder:
    return new_repository(tmp_path / "engine", FILES)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return configured(tmp_path, "")


def configured(folder: Path, more: str) -> Path:
    file = folder / "askfolio.toml"
    file.write_text(f'# mine\n[embedding]\nprovider = "none"  # for now\n{more}', encoding="utf-8")
    return file


def block(name: str, path: str = "") -> str:
    link = LINK.format(name=name)
    return f'\n[[repository]]\npath = "{path or name}"\nname = "{name}"\nlink = "{link}"\n'


def chunks(folder: Path) -> list[RankedChunk]:
    knowledge = folder / "knowledge"
    store = ChunkStore(knowledge / "generations" / current_name(knowledge) / STORE_FILE)
    found = list(store.all_chunks())
    store.close()
    return found


def synced() -> dict[str, Any]:
    ran = askfolio("sync", "--json")
    assert ran.code == 0, ran.stderr
    found: dict[str, Any] = ran.json
    return found


def counts(report: dict[str, Any]) -> tuple[int, ...]:
    return tuple(report[name] for name in ("added", "updated", "deleted", "ignored"))


def test_add_shows_what_would_be_ingested_and_what_not(engine: GitFolder, config: Path) -> None:
    before = config.read_bytes()
    tried = askfolio("add", "engine", "--dry-run")
    assert tried.code == 0
    assert "would ingest 4 files" in tried.stdout
    assert "would leave out 4: " in tried.stdout
    assert ".env: secret-file" in tried.stdout
    assert "nothing was written" in tried.stdout
    assert config.read_bytes() == before
    assert not (config.parent / "knowledge").exists()
    ran = askfolio("add", "engine", "--include", "*.md", "--name", "motor", "--json")
    assert (ran.json["files"], ran.json["added"]) == (2, True)
    assert ran.json["left_out"]["not-included"] == 5
    assert ran.json["commit"] == engine.git("rev-parse", "HEAD")
    written = tomllib.loads(config.read_text(encoding="utf-8"))
    assert written["repository"] == [{"path": "engine", "include": ["*.md"], "name": "motor"}]
    assert synced()["added"] == 2


def test_add_says_that_the_context_mode_would_change(engine: GitFolder, tmp_path: Path) -> None:
    (tmp_path / "content").mkdir()
    (tmp_path / "content/a.md").write_text("# A\n\nFew words.\n", encoding="utf-8")
    site = '[site]\nbase_url = "https://p.example/"\n[retrieval]\nfull_context_tokens = 60\n'
    configured(tmp_path, site)
    assert synced()["mode"] == "full-context"
    for arguments in (("--dry-run",), ()):
        assert (
            "MODE WOULD CHANGE: full-context -> keyword"
            in askfolio("add", "engine", *arguments).stdout
        )
    assert synced()["mode_changed"] is True


def test_a_key_that_is_not_there_does_not_stop_an_add(engine: GitFolder, tmp_path: Path) -> None:
    file = tmp_path / "askfolio.toml"
    file.write_text('[embedding]\nprovider = "mistral"\n', encoding="utf-8")
    ran = askfolio("add", "engine")
    assert ran.code == 0
    assert "would embed 7 texts" in ran.stdout
    assert "[[repository]]" in file.read_text(encoding="utf-8")


def test_add_refuses_credentials_until_they_are_said_to_be_public(config: Path) -> None:
    before = config.read_bytes()
    ran = askfolio("add", "git@host.example:ada/engine.git", "--json")
    assert ran.code == 2
    assert "public = true" in ran.json["error"]["message"]
    assert config.read_bytes() == before


def test_remove_leaves_every_other_line(engine: GitFolder, tmp_path: Path) -> None:
    text = (
        f"# about one{block('one', 'engine')}include = [\n  '*.md',  # docs\n]\n\n"
        f"# about two\n[[repository]]\npath = 'engine'\nname = 'two'\n# the end of two\n\n"
        "# about answers\n[answer]\nprovider = 'extractive'\n"
    )
    file = configured(tmp_path, text)
    before = file.read_text(encoding="utf-8")
    assert synced()["added"] == 6
    assert list((tmp_path / "cache/askfolio/clones").iterdir())
    assert askfolio("remove", "one").code == 0
    first, last = before.index("[[repository]]"), before.index("\n# about two")
    assert file.read_text(encoding="utf-8") == before[:first] + before[last:]
    assert not list((tmp_path / "cache/askfolio/clones").iterdir())
    assert counts(synced()) == (0, 0, 2, 4)
    assert askfolio("remove", "two").code == 0
    assert "repository" not in tomllib.loads(file.read_text(encoding="utf-8"))
    assert "# about answers" in file.read_text(encoding="utf-8")


def test_remove_is_not_led_astray_by_other_ways_of_writing(tmp_path: Path) -> None:
    file = tmp_path / "askfolio.toml"
    file.write_text(
        '[site]\nowner = """\n[[repository]]\nname = "b"\n"""\n[[ repository ]]\npath = "x"\n'
        'name = "a"\n[["repository"]]\npath = "y"\nname = "b"\n',
        encoding="utf-8",
    )
    assert askfolio("remove", "b").code == 0
    left = tomllib.loads(file.read_text(encoding="utf-8"))
    assert [one["name"] for one in left["repository"]] == ["a"]
    assert left["site"]["owner"] == '[[repository]]\nname = "b"\n'
    file.write_text(
        'repository = [{path = "x", name = "a"}, {path = "y", name = "b"}]\n', encoding="utf-8"
    )
    assert askfolio("remove", "a").code == 0
    left = tomllib.loads(file.read_text(encoding="utf-8"))
    assert [one["name"] for one in left["repository"]] == ["b"]


@pytest.mark.parametrize(
    ("name", "words"), [("nobody", "motor"), ("site", "by hand"), ("motor", "pinned")]
)
def test_remove_refuses_what_is_no_repository(tmp_path: Path, name: str, words: str) -> None:
    more = '[[site]]\nname = "site"\n[retrieval]\npinned = ["motor"]\n' + block("motor", "x")
    file = configured(tmp_path, more)
    before = file.read_bytes()
    ran = askfolio("remove", name)
    assert ran.code == 2
    assert words in ran.stderr
    assert file.read_bytes() == before


def test_all_repositories_of_a_user_are_shown_and_then_added(config: Path) -> None:
    made = forgejo(
        {"name": "engine"}, {"name": "theirs", "fork": True}, {"name": ".profile"},
        {"name": "new", "empty": True}, {"name": "old", "archived": True},
        {"name": "mine", "private": True},
    )  # fmt: skip
    with api_host(made) as host:
        before = config.read_bytes()
        shown = askfolio("add", f"{host.url}/ada", "--all")
        assert shown.code == 0
        for words in ("add engine: ", "add profile: ", "ada/theirs: fork", "ada/new: empty",
                      "ada/old: archived", "ada/mine: private", "--yes"):  # fmt: skip
            assert words in shown.stdout
        assert config.read_bytes() == before
        ran = askfolio("add", f"{host.url}/ada", "--all", "--yes", "--include", "*.md", "--json")
        assert ran.json["added"] is True
        written = tomllib.loads(config.read_text(encoding="utf-8"))["repository"]
        assert written == [
            {"url": f"{host.url}/ada/engine.git", "include": ["*.md"], "name": "engine"},
            {"url": f"{host.url}/ada/.profile.git", "include": ["*.md"], "name": "profile"},
        ]
        again = askfolio("add", f"{host.url}/ada", "--all", "--yes", "--json").json
        assert again["repositories"] == []
        assert {"path": "ada/engine", "reason": "already a source"} in again["left_out"]


def test_names_that_are_taken_get_their_owner_in_front(engine: GitFolder, tmp_path: Path) -> None:
    configured(tmp_path, block("engine"))
    with api_host(github({"name": "engine"}, {"name": "tiny", "size": 0})) as host:
        offered = askfolio("add", f"{host.url}/ada", "--all", "--json").json
    assert [one["name"] for one in offered["repositories"]] == ["ada-engine"]
    assert offered["left_out"][0]["reason"].startswith("cannot be reached")


def test_an_account_that_cannot_be_listed_is_an_error(config: Path) -> None:
    with api_host(github({"name": "x"}, refusal=(429, {"Retry-After": "9"}))) as host:
        ran = askfolio("add", f"{host.url}/ada", "--all", "--json")
        assert ran.code == 1
        assert "rate limit" in ran.json["error"]["message"]
        unset = askfolio("add", f"{host.url}/ada", "--all", "--token-env", "NOT_SET")
        assert "NOT_SET" in unset.stderr
    assert askfolio("add", "https://host.example", "--all").code == 2
    assert askfolio("add", "https://host.example/x", "--all", "--name", "y").code == 2


def test_every_citation_is_the_text_at_its_commit(engine: GitFolder, tmp_path: Path) -> None:
    configured(tmp_path, block("engine"))
    synced()
    engine.commit({"src/filter.py": "# New.\n" + str(FILES["src/filter.py"])})
    synced()
    for found in chunks(tmp_path):
        url = found.chunk.url or ""
        commit = url.split("/blob/")[1].split("/")[0]
        text = engine.git("show", f"{commit}:{found.document.path}").replace(
            f'TOKEN = "{SECRET}"', "[secret left out]"
        )
        first, last = found.chunk.start_line, found.chunk.end_line
        assert first is not None
        if found.document.kind == "code":
            assert found.chunk.text == "\n".join(text.split("\n")[first - 1 : last]).rstrip("\n")
            assert url.endswith(f"#L{first}-L{last}")
    filters = [one for one in chunks(tmp_path) if one.document.path == "src/filter.py"]
    assert [one.chunk.context for one in filters] == ["", "numpy"]
    assert filters[1].chunk.start_line == 5


def test_only_what_changed_is_read_and_embedded(
    engine: GitFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", "test-key")
    with FakeMistral() as server:
        embedding = f'[embedding]\nprovider = "mistral"\nserver_url = "{server.url}"\n'
        (tmp_path / "askfolio.toml").write_text(embedding + block("engine"), encoding="utf-8")
        first = synced()
        assert counts(first) == (4, 0, 0, 0)
        engine.commit({"photo.png": b"\x89PNG\r\n\x1a\n\0\1"})
        unread = synced()
        assert counts(unread) == (0, 0, 0, 4)
        assert unread["generation"] == first["generation"]
        assert unread["skipped"] == first["skipped"]
        readme = str(FILES["README.md"]).replace("Make.", "Run make.")
        engine.commit({"README.md": readme})
        changed = synced()
        assert counts(changed) == (0, 1, 0, 3)
        # The other section has a link, which names another commit now.
        assert changed["embedded_texts"] == 1
        (tmp_path / "knowledge/source_states.json").unlink()
        whole = synced()
        assert (counts(whole), whole["embedded_texts"]) == ((0, 0, 0, 4), 0)
        sent = json.dumps([request.body for request in server.requests])
    for marker in (SECRET, "heron-marker-12"):
        assert marker not in sent
        for file in (tmp_path / "knowledge").rglob("*"):
            assert not file.is_file() or marker.encode() not in file.read_bytes()


def test_a_readme_links_to_its_own_commit(engine: GitFolder, tmp_path: Path) -> None:
    configured(tmp_path, block("engine"))
    synced()
    commit = engine.git("rev-parse", "HEAD")
    (readme, *_) = askfolio("search", "filters tides", "--json").json["results"]
    assert f"[how](https://git.example/engine/blob/{commit}/docs/how.md)" in readme["text"]


def test_other_chunk_sizes_split_what_was_not_read_again(engine: GitFolder, tmp_path: Path) -> None:
    configured(tmp_path, block("engine"))
    synced()
    configured(tmp_path, block("engine") + "[chunking]\nmax_tokens = 8\noverlap_tokens = 0\n")
    assert counts(synced()) == (0, 4, 0, 0)
    assert max(found.chunk.tokens for found in chunks(tmp_path)) <= 8


def test_an_unreachable_repository_keeps_its_documents_and_is_read_on_later(
    engine: GitFolder, tmp_path: Path
) -> None:
    configured(tmp_path, block("engine"))
    synced()
    engine.path.rename(tmp_path / "away")
    ran = askfolio("sync", "--json")
    assert (ran.code, counts(ran.json)) == (4, (0, 0, 0, 4))
    (tmp_path / "away").rename(engine.path)
    engine.commit({"docs/how.md": "# How\n\nBy hand.\n"})
    report = synced()
    assert counts(report) == (0, 1, 0, 3)
    assert len(report["skipped"]) == 4


def test_a_rollback_is_not_taken_for_what_was_read_last(engine: GitFolder, tmp_path: Path) -> None:
    configured(tmp_path, block("engine"))
    synced()
    engine.commit({"docs/how.md": "# How\n\nBy hand.\n"})
    synced()
    assert askfolio("rollback").code == 0
    assert counts(synced()) == (0, 1, 0, 3)
    assert "By hand." in " ".join(found.chunk.text for found in chunks(tmp_path))


def test_one_source_can_be_synced_by_itself(engine: GitFolder, tmp_path: Path) -> None:
    new_repository(tmp_path / "other", {"a.md": "# A\n\nWords.\n"})
    configured(tmp_path, block("engine") + block("other"))
    synced()
    engine.commit({"new.md": "# New\n\nWords.\n"})
    ran = askfolio("sync", "--source", "other", "--json").json
    assert counts(ran) == (0, 0, 0, 5)
    assert counts(synced()) == (1, 0, 0, 5)
    assert counts(synced()) == (0, 0, 0, 6)


def test_a_renamed_file_is_an_addition_and_a_deletion(engine: GitFolder, tmp_path: Path) -> None:
    configured(tmp_path, block("engine"))
    synced()
    engine.git("mv", "src/filter.py", "src/median.py")
    engine.commit({})
    report = synced()
    assert counts(report) == (1, 0, 1, 3)
    found = askfolio("search", "median values", "--kind", "code", "--json").json["results"]
    assert {result["path"] for result in found} == {"src/median.py"}


def test_a_fork_does_not_fill_the_results_twice(engine: GitFolder, tmp_path: Path) -> None:
    engine.git("clone", "-q", str(engine.path), str(tmp_path / "fork"))
    GitFolder(tmp_path / "fork").commit({"own.md": "# Own\n\nOnly here: median.\n"})
    configured(tmp_path, block("engine") + block("fork"))
    assert synced()["added"] == 9
    for query in ("median", "filters tides"):
        results = askfolio("search", query, "-k", "2", "--json").json["results"]
        assert len({tuple(texts(result["text"])) for result in results}) == len(results)
    assert askfolio("sync", "--json").json["ignored"] == 9


def test_the_same_code_under_another_name_stands_once_before_what_is_different(
    engine: GitFolder, tmp_path: Path
) -> None:
    other = "def mean(values):\n    return median(values)\n"
    new_repository(tmp_path / "tools", {"lib/middle.py": FILES["src/filter.py"], "mean.py": other})
    configured(tmp_path, block("engine") + block("tools"))
    synced()
    results = askfolio("search", "median values", "--kind", "code", "-k", "2", "--json").json
    assert len({result["text"] for result in results["results"]}) == 2


def texts(text: str) -> Iterator[str]:
    """Words without addresses, in which a fork differs from its parent."""
    return (word for word in text.split() if "://" not in word)
