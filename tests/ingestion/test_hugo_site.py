import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ingestion.errors import SourceError, SourceMissing
from ingestion.sources.hugo_site import MAX_PAGE_BYTES, HugoSite
from retrieval.configuration import DataRows, Site
from retrieval.errors import ConfigurationError
from tests.ingestion.hugo.sites import (
    BASE,
    NOW,
    documents,
    listing,
    own_source,
    page,
    reasons,
    write_site,
)

LANGUAGES = "[languages.en]\nweight = 1\n[languages.fr]\nweight = 2\n"


def test_a_page_becomes_a_document(tmp_path: Path) -> None:
    body = "Intro.\n\n## Parts\n\nPump."
    front_matter = "title: Pumps\ndescription: All about pumps.\naliases: [/old/, near]"
    document = documents(tmp_path, {"content/notes/p.md": page(front_matter, body)})[
        "content/notes/p.md"
    ]
    assert document.doc_id == "site:content/notes/p.md"
    assert document.url == "https://e.example/notes/p/"
    assert document.title == "Pumps"
    assert (document.language, document.kind) == ("en", "page")
    assert document.aliases == ("https://e.example/old/", "https://e.example/notes/near/")
    assert document.translation_key == ""
    assert document.anchors == ("parts",)
    described, intro, parts = document.sections
    assert (described.text, described.start_line) == ("All about pumps.", None)
    assert (intro.text, intro.start_line) == ("Intro.", 6)
    assert (parts.headings, parts.anchor, parts.start_line) == (("Parts",), "parts", 8)


def test_a_page_without_text_is_a_document_without_sections(tmp_path: Path) -> None:
    found = documents(tmp_path, {"content/a.md": page("title: A", ""), "content/b.md": ""})
    assert found["content/a.md"].sections == ()
    assert found["content/b.md"].title == "b"


@pytest.mark.parametrize(
    ("front_matter", "body", "title"),
    [("title: 2024", "x", "2024"), ("title: true", "x", "true"), ("title: yes", "x", "true"),
     ("title: 2024-05-06", "x", "2024-05-06"), ("title: 1.50", "x", "1.5"),
     ("title: ~", "## Head *one*", "Head one"), ("title: ''", "text", "my page"),
     ("title: [a]", "text", "my page"), ("x: 1", "text", "my page")],
)  # fmt: skip
def test_titles_are_never_empty(tmp_path: Path, front_matter: str, body: str, title: str) -> None:
    found = documents(tmp_path, {"content/my page.md": page(front_matter, body)})
    assert found["content/my page.md"].title == title


def test_everything_left_out_has_its_reason(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "content/draft.md": page("draft: true"),
        "content/yes.md": page("draft: yes"),
        "content/unpublished.md": page("published: false"),
        "content/future.md": page("date: 2024-06-16"),
        "content/expired.md": page("expiryDate: 2024-06-01"),
        "content/never.md": page("build: {render: never}"),
        "content/old.md": page("_build: {render: never}"),
        "content/headless/index.md": page("headless: true"),
        "content/leaf/index.md": page(),
        "content/leaf/resource.md": page(),
        "content/c/_index.md": page("cascade: {draft: true}"),
        "content/c/child.md": page(),
        "content/f/_index.md": page("cascade: {date: 2030-01-01}"),
        "content/f/child.md": page(),
        "content/bytes.md": b"---\ntitle: x\n---\n\xff\xfe",
        "content/big.md": "x" * (MAX_PAGE_BYTES + 1),
        "content/lines.md": "a\n" * 300_000,
        "content/endless.md": page(body="{{< a " * 300),
    }
    assert reasons(tmp_path, files) == {
        "content/draft.md": "draft",
        "content/yes.md": "draft",
        "content/unpublished.md": "draft",
        "content/future.md": "future",
        "content/expired.md": "expired",
        "content/never.md": "not-rendered",
        "content/old.md": "not-rendered",
        "content/headless/index.md": "not-rendered",
        "content/leaf/resource.md": "not-rendered",
        "content/c/_index.md": "draft",
        "content/c/child.md": "draft-ancestor",
        "content/f/_index.md": "future",
        "content/f/child.md": "future-ancestor",
        "content/bytes.md": "encoding",
        "content/big.md": "too-large",
        "content/lines.md": "too-large",
        "content/endless.md": "parse-error",
    }


def test_a_page_falls_due_and_expires_without_a_change_of_its_file(tmp_path: Path) -> None:
    block = "date: 2024-07-01\nexpiryDate: 2024-08-01"
    root = write_site(tmp_path, {"content/a.md": page(block), "content/b.md": page()})
    counts = [
        len(own_source(root, datetime(2024, month, 15, tzinfo=UTC)).listing().documents)
        for month in (6, 7, 8)
    ]
    assert counts == [1, 2, 1]


def test_a_broken_page_is_an_error_and_the_others_go_on(tmp_path: Path) -> None:
    files = {
        "content/a.md": page(),
        "content/b.md": "---\ntitle: Part 2: the gearbox\n---\nsecret",
        "content/c.md": "---\ntitle: unclosed\n\nsecret",
        "content/d.md": page("date: someday"),
    }
    found = listing(tmp_path, files)
    assert [document.path for document in found.documents] == ["content/a.md"]
    assert [error.path for error in found.errors] == [
        "content/b.md",
        "content/c.md",
        "content/d.md",
    ]
    assert all(error.reason.startswith("front-matter-error") for error in found.errors)
    assert "line 2" in found.errors[0].reason
    assert "someday" in found.errors[2].reason


def test_pages_below_a_section_whose_cascade_cannot_be_read_stay_unknown(tmp_path: Path) -> None:
    files = {
        "content/a/_index.md": "---\ncascade:\n\tdraft: true\n---\n",
        "content/a/child.md": page(),
        "content/b/_index.md": "---\ntitle: x: y\n---\n",
        "content/b/child.md": page(),
    }
    found = listing(tmp_path, files)
    assert [document.path for document in found.documents] == ["content/b/child.md"]
    assert [error.path for error in found.errors] == [
        "content/a/_index.md", "content/a/child.md", "content/b/_index.md",
    ]  # fmt: skip


def test_links_in_the_content_folder_are_not_followed(tmp_path: Path) -> None:
    root = write_site(tmp_path / "site", {"content/a.md": page(), "content/real/b.md": page()})
    (tmp_path / "outside.md").write_text(page(body="secret"))
    (root / "content/inside.md").symlink_to("a.md")
    (root / "content/outside.md").symlink_to(tmp_path / "outside.md")
    (root / "content/folder").symlink_to(tmp_path)
    (root / "content/broken.md").symlink_to("nowhere.md")
    (root / "content/loop.md").symlink_to("loop.md")
    found = own_source(root).listing()
    assert [document.path for document in found.documents] == ["content/a.md", "content/real/b.md"]
    assert {item.path: item.reason for item in found.skipped} == {
        "content/inside.md": "not-rendered",
        "content/outside.md": "symlink-outside",
        "content/folder": "symlink-outside",
        "content/broken.md": "symlink-broken",
        "content/loop.md": "symlink-loop",
    }


def test_a_content_folder_that_leads_outside_is_reported(tmp_path: Path) -> None:
    root = write_site(tmp_path / "site", {"hugo.toml": BASE})
    write_site(tmp_path / "other", {"a.md": page(body="secret")})
    (root / "content").symlink_to(tmp_path / "other")
    found = own_source(root).listing()
    assert found.documents == ()
    assert [(item.path, item.reason) for item in found.skipped] == [("content", "symlink-outside")]


def test_pages_that_only_hugo_can_make_are_reported(tmp_path: Path) -> None:
    files = {"content/a.md": page(), "content/_content.gotmpl": "{{ $.AddPage dict }}"}
    assert reasons(tmp_path, files) == {"content/_content.gotmpl": "generated"}


def test_a_file_name_that_is_no_text_is_reported(tmp_path: Path) -> None:
    root = write_site(tmp_path, {"content/a.md": page()})
    Path(os.fsdecode(os.fsencode(root) + b"/content/\xff.md")).write_text(page())
    found = own_source(root).listing()
    assert [document.path for document in found.documents] == ["content/a.md"]
    assert [(item.path, item.reason) for item in found.skipped] == [("content/?.md", "encoding")]


def test_translations_share_a_key_and_stubs_are_skipped(tmp_path: Path) -> None:
    files = {
        "hugo.toml": BASE + LANGUAGES,
        "content/a.md": page(body="Pump"),
        "content/a.fr.md": page(body="Pompe"),
        "content/b.md": page(body="Text"),
        "content/b.fr.md": page(body=" \n"),
        "content/c.md": page(body="Text"),
        "content/c.fr.md": page("untranslated: true", "Text"),
        "content/one.md": page("translationKey: same"),
        "content/deux.fr.md": page("translationKey: same"),
        "content/empty.md": page(body=""),
        "content/empty.fr.md": page(body=""),
    }
    found = listing(tmp_path, files)
    keys = {document.path: document.translation_key for document in found.documents}
    assert keys["content/a.md"] == keys["content/a.fr.md"] == "/a"
    assert keys["content/one.md"] == keys["content/deux.fr.md"] == "same"
    assert {"content/empty.md", "content/empty.fr.md"} <= keys.keys()
    assert {item.path: item.reason for item in found.skipped} == {
        "content/b.fr.md": "empty",
        "content/c.fr.md": "empty",
        "content/empty.md": "empty",  # pages of the site, which may be linked
        "content/empty.fr.md": "empty",
    }


def test_a_page_with_only_a_title_leads_to_its_external_address(tmp_path: Path) -> None:
    external = "title: Elsewhere\nexternalUrl: https://other.example/x?y=1#part"
    files = {
        "content/a.md": page(external, ""),
        "content/b.md": page(f"{external}\ndescription: Said here.", ""),
        "content/c.md": page("title: C\nexternalUrl: javascript:alert(1)", ""),
    }
    found = documents(tmp_path, files)
    assert found["content/a.md"].url == "https://other.example/x?y=1"
    assert found["content/b.md"].url == "https://e.example/b/"
    assert "https://other.example/x?y=1" in found["content/b.md"].aliases
    assert found["content/c.md"].url == "https://e.example/c/"


def test_an_alias_never_hides_a_page(tmp_path: Path) -> None:
    files = {"content/a.md": page("aliases: [/b/, /c/]"), "content/b.md": page()}
    assert documents(tmp_path, files)["content/a.md"].aliases == ("https://e.example/c/",)


def test_includes_bring_published_text_only(tmp_path: Path) -> None:
    files = {
        "content/a.md": page(body='Before.\n\n{{% include "/parts/x.md" %}}\n\n## After\n\nEnd.'),
        "content/d.md": page(body='{{% include "parts/secret" %}} only'),
        "content/parts/x.md": page("build: {render: never}", "Included {{< b >}}word{{< /b >}}."),
        "content/parts/secret.md": page("draft: true", "hidden"),
    }
    found = documents(tmp_path, files)
    first, after = found["content/a.md"].sections
    assert first.text == "Before.\n\nIncluded word."
    assert (after.anchor, after.text) == ("after", "## After\n\nEnd.")
    assert found["content/d.md"].sections[0].text.strip() == "only"


def test_html_and_org_pages(tmp_path: Path) -> None:
    html = "<p>Intro &amp; more</p><h2 id='x'>Title</h2><p>Under<script>no</script></p>"
    org = (
        "#+TITLE: Org page\n#+DRAFT: nil\nIntro\n* One\ntext\n** Two\n:PROPERTIES:\n"
        ":CUSTOM_ID: own\n:END:\n#+begin_src c\n* code\n#+end_src\n"
    )
    files = {"content/a.html": page("title: H", html), "content/b.org": org,
             "content/c.org": "#+title: x\n#+draft: true\nsecret"}  # fmt: skip
    found = listing(tmp_path, files)
    html_page, org_page = found.documents
    assert [section.text for section in html_page.sections] == ["Intro & more", "Title\nUnder"]
    assert html_page.anchors == ("x",)
    assert org_page.title == "Org page"
    assert [(s.headings, s.anchor, s.text) for s in org_page.sections] == [
        ((), "", "Intro"),
        (("One",), "headline-1", "One\ntext"),
        (("One", "Two"), "own", "Two\n* code"),
    ]
    assert [item.reason for item in found.skipped] == ["draft"]


def test_rows_of_data_files_are_documents_too(tmp_path: Path) -> None:
    root = write_site(tmp_path, {"content/a.md": page(), "data/p.yaml": "- {id: x, name: X}"})
    site = Site(path=str(root), data=(DataRows(file="data/p.yaml", url="/p/#{id}"),))
    found = HugoSite(site, root, NOW).listing()
    assert [document.url for document in found.documents] == [
        "https://e.example/a/", "https://e.example/p/#x",
    ]  # fmt: skip


def test_missing_content_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(SourceMissing, match=r"no content folder \(content\): set site\.path"):
        listing(tmp_path, {"README.md": "x"})


@pytest.mark.parametrize("base", ["", "baseURL = '/'\n", "baseURL = 'example.org'\n"])
def test_a_site_without_an_absolute_base_url_needs_one(tmp_path: Path, base: str) -> None:
    root = write_site(tmp_path, {"hugo.toml": base, "content/a.md": page()})
    with pytest.raises(ConfigurationError, match="base_url"):
        own_source(root).listing()
    found = own_source(root, base_url="https://set.example/x").listing()
    assert found.documents[0].url == "https://set.example/x/a/"


@pytest.mark.parametrize(
    ("name", "text"),
    [("hugo.toml", "a ="), ("hugo.yaml", "a: [b"), ("hugo.json", "{"), ("hugo.json", "[]"),
     ("hugo.toml", f"{BASE}timeZone = 'Mars/Base'"), ("hugo.toml", f"{BASE}ignoreFiles = ['(']")],
)  # fmt: skip
def test_a_broken_configuration_stops_the_source(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(SourceError, match=r"[hH]ugo"):
        listing(tmp_path, {name: text, "content/a.md": page()})


def test_progress_counts_pages(tmp_path: Path) -> None:
    root = write_site(tmp_path, {f"content/{n}.md": page() for n in range(3)})
    seen: list[tuple[int, int]] = []
    own_source(root).listing(lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_hugo_is_given_nothing_to_write(tmp_path: Path) -> None:
    root = write_site(tmp_path, {"content/a.md": page()})
    HugoSite(Site(path=str(root)), root, NOW).listing()
    assert sorted(os.listdir(root)) == ["content", "hugo.toml"]
