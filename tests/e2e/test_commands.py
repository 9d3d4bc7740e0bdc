"""The other commands, as a person runs them."""

import json
from pathlib import Path

import pytest

import askfolio as command_line
from tests.command_line import askfolio
from tests.git_repositories import GitFolder, new_repository
from tests.sites import write_configuration, write_files, write_site


@pytest.fixture
def repository(tmp_path: Path) -> GitFolder:
    repository = new_repository(tmp_path / "repositories" / "engine")
    repository.commit(
        {
            "README.md": "# Engine\n\nThe engine filters tide levels.\n\n## Install\n\nRun make.\n",
            "src/filter.py": "def median(values):\n    return sorted(values)[len(values) // 2]\n",
        }
    )
    return repository


def test_init_add_sync_search_and_status_work_together(
    tmp_path: Path, repository: GitFolder
) -> None:
    write_site(tmp_path)
    assert askfolio("init").code == 0
    assert askfolio("add", str(repository.path)).code == 0
    configured = (tmp_path / "askfolio.toml").read_text(encoding="utf-8")
    assert configured.startswith("# askfolio")
    (tmp_path / "askfolio.toml").write_text(
        configured + '\n[embedding]\nprovider = "none"\n', encoding="utf-8"
    )
    synced = askfolio("sync", "--json").json
    assert synced["added"] == 6
    results = askfolio("search", "median", "--source", "engine", "--json").json["results"]
    assert [result["path"] for result in results] == ["src/filter.py"]
    assert (results[0]["start_line"], results[0]["kind"]) == (1, "code")
    state = askfolio("status", "--json").json
    assert state["sources"]["engine"]["documents"] == 2
    assert state["generation"] == synced["generation"]
    pages = askfolio("status", "--pages", "--json").json
    gauge = next(page for page in pages if page["path"] == "content/gauge.md")
    assert gauge["url"] == "https://portfolio.example/gauge/"
    assert gauge["anchors"] == ["filter", "wiring"]


def test_init_does_not_write_over_a_configuration(tmp_path: Path) -> None:
    write_configuration(tmp_path)
    before = (tmp_path / "askfolio.toml").read_bytes()
    ran = askfolio("init")
    assert ran.code == 2
    assert "exists" in ran.stderr
    assert (tmp_path / "askfolio.toml").read_bytes() == before


def test_add_keeps_comments_and_refuses_a_name_that_is_taken(
    tmp_path: Path, repository: GitFolder
) -> None:
    file = tmp_path / "askfolio.toml"
    file.write_text("# mine\n[retrieval]\nk = 5  # five\n", encoding="utf-8")
    assert askfolio("add", str(repository.path), "--name", "motor").code == 0
    text = file.read_text(encoding="utf-8")
    assert "# mine" in text
    assert "# five" in text
    again = askfolio("add", str(repository.path), "--name", "motor")
    assert again.code == 2
    assert "--name" in again.stderr
    assert file.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("source", ["absent", "https://localhost:1/x.git"])
def test_add_refuses_what_cannot_be_reached(tmp_path: Path, source: str) -> None:
    write_configuration(tmp_path)
    before = (tmp_path / "askfolio.toml").read_bytes()
    ran = askfolio("add", source)
    assert ran.code in (1, 2)
    assert source.rstrip(".git") in ran.stderr
    assert (tmp_path / "askfolio.toml").read_bytes() == before


def test_a_folder_that_is_no_repository_is_named(tmp_path: Path) -> None:
    write_configuration(tmp_path)
    (tmp_path / "plain").mkdir()
    ran = askfolio("add", str(tmp_path / "plain"))
    assert ran.code in (1, 2)
    assert "plain" in ran.stderr


@pytest.mark.parametrize(
    "command", [("search", "x"), ("ask", "x"), ("status",), ("status", "--pages")]
)
def test_without_a_sync_every_reading_command_says_what_to_run(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    write_configuration(tmp_path)
    ran = askfolio(*command, "--json")
    assert ran.code == 2
    assert "askfolio sync" in ran.json["error"]["message"]


def test_verify_finds_a_changed_byte(tmp_path: Path) -> None:
    write_site(tmp_path)
    write_configuration(tmp_path)
    askfolio("sync")
    assert askfolio("status", "--verify", "--json").json["verified"] is True
    file = next((tmp_path / "knowledge/generations").glob("*/knowledge.txt"))
    file.write_bytes(file.read_bytes().replace(b"kiln", b"kilm"))
    ran = askfolio("status", "--verify", "--json")
    assert ran.code == 1
    assert "knowledge.txt" in ran.json["error"]["message"]


def test_search_filters_inside_the_search(tmp_path: Path) -> None:
    write_site(tmp_path)
    write_files(
        tmp_path / "content",
        {f"noise-{n}.md": f"---\ntitle: Noise {n}\n---\nGauge gauge gauge.\n" for n in range(30)},
    )
    write_configuration(tmp_path)
    askfolio("sync")
    found = askfolio("search", "gauge", "-k", "5", "--language", "en", "--json").json["results"]
    assert len(found) == 5
    assert askfolio("search", "gauge", "--language", "de", "--json").json["results"] == []


def test_ask_answers_with_a_citation_and_says_that_it_is_automatic(tmp_path: Path) -> None:
    write_site(tmp_path)
    write_configuration(tmp_path)
    askfolio("sync")
    answer = askfolio("ask", "Where does the pressure sensor sit?", "--json").json
    assert answer["outcome"] == "answered"
    assert answer["citations"][0]["url"] == "https://portfolio.example/gauge/#wiring"
    assert answer["mode"] == "full-context"
    assert answer["ai_generated"] is True
    assert answer["notice"]
    shown = askfolio("ask", "Where does the pressure sensor sit?").stdout
    assert "https://portfolio.example/gauge/#wiring" in shown
    assert answer["notice"] in shown


def test_ask_about_something_else_is_unknown_and_names_the_contact(tmp_path: Path) -> None:
    write_site(tmp_path)
    write_configuration(tmp_path)
    askfolio("sync")
    answer = askfolio("ask", "Who won the football world cup in Brazil?", "--json").json
    assert (answer["outcome"], answer["citations"]) == ("unknown", [])
    assert answer["contact"] == "https://portfolio.example/contact/"


def test_every_command_has_help_with_an_example() -> None:
    for command in command_line.app.registered_commands:
        assert command.callback is not None
        ran = askfolio(command.callback.__name__, "--help")
        assert ran.code == 0
        assert "Example: askfolio" in ran.stdout or "&& askfolio" in ran.stdout


def test_a_wrong_time_is_a_usage_error(tmp_path: Path) -> None:
    write_site(tmp_path)
    write_configuration(tmp_path)
    assert askfolio("sync", "--now", "tomorrow").code == 2


def test_now_decides_what_is_published(tmp_path: Path) -> None:
    write_site(tmp_path)
    write_files(
        tmp_path / "content",
        {"later.md": "---\ntitle: Later\ndate: 2031-01-01\n---\nThe orange otter.\n"},
    )
    write_configuration(tmp_path)
    before = askfolio("sync", "--now", "2030-01-01T00:00:00Z", "--json").json
    after = askfolio("sync", "--now", "2032-01-01T00:00:00Z", "--json").json
    assert {"source": "site", "path": "content/later.md", "reason": "future"} in before["skipped"]
    assert [d for d in after["documents"] if d["operation"] == "add"] == [
        {"id": "site:content/later.md", "operation": "add"}
    ]
    assert json.loads((tmp_path / "knowledge/last_sync.json").read_text())["added"] == 1


def test_check_links_reports_where_the_rules_and_hugos_list_differ(tmp_path: Path) -> None:
    write_site(tmp_path)
    listed = (
        "path,slug,title,date,expiryDate,publishDate,draft,permalink,kind,section\n"
        "content/kiln.md,,Kiln,0001-01-01T00:00:00Z,0001-01-01T00:00:00Z,0001-01-01T00:00:00Z,"
        "false,https://portfolio.example/oven/,page,\n"
    )
    write_files(tmp_path, {"list.csv": listed})
    file = write_configuration(tmp_path)
    file.write_text(
        file.read_text(encoding="utf-8").replace(
            'path = "."', 'path = "."\nhugo_list = "list.csv"'
        ),
        encoding="utf-8",
    )
    askfolio("sync")
    (links,) = askfolio("status", "--check-links", "--json").json["links"]
    assert links["source"] == "site"
    assert {
        "path": "content/kiln.md",
        "ours": "https://portfolio.example/kiln/",
        "theirs": "https://portfolio.example/oven/",
    } in links["differences"]
    assert askfolio("status", "--check-links").stdout.count("content/kiln.md") == 1
