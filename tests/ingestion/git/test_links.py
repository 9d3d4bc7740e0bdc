"""Addresses that open a file or its lines, by host."""

from pathlib import Path

import pytest

from ingestion.git.address import repository_address
from ingestion.git.links import FileLinks, file_links
from retrieval.configuration import Repository
from retrieval.errors import ConfigurationError

NAME = b"src/a b#1.py"


def links(**block: object) -> FileLinks:
    repository = Repository.model_validate(block)
    return file_links(repository, repository_address(repository, Path("/")))


@pytest.mark.parametrize(
    ("url", "page", "lines"),
    [
        ("git@github.com:ada/engine.git", "https://github.com/ada/engine/blob/c0/", "#L3-L9"),
        ("ssh://git@ssh.github.com:443/ada/e", "https://github.com/ada/e/blob/c0/", "#L3-L9"),
        ("https://gitlab.com/g/sub/e.git", "https://gitlab.com/g/sub/e/-/blob/c0/", "#L3-9"),
        ("https://gitlab.gnome.org/g/e", "https://gitlab.gnome.org/g/e/-/blob/c0/", "#L3-9"),
        ("https://codeberg.org/ada/e", "https://codeberg.org/ada/e/src/commit/c0/", "#L3-L9"),
        ("https://gitea.ada.example/a/e", "https://gitea.ada.example/a/e/src/commit/c0/", "#L3-L9"),
        ("git@bitbucket.org:ada/e", "https://bitbucket.org/ada/e/src/c0/", "#lines-3:9"),
        ("https://git.sr.ht/~ada/e", "https://git.sr.ht/~ada/e/tree/c0/item/", "#L3-9"),
    ],
)
def test_known_hosts(url: str, page: str, lines: str) -> None:
    found = links(url=url)
    assert found.page_url("c0", NAME) == f"{page}src/a%20b%231.py"
    template = found.lines_url("c0", NAME, is_prose=False)
    opened = template.replace("{start}", "3").replace("{end}", "9")
    assert opened == f"{page}src/a%20b%231.py{lines}"


def test_lines_of_formatted_text_are_opened_as_source() -> None:
    found = links(url="https://github.com/ada/engine")
    template = found.lines_url("c0", b"README.rst", is_prose=True)
    assert template.endswith("/README.rst?plain=1#L{start}-L{end}")


@pytest.mark.parametrize(
    "block",
    [
        {"url": "https://git.ada.example/a/e"},
        {"url": "file:///srv/github.com/ada/engine"},
        {"path": "/srv/engine"},
        {"url": "https://github.com/engine"},
    ],
)
def test_without_a_known_host_there_is_no_link(block: dict[str, str]) -> None:
    found = links(**block)
    assert found.page_url("c0", NAME) is None
    assert found.lines_url("c0", NAME, is_prose=False) == ""


@pytest.mark.parametrize(
    ("link", "page"),
    [
        ("https://x.example/{commit}/{path}#L{start}-L{end}", "https://x.example/c0/a.py"),
        ("https://x.example/{path}?id={commit}#n{start}", "https://x.example/a.py?id=c0"),
        ("https://x.example/{path}?lines={start}-{end}", "https://x.example/a.py"),
        ("https://x.example/#/{path}", "https://x.example/#/a.py"),
    ],
)
def test_a_template_of_ones_own(link: str, page: str) -> None:
    found = links(path="/srv/engine", link=link)
    assert found.page_url("c0", b"a.py") == page
    assert not found.has_heading_ids
    assert bool(found.lines_url("c0", b"a.py", is_prose=False)) == ("{start}" in link)


@pytest.mark.parametrize(
    "link",
    ["https://x.example/{commit}", "{path}", "https://x.example/{path}/{branch}", "ftp://{path}"],
)
def test_what_is_no_template_is_refused(link: str) -> None:
    with pytest.raises(ConfigurationError, match=r"link .* is no template"):
        links(path="/srv/engine", link=link)
