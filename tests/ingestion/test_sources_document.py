"""Holds docs/sources.md to the code: its examples are read, its tables are true."""

import re
import tomllib
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ingestion.sources import open_site
from retrieval.configuration import load_configuration
from tests.ingestion.test_html_site import page

TEXT = (Path(__file__).parents[2] / "docs" / "sources.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```toml\n(.*?)```\n((?:\n\|[^\n]*)*)", TEXT, re.DOTALL)
TABLES = [(block, table) for block, table in EXAMPLES if table]


def rows(table: str) -> dict[str, str]:
    return dict(re.findall(r"^\| `([^`]+)` \| `?([^`|]+?)`? \|$", table, re.MULTILINE))


@pytest.mark.parametrize("block", [block for block, _ in EXAMPLES])
def test_every_example_is_a_configuration(tmp_path: Path, block: str) -> None:
    (tmp_path / "askfolio.toml").write_text(block, encoding="utf-8")
    assert load_configuration(tmp_path / "askfolio.toml").site
    assert tomllib.loads(block)


@pytest.mark.parametrize(("block", "table"), TABLES)
def test_every_file_has_the_address_of_the_table(tmp_path: Path, block: str, table: str) -> None:
    (tmp_path / "askfolio.toml").write_text(block, encoding="utf-8")
    configuration = load_configuration(tmp_path / "askfolio.toml")
    (site,) = configuration.site
    root = configuration.resolve(site.path)
    expected = rows(table)
    for name in expected:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(page() if name.endswith(".html") else "text\n", encoding="utf-8")
    listing = open_site(site, root, datetime(2025, 1, 1, tzinfo=UTC)).listing()
    left_out = {skipped.path: "-" for skipped in listing.skipped}
    assert {d.path: d.url for d in listing.documents} | left_out == expected


def test_tables_are_found() -> None:
    assert len(EXAMPLES) == 9
    assert [len(rows(table)) for _, table in TABLES] == [3, 7, 4, 3, 4]
