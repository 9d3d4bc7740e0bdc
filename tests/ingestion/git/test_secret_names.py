"""A secret in the name of a file."""

from pathlib import Path

from ingestion.sources.repository import GitRepository
from retrieval.configuration import Repository
from tests.git_repositories import new_repository

_TOKEN = "ghp_" + "Tq7mZ4vKp9Rw2XcB6n" * 2


def test_a_secret_in_a_name_is_in_no_document_report_or_state(tmp_path: Path) -> None:
    folder = new_repository(
        tmp_path / "r",
        {
            f"docs/{_TOKEN}.md": "A walrus.\n",
            f"{_TOKEN}/pic.png": b"\x89PNG",
            "README.md": f"# R\n\nSee\n[it](docs/{_TOKEN}.md)\nfor more.\n",
        },
    )
    repository = Repository.model_validate({"path": str(folder.path), "exclude": ["*.png"]})
    listing = GitRepository(repository, tmp_path, tmp_path / "clones").listing()
    assert _TOKEN not in repr(listing) + listing.state
    assert [document.path for document in listing.documents] == ["README.md"]
    assert {(skipped.path, skipped.reason) for skipped in listing.skipped} == {
        ("docs/[secret left out]", "secret-file"),
        ("[secret left out]/pic.png", "secret-file"),
        ("README.md", "secret: line 4 left out"),
    }
