"""The tables of docs/scale.md, made from the committed results: never typed by hand.

    python -m bench.scale_page

Rewrites what stands between `<!-- begin NAME -->` and `<!-- end NAME -->` there, the row of the
README on searches of every size, and draws the plots.
"""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from bench.peers.summary import peers_table
from bench.scale_tables import (
    Result,
    builds_table,
    change_table,
    concurrent_table,
    joined,
    machine_table,
    queries_table,
    readme_row,
    recall_table,
    rules_table,
    service_table,
)

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "bench" / "results"
PAGE = ROOT / "docs" / "scale.md"
README = ROOT / "README.md"
_README_ROW = re.compile(r"^\| a hybrid search of .*$", re.MULTILINE)


def tables(folder: Path = RESULTS) -> dict[str, str]:
    """Every table by its name; one whose results are not there is left out."""
    makers: Mapping[str, Callable[[], str]] = {
        "rules": rules_table,
        "queries": lambda: joined(queries_table, _bench_results(folder)),
        "recall": lambda: joined(recall_table, _bench_results(folder)),
        "builds": lambda: joined(builds_table, _bench_results(folder)),
        "change": lambda: joined(change_table, _bench_results(folder)),
        "peers": lambda: "\n\n".join(
            f"{result['options']['chunks']:,} chunks, askfolio with "
            f"{result['options']['dense']} and {result['options']['keyword']}:\n\n"
            f"{peers_table(result)}"
            for result in read_results(folder, "peers-*.json")
        ),
        "service": lambda: service_table(read_results(folder, "service-*.json")),
        "concurrent": lambda: concurrent_table(read_results(folder, "concurrent-*.json")),
        "machine": lambda: machine_table(folder),
    }
    return {name: text for name, make in makers.items() if (text := make())}


def read_results(folder: Path, pattern: str) -> list[Result]:
    """Results whose file name matches, smallest corpus first."""
    files = sorted(folder.glob(pattern), key=lambda file: (_number(file.stem), file.name))
    return [json.loads(file.read_text(encoding="utf-8")) for file in files]


def rewritten(page: str, made: Mapping[str, str]) -> str:
    """The page with every table between its marks replaced."""
    for name, text in made.items():
        begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
        pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
        block = f"{begin}\n{text}\n{end}"
        page = pattern.sub(lambda _, block=block: block, page)  # type: ignore[misc]
    return page


def with_readme_row(readme: str, folder: Path = RESULTS) -> str:
    """The README with its row on searches of every size made from the results."""
    row = readme_row(_bench_results(folder))
    return _README_ROW.sub(lambda _: row, readme)


def _bench_results(folder: Path) -> list[Result]:
    return read_results(folder, "bench-*.json")


def _number(name: str) -> int:
    found = re.search(r"\d+", name)
    return int(found[0]) if found else 0


def main() -> None:
    """Rewrite the page and the plots."""
    from bench.plots import plot

    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(rewritten(page, tables()), encoding="utf-8")
    README.write_text(with_readme_row(README.read_text(encoding="utf-8")), encoding="utf-8")
    plot(_bench_results(RESULTS), RESULTS)


if __name__ == "__main__":
    main()
