import os
from pathlib import Path

import pytest

from tests.ingestion.hugo.sites import documents, page, write_site

BODY = "## Setup\n\n### Setup\n\na\n\n## Café & bar\n\nb\n\n## Gone\n\nc"
BUILT = """<h1 id="top">T</h1><nav id="toc"></nav>
<h2 id="h-setup">Setup <a href="#h-setup">#</a></h2><h3 id="h-setup-2">Setup</h3>
<h2 id="cafe-bar">Café &amp; bar</h2>"""


def _anchors(root: Path) -> tuple[list[str], tuple[str, ...]]:
    document = documents(root, {"content/a b.md": page(body=BODY)})["content/a b.md"]
    return [section.anchor for section in document.sections], document.anchors


def test_ids_of_the_built_page_win(tmp_path: Path) -> None:
    write_site(tmp_path, {"content/a b.md": page(body=BODY), "public/a-b/index.html": BUILT})
    os.utime(tmp_path / "public/a-b/index.html", (4e9, 4e9))
    sections, anchors = _anchors(tmp_path)
    assert sections[-2:] == ["cafe-bar", ""]
    assert anchors == ("top", "h-setup", "h-setup-2", "cafe-bar")


def test_right_ids_stay_as_they_are(tmp_path: Path) -> None:
    built = '<h2 id="setup">Setup</h2><h3 id="setup-1">Setup</h3><h2 id="café--bar">Café & bar</h2>'
    write_site(tmp_path, {"public/a-b/index.html": built + '<h2 id="gone">Gone</h2>'})
    os.utime(tmp_path / "public/a-b/index.html", (4e9, 4e9))
    sections, anchors = _anchors(tmp_path)
    assert sections == ["setup-1", "café--bar", "gone"]
    assert anchors == ("setup", "setup-1", "café--bar", "gone")


@pytest.mark.parametrize("moment", [None, 1])
def test_an_absent_or_older_built_page_has_no_say(tmp_path: Path, moment: int | None) -> None:
    if moment:
        write_site(tmp_path, {"public/a-b/index.html": BUILT})
        os.utime(tmp_path / "public/a-b/index.html", (moment, moment))
    sections, anchors = _anchors(tmp_path)
    assert sections == ["setup-1", "café--bar", "gone"]
    assert anchors == ("setup", "setup-1", "café--bar", "gone")
