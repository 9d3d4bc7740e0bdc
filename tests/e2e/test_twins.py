"""Pages with one and the same text: each is found, and none takes another text's place."""

from pathlib import Path
from typing import Any

import pytest

from tests.command_line import askfolio
from tests.fake_mistral import EMBEDDINGS, FakeMistral
from tests.sites import write_configuration, write_site

COPY = "---\ntitle: Sluice\n---\nThe sluice gate opens at noon.\n"


def results(*arguments: str) -> list[dict[str, Any]]:
    found = askfolio("search", "when does the sluice gate open", *arguments, "--json")
    assert found.code == 0, found.stderr
    listed = found.json["results"]
    assert isinstance(listed, list)
    return listed


def test_equal_text_on_two_pages_is_two_results_with_their_addresses(tmp_path: Path) -> None:
    write_site(tmp_path, {"one.md": COPY, "two.md": COPY, "c.md": "---\ntitle: C\n---\nOther.\n"})
    write_configuration(tmp_path)
    askfolio("sync")
    assert [result["url"] for result in results()] == [
        "https://portfolio.example/one/",
        "https://portfolio.example/two/",
    ]


@pytest.fixture
def versions(tmp_path: Path) -> Path:
    """Three hundred copies of a page, and nine other pages about the gate."""
    pages = {f"v{n}/sluice.md": COPY for n in range(300)}
    pages |= {
        f"gate{n}.md": f"---\ntitle: Gate {n}\n---\nA sluice gate of kind {n} and a few words.\n"
        for n in range(9)
    }
    write_site(tmp_path, pages)
    return tmp_path


def test_k_results_stay_k_different_texts(versions: Path) -> None:
    write_configuration(versions)
    askfolio("sync")
    for k in (2, 5, 10):
        found = results("-k", str(k))
        assert len(found) == k
        assert len({result["text"] for result in found}) == k
        assert [result["rank"] for result in found] == list(range(1, k + 1))
    assert len(results("-k", "12")) == 12
    assert results("-k", "3") == results("-k", "3")


def test_an_equal_text_is_embedded_once(versions: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeMistral() as server:
        write_configuration(
            versions, f'[embedding]\nprovider = "mistral"\nserver_url = "{server.url}"\n'
        )
        monkeypatch.setenv("MISTRAL_API_KEY", "test-key")
        assert askfolio("sync", "--json").json["embedded_texts"] == 10
        inputs = [
            text
            for request in server.requests
            if request.path == EMBEDDINGS
            for text in request.body["input"]
        ]
        assert len([text for text in inputs if "noon" in text]) == 1
        found = results("-k", "5", "--mode", "hybrid")
        assert len({result["text"] for result in found}) == 5


def test_under_a_filter_the_twin_that_passes_it_stands_for_the_others(tmp_path: Path) -> None:
    write_site(tmp_path, {"sluice.md": COPY, "sluice.es.md": COPY})
    hugo = tmp_path / "hugo.toml"
    hugo.write_text(hugo.read_text() + "[languages.en]\n[languages.es]\n", encoding="utf-8")
    write_configuration(tmp_path)
    askfolio("sync")
    assert [r["url"] for r in results("-k", "1", "--language", "es")] == [
        "https://portfolio.example/es/sluice/"
    ]
    assert len(results("-k", "1")) == 1
