"""The scripts of docs/deploy.md, extracted and run against a local folder."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from retrieval.generation import current_name, generation_names, open_generation, verify
from tests.fake_mistral import EmbeddingRules, FakeMistral
from tests.sites import write_configuration, write_files, write_site

ROOT = Path(__file__).parent.parent.parent
DOCUMENT = ROOT / "docs" / "deploy.md"
SNIPPETS = dict(
    re.findall(
        r"<!-- snippet: (\S+) -->\n```\w+\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.S
    )
)
needs_rsync = pytest.mark.skipif(shutil.which("rsync") is None, reason="rsync is not installed")


class Deployment:
    """A checkout, a server's folder, and a shell in which `askfolio` is a command."""

    def __init__(self, root: Path) -> None:
        self.checkout, self.server = root / "checkout", root / "server"
        self.server.mkdir()
        programs = root / "bin"
        command = (
            f"#!/bin/sh\nexec '{sys.executable}' -c 'import askfolio; askfolio.main()' \"$@\"\n"
        )
        write_files(programs, {"askfolio": command})
        (programs / "askfolio").chmod(0o755)
        self._environment = {
            **os.environ,
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "TARGET": str(self.server),
        }
        self.fresh_checkout()

    def fresh_checkout(self) -> None:
        """What a CI job begins with: the site, and no knowledge folder."""
        shutil.rmtree(self.checkout, ignore_errors=True)
        write_site(self.checkout)
        write_configuration(self.checkout, self.configuration)

    configuration = '[embedding]\nprovider = "none"\n[knowledge]\nkeep = 1\n'

    def write(self, name: str, text: str) -> None:
        write_files(self.checkout / "content", {name: text})

    def kiln(self, colour: str) -> None:
        self.write("kiln.md", f"---\ntitle: Kiln\n---\nThe kiln is {colour}.\n")

    def run(self, name: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", "-c", SNIPPETS[name], name, *arguments],
            cwd=self.checkout,
            env={**self._environment, **variables},
            capture_output=True,
            text=True,
            check=False,
        )

    def askfolio(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A command on the server."""
        if not (self.server / "askfolio.toml").exists():
            write_configuration(self.server, self.configuration)
        return subprocess.run(
            ["askfolio", *arguments],
            cwd=self.server,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def served(self) -> str:
        """The corpus as text that serves, after a check of everything."""
        generation = open_generation(self.server / "knowledge")
        try:
            verify(generation)
            return (generation.folder / "knowledge.txt").read_text(encoding="utf-8")
        finally:
            generation.close()


@pytest.fixture
def deployment(tmp_path: Path) -> Deployment:
    return Deployment(tmp_path)


@needs_rsync
def test_on_the_server_the_sync_runs_beside_the_copied_sources(deployment: Deployment) -> None:
    server = deployment.server
    write_configuration(server).write_text(
        '[site]\npath = "site"\n[embedding]\nprovider = "none"\n', encoding="utf-8"
    )
    where = {"SITE": str(deployment.checkout), "REMOTE": "sh -c", "FOLDER": str(server)}
    for colour in ("amber", "cobalt"):
        deployment.kiln(colour)
        ran = deployment.run("deploy-sources.sh", **where)
        assert ran.returncode == 0, ran.stderr
        assert f"The kiln is {colour}." in deployment.served()
    deployment.write("broken.md", "---\ntitle: A: b\n---\nText.\n")
    ran = deployment.run("deploy-sources.sh", **where)
    assert ran.returncode == 0
    assert "keeps its last version" in ran.stderr
    shutil.rmtree(deployment.checkout / "content")
    (deployment.checkout / "content").mkdir()
    assert deployment.run("deploy-sources.sh", **where).returncode == 3
    assert "cobalt" in deployment.served()


@needs_rsync
def test_in_ci_the_folder_is_fetched_synced_and_pushed(deployment: Deployment) -> None:
    for colour in ("amber", "cobalt", "crimson", "violet"):
        deployment.fresh_checkout()
        deployment.kiln(colour)
        ran = deployment.run("deploy-knowledge.sh")
        assert ran.returncode == 0, ran.stderr
        assert f"The kiln is {colour}." in deployment.served()
    knowledge = deployment.server / "knowledge"
    names = generation_names(knowledge)
    assert [name.partition("-")[0] for name in names] == ["000003", "000004"]
    assert current_name(knowledge) == names[-1]
    assert deployment.askfolio("rollback").returncode == 0
    assert "crimson" in deployment.served()
    deployment.fresh_checkout()
    ran = deployment.run("deploy-knowledge.sh")
    assert ran.returncode == 0, ran.stderr
    assert (knowledge / "last_sync.json").exists()


@needs_rsync
def test_in_ci_a_failed_sync_pushes_the_vectors_and_nothing_else(deployment: Deployment) -> None:
    with FakeMistral(EmbeddingRules(dimension=8)) as mistral:
        mistral.rules.refuse = lambda text: "Labels" in text
        settings = f'[embedding]\nprovider = "mistral"\nserver_url = "{mistral.url}"\n'
        deployment.configuration = settings
        deployment.fresh_checkout()
        first = deployment.run("deploy-knowledge.sh", MISTRAL_API_KEY="k")
        assert first.returncode == 0, first.stderr  # exit 4 of the sync: one text was refused
        assert "keeps its last version" in first.stderr
        serving, sent = current_name(deployment.server / "knowledge"), len(mistral.embedded())
        deployment.fresh_checkout()
        for page in (deployment.checkout / "content").glob("*.md"):
            page.unlink()
        assert deployment.run("deploy-knowledge.sh", MISTRAL_API_KEY="k").returncode == 3
        assert current_name(deployment.server / "knowledge") == serving
        deployment.fresh_checkout()
        assert deployment.run("deploy-knowledge.sh", MISTRAL_API_KEY="k").returncode == 0
        assert len(mistral.embedded()) == sent


@needs_rsync
def test_in_ci_a_hold_on_the_server_is_respected(deployment: Deployment) -> None:
    for colour in ("amber", "cobalt"):
        deployment.fresh_checkout()
        deployment.kiln(colour)
        assert deployment.run("deploy-knowledge.sh").returncode == 0
    assert deployment.askfolio("rollback", "--hold").returncode == 0
    deployment.fresh_checkout()
    deployment.kiln("crimson")
    ran = deployment.run("deploy-knowledge.sh")
    assert ran.returncode == 0, ran.stderr
    assert "amber" in deployment.served()
    assert deployment.askfolio("rollback", "--release").returncode == 0
    assert "crimson" in deployment.served()


@needs_rsync
def test_in_ci_nothing_is_pushed_over_a_rollback_that_came_between(
    deployment: Deployment,
) -> None:
    for colour in ("amber", "cobalt"):
        deployment.fresh_checkout()
        deployment.kiln(colour)
        assert deployment.run("deploy-knowledge.sh").returncode == 0
    deployment.fresh_checkout()
    deployment.kiln("crimson")
    meanwhile = f"cd '{deployment.server}' && askfolio rollback"
    write_configuration(deployment.server, deployment.configuration)
    script = SNIPPETS["deploy-knowledge.sh"].replace("# 3. Push", f"({meanwhile})\n# 3. Push")
    ran = subprocess.run(
        ["sh", "-c", script],
        cwd=deployment.checkout,
        env=deployment._environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1
    assert "run this job again" in ran.stderr
    assert "amber" in deployment.served()


@pytest.mark.parametrize("name", ["deploy-sources.sh", "deploy-knowledge.sh"])
def test_the_scripts_are_valid_shell_and_ask_for_what_they_need(name: str) -> None:
    checked = subprocess.run(["sh", "-n", "-c", SNIPPETS[name]], check=False)
    assert checked.returncode == 0
    bare = {"PATH": os.environ["PATH"]}
    ran = subprocess.run(["sh", "-c", SNIPPETS[name]], env=bare, capture_output=True, check=False)
    assert ran.returncode != 0


@pytest.mark.parametrize("name", ["github.yml", "woodpecker.yml", "gitlab.yml"])
def test_the_pipelines_are_valid_and_run_the_script_one_at_a_time(name: str) -> None:
    pipeline = yaml.safe_load(SNIPPETS[name])
    text = SNIPPETS[name]
    assert "sh deploy-knowledge.sh" in text
    assert "TARGET" in text
    assert {"concurrency", "resource_group"} & {
        *map(str, pipeline),
        *(str(key) for value in pipeline.values() if isinstance(value, dict) for key in value),
    }
