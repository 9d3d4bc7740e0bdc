"""Small sites and configurations that tests write for themselves."""

from collections.abc import Mapping
from pathlib import Path

HUGO = 'baseURL = "https://portfolio.example/"\nlanguageCode = "en"\ntitle = "Portfolio"\n'
PAGES: Mapping[str, str] = {
    "_index.md": "---\ntitle: Home\n---\nAda builds instruments for the sea.\n",
    "gauge.md": (
        "---\ntitle: Tide gauge\n---\nA gauge for the harbour.\n\n"
        "## Wiring\n\nThe pressure sensor sits on a three-pin header.\n\n"
        "## Filter\n\nA median filter of nine samples removes the waves.\n"
    ),
    "kiln.md": "---\ntitle: Kiln\n---\nThe kiln controller ramps the temperature slowly.\n",
    "labels.md": "---\ntitle: Labels\n---\nA braille label printer for jars of jam.\n",
    "draft.md": "---\ntitle: Secret\ndraft: true\n---\nThe purple walrus is not published.\n",
}


def write_files(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def write_site(root: Path, pages: Mapping[str, str] = PAGES) -> Path:
    """A Hugo site; returns its content folder."""
    write_files(root, {"hugo.toml": HUGO})
    write_files(root / "content", pages)
    return root / "content"


def write_configuration(root: Path, text: str = '[embedding]\nprovider = "none"\n') -> Path:
    """An askfolio.toml for the site in `root`."""
    file = root / "askfolio.toml"
    site = '[site]\nname = "site"\npath = "."\nowner = "Ada"\ncontact = "/contact/"\n'
    file.write_text(site + text, encoding="utf-8")
    return file
