"""The knowledge folder: going back, holding, linking, and whatever else happens to a folder."""

import ctypes
import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from ingestion.knowledge_folder import KnowledgeFolder
from retrieval.generation import current_name, generation_names, open_generation
from tests.command_line import Ran, askfolio
from tests.sites import PAGES, write_configuration, write_files, write_site

SHARED_MEMORY = Path("/dev/shm")
ROOT = Path(__file__).parent.parent.parent
PR_CAPBSET_DROP = 24  # linux/prctl.h
CAP_DAC_OVERRIDE = 1  # linux/capability.h


@pytest.fixture
def site(tmp_path: Path) -> Path:
    write_site(tmp_path)
    write_configuration(tmp_path)
    return tmp_path


def sync_version(site: Path, word: str) -> str:
    """Publish a site whose kiln page holds `word`; returns the generation's name."""
    write_files(site / "content", {"kiln.md": f"---\ntitle: Kiln\n---\nThe kiln is {word}.\n"})
    ran = askfolio("sync", "--json")
    assert ran.code == 0, ran.stderr
    return str(ran.json["generation"])


def kiln() -> str:
    (first, *_) = askfolio("search", "kiln", "--json").json["results"]
    return str(first["text"]).removeprefix("The kiln is ").rstrip(".")


def last_sync(site: Path) -> dict[str, object]:
    content = json.loads((site / "knowledge/last_sync.json").read_text(encoding="utf-8"))
    assert isinstance(content, dict)
    return content


def test_rollback_goes_back_one_generation_and_the_next_sync_publishes_again(site: Path) -> None:
    old, new = sync_version(site, "amber"), sync_version(site, "cobalt")
    ran = askfolio("rollback", "--json")
    assert (ran.code, ran.json["generation"], ran.json["previous"]) == (0, old, new)
    assert kiln() == "amber"
    third = sync_version(site, "cobalt")
    assert kiln() == "cobalt"
    # What was rolled back from is not what a second rollback goes to.
    assert generation_names(site / "knowledge") == [old, third]
    assert askfolio("rollback", "--json").json["generation"] == old


def test_a_hold_lets_syncs_build_but_not_publish_until_it_is_released(site: Path) -> None:
    old, _ = sync_version(site, "amber"), sync_version(site, "cobalt")
    assert askfolio("rollback", "--hold", "--json").json["held"] is True
    for word in ("crimson", "violet"):
        write_files(site / "content", {"kiln.md": f"---\ntitle: Kiln\n---\nThe kiln is {word}.\n"})
        ran = askfolio("sync", "--yes", "--json")
        assert (ran.code, ran.json["generation"], ran.json["updated"]) == (0, old, 1)
        assert "HELD" in ran.stderr
        assert "askfolio rollback --release" in ran.stderr
        assert kiln() == "amber"
    assert len(generation_names(site / "knowledge")) == 2
    released = askfolio("rollback", "--release", "--json")
    assert released.json["generation"] == generation_names(site / "knowledge")[-1]
    assert released.json["held"] is False
    assert kiln() == "violet"
    assert sync_version(site, "ochre") == current_name(site / "knowledge")
    assert kiln() == "ochre"


def test_releasing_a_hold_without_a_sync_in_between_publishes_nothing_bad(site: Path) -> None:
    old, _ = sync_version(site, "amber"), sync_version(site, "cobalt")
    askfolio("rollback", "--hold")
    assert askfolio("rollback", "--release", "--json").json["generation"] == old
    assert askfolio("rollback", "--release", "--json").json["generation"] == old


def test_rollback_passes_over_a_generation_that_is_not_whole(site: Path) -> None:
    first, second, _ = (sync_version(site, word) for word in ("amber", "cobalt", "crimson"))
    file = site / f"knowledge/generations/{second}/knowledge.txt"
    file.write_bytes(file.read_bytes().replace(b"cobalt", b"cobolt"))
    ran = askfolio("rollback")
    assert ran.code == 0
    assert f"{second} was passed over" in ran.stdout
    assert current_name(site / "knowledge") == first
    nothing = askfolio("rollback", "--json")
    assert nothing.code == 1
    assert first in nothing.json["error"]["message"]
    assert current_name(site / "knowledge") == first


def test_rollback_needs_something_to_go_back_to(site: Path) -> None:
    assert askfolio("rollback").code == 2
    assert not (site / "knowledge").exists()
    assert askfolio("rollback", "--hold", "--release").code == 2
    only = sync_version(site, "amber")
    assert askfolio("rollback", "--hold").code == 1
    assert not (site / "knowledge/HOLD").exists()
    assert current_name(site / "knowledge") == only


@pytest.mark.parametrize("current", ["", "000009-absent\n", "../elsewhere\n", "\xff", "x" * 9000])
def test_a_wrong_current_is_refused_and_both_ways_out_work(site: Path, current: str) -> None:
    sync_version(site, "amber")
    newest = sync_version(site, "cobalt")
    file = site / "knowledge/CURRENT"
    file.write_bytes(current.encode("latin-1"))
    for command in (("search", "kiln"), ("serve", "--port", "0"), ("status",)):
        ran = askfolio(*command)
        assert ran.code == 1
        assert "askfolio rollback" in ran.stderr
        assert "askfolio sync" in ran.stderr
    assert askfolio("rollback", "--json").json["generation"] == newest
    assert kiln() == "cobalt"
    file.write_bytes(current.encode("latin-1"))
    repaired = askfolio("sync", "--json")
    assert (repaired.code, repaired.json["ignored"]) == (0, 4)
    assert kiln() == "cobalt"


@pytest.mark.parametrize("name", ["chunks.sqlite", "keyword/terms.json", "knowledge.txt"])
def test_a_service_does_not_start_with_a_changed_generation(site: Path, name: str) -> None:
    generation = sync_version(site, "amber")
    file = site / f"knowledge/generations/{generation}/{name}"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1  # the size stays
    file.write_bytes(content)
    ran = askfolio("serve", "--port", "0")
    assert ran.code == 1
    assert name in ran.stderr
    assert "askfolio rollback" in ran.stderr


def test_texts_are_not_copied_from_a_store_that_was_changed(site: Path) -> None:
    old, new = sync_version(site, "amber"), sync_version(site, "cobalt")
    store = site / f"knowledge/generations/{new}/chunks.sqlite"
    store.write_bytes(store.read_bytes().replace(b"temperature", b"temparature"))
    store.write_bytes(store.read_bytes().replace(b"braille", b"brulles"))
    ran = sync_version(site, "crimson")
    assert ran not in (old, new)
    assert askfolio("search", "braille", "--json").json["results"]
    assert not askfolio("search", "brulles", "--json").json["results"]


def test_an_emptied_site_is_refused_even_where_the_generation_is_torn(site: Path) -> None:
    generation = sync_version(site, "amber")
    (site / f"knowledge/generations/{generation}/chunks.sqlite").write_bytes(b"")
    for page in (site / "content").glob("*.md"):
        page.unlink()
    assert askfolio("sync").code == 3
    assert current_name(site / "knowledge") == generation


def test_an_emptied_site_is_refused_where_an_older_generation_knows_better(site: Path) -> None:
    sync_version(site, "amber")
    generation = sync_version(site, "cobalt")
    shutil.rmtree(site / f"knowledge/generations/{generation}")
    for page in (site / "content").glob("*.md"):
        page.unlink()
    ran = askfolio("sync", "--json")
    assert ran.code == 3
    assert "4 of 4" in ran.json["error"]["message"]


def test_leftovers_of_killed_syncs_disappear_and_strangers_stay(site: Path) -> None:
    sync_version(site, "amber")
    knowledge = site / "knowledge"
    for name in (".building-1", ".removing-000001-x", "notes", "0x-strange", "²-odd"):
        write_files(knowledge / "generations" / name, {"file": "x"})
    write_files(knowledge, {".CURRENT.1-a.new": "x", "mine.txt": "x"})
    sync_version(site, "cobalt")
    left = {path.name for path in (knowledge / "generations").iterdir()}
    assert {"notes", "0x-strange", "²-odd"} <= left
    assert not {".building-1", ".removing-000001-x"} & left
    assert not (knowledge / ".CURRENT.1-a.new").exists()
    assert (knowledge / "mine.txt").exists()


def test_a_generation_that_another_process_has_open_is_not_pruned(site: Path) -> None:
    write_configuration(site, '[embedding]\nprovider = "none"\n[knowledge]\nkeep = 1\n')
    first = sync_version(site, "amber")
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys; from pathlib import Path; from retrieval.generation import *;"
            "open_generation(Path('knowledge')); print('open', flush=True); sys.stdin.read()",
        ],
        cwd=site,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdin is not None
    assert holder.stdout is not None
    try:
        assert holder.stdout.readline() == b"open\n"
        for word in ("cobalt", "crimson", "violet"):
            newest = sync_version(site, word)
        assert first in generation_names(site / "knowledge")
        open_generation(site / "knowledge", first).close()
    finally:
        holder.communicate()
    last = sync_version(site, "ochre")
    assert generation_names(site / "knowledge") == [newest, last]


def test_unchanged_files_are_hard_links_and_damage_does_not_spread(site: Path) -> None:
    write_configuration(
        site, '[embedding]\nprovider = "none"\n[knowledge]\nkeep = 3\n[retrieval]\nk = 5\n'
    )
    first = sync_version(site, "amber")
    metadata = PAGES["labels.md"].replace("title", "slug: stickers\ntitle")
    write_files(site / "content", {"labels.md": metadata})
    second = str(askfolio("sync", "--json").json["generation"])
    folder = site / "knowledge/generations"
    for name in ("keyword/terms.json", "keyword/postings.npz"):
        assert (folder / first / name).samefile(folder / second / name)
    for name in ("manifest.json", "chunks.sqlite"):
        assert not (folder / first / name).samefile(folder / second / name)
    terms = folder / second / "keyword/terms.json"
    terms.unlink()
    terms.write_bytes((folder / first / "keyword/terms.json").read_bytes()[::-1])
    write_files(site / "content", {"labels.md": metadata.replace("stickers", "tags")})
    assert askfolio("sync").code == 0
    assert askfolio("status", "--verify").code == 0


@pytest.mark.skipif(not SHARED_MEMORY.is_dir(), reason="needs a second file system")
def test_generations_on_another_file_system(site: Path) -> None:
    with tempfile.TemporaryDirectory(dir=SHARED_MEMORY) as elsewhere:
        if os.stat(elsewhere).st_dev == os.stat(site).st_dev:
            pytest.skip("needs a second file system")
        (site / "knowledge").mkdir()
        (site / "knowledge/generations").symlink_to(elsewhere)
        sync_version(site, "amber")
        sync_version(site, "cobalt")
        assert kiln() == "cobalt"
        assert askfolio("rollback").code == 0
        assert kiln() == "amber"


def test_nothing_depends_on_a_clock_or_on_file_times(site: Path) -> None:
    sync_version(site, "amber")
    newest = sync_version(site, "cobalt")
    for path in (site / "knowledge").rglob("*"):
        os.utime(path, (0, 0) if newest in str(path) else (4e9, 4e9))
    assert askfolio("sync", "--json").json["ignored"] == 4
    last = sync_version(site, "crimson")
    assert generation_names(site / "knowledge")[-1] == last
    assert kiln() == "crimson"


def test_the_second_sync_says_who_holds_the_lock(site: Path) -> None:
    sync_version(site, "amber")
    before = last_sync(site)
    with KnowledgeFolder(site / "knowledge").locked():
        for command in ("sync", "rollback"):
            ran = askfolio(command, "--json")
            assert ran.code == 1
            assert f"process {os.getpid()} on " in ran.json["error"]["message"]
    assert last_sync(site) == before
    assert askfolio("sync").code == 0


def obey_file_rights() -> None:
    """In a child: even root is stopped by the rights of its own files."""
    if os.geteuid() == 0:
        prctl = ctypes.CDLL(None).prctl
        assert prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0) == 0


def without_write_access(folder: Path, *command: str) -> Ran:
    ran = subprocess.run(
        [sys.executable, "-c", "import askfolio; askfolio.main()", *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=obey_file_rights,
        capture_output=True,
        text=True,
        check=False,
    )
    return Ran(ran.returncode, ran.stdout, ran.stderr)


@pytest.mark.skipif(sys.platform != "linux", reason="capabilities of Linux")
def test_a_read_only_folder_is_served_and_planned_but_not_written(site: Path) -> None:
    sync_version(site, "amber")
    paths = [site / "knowledge", *(site / "knowledge").rglob("*")]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        found = without_write_access(site, "search", "kiln", "--json")
        assert found.json["results"][0]["text"] == "The kiln is amber."
        assert without_write_access(site, "status", "--verify").code == 0
        planned = without_write_access(site, "sync", "--dry-run", "--json")
        assert (planned.code, planned.json["ignored"]) == (0, 4)
        for command in ("sync", "rollback"):
            ran = without_write_access(site, command, "--json")
            assert ran.code == 1
            assert "cannot be written" in ran.json["error"]["message"]
    finally:
        for path in paths:
            path.chmod(0o755)


def test_a_failed_sync_is_written_down_with_what_still_serves(site: Path) -> None:
    generation = sync_version(site, "amber")
    succeeded = last_sync(site)["last_success"]
    for page in (site / "content").glob("*.md"):
        page.unlink()
    assert askfolio("sync").code == 3
    failed = last_sync(site)
    assert (failed["exit_code"], failed["generation"]) == (3, generation)
    assert failed["last_success"] == succeeded
    assert failed["time"]
    assert "--yes" in str(failed["errors"])


def test_a_dry_run_shows_what_would_be_refused_and_changes_nothing(site: Path) -> None:
    sync_version(site, "amber")
    before = {path: path.stat().st_mtime_ns for path in (site / "knowledge").rglob("*")}
    for page in (site / "content").glob("*.md"):
        page.unlink()
    ran = askfolio("sync", "--dry-run")
    assert ran.code == 3
    assert "would delete site:content/kiln.md" in ran.stdout
    assert "WOULD BE REFUSED" in ran.stdout
    assert {path: path.stat().st_mtime_ns for path in (site / "knowledge").rglob("*")} == before


def test_one_source_alone_leaves_the_others_as_they_are(site: Path) -> None:
    write_files(site / "notes", {"one.md": "# One\n\nThe walnut desk.\n"})
    other = '[[site]]\nname = "notes"\npath = "notes"\nbase_url = "https://notes.example/"\n'
    file = write_configuration(site)
    both = file.read_text(encoding="utf-8").replace("[site]", "[[site]]") + other
    file.write_text(both, encoding="utf-8")
    assert askfolio("sync", "--json").json["added"] == 5
    (site / "content/kiln.md").unlink()
    write_files(site / "notes", {"one.md": "# One\n\nThe birch desk.\n"})
    ran = askfolio("sync", "--source", "notes", "--json").json
    assert (ran["added"], ran["updated"], ran["deleted"], ran["ignored"]) == (0, 1, 0, 4)
    # Not even what is configured no more disappears when another source alone is asked for.
    file.write_text(both.replace('name = "site"', 'name = "renamed"'), encoding="utf-8")
    ran = askfolio("sync", "--source", "notes", "--json").json
    assert (ran["deleted"], ran["ignored"]) == (0, 5)
    assert askfolio("sync", "--source", "absent").code == 2


def test_new_chunking_rules_reach_what_could_not_be_read_at_first(site: Path) -> None:
    text = "---\ntitle: Kiln\n---\n" + " ".join(f"word{n}." for n in range(300)) + "\n"
    write_files(site / "content", {"kiln.md": text})
    askfolio("sync")
    write_files(site / "content", {"kiln.md": text.replace("title: Kiln", "title: Kiln: two")})
    write_configuration(
        site, '[embedding]\nprovider = "none"\n[chunking]\nmax_tokens = 60\noverlap_tokens = 5\n'
    )
    ran = askfolio("sync", "--json")
    assert (ran.code, ran.json["updated"]) == (4, 3)
    write_files(site / "content", {"kiln.md": text})
    ran = askfolio("sync", "--json")
    assert (ran.code, ran.json["updated"]) == (0, 1)
    pages = {row["path"]: row["chunks"] for row in askfolio("status", "--pages", "--json").json}
    assert pages["content/kiln.md"] > 5
    assert askfolio("sync", "--json").json["ignored"] == 4


def test_new_chunking_rules_reach_a_source_that_was_not_asked_for_at_first(site: Path) -> None:
    write_files(site / "notes", {"one.md": "# One\n\nThe walnut desk.\n"})
    other = '[[site]]\nname = "notes"\npath = "notes"\nbase_url = "https://notes.example/"\n'
    file = write_configuration(site)
    both = file.read_text(encoding="utf-8").replace("[site]", "[[site]]") + other
    file.write_text(both, encoding="utf-8")
    askfolio("sync")
    file.write_text(both + "[chunking]\nmax_tokens = 60\noverlap_tokens = 5\n", encoding="utf-8")
    ran = askfolio("sync", "--source", "notes", "--json").json
    assert (ran["updated"], ran["ignored"]) == (1, 4)
    ran = askfolio("sync", "--json").json
    assert (ran["updated"], ran["ignored"]) == (4, 1)
    assert askfolio("sync", "--json").json["ignored"] == 5


def test_a_lock_outlives_no_process(site: Path) -> None:
    with (site / "askfolio.toml").open() as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        sync_version(site, "amber")
    write_files(site / "knowledge", {"sync.lock": "process 1 on elsewhere\n"})
    sync_version(site, "cobalt")
