"""Odd repositories through the command line: every file is a page or left out with a reason."""

import codecs
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

import pytest

from tests.command_line import askfolio
from tests.git_repositories import GitFolder, new_repository

CONFIGURATION = """
[[repository]]
name = "odd"
path = "repository"
link = "https://code.example/odd/blob/{commit}/{path}#L{start}-L{end}"
[embedding]
provider = "none"
[answer]
provider = "extractive"
"""
README = "# Odd\n\nA repository of oddities.\n"
TURBINE = "# Turbine\n\nThe façade of the turbine hall.\n"
VALVE = "package valve\n\nfunc Close() int { return 1 }\n"
KEY_LINES = [f"{letter}9xQ" * 16 for letter in "KLMN"]
KEY = "\n".join(
    ["-----BEGIN EC PRIVATE " + "KEY-----", *KEY_LINES, "-----END EC PRIVATE " + "KEY-----"]
)
TOKEN = "gl" + "pat-" + "Zq3vTn8Lw2Rk6Yb9Hd5c"
ENCODINGS: dict[str, tuple[bytes, str]] = {
    "le16.md": (codecs.BOM_UTF16_LE + TURBINE.encode("utf-16-le"), ""),
    "be16.md": (codecs.BOM_UTF16_BE + TURBINE.encode("utf-16-be"), ""),
    "le32.md": (codecs.BOM_UTF32_LE + TURBINE.encode("utf-32-le"), ""),
    "be32.md": (codecs.BOM_UTF32_BE + TURBINE.encode("utf-32-be"), ""),
    "marked.md": (codecs.BOM_UTF8 * 2 + TURBINE.encode(), ""),
    "western.md": (TURBINE.encode("cp1252"), ""),
    "unmarked16.md": (TURBINE.encode("utf-16-le"), "binary"),
    "half16.md": (codecs.BOM_UTF16_LE + TURBINE.encode("utf-16-le") + b"x", "encoding"),
    "late_nul.py": (b"x = 1\n" * 20_000 + b"\0", "binary"),
    "cyrillic.md": ("# Турбина\n\nТихая турбина.\n".encode("cp1251"), "encoding"),
    "only_mark.md": (codecs.BOM_UTF16_BE, "empty"),
}
NAMES = [
    b"two\nlines.md", b'q"uote.md', b"back\\slash.md", b"--help.md", b"latin\xe9.md", b"Case.md",
    b"case.md", b":(glob)*.md", b"100%25.md", b"tab\there.md", b"trail .md ", b"{path}.md",
]  # fmt: skip
LINKS = {
    "inside": ("docs/real.md", "symlink"),
    "folder": ("docs", "symlink"),
    "chain": ("inside", "symlink"),
    "first": ("second", "symlink-loop"),
    "second": ("first", "symlink-loop"),
    "docs/parent": ("..", "symlink-loop"),
    "docs/out": ("../../host.md", "symlink-outside"),
    "absolute": ("/etc/passwd", "symlink-outside"),
    "nowhere": ("missing/file.md", "symlink-broken"),
}
ATTRIBUTES = (
    "[attr]made linguist-generated=true -diff\n**/gen/** linguist-generated\n*.auto.go made\n"
    "hand.pb.go -linguist-generated\nvendor/mine/** -linguist-vendored\n/private/ export-ignore\n"
    ".env -export-ignore -linguist-generated\n"
)
MARKED = {
    "sub/gen/x.go": "generated",
    "x.auto.go": "generated",
    "hand.pb.go": "",
    "vendor/mine/x.go": "",
    "vendor/other/x.go": "vendored",
    "private/x.go": "export-ignore",
    ".env": "secret-file",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitFolder:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "askfolio.toml").write_text(CONFIGURATION)
    return new_repository(tmp_path / "repository", {"README.md": README})


def found(folder: GitFolder) -> tuple[dict[str, str], dict[str, str]]:
    """Commit and sync; the addresses of the pages and the reasons of the others, by path."""
    folder.commit()
    report = askfolio("sync", "--json")
    assert report.code == 0, report.stderr
    pages = {page["path"]: page["url"] for page in askfolio("status", "--pages", "--json").json}
    left = {one["path"]: one["reason"] for one in report.json["skipped"]}
    assert len(folder.git("ls-files", "-z").split("\0")) - 1 == len(pages.keys() | left.keys())
    return pages, left


def texts() -> str:
    (store,) = Path("knowledge/generations").glob("*/chunks.sqlite")
    with closing(sqlite3.connect(store)) as connection:
        return "\n".join(text for (text,) in connection.execute("SELECT text FROM chunks"))


def test_a_text_is_read_in_its_encoding_or_left_out(folder: GitFolder) -> None:
    for name, (content, _) in ENCODINGS.items():
        folder.write(name, content)
    pages, left = found(folder)
    assert left == {name: reason for name, (_, reason) in ENCODINGS.items() if reason}
    assert texts().count("façade of the turbine hall") == len(pages) - 1
    assert not {"\0", "\ufeff", "\ufffd"} & set(texts())


def test_a_link_decodes_to_the_bytes_of_the_name(folder: GitFolder) -> None:
    for number, name in enumerate(NAMES):
        folder.write(name, f"Note number {number}.\n")
    folder.commit()
    report = askfolio("sync", "--json").json
    pages = askfolio("status", "--pages", "--json").json
    assert (report["skipped"], report["added"]) == ([], len(NAMES) + 1)
    ends = {unquote_to_bytes(urlsplit(page["url"]).path).split(b"/", 4)[4] for page in pages}
    assert ends == {*NAMES, b"README.md"}
    exported = askfolio("export", "knowledge.txt").stdout.split("\n")
    assert sum(line.startswith("Source: ") for line in exported) == len(pages)


def test_no_link_is_followed(folder: GitFolder) -> None:
    (folder.path.parent / "host.md").write_text("# Host\n\nThe host's own walrus.\n")
    folder.write("docs/real.md", TURBINE)
    for name, (target, _) in LINKS.items():
        folder.link(name, target)
    pages, left = found(folder)
    assert pages.keys() == {"README.md", "docs/real.md"}
    assert left == {name: reason for name, (_, reason) in LINKS.items()}


def test_attributes_say_what_is_generated_and_never_free_a_secret(folder: GitFolder) -> None:
    folder.write(".gitattributes", ATTRIBUTES)
    for name in MARKED:
        folder.write(name, VALVE)
    pages, left = found(folder)
    assert left == {name: reason for name, reason in MARKED.items() if reason}
    assert {"hand.pb.go", "vendor/mine/x.go"} <= pages.keys()


def test_a_secret_is_in_no_stored_byte_and_in_no_output(folder: GitFolder) -> None:
    cells = [
        {"cell_type": "markdown", "source": "The kept cell."},
        {"cell_type": "code", "source": f"token = '{TOKEN}'", "outputs": [{"text": TOKEN}]},
    ]
    notebook = json.dumps({"cells": cells, "metadata": {"token": TOKEN}})
    quoted = "".join(f"> {line}\n" for line in KEY.split("\n"))
    folder.write("README.md", f"{README}\n## {TOKEN}\n\nThe kept chapter.\n")
    folder.write("docs/key.md", f"# Keys\n\n{quoted}\nThe kept quotation.\n")
    folder.write("src/key.py", f"# The kept comment.\nKEY = {KEY!r}\n")
    folder.write("notes.ipynb", notebook)
    folder.write("wide.md", codecs.BOM_UTF16_LE + f"The kept page.\n{TOKEN}\n".encode("utf-16-le"))
    pages, left = found(folder)
    said = [askfolio("ask", "Which token?"), askfolio("export", "llms-full.txt")]
    for kept in ("chapter", "quotation", "comment", "cell", "page"):
        assert f"The kept {kept}." in texts()
    assert left.keys() == pages.keys()
    stored = b"".join(
        Path(place, name).read_bytes() for place, _, names in os.walk("knowledge") for name in names
    )
    for secret in (TOKEN, *KEY_LINES):
        assert secret.lower().encode() not in stored.lower()
        assert not any(secret in ran.stdout + ran.stderr for ran in said)


def test_no_escape_code_of_a_file_name_reaches_a_terminal(folder: GitFolder) -> None:
    folder.write("\x1b[31mred.md", b"A walrus.\n")
    folder.write("\x1b]0;x\x07.png", b"\x89PNG\0")
    folder.commit()
    for arguments in (["sync"], ["status", "--pages"], ["search", "walrus"], ["sync", "--json"]):
        ran = askfolio(*arguments)
        assert ran.code == 0
        assert "x1b" in ran.stdout or "u001b" in ran.stdout
        assert not set(ran.stdout + ran.stderr) & set("\x1b\x07")


def test_a_notebook_with_an_endless_number_is_left_out(folder: GitFolder) -> None:
    folder.write("x.ipynb", b'{"cells":[' + b"9" * 5000 + b"]}")
    pages, left = found(folder)
    assert (set(pages), left) == ({"README.md"}, {"x.ipynb": "parse-error"})
