"""The real Hugo builds sites of ours: every published page and every heading id is equal."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import pytest

from bench.hugo_agreement import compare
from bench.hugo_build import build_site
from ingestion.hugo.program import find_hugo
from tests.ingestion.hugo.sites import BASE, NOW, documents, page

HUGO = find_hugo()
pytestmark = pytest.mark.skipif(HUGO is None, reason="the package hugo is not installed")

LANGUAGES = """[languages.en]
weight = 1
[languages.fr]
weight = 2
[languages.pt-BR]
weight = 3
"""


def _agree(root: Path, files: Mapping[str, str], pages: int, now: datetime = NOW) -> None:
    assert HUGO is not None
    ours = documents(root, files, now)
    result = compare(ours, build_site(HUGO, root, now))
    assert result.differences == ()
    assert result.pages == pages


def test_names_of_files_and_folders(tmp_path: Path) -> None:
    names = [
        "Wind Turbine", "a  b", "c - d", "e_f", "g&h", "été", "c++", "v1.2", "50%", "x~y", "x@y",
        "ÅÄÖ", "日本", "Foo_Bar--baz", "-lead", "trail-", "em—dash", "“quoted”", "straße",
        "emoji😀x", "nb\u00a0sp", "x.html", "İstanbul", "o'neill", "a,b;c", "[brackets]", "ΑΣ",
    ]  # fmt: skip
    files = {f"content/Some Notes/{name}.md": page() for name in names}
    files |= {
        "content/_index.md": page(),
        "content/Some Notes/_index.md": page(),
        "content/Some Notes/Sub.Dir/p.md": page(),
        "content/Some Notes/A Leaf/index.md": page(),
        "content/Some Notes/A Leaf/resource.md": page(),
        "content/Some Notes/A Leaf/deep/_index.md": page(),
        "content/both/_index.md": page(),
        "content/both/index.md": page(),
        "content/twice.md": page(),
        "content/twice/index.md": page(),
        "content/.hidden.md": page(),
        "content/#sharp.md": page(),
        "content/_under.md": page(),
        "content/upper.MD": page(),
        "content/long.markdown": page(),
        "content/notes.txt": "text",
    }
    _agree(tmp_path, files, pages=len(names) + 9)


def test_slug_url_and_sections_with_slugs(tmp_path: Path) -> None:
    slugs = [
        "My Slug",
        "-x-",
        "a/b",
        "été",
        "a.b",
        "UPPER",
        "c&d",
        "2024",
        "y?z#q",
        "x.html",
        "é/ ",
    ]
    urls = [
        "/go/here/", "go/too", "/old/page.html", "/a.b/c", "/UP/Case", "/sp ace/x", "/d/index.html",
        "//dbl//x/", "/e/../f/", "/g.html/", "/:year/:month/:title/", "/p,q/", "/esc\\:colon/x",
        "/:filename/:contentbasename/",
    ]  # fmt: skip
    files = {f"content/s/s{n}.md": page(f"title: T\nslug: '{v}'") for n, v in enumerate(slugs)}
    files |= {
        f"content/u/u{n}.md": page(f"title: My Title\ndate: 2023-04-05\nurl: '{value}'")
        for n, value in enumerate(urls)
    }
    files |= {
        "content/sec/_index.md": page("slug: Other Name"),
        "content/sec/a.md": page(),
        "content/sec/plain/b.md": page(),
        "content/sec/sub/_index.md": page("slug: nested"),
        "content/sec/sub/c.md": page(),
        "content/moved/_index.md": page("url: /elsewhere/"),
        "content/moved/d.md": page(),
        "content/sec/index-slug.md": page("slug: index\nbuild: {render: never}"),
    }
    _agree(tmp_path, files, pages=len(slugs) + len(urls) + 7)


@pytest.mark.parametrize(
    "settings",
    ["", "uglyURLs = true", "disablePathToLower = true", "removePathAccents = true",
     "[uglyURLs]\nposts = true"],
)  # fmt: skip
def test_settings_of_addresses(tmp_path: Path, settings: str) -> None:
    files = {
        "hugo.toml": f'baseURL = "https://e.example/sub/path"\n{settings}\n',
        "content/_index.md": page(),
        "content/posts/_index.md": page(),
        "content/posts/Été One.md": page(),
        "content/posts/leaf/index.md": page(),
        "content/posts/deep/_index.md": page(),
        "content/posts/deep/Two.md": page("slug: Ünder Score"),
        "content/posts/own.md": page("url: /Own/É"),
        "content/tags/_index.md": page(),
        "content/tags/go/_index.md": page(),
        "content/Other/x.md": page(),
    }
    _agree(tmp_path, files, pages=10)


@pytest.mark.parametrize(
    "pattern",
    ["/:year/:month/:day/:slug/", "/:sections/:title", "/:section/:slugorfilename/",
     "/:sections[1:]/:filename/", "/:sections[last]/:contentbasename/", "/UP/:slug.html",
     "/:monthname/:weekday/:weekdayname/:yearday/:filename", "/:2006/:01/:02-:filename/",
     "/:sectionslug/:slugorcontentbasename", "/:sectionslugs/:slug", ":slug",
     "/:sections[0]/:sections[1]/:title", "/x\\\\:y/:filename/"],
)  # fmt: skip
def test_permalink_patterns(tmp_path: Path, pattern: str) -> None:
    files = {
        "hugo.toml": f"{BASE}[permalinks]\nposts = '{pattern}'\n'/' = '/root/:slug/'\n",
        "content/posts/_index.md": page("title: My Posts"),
        "content/posts/A b.md": page("title: 'C++ & é: What?'\ndate: 2023-04-05T23:30:00-05:00"),
        "content/posts/sl.md": page("title: x\nslug: My Slug\ndate: 2022-01-02"),
        "content/posts/sub/_index.md": page("title: Sub Sec\nslug: subby"),
        "content/posts/sub/d/B.x/index.md": page("title: Bx\ndate: 2021-12-31"),
        "content/posts/undated.md": page("title: Undated"),
        "content/top.md": page("title: Top"),
        "content/other/o.md": page("title: O"),
    }
    _agree(tmp_path, files, pages=8)


def test_permalinks_by_kind_and_as_a_list(tmp_path: Path) -> None:
    content = {
        "content/posts/_index.md": page("title: My Posts"),
        "content/posts/a.md": page("title: Aa"),
        "content/posts/sub/_index.md": page("title: Sub"),
        "content/posts/sub/b.md": page("title: Bb"),
        "content/labels/_index.md": page(),
        "content/labels/go/_index.md": page("title: Golang"),
    }
    by_kind = (
        "[taxonomies]\nlabel = 'labels'\n[permalinks.page]\nposts = '/b/:slug/'\n"
        "[permalinks.section]\nposts = '/articles/:slug/'\n"
        "[permalinks.term]\nlabels = '/l/:slug/'\n"
    )
    _agree(tmp_path / "kinds", {"hugo.toml": BASE + by_kind, **content}, pages=6)
    listed = (
        "[taxonomies]\nlabel = 'labels'\n[[permalinks]]\npattern = '/b/:slug/'\n"
        "[permalinks.target]\npath = '/posts/**'\n[[permalinks]]\npattern = '/c/:slug/'\n"
        "[permalinks.target]\nkind = '{section,term}'\n"
    )
    _agree(tmp_path / "list", {"hugo.toml": BASE + listed, **content}, pages=6)


@pytest.mark.parametrize(
    "settings",
    ["", "defaultContentLanguageInSubdir = true\n", "defaultContentLanguage = 'fr'\n",
     "disableLanguages = ['fr']\n"],
)  # fmt: skip
def test_languages_by_suffix(tmp_path: Path, settings: str) -> None:
    files = {
        "hugo.toml": BASE + settings + LANGUAGES,
        "content/_index.md": page(),
        "content/_index.fr.md": page(),
        "content/s/_index.md": page("slug: zz"),
        "content/s/a.en.md": page(),
        "content/s/a.fr.md": page(),
        "content/s/a.pt-BR.md": page(),
        "content/s/b.FR.md": page(),
        "content/s/c.de.md": page(),
        "content/s/v1.2.md": page(),
        "content/s/kit/index.fr.md": page(),
        "content/s/kit/notes.md": page(),
        "content/s/fr.md": page(),
        "content/s/d.fr.fr.md": page(),
        "content/s/e.v1.fr.md": page(),
        "content/x.fr/p.md": page(),
        "content/s/u.fr.md": page("url: /abs/u/"),
        "content/s/w.fr.md": page("url: rel/u/"),
        "content/s/y.fr.md": page("url: fr/u4/"),
    }
    _agree(tmp_path, files, pages=9 if "disable" in settings else 16 if "'fr'" in settings else 17)


@pytest.mark.parametrize("nested", [True, False])
def test_languages_by_folder(tmp_path: Path, nested: bool) -> None:
    french = "content/fr" if nested else "content_fr"
    english = "content" if nested else "content_en"
    settings = (
        f"[languages.en]\nweight = 1\ncontentDir = '{english}'\n"
        f"[languages.fr]\nweight = 2\ncontentDir = '{french}'\n"
    )
    files = {
        "hugo.toml": BASE + settings,
        f"{english}/a.md": page(),
        f"{english}/c.fr.md": page(),
        f"{french}/a.md": page(),
        f"{french}/_index.md": page(),
        f"{french}/s/b/index.md": page(),
        f"{french}/sub/d.en.md": page(),
    }
    _agree(tmp_path, files, pages=6)


def test_languages_with_hosts_of_their_own(tmp_path: Path) -> None:
    settings = LANGUAGES.replace("weight = 2", 'weight = 2\nbaseURL = "https://fr.example/x"')
    files = {
        "hugo.toml": BASE + settings,
        "content/a.md": page(),
        "content/a.fr.md": page(),
        "content/s/_index.fr.md": page("url: rel/"),
        "content/a.pt-br.md": page(),
    }
    _agree(tmp_path, files, pages=4)


def test_mounts(tmp_path: Path) -> None:
    settings = """[[module.mounts]]
source = 'docs'
target = 'content/d'
files = ['! private/**', '! *.tmp.md', '**']
[[module.mounts]]
source = 'content'
target = 'content'
[[module.mounts]]
source = 'README.md'
target = 'content/readme.md'
[[module.mounts]]
source = 'other'
target = 'assets'
"""
    files = {
        "hugo.toml": BASE + settings,
        "docs/a.md": page(),
        "docs/private/b.md": page(),
        "docs/c.tmp.md": page(),
        "content/d.md": page(),
        "README.md": page(),
        "other/e.md": page(),
    }
    _agree(tmp_path, files, pages=3)


def test_configuration_in_several_files(tmp_path: Path) -> None:
    files = {
        "hugo.yaml": "baseURL: https://root.example/\nuglyURLs: true\ntitle: root\n",
        "config.toml": "baseURL = 'https://ignored.example/'\n",
        "config/_default/hugo.toml": "BaseURL = 'https://dir.example/'\n",
        "config/_default/permalinks.toml": "S = '/z/:filename/'\n",
        "config/_default/languages.toml": "[en]\nweight = 1\n",
        "config/_default/languages.fr.yaml": "weight: 2\n",
        "config/_default/languages/de.toml": "weight = 3\n",
        "config/production/config.json": '{"baseURL": "https://live.example/"}',
        "config/development/hugo.toml": "baseURL = 'https://dev.example/'\n",
        "content/s/a.md": page(),
        "content/s/a.fr.md": page(),
        "content/s/a.de.md": page(),
    }
    _agree(tmp_path, files, pages=3)


def test_publishing(tmp_path: Path) -> None:
    blocks = [
        "draft: true", "draft: 'true'", "draft: 1", "draft: 'false'", "draft: no", "draft: f",
        "Draft: TRUE", "draft: ~", "draft: [true]", "date: 2024-06-15", "date: 2024-06-16",
        "date: 2024-06-15T12:00:00Z", "date: 2024-06-15T12:00:01Z",
        "date: 2024-06-15T14:00:00+02:00", "date: 2024-06-15T14:00:00+01:00",
        "date: 2024-06-15 11:30:00", "date: 2024-06-15 12:30:00", "date: 16 Jun 2024",
        "date: 1718539200", "date: 2025", "publishDate: 2025-01-01\ndate: 2020-01-01",
        "pubdate: 2025-01-01", "published: 2025-01-01", "publishdate: ''\ndate: 2025-01-01",
        "publishDate: 2020-01-01\ndate: 2025-01-01", "expiryDate: 2024-06-15T12:00:00Z",
        "expiryDate: 2024-06-15T12:00:01Z", "unpublishdate: 2024-01-01", "lastmod: 2025-01-01",
        "date: 2020-01-01\nlastmod: 2025-01-01", "modified: 2025-01-01", "date: 0001-01-01",
        "publishdate: 0001-01-01\ndate: 2025-01-01", "expirydate: 0001-01-01",
        "date: 2024-06-16 10:00:00 +09:00", "date: 'Sat, 15 Jun 2024 13:00:00 GMT'",
        "headless: true", "headless: yes", "build: {render: never}", "build: {render: link}",
        "build: {render: false}", "build: {render: 'false'}", "build: {list: never}",
        "build: {render: Never}", "build: {Render: never}",
    ]  # fmt: skip
    files = {f"content/p{n}.md": page(block) for n, block in enumerate(blocks)}
    _agree(tmp_path, files, pages=20)


@pytest.mark.parametrize(
    ("zone", "pages"), [("Europe/Oslo", 5), ("America/New_York", 3), ("Etc/UTC", 3)]
)
def test_time_zone_of_dates_without_one(tmp_path: Path, zone: str, pages: int) -> None:
    files = {
        "hugo.toml": f"{BASE}timeZone = '{zone}'\n",
        "content/a.md": page("date: 2024-06-15T13:30:00"),
        "content/b.md": page("date: 2024-06-15 14:30:00"),
        "content/c.md": page("date: 2024-06-15T13:30:00Z"),
        "content/d.md": page("date: 2024-06-15T07:30:00"),
        "content/e.md": page("date: 2024-06-15"),
        "content/f.md": "+++\ndate = 2024-06-15T13:30:00\n+++\nx",
        "content/g.md": "+++\ndate = 2024-06-15T12:30:00Z\n+++\nx",
        "content/h.md": '{"date": "2024-06-15T10:00:00Z"}\nx',
    }
    _agree(tmp_path, files, pages=pages)


def test_configured_date_fields(tmp_path: Path) -> None:
    settings = """[frontmatter]
date = ['mydate', ':filename', ':default']
publishDate = ['embargo', 'date']
expiryDate = ['until']
"""
    blocks = ["mydate: 2025-01-01", "mydate: 2020-01-01\ndate: 2025-01-01", "embargo: 2025-01-01",
              "publishdate: 2025-01-01", "lastmod: 2025-01-01", "until: 2024-01-01",
              "expirydate: 2024-01-01"]  # fmt: skip
    files = {f"content/p{n}.md": page(block) for n, block in enumerate(blocks)}
    files |= {
        "hugo.toml": BASE + settings,
        "content/2025-01-01-later.md": page(),
        "content/2020-01-01-now.md": page(),
        "content/2020-01-01.md": page(),
        "content/2020-01-02_With Space.md": page(),
        "content/2020-01-03-slug.md": page("slug: mine"),
        "content/b/2020-01-04-leaf/index.md": page(),
        "content/2020-13-01-no-date.md": page(),
    }
    _agree(tmp_path, files, pages=7)


def test_cascades(tmp_path: Path) -> None:
    files = {
        "hugo.toml": BASE
        + "[[cascade]]\ndraft = true\n[cascade.target]\npath = '/hidden/**'\n"
        + "[[cascade]]\n[cascade.build]\nrender = 'never'\n[cascade.target]\npath = '{/n,/n/**}'\n",
        "content/a/_index.md": page("cascade: {draft: true}"),
        "content/a/c.md": page(),
        "content/a/open.md": page("draft: false"),
        "content/a/s/_index.md": page("cascade: {draft: false}"),
        "content/a/s/d.md": page(),
        "content/d/_index.md": page("draft: true"),
        "content/d/child.md": page(),
        "content/f/_index.md": page("date: 2030-01-01\nslug: fs"),
        "content/f/child.md": page(),
        "content/l/_index.md": page(
            "cascade:\n- draft: false\n  target: {path: /l/a}\n- draft: true\n"
            "  target: {path: '/l/{a,b}*', kind: page}"
        ),
        "content/l/a.md": page(),
        "content/l/ab.md": page(),
        "content/l/B c.md": page(),
        "content/l/t/ab.md": page(),
        "content/t/_index.md": page("cascade:\n  date: 2030-01-01"),
        "content/t/x.md": page(),
        "content/t/y.md": page("date: 2020-01-01"),
        "content/b/_index.md": page("cascade:\n  build: {render: never}"),
        "content/b/x.md": page(),
        "content/b/y.md": page("build: {list: never}"),
        "content/e/_index.md": page("cascade: {slug: kk}"),
        "content/e/x.md": page("slug: own"),
        "content/e/s/_index.md": page(),
        "content/e/s/y.md": page(),
        "content/leaf/index.md": page("cascade: {draft: true}"),
        "content/hidden/x.md": page(),
        "content/n/_index.md": page(),
        "content/n/x.md": page(),
        "content/env/_index.md": page("cascade:\n- draft: true\n  target: {environment: dev*}"),
    }
    _agree(tmp_path, files, pages=15)


def test_sections_that_only_hugo_sees(tmp_path: Path) -> None:
    settings = "[permalinks.page]\n'my-blog' = '/:sectionslugs/:filename/'\n"
    files = {
        "hugo.toml": BASE + settings,
        "content/_index.md": page("cascade: {slug: cs}"),
        "content/a/x.md": page("slug: own"),
        "content/a/deep/y.md": page("slug: own"),
        "content/b.md": page("slug: bee"),
        "content/b/z.md": page("slug: zed"),
    }
    _agree(tmp_path / "slugs", files, pages=5)
    files = {"hugo.toml": BASE + settings, "content/my-blog/p.md": page()}
    _agree(tmp_path / "titles", files, pages=1)


def test_files_of_one_page(tmp_path: Path) -> None:
    files = {
        "hugo.toml": BASE + LANGUAGES,
        "content/a.md": page(),
        "content/a.en.md": page(),
        "content/blog.en.md": page(),
        "content/blog/_index.md": page(),
        "content/c.md": page(),
        "content/c/_index.en.md": page(),
        "content/d.xx.fr.md": page(),
        "content/fr.v1.2.md": page(),
        "content/e.fr.yy.md": page(),
        "content/leaf/index.fr.md": page(),
        "content/leaf/sub/index.md": page(),
    }
    _agree(tmp_path, files, pages=7)


def test_kinds_that_are_switched_off_and_ignored_files(tmp_path: Path) -> None:
    settings = (
        "disableKinds = ['section', 'taxonomy']\nignoreFiles = ['\\.foo\\.md$', '/private/']\n"
    )
    files = {
        "hugo.toml": BASE + settings,
        "content/_index.md": page(),
        "content/s/_index.md": page(),
        "content/s/a.md": page(),
        "content/tags/_index.md": page(),
        "content/tags/go/_index.md": page(),
        "content/b.foo.md": page(),
        "content/private/c.md": page(),
    }
    _agree(tmp_path, files, pages=3)


HEADINGS = """Intro.

## Setup

## Setup

### Setup-1

## Café & Crème: what's new?

## `make install` and **bold** text

## See the [docs](https://example.org/x) here

## C++ & C#

## Custom title {#my-own-id}

## Custom class {.c #own2 k=v}

## 🚀 Launch :rocket:

## Trailing hashes ##

Setext two
----------

```sh
# not a heading
```

{{< note >}}
## Raw inner text is no heading
{{< /note >}}

{{% plain %}}
## Inner Markdown is one
{{% /plain %}}

{{</* note */>}} `{{%/* plain */%}}`

## With {{% word %}} inside

<!--
## In a comment
-->

> ## Quoted

- item

  ## In a list

<div>
## In raw HTML
</div>

##

Options
: A definition

Two
Terms
: Of one

{{% include "part.md" %}}

## Setup
"""


@pytest.mark.parametrize(
    "settings",
    ["", "enableEmoji = true", "[markup.goldmark.renderer]\nunsafe = true",
     "[markup.goldmark.parser]\nautoIDType = 'github-ascii'",
     "[markup.goldmark.parser]\nautoIDType = 'blackfriday'",
     "[markup.goldmark.parser]\nautoHeadingID = false",
     "[markup.goldmark.parser]\nautoDefinitionTermID = true",
     "[markup.goldmark.parser.attribute]\ntitle = false"],
)  # fmt: skip
def test_heading_ids(tmp_path: Path, settings: str) -> None:
    shortcodes = "layouts/_shortcodes"
    files = {
        "hugo.toml": f"{BASE}{settings}\n",
        f"{shortcodes}/note.html": "<aside>{{ .Inner }}</aside>",
        f"{shortcodes}/plain.html": "{{ .Inner }}",
        f"{shortcodes}/word.html": "",
        f"{shortcodes}/include.html": "{{ with $.Page.GetPage (.Get 0) }}{{ .RenderShortcodes }}"
        "{{ end }}",
        "content/guide.md": page(body=HEADINGS),
        "content/part.md": page(
            "build: {render: never}", "## Setup\n\n{{% plain %}}x{{% /plain %}}"
        ),
    }
    _agree(tmp_path, files, pages=1)
