"""Sources of every kind, through the command line: what is published is found at its address."""

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import askfolio
from tests.fake_mistral import CHAT, Body, ChatAnswer, FakeMistral
from tests.ingestion.pdf_files import pdf_file
from tests.ingestion.test_html_site import page
from tests.ingestion.web_host import Sent, web_host
from tests.sites import write_files

NO_VECTORS = '[embedding]\nprovider = "none"\n'
NAMES = (
    "anchor",
    "beacon",
    "compass",
    "davit",
    "ensign",
    "fender",
    "gaff",
    "halyard",
    "iron",
    "jib",
)
ROWS_SITE = """\
[site]
owner = "Ada Example"
[[site.data]]
file = "data/projects.{language}.yaml"
url = "{prefix}/projects/#{{id}}"
language = "{language}"
"""


def configure(root: Path, site: str, files: Mapping[str, str], more: str = NO_VECTORS) -> None:
    write_files(root, {**files, "askfolio.toml": f"{site}{more}"})


def sync() -> Any:  # noqa: ANN401
    ran = askfolio("sync", "--json")
    assert ran.code == 0, ran.stdout + ran.stderr
    return ran.json


def found(query: str, *arguments: str) -> list[str]:
    ran = askfolio("search", query, *arguments, "--json")
    assert ran.code == 0, ran.stderr
    return [result["url"] for result in ran.json["results"]]


def pages() -> dict[str, Any]:
    return {row["url"] or row["path"]: row for row in askfolio("status", "--pages", "--json").json}


@pytest.fixture
def ten_rows(tmp_path: Path) -> Path:
    """A site whose project page is made from ten rows, in two languages."""
    english = "".join(
        f"- {{id: {name}, name: {name.title()}, year: {2010 + n}, about: A {name} made of steel}}\n"
        for n, name in enumerate(NAMES)
    )
    spanish = "".join(
        f"- {{id: {name}, name: {name.title()} ES, about: Un proyecto {name} hecho de acero}}\n"
        for name in NAMES
    )
    site = ROWS_SITE.format(language="en", prefix="")
    site += ROWS_SITE.format(language="es", prefix="/es").partition("\n")[2].partition("\n")[2]
    files = {
        "hugo.toml": 'baseURL = "https://ada.example/"\n[languages.en]\n[languages.es]\n',
        "content/projects/_index.md": "---\ntitle: Projects\n---\n",
        "data/projects.en.yaml": english,
        "data/projects.es.yaml": spanish,
    }
    configure(tmp_path, site, files)
    return tmp_path


def test_ten_rows_are_ten_documents_a_language(ten_rows: Path) -> None:
    sync()
    rows = [row for row in pages().values() if row["kind"] == "data"]
    assert [row["language"] for row in rows].count("en") == 10
    assert [row["language"] for row in rows].count("es") == 10
    assert {row["url"] for row in rows} == {
        f"https://ada.example{prefix}/projects/#{name}" for prefix in ("", "/es") for name in NAMES
    }
    assert (
        found("davit de acero", "--language", "es")[0] == "https://ada.example/es/projects/#davit"
    )


@pytest.mark.parametrize(
    ("question", "prefix"),
    [
        ("What are the beacon, the halyard and the jib made of?", ""),
        ("¿De qué están hechos los proyectos beacon, halyard y jib?", "/es"),
    ],
)
@pytest.mark.parametrize("full_context_tokens", [0, 32000])
def test_an_answer_about_three_rows_cites_three_rows(
    ten_rows: Path,
    monkeypatch: pytest.MonkeyPatch,
    question: str,
    prefix: str,
    full_context_tokens: int,
) -> None:
    def answer(body: Body) -> ChatAnswer:
        prompt = body["messages"][-1]["content"] + body["messages"][1]["content"]
        ending = " es" if prefix else ""
        numbered = re.findall(r'number="(\d+)">\ntitle: ([^\n]+)', prompt)
        named = {
            title.lower().removesuffix(ending): number
            for number, title in numbered
            if title.lower().endswith(ending) and (prefix or not title.endswith("ES"))
        }
        return ChatAnswer([" ".join(f"{n} [{named[n]}]." for n in ("beacon", "halyard", "jib"))])

    with FakeMistral() as server:
        server.answer = answer
        file = ten_rows / "askfolio.toml"
        file.write_text(
            file.read_text(encoding="utf-8")
            + f"[retrieval]\nfull_context_tokens = {full_context_tokens}\n"
            + f'[answer]\nprovider = "mistral"\nserver_url = "{server.url}"\n',
            encoding="utf-8",
        )
        monkeypatch.setenv("MISTRAL_API_KEY", "test-key")
        sync()
        response = askfolio("ask", question, "--json").json
        assert [request.path for request in server.requests] == [CHAT]
    assert response["outcome"] == "answered"
    assert [(c["n"], c["kind"], c["places"]) for c in response["citations"]] == [
        (n, "data", []) for n in (1, 2, 3)
    ]
    urls = [c["url"] for c in response["citations"]]
    assert urls == [
        f"https://ada.example{prefix}/projects/#{name}" for name in ("beacon", "halyard", "jib")
    ]


def test_a_built_site_is_found_at_its_headings_and_ids(tmp_path: Path) -> None:
    cards = "<div id='engine'><h2>Engine</h2><p>A motor in Go.</p></div><div id='kiln'>"
    files = {
        "public/index.html": page("<p>Ada builds instruments.</p>", title="Home"),
        "public/projects/index.html": page(f"{cards}<h2>Kiln</h2><p>Hot.</p></div>"),
        "public/cv/index.html": page("<p>My <a href='/cv.pdf'>CV</a></p>", title="CV"),
        "public/draft.html": page("walrus", head="<meta name='robots' content='noindex'>"),
    }
    site = '[site]\nkind = "html"\npath = "public"\nbase_url = "https://x.example/"\n'
    configure(tmp_path, site, files)
    (tmp_path / "public/cv.pdf").write_bytes(pdf_file([["Life"], ["Lisbon harbour office"]]))
    assert [skip["reason"] for skip in sync()["skipped"]] == ["not-rendered: noindex"]
    assert found("motor Go") == ["https://x.example/projects/#engine"]
    assert found("Lisbon harbour") == ["https://x.example/cv.pdf#page=2"]
    assert found("walrus") == []
    assert pages()["https://x.example/projects/"]["anchors"] == ["engine", "kiln", "top"]


def test_a_site_on_the_web_is_read_and_kept_while_it_is_out_of_reach(tmp_path: Path) -> None:
    with web_host() as host:
        loc = f"<urlset><url><loc>{host.url}/a/</loc></url></urlset>"
        host.answers |= {"/sitemap.xml": Sent(loc), "/a/": Sent(page("<p>Harbour gauge.</p>"))}
        configure(tmp_path, f'[site]\nurl = "{host.url}/sitemap.xml"\n', {})
        sync()
        address = f"{host.url}/a/"
        assert found("gauge") == [f"{address}#top"]
    ran = askfolio("sync", "--json")
    assert ran.code == 4
    assert ran.json["deleted"] == 0
    assert found("gauge") == [f"{address}#top"]


def test_a_knowledge_text_on_the_web(tmp_path: Path) -> None:
    with web_host(
        {"/k.txt": Sent("Source: https://x.example/a/\n# A\n\nHarbour gauge.\n")}
    ) as host:
        configure(tmp_path, f'[site]\nurl = "{host.url}/k.txt"\n', {})
        sync()
    assert found("gauge") == ["https://x.example/a/"]


@pytest.mark.parametrize("kind", ["hugo", "markdown"])
def test_an_address_of_a_kind_that_reads_files_is_refused(tmp_path: Path, kind: str) -> None:
    configure(tmp_path, f'[site]\nkind = "{kind}"\nurl = "https://x.example/"\n', {})
    ran = askfolio("sync")
    assert ran.code == 2
    assert "site.path" in ran.stderr


def sync_without(package: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """`askfolio sync --json` in a process that cannot import `package`."""
    code = (
        f"import sys\nsys.modules[{package!r}] = None\nfrom askfolio import main\n"
        "sys.argv = ['askfolio', 'sync', '--json']\nmain()\n"
    )
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("package", ["trafilatura", "lxml.html"])
def test_without_the_extra_html_the_message_names_it(tmp_path: Path, package: str) -> None:
    site = '[site]\nkind = "html"\npath = "."\nbase_url = "https://x.example/"\n'
    configure(tmp_path, site, {"index.html": page()})
    ran = sync_without(package, tmp_path)
    assert ran.returncode == 2
    assert "askfolio[html]" in ran.stderr


def test_without_the_extra_pdf_the_file_is_skipped_and_the_reason_names_it(tmp_path: Path) -> None:
    files = {"hugo.toml": "", "content/a.md": "---\ntitle: A\n---\n[CV](/cv.pdf)\n"}
    configure(tmp_path, '[site]\nbase_url = "https://x.example/"\n', files)
    (tmp_path / "static").mkdir()
    (tmp_path / "static/cv.pdf").write_bytes(pdf_file([["Life"]]))
    ran = sync_without("pypdf", tmp_path)
    assert ran.returncode == 0
    (skipped,) = json.loads(ran.stdout)["skipped"]
    assert skipped["path"] == "static/cv.pdf"
    assert skipped["reason"].startswith("binary: ")
    assert "askfolio[pdf]" in skipped["reason"]
