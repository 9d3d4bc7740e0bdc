"""`askfolio sync` on a small site: four operations, and nothing lost when something is wrong."""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from retrieval.generation import current_name
from tests.command_line import askfolio
from tests.fake_mistral import EMBEDDINGS, FakeMistral, Reply, error_body
from tests.sites import PAGES, write_configuration, write_site


@pytest.fixture
def site(tmp_path: Path) -> Path:
    write_site(tmp_path)
    write_configuration(tmp_path)
    return tmp_path


def urls(query: str) -> list[str]:
    return [result["url"] for result in askfolio("search", query, "--json").json["results"]]


def test_a_first_sync_adds_every_published_page(site: Path) -> None:
    ran = askfolio("sync", "--json")
    assert ran.code == 0
    assert ran.json["added"] == 4
    assert {"source": "site", "path": "content/draft.md", "reason": "draft"} in ran.json["skipped"]
    assert urls("three-pin header") == ["https://portfolio.example/gauge/#wiring"]
    assert urls("purple walrus") == []


def test_a_second_sync_changes_nothing_but_the_time(site: Path) -> None:
    askfolio("sync")
    generation = current_name(site / "knowledge")
    ran = askfolio("sync", "--json")
    assert (ran.json["added"], ran.json["updated"], ran.json["deleted"]) == (0, 0, 0)
    assert (ran.json["ignored"], ran.json["embedded_texts"]) == (4, 0)
    assert current_name(site / "knowledge") == generation
    last = json.loads((site / "knowledge/last_sync.json").read_text(encoding="utf-8"))
    assert (last["exit_code"], last["ignored"]) == (0, 4)


def test_a_changed_page_is_updated_and_its_changed_chunks_alone_are_embedded(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeMistral() as server:
        write_configuration(
            site, f'[embedding]\nprovider = "mistral"\nserver_url = "{server.url}"\n'
        )
        monkeypatch.setenv("MISTRAL_API_KEY", "test-key")
        first = askfolio("sync", "--json").json
        sent = len(server.requests)
        page = site / "content/gauge.md"
        page.write_text(PAGES["gauge.md"].replace("nine", "seven"), encoding="utf-8")
        ran = askfolio("sync", "--json").json
        assert first["embedded_texts"] == 6
        assert (ran["added"], ran["updated"], ran["deleted"], ran["ignored"]) == (0, 1, 0, 3)
        assert ran["embedded_texts"] == 1
        assert len(server.requests) == sent + 1
        assert server.requests[-1].body["input"][0].endswith("of seven samples removes the waves.")
        again = askfolio("sync", "--json").json
        assert again["embedded_texts"] == 0
        assert len(server.requests) == sent + 1


def test_deleted_and_redrafted_pages_are_gone_from_every_part(site: Path) -> None:
    askfolio("sync")
    (site / "content/kiln.md").unlink()
    page = site / "content/labels.md"
    page.write_text(PAGES["labels.md"].replace("title", "draft: true\ntitle"), encoding="utf-8")
    ran = askfolio("sync", "--json").json
    assert ran["deleted"] == 2
    assert urls("kiln temperature") == []
    assert urls("braille") == []
    folder = site / "knowledge/generations" / current_name(site / "knowledge")
    assert "braille" not in (folder / "knowledge.txt").read_text(encoding="utf-8")


def test_a_dry_run_changes_nothing(site: Path) -> None:
    ran = askfolio("sync", "--dry-run", "--json")
    assert (ran.code, ran.json["added"], ran.json["generation"]) == (0, 4, "")
    assert not (site / "knowledge").exists()


def test_a_broken_page_keeps_its_last_good_version(site: Path) -> None:
    askfolio("sync")
    page = site / "content/kiln.md"
    page.write_text("---\ntitle: Kiln: part 2\n---\nAmber piston.\n", encoding="utf-8")
    ran = askfolio("sync", "--json")
    assert ran.code == 4
    assert ran.json["deleted"] == 0
    assert [error["path"] for error in ran.json["errors"]] == ["content/kiln.md"]
    assert urls("kiln temperature") == ["https://portfolio.example/kiln/"]
    assert urls("amber piston") == []


def test_an_emptied_site_is_refused_until_it_is_meant(site: Path) -> None:
    askfolio("sync")
    generation = current_name(site / "knowledge")
    for page in (site / "content").glob("*.md"):
        page.unlink()
    ran = askfolio("sync", "--json")
    assert ran.code == 3
    assert "--yes" in ran.json["error"]["message"]
    assert current_name(site / "knowledge") == generation
    assert urls("kiln") == ["https://portfolio.example/kiln/"]
    assert askfolio("sync", "--yes", "--json").json["deleted"] == 4
    assert urls("kiln") == []


def test_a_missing_content_folder_is_named(site: Path) -> None:
    askfolio("sync")
    (site / "content").rename(site / "elsewhere")
    ran = askfolio("sync", "--json")
    assert ran.code == 2
    assert "content" in ran.json["error"]["message"]
    assert urls("kiln") == ["https://portfolio.example/kiln/"]


def test_no_configuration_names_the_command_that_makes_one(tmp_path: Path) -> None:
    ran = askfolio("sync", "--json")
    assert ran.code == 2
    assert "askfolio init" in ran.json["error"]["message"]


def test_an_unreachable_repository_is_reported_and_the_rest_goes_on(site: Path) -> None:
    write_configuration(site, '[embedding]\nprovider = "none"\n[[repository]]\npath = "absent"\n')
    ran = askfolio("sync", "--json")
    assert ran.code == 4
    assert ran.json["added"] == 4
    assert "absent" in ran.json["errors"][0]["reason"]


def test_an_embedder_that_refuses_leaves_the_old_generation_serving(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    askfolio("sync")
    generation = current_name(site / "knowledge")
    with FakeMistral() as server:
        server.script(EMBEDDINGS, Reply(401, body=error_body("Unauthorized")))
        write_configuration(
            site, f'[embedding]\nprovider = "mistral"\nserver_url = "{server.url}"\n'
        )
        monkeypatch.setenv("MISTRAL_API_KEY", "very-secret-key")
        ran = askfolio("sync", "--json")
    assert ran.code == 1
    assert "very-secret-key" not in ran.stdout + ran.stderr
    assert current_name(site / "knowledge") == generation
    last = json.loads((site / "knowledge/last_sync.json").read_text(encoding="utf-8"))
    assert last["exit_code"] == 1


def test_another_embedder_is_a_full_reembedding_that_is_announced(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    askfolio("sync")
    with FakeMistral() as server:
        write_configuration(
            site, f'[embedding]\nprovider = "mistral"\nserver_url = "{server.url}"\n'
        )
        monkeypatch.setenv("MISTRAL_API_KEY", "test-key")
        ran = askfolio("sync", "--json")
    assert (ran.code, ran.json["ignored"], ran.json["embedded_texts"]) == (0, 4, 6)
    assert "EMBEDDER CHANGED" in ran.stderr


@pytest.mark.parametrize("name", ["chunks.sqlite", "dense.flat", "manifest.json", "vectors.f16"])
@pytest.mark.parametrize("damage", ["truncated", "empty", "absent"])
def test_a_torn_generation_is_refused_and_rebuilt_without_paying_again(
    site: Path, name: str, damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeMistral() as server:
        write_configuration(
            site, f'[embedding]\nprovider = "mistral"\nserver_url = "{server.url}"\n'
        )
        monkeypatch.setenv("MISTRAL_API_KEY", "test-key")
        askfolio("sync")
        folder = site / "knowledge/generations" / current_name(site / "knowledge")
        content = (folder / name).read_bytes()
        if damage == "absent":
            (folder / name).unlink()
        else:
            half = len(content) // 2 if damage == "truncated" else 0
            (folder / name).write_bytes(content[:half])
        ran = askfolio("search", "kiln", "--json")
        assert ran.code == 1
        assert name in ran.json["error"]["message"]
        assert "askfolio sync" in ran.json["error"]["message"]
        repaired = askfolio("sync", "--json")
        assert (repaired.code, repaired.json["embedded_texts"]) == (0, 0)
        assert urls("kiln")[0] == "https://portfolio.example/kiln/"


def test_a_newer_format_is_refused_by_name_and_not_built_over(site: Path) -> None:
    askfolio("sync")
    folder = site / "knowledge/generations" / current_name(site / "knowledge")
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    newer = json.dumps(manifest | {"format_version": 99})
    (folder / "manifest.json").write_text(newer, encoding="utf-8")
    for command in (("search", "kiln"), ("sync",)):
        ran = askfolio(*command, "--json")
        assert ran.code == 1
        assert "99" in ran.json["error"]["message"]
    assert (
        json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["format_version"] == 99
    )


def test_a_full_disk_leaves_the_old_generation_serving(site: Path) -> None:
    askfolio("sync")
    generation = current_name(site / "knowledge")
    (site / "content/long.md").write_text(
        "---\ntitle: Long\n---\n"
        + "\n\n".join(f"Word{n} and many more words." for n in range(8_000)),
        encoding="utf-8",
    )
    ran = subprocess.run(
        [sys.executable, "-c", "import askfolio; askfolio.main()", "sync", "--json"],
        cwd=site,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)),
    )
    assert ran.returncode == 1, ran.stderr
    assert "make room" in json.loads(ran.stdout)["error"]["message"]
    assert current_name(site / "knowledge") == generation
    assert not list((site / "knowledge/generations").glob(".building*"))
    assert urls("kiln") == ["https://portfolio.example/kiln/"]


def test_two_syncs_cannot_run_at_once(site: Path) -> None:
    from ingestion.knowledge_folder import KnowledgeFolder

    with KnowledgeFolder(site / "knowledge").locked():
        ran = askfolio("sync", "--json")
    assert ran.code == 1
    assert f"process {os.getpid()}" in ran.json["error"]["message"]


def test_the_mode_follows_the_limit_and_a_change_is_said_loudly(site: Path) -> None:
    first = askfolio("sync", "--json").json
    write_configuration(
        site, '[embedding]\nprovider = "none"\n[retrieval]\nfull_context_tokens = 0\n'
    )
    ran = askfolio("sync")
    assert first["mode"] == "full-context"
    assert "MODE CHANGED: full-context -> keyword" in ran.stdout
