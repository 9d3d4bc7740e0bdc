"""Holds the documents to the code."""

import re
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

import askfolio
from retrieval.configuration import keys

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
ADRS = ROOT / "docs" / "adr"
DOCUMENTS = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/engine/**/*.md")]
)


def rows(first_cell: str) -> list[list[str]]:
    """Cells of every README table row whose first cell matches the pattern."""
    table = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
        for line in README.read_text(encoding="utf-8").splitlines()
        if line.startswith("|")
    ]
    return [cells for cells in table if re.fullmatch(first_cell, cells[0])]


def toml(value: object) -> str:
    """A default as it is written in the configuration file."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "[" + ", ".join(toml(element) for element in value) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def links(file: Path) -> list[str]:
    """Targets of the links and images of a Markdown file."""

    def targets(tokens: list[Token]) -> list[str]:
        found = []
        for token in tokens:
            target = token.attrGet("href") or token.attrGet("src")
            found += [str(target)] if target else []
            found += targets(token.children or [])
        return found

    return targets(MarkdownIt().parse(file.read_text(encoding="utf-8")))


def test_the_settings_table_lists_every_key_with_its_default() -> None:
    declared = [(f"{section}.{key}", toml(default)) for section, key, default in keys()]
    sections = "|".join({section for section, _, _ in keys()})
    listed = [(cells[0], cells[1]) for cells in rows(rf"({sections})\.\w+")]
    assert listed == declared


def test_every_setting_has_a_meaning() -> None:
    assert all(cells[2] for cells in rows(r"\w+\.\w+"))


def test_the_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 150


def test_every_command_is_in_the_readme() -> None:
    declared = {
        command.name or command.callback.__name__
        for command in askfolio.app.registered_commands
        if command.callback
    }
    declared |= {str(group.name) for group in askfolio.app.registered_groups}
    listed = {cells[0].strip("`").split()[1] for cells in rows(r"`askfolio \w+.*`")}
    assert listed == declared


def test_every_decision_is_in_the_list_of_decisions() -> None:
    pages = {file.name for file in ADRS.glob("[0-9]*.md")}
    assert set(links(ADRS / "README.md")) == pages


@pytest.mark.parametrize("page", sorted(ADRS.glob("[0-9]*.md")), ids=lambda page: page.name)
def test_a_decision_has_its_number_context_decision_and_consequences(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"# {page.name[:4]} ")
    headings = re.findall(r"^## (.+)$", text, flags=re.MULTILINE)
    assert headings == ["Context", "Decision", "Consequences"]


def test_every_dependency_says_what_it_replaces() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = list(project["dependencies"])
    for extra in project["optional-dependencies"].values():
        wanted += extra
    names = {re.match(r"[\w.-]+", requirement)[0] for requirement in wanted}  # type: ignore[index]
    text = (ADRS / "0009-dependencies.md").read_text(encoding="utf-8")
    cells = re.findall(r"^\| ([a-z][^|]*?)(?: \(extra `\w+`\))? \|", text, flags=re.MULTILINE)
    patterns = [pattern for cell in cells for pattern in cell.split(", ")]
    assert [n for n in sorted(names) if not any(fnmatch(n, p) for p in patterns)] == []
    assert [p for p in patterns if not any(fnmatch(n, p) for n in names)] == []


@pytest.mark.parametrize("file", DOCUMENTS, ids=lambda file: str(file.relative_to(ROOT)))
def test_every_relative_link_leads_to_a_file(file: Path) -> None:
    for target in links(file):
        path = target.partition("#")[0]
        if path and "://" not in path and not path.startswith("mailto:"):
            assert (file.parent / path).exists(), f"{file.name} links to {target}"


def test_every_code_path_in_the_architecture_exists() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    for path in re.findall(r"`((?:retrieval|ingestion|service|bench|scripts|tests)/[^`]*)`", text):
        assert (ROOT / path).exists(), path


def test_every_module_or_its_folder_is_in_the_architecture() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    for package in ("retrieval", "ingestion", "service", "bench"):
        for file in sorted((ROOT / package).rglob("*.py")):
            path = file.relative_to(ROOT)
            folder = "" if path.parent == Path(package) else f"`{path.parent}/`"
            named = f"`{path}`" in text or (folder and folder in text)
            assert named or file.name == "__init__.py", f"{path} is not in ARCHITECTURE.md"
