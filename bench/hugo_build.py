"""What does the real Hugo make of a site: addresses, languages, titles and heading ids?"""

import html
import json
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ingestion.errors import DocumentUnreadable
from ingestion.hugo.casts import as_table, as_tables, as_text
from ingestion.hugo.configuration_files import read_configuration
from ingestion.hugo.program import run_hugo
from ingestion.hugo.shortcode_tags import Tag, find_tags

_LAYOUT = """<script id="askfolio" type="application/json">{{ with .File }}{{ dict
 "file" .Filename "url" $.Permalink "language" $.Language.Name "title" $.Title
 "external" $.Params.externalUrl
 | jsonify | safeJS }}{{ end }}</script><askfolio>{{ .Content }}</askfolio>"""
_PAGE = re.compile(
    r'<script id="askfolio" type="application/json">(.*?)</script><askfolio>(.*)</askfolio>',
    re.DOTALL,
)
_HEADING_ID = re.compile(r'<(?:h[1-6]|dt)\b[^>]*? id="([^"]*)"')
_ANY_ID = re.compile(r"""<[a-zA-Z][^<>]*?\s(?:id|name)=["']?([^"'\s>]*)""")
_INCLUDE = """{{ with or ($.Page.GetPage (.Get 0)) (site.GetPage (.Get 0)) }}\
{{ .RenderShortcodes }}{{ end }}"""
_DECISIVE = (
    "baseurl", "buildDrafts", "buildExpired", "buildFuture", "cascade", "contentdir",
    "defaultcontentlanguage", "defaultcontentlanguageinsubdir", "disablealiases", "disablekinds",
    "disablelanguages", "disablepathtolower", "enableemoji", "frontmatter", "ignorefiles",
    "languages", "permalinks", "removepathaccents", "taxonomies", "timezone", "title", "uglyurls",
)  # fmt: skip
_OLD_BUILD = re.compile(r"^([ \t\[]*)_build\b(\]|\.|[ \t]*[:=])", re.MULTILINE)
_FOLDERS = ("content", "data", "i18n", "assets")


@dataclass(frozen=True, slots=True)
class BuiltPage:
    """A page as Hugo published it.

    Attributes:
        url: Hugo's permalink.
        language: Code.
        title: As Hugo has it.
        anchors: Ids of its headings and definition terms, in order.
        ids: All ids of its content.
        external: Its `externalUrl`, without a fragment; "" for none.
    """

    url: str
    language: str
    title: str
    anchors: tuple[str, ...]
    ids: frozenset[str]
    external: str = ""


def build_site(hugo: Path, site: Path, now: datetime) -> dict[str, BuiltPage]:
    """Build `site`, a folder of our own, with a layout that prints what is compared.

    Returns:
        Pages by their path in the site.

    Raises:
        SourceUnreachable: Hugo refuses the site.
    """
    layouts = site / "layouts"
    layouts.mkdir(exist_ok=True)
    (layouts / "all.html").write_text(_LAYOUT, encoding="utf-8")
    pages: dict[str, BuiltPage] = {}
    with tempfile.TemporaryDirectory(prefix="askfolio-public-") as public:
        clock = now.strftime("%Y-%m-%dT%H:%M:%S%z")
        clock = f"{clock[:-2]}:{clock[-2:]}"
        run_hugo(hugo, ["-s", str(site), "-d", public, "--clock", clock, "--noBuildLock"])
        for file in sorted(Path(public).rglob("*")):
            page = _PAGE.search(file.read_text("utf-8", "replace")) if file.is_file() else None
            if page and page[1].strip():
                values = json.loads(page[1])
                path = Path(values["file"]).relative_to(site.resolve()).as_posix()
                anchors = tuple(map(html.unescape, _HEADING_ID.findall(page[2])))
                ids = frozenset(map(html.unescape, _ANY_ID.findall(page[2])))
                pages[path] = BuiltPage(
                    values["url"],
                    values["language"],
                    values["title"],
                    anchors,
                    ids,
                    str(values.get("external") or "").partition("#")[0],
                )
    return pages


def copy_site(root: Path, copy: Path, base_url: str = "") -> None:
    """A copy of a site that builds without its theme, modules and network.

    The settings that decide publishing, addresses and ids stay; shortcodes print their inner
    text, and includes include.
    """
    configuration = read_configuration(root)
    wanted = {key.lower() for key in _DECISIVE}
    kept: dict[str, object] = {key: v for key, v in configuration.items() if key in wanted}
    kept["markup"] = {"goldmark": as_table(as_table(configuration.get("markup")).get("goldmark"))}
    mounts = [m for m in as_tables(as_table(configuration.get("module")).get("mounts"))
              if as_text(m.get("target")).startswith("content")]  # fmt: skip
    kept["module"] = {"mounts": mounts} if mounts else {}
    if base_url:
        kept["baseurl"] = base_url
    kept["security"] = {"allowcontent": [".*"]}
    kept["languages"] = {code: _language(as_table(table)) for code, table in
                         as_table(kept.get("languages")).items()}  # fmt: skip
    if not kept["languages"]:
        del kept["languages"]
    sources = {as_text(mount.get("source")).split("/")[0] for mount in mounts}
    folders = {*_FOLDERS, *sources, as_text(configuration.get("contentdir"))} - {""}
    for name in folders:
        if (root / name).is_dir():
            shutil.copytree(root / name, copy / name, symlinks=True, dirs_exist_ok=True)
    (copy / "hugo.json").write_text(json.dumps(kept, default=str), encoding="utf-8")
    _stub_shortcodes(copy)


def _language(table: Mapping[str, object]) -> dict[str, object]:
    names = ("weight", "contentdir", "baseurl", "disabled", "permalinks", "timezone")
    return {name: table[name] for name in names if name in table}


def _stub_shortcodes(site: Path) -> None:
    """Templates for the shortcodes in use; tags that stand alone close themselves."""
    texts = {file: read for file in sorted(site.rglob("*")) if (read := _tagged_text(file))}
    tags = [tag for _, found in texts.values() for tag in found if tag.name]
    closed = {tag.name for tag in tags if tag.closing or tag.self_closing}
    for file, (text, found) in texts.items():
        for tag in reversed(found):
            stands_alone = tag.partner < 0 and not tag.closing and not tag.self_closing
            if tag.name in closed and stands_alone:
                text = f"{text[: tag.end - 3]} /{text[tag.end - 3 :]}"
        file.write_text(_OLD_BUILD.sub(r"\1build\2", text), encoding="utf-8")
    templates = {name: "{{ .Inner }}" if name in closed else "" for name in {t.name for t in tags}}
    for name, template in (templates | {"include": _INCLUDE}).items():
        file = site / "layouts" / "_shortcodes" / f"{name}.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(template, encoding="utf-8")


def _tagged_text(file: Path) -> tuple[str, list[Tag]] | None:
    if file.suffix.lower() not in {".md", ".html", ".org"} or not file.is_file():
        return None
    try:
        text = file.read_text("utf-8")
        return text, find_tags(text)
    except (UnicodeDecodeError, DocumentUnreadable):
        return None
