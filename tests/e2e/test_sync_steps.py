"""Whole stories: equal pages, a rename, new front matter; pages deleted, changed and put back."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command_line import askfolio
from tests.fake_mistral import EmbeddingRules, FakeMistral
from tests.sites import HUGO, write_configuration, write_files

OTTERS = "---\ntitle: Otters\n---\nThe otter holt survey counts tracks at dawn.\n"
HERONS = (
    "---\ntitle: Herons\n---\nThe heron nesting platform stands in the reed bed.\n\n"
    "## Ladder\n\nA rope ladder leads up to it.\n\n## Camera\n\nA camera looks down on the nest.\n"
)
SENTENCES = {
    "p1": "Brass drones photograph apple blossom.",
    "p2": "The oven regulator ramps temperature slowly.",
    "p3": "An embossed label printer for jars.",
    "p4": "The canal lock uses a hydraulic ram.",
    "p5": "Bicycle dynamo charges a phone.",
}


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeMistral]:
    with FakeMistral(EmbeddingRules(dimension=128)) as running:
        write_files(tmp_path, {"hugo.toml": HUGO})
        (tmp_path / "content").mkdir()
        write_configuration(
            tmp_path, f'[embedding]\nprovider = "mistral"\nserver_url = "{running.url}"\n'
        )
        monkeypatch.setenv("MISTRAL_API_KEY", "test-key")
        yield running


def counts(*options: str) -> tuple[int, int, int, int, int]:
    """Added, updated, deleted, ignored, embedded."""
    ran = askfolio("sync", "--json", *options)
    assert ran.code == 0, ran.stderr
    names = ("added", "updated", "deleted", "ignored", "embedded_texts")
    added, updated, deleted, ignored, embedded = (ran.json[name] for name in names)
    return added, updated, deleted, ignored, embedded


def paths(query: str, k: int = 10, mode: str = "hybrid") -> list[str]:
    found = askfolio("search", query, "-k", str(k), "--mode", mode, "--json").json["results"]
    return [result["url"].removeprefix("https://portfolio.example") for result in found]


def test_equal_pages_are_two_documents_and_are_embedded_once(
    tmp_path: Path, server: FakeMistral
) -> None:
    content = tmp_path / "content"
    write_files(content, {"a.md": HERONS, "copy/a.md": HERONS, "b.md": OTTERS})
    assert counts() == (3, 0, 0, 0, 4)
    assert counts() == (0, 0, 0, 3, 0)
    (content / "a.md").touch()
    assert counts() == (0, 0, 0, 3, 0)
    assert {"/a/", "/copy/a/"} <= set(paths("heron nesting platform"))
    (content / "copy/a.md").unlink()
    assert counts() == (0, 0, 1, 2, 0)
    found = paths("heron nesting platform")
    assert "/a/" in found
    assert "/copy/a/" not in found
    (content / "b.md").rename(content / "c.md")
    assert counts() == (1, 0, 1, 1, 0)
    assert "/c/" in paths("otter holt survey")
    assert "/b/" not in paths("otter holt survey")
    renamed = OTTERS.replace("title: Otters", "title: River otters\nslug: otters")
    write_files(content, {"c.md": renamed})
    assert counts()[:4] == (0, 1, 0, 1)
    (first, *_) = askfolio("search", "otter holt survey", "--json").json["results"]
    assert (first["url"], first["title"]) == (
        "https://portfolio.example/otters/",
        "River otters",
    )
    assert "/c/" not in paths("otter holt survey")
    write_files(content, {"c.md": renamed.replace("slug: otters", "slug: lutra")})
    assert counts() == (0, 1, 0, 1, 0)
    write_files(content, {"a.md": HERONS.replace("looks down", "stares down")})
    assert counts() == (0, 1, 0, 1, 1)
    passages = [text for text in server.embedded() if "\n" in text]  # the others are queries
    assert len(passages) == len(set(passages))


def each_finds_itself(pages: dict[str, str]) -> None:
    for mode in ("dense", "keyword", "hybrid"):
        for name, sentence in pages.items():
            found = paths(sentence, 50, mode)
            assert found[0] == f"/{name}/"
            assert len(found) == len(set(found)) <= len(pages)


def test_pages_deleted_changed_and_put_back_are_found_by_their_own_sentence(
    tmp_path: Path, server: FakeMistral
) -> None:
    content = tmp_path / "content"
    pages = dict(SENTENCES)

    def write() -> None:
        for file in content.glob("*.md"):
            file.unlink()
        texts = {f"{name}.md": f"---\ntitle: {name}\n---\n{text}\n" for name, text in pages.items()}
        write_files(content, texts)

    write()
    assert counts()[0] == 5
    each_finds_itself(pages)
    gone = pages.pop("p1")
    write()
    assert counts() == (0, 0, 1, 4, 0)
    each_finds_itself(pages)
    assert "/p1/" not in paths(gone, 50)
    pages["p3"] = "An embossed label printer for bottles."
    write()
    assert counts() == (0, 1, 0, 3, 1)
    each_finds_itself(pages)
    pages.clear()
    write()
    assert counts("--yes") == (0, 0, 4, 0, 0)
    assert paths(SENTENCES["p4"], 3) == []
    assert askfolio("status", "--verify").code == 0
    pages["p4"] = SENTENCES["p4"]
    write()
    # Its vector is still stored: a generation that can be gone back to uses it.
    assert counts() == (1, 0, 0, 0, 0)
    each_finds_itself(pages)
