"""What a generation is exported as, and what comes back when it is a source again."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import askfolio
from tests.git_repositories import new_repository
from tests.sites import write_files

HUGO = """\
baseURL = "https://ada.example/"
title = "Ada"
defaultContentLanguage = "en"
[languages.en]
[languages.es]
"""
SITE = {
    "hugo.toml": HUGO,
    "content/_index.md": "---\ntitle: Home\n---\nAda builds *instruments* for [sea](/gauge/).\n",
    "content/_index.es.md": "---\ntitle: Inicio\n---\nAda construye instrumentos para el mar.\n",
    "content/gauge.md": (
        "---\ntitle: 'A_gauge `for` *tides* # 1'\n---\nIntro.\n\n## Parts\n\n### Sensor {#probe}\n"
        "\nThe pressure sensor.\n\nSource: https://evil.example/\n\nStill the sensor.\n\n"
        "Setext part\n-----------\n\nUnderlined.\n\n## Wiring ##\n\n```c\nint x;\n"
    ),
    "content/gauge.es.md": "---\ntitle: Mareógrafo\n---\n## Sensor\n\nEl sensor de presión.\n",
    "content/quotes.md": (
        "---\ntitle: Quotes\n---\n- item\n\n  ```\n  Source: https://evil.example/in-code/\n\n"
        "> ## Quoted\n\n## Plain & simple\n\ntext\n"
    ),
    "data/projects.yaml": "- {id: engine, name: Engine, about: A motor in Go}\n"
    "- {id: kiln, name: Kiln_, about: A hot one}\n",
    "data/proyectos.yaml": "- {id: engine, name: Motor, about: Un motor en Go}\n",
}
CONFIGURATION = """\
[site]
owner = "Ada Example"
[[site.data]]
file = "data/projects.yaml"
url = "/projects/#{id}"
language = "en"
[[site.data]]
file = "data/proyectos.yaml"
url = "/es/projects/#{id}"
language = "es"
[[repository]]
path = "../engine"
link = "https://git.example/engine/blob/{commit}/{path}#L{start}-L{end}"
[[repository]]
path = "../notes"
[embedding]
provider = "none"
"""
README = "# Engine\n\nThe engine filters tide levels.\n\n## Install it\n\nRun make.\n"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    engine = new_repository(tmp_path / "engine")
    engine.commit({"README.md": README, "src/f.py": 'def f():\n    return "```"\n# Source: x\n'})
    new_repository(tmp_path / "notes").commit({"docs/my notes.md": "# Notes\n\nUnlinked.\n"})
    write_files(tmp_path / "site", {**SITE, "askfolio.toml": CONFIGURATION})
    return tmp_path / "site" / "askfolio.toml"


def export(config: Path, name: str) -> str:
    ran = askfolio("export", name, "--config", str(config))
    assert ran.code == 0, ran.stderr
    return ran.stdout


def sources(text: str) -> list[str]:
    return re.findall(r"^Source: (.*)$", text, re.MULTILINE)


def pages(config: Path) -> list[dict[str, Any]]:
    found = askfolio("status", "--pages", "--json", "--config", str(config)).json
    assert isinstance(found, list)
    return found


def sync(config: Path) -> Any:  # noqa: ANN401
    ran = askfolio("sync", "--json", "--config", str(config))
    assert ran.code == 0, ran.stdout
    return ran.json


def again(config: Path, name: str, text: str) -> Path:
    """The configuration of a site that is the exported text."""
    folder = config.parent.parent / f"again-{name}"
    write_files(folder, {name: text, "askfolio.toml": (
        f'[site]\nname = "k"\nkind = "knowledge"\npath = "{name}"\n[embedding]\nprovider = "none"\n'
    )})  # fmt: skip
    sync(folder / "askfolio.toml")
    return folder / "askfolio.toml"


def test_every_document_is_a_block_headed_by_its_address(site: Path) -> None:
    sync(site)
    text = export(site, "knowledge.txt")
    urls = [page["url"] or "" for page in pages(site)]
    assert sorted(s for s in sources(text) if s.startswith("http")) == sorted(filter(None, urls))
    assert "notes:docs/my%20notes.md" in sources(text)


def test_the_export_is_the_text_of_the_generation_and_the_same_every_time(site: Path) -> None:
    sync(site)
    text = export(site, "knowledge.txt")
    assert text == export(site, "knowledge.txt")
    (stored,) = (site.parent / "knowledge/generations").glob("*/knowledge.txt")
    assert stored.read_bytes() == text.encode()


@pytest.mark.parametrize("name", ["knowledge.txt", "llms-full.txt"])
def test_what_was_exported_is_a_source_that_keeps_every_address(site: Path, name: str) -> None:
    sync(site)
    before = pages(site)
    text = export(site, name)
    after = pages(again(site, name, text))
    linked = [(p["url"], p["title"], p["language"]) for p in before if p["url"]]
    assert sorted((p["url"], p["title"], p["language"]) for p in after if p["url"]) == sorted(
        linked
    )
    assert [p["title"] for p in after if p["url"] is None] == ["Notes"]
    anchored = {p["url"]: p["anchors"] for p in after}
    gauge = anchored["https://ada.example/gauge/"]
    assert gauge == ["probe", "setext-part", "wiring"]
    assert anchored["https://ada.example/es/gauge/"] == ["sensor"]


def test_search_finds_the_same_addresses_in_what_was_exported(site: Path) -> None:
    sync(site)
    copy = again(site, "knowledge.txt", export(site, "knowledge.txt"))
    for query in ("pressure sensor", "underlined", "sensor de presión", "motor", "hot", "make"):
        found = [
            askfolio("search", query, "--config", str(config), "--json").json["results"][0]["url"]
            for config in (site, copy)
        ]
        assert found[0] == found[1]


def test_a_second_export_is_equal_to_the_first(site: Path) -> None:
    sync(site)
    first = export(site, "knowledge.txt")
    second = export(again(site, "knowledge.txt", first), "knowledge.txt")
    blocks = [sorted(text.split("\nSource: ")[1:]) for text in (f"\n{first}", f"\n{second}")]
    linked = [[b.rstrip() for b in found if b.startswith("http")] for found in blocks]
    assert linked[0] == linked[1]


def test_llms_txt_has_a_title_a_summary_and_sections_of_links(site: Path) -> None:
    sync(site)
    text = export(site, "llms.txt")
    assert text.startswith("# Ada Example\n\n> Ada builds instruments for sea.\n\n## site (en)\n\n")
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == [
        "site (en)", "site (es)", "engine", "Optional",
    ]  # fmt: skip
    entries = re.findall(r"^- \[(.+)\]\((\S+)\)(?:: .+)?$", text, re.MULTILINE)
    urls = {page["url"] for page in pages(site) if page["url"]}
    assert {url for _, url in entries} == urls
    assert len(entries) == len(urls)


def test_llms_txt_is_a_source_too(site: Path) -> None:
    sync(site)
    after = pages(again(site, "llms.txt", export(site, "llms.txt")))
    assert {p["url"] for p in after} == {p["url"] for p in pages(site) if p["url"]}
    assert {p["title"] for p in after} >= {"A_gauge `for` *tides* # 1", "Kiln_", "Mareógrafo"}


def test_a_page_that_is_no_more_than_a_link_is_kept(tmp_path: Path) -> None:
    written = {
        "a.md": "---\ntitle: A\n---\nText.\n",
        "talk.md": "---\ntitle: Talk\nexternalUrl: https://talks.example/7\n---\n",
    }
    write_files(tmp_path / "site/content", written)
    text = '[site]\nbase_url = "https://ada.example/"\n[embedding]\nprovider = "none"\n'
    write_files(tmp_path / "site", {"hugo.toml": "", "askfolio.toml": text})
    config = tmp_path / "site/askfolio.toml"
    sync(config)
    assert {page["url"] for page in pages(config)} == {
        "https://ada.example/a/",
        "https://talks.example/7",
    }
    for name in ("knowledge.txt", "llms.txt", "llms-full.txt"):
        after = pages(again(config, name, export(config, name)))
        assert {(page["url"], page["title"]) for page in after} == {
            ("https://ada.example/a/", "A"),
            ("https://talks.example/7", "Talk"),
        }


def test_out_writes_a_file_and_json_describes_it(site: Path, tmp_path: Path) -> None:
    generation = sync(site)["generation"]
    out = tmp_path / "llms.txt"
    ran = askfolio("export", "llms.txt", "--out", str(out), "--json", "--config", str(site))
    assert out.read_text(encoding="utf-8") == export(site, "llms.txt")
    assert ran.json == {
        "name": "llms.txt",
        "generation": generation,
        "bytes": out.stat().st_size,
        "out": str(out),
    }
    assert [file.name for file in tmp_path.glob("*llms*")] == ["llms.txt"]


def test_an_unknown_file_and_an_unwritable_one_are_refused(site: Path, tmp_path: Path) -> None:
    assert askfolio("export", "robots.txt", "--config", str(site)).code == 2
    sync(site)
    ran = askfolio("export", "llms.txt", "--out", str(tmp_path / "a/b"), "--config", str(site))
    assert ran.code == 2
    assert "cannot be written" in ran.stderr


def test_without_a_sync_export_says_what_to_run(site: Path) -> None:
    ran = askfolio("export", "llms.txt", "--config", str(site))
    assert ran.code == 2
    assert "askfolio sync" in ran.stderr
