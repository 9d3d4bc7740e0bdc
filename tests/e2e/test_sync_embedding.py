"""What a sync pays for: each text once, whatever the provider, the network or the disk does."""

import hashlib
import random
import signal
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ingestion.chunking import embedded_text
from ingestion.embedding import chunk_hashes, embed_missing, missing_texts
from ingestion.store_writer import StoreWriter
from ingestion.sync import document_hashes
from ingestion.vector_cache import open_cache
from retrieval.chunk_store import ChunkStore
from retrieval.embedding.mistral_embedder import MistralEmbedder, Server
from retrieval.types import Chunk, Document
from tests.command_line import askfolio
from tests.fake_mistral import EMBEDDINGS, Drop, EmbeddingRules, FakeMistral, Reply
from tests.fakes import hashing_vector
from tests.sites import write_configuration, write_files, write_site

DIMENSION = 32
TEXTS = 20_000
CHUNKS_PER_DOCUMENT = 100


class UnreliableMistral(FakeMistral):
    """5 % 429, 2 % 500, 1 % broken JSON, 1 % dropped connections, and once Retry-After: 3600."""

    def __init__(self, rules: EmbeddingRules) -> None:
        super().__init__(rules)
        self.answered: Counter[str] = Counter()
        self.failed = self.seen = 0
        self._random = random.Random(5)
        self._lock = threading.Lock()
        rules.vector = self._counted

    def scripted(self, path: str) -> Reply | Drop | None:
        with self._lock:
            reply = self._reply()
            self.failed += reply is not None
            return reply

    def _reply(self) -> Reply | Drop | None:
        self.seen += 1
        if self.seen == 100:
            return Reply(429, {"Retry-After": "3600"})
        number = self._random.random()
        for share, reply in (
            (0.05, Reply(429)),
            (0.07, Reply(500)),
            (0.08, Reply(200, body=b'{"object": "list", "data": [{"emb')),
            (0.09, Drop()),
        ):
            if number < share:
                return reply
        return None

    def _counted(self, text: str, dimension: int) -> Any:  # noqa: ANN401
        with self._lock:
            self.answered[text] += 1
        return hashing_vector(text, dimension)


def write_store(file: Path, texts: list[str]) -> None:
    writer = StoreWriter(file)
    for start in range(0, len(texts), CHUNKS_PER_DOCUMENT):
        some = texts[start : start + CHUNKS_PER_DOCUMENT]
        document = Document(
            doc_id=f"site:{start}",
            source="site",
            path=str(start),
            url=None,
            title="T",
            language="en",
            kind="page",
            sections=(),
        )
        empty = Chunk("", document.doc_id, None, "", (), 0, "", 1, None, None, "")
        chunks = tuple(
            replace(
                empty,
                chunk_id=f"{document.doc_id}#0.{n}",
                ordinal=n,
                text=text,
                content_hash=hashlib.sha256(embedded_text("T", (), text).encode()).hexdigest(),
            )
            for n, text in enumerate(some)
        )
        writer.add(document, document_hashes(document), chunks, 0)
    writer.finish()


@pytest.mark.slow
def test_an_unreliable_provider_embeds_20000_texts_exactly_once(tmp_path: Path) -> None:
    file = tmp_path / "chunks.sqlite"
    write_store(file, [f"text{n} about pumps" for n in range(TEXTS)])
    chunks = chunk_hashes(file)
    waits: list[float] = []
    with (
        UnreliableMistral(EmbeddingRules(dimension=DIMENSION)) as server,
        open_cache(tmp_path / "embeddings.sqlite", "mistral:mistral-embed") as cache,
        closing(ChunkStore(file)) as store,
    ):
        embedder = MistralEmbedder(Server("k", url=server.url), sleep=waits.append)
        outcome = embed_missing(missing_texts(chunks, cache), store, embedder, cache)
        embedder.close()
        vectors = cache.get([key for _, key, _ in chunks], DIMENSION)
    assert (outcome.texts, outcome.refused) == (TEXTS, {})
    assert len(server.answered) == TEXTS
    assert set(server.answered.values()) == {1}
    assert server.failed > 10
    assert max(waits) == 60.0
    expected = [
        hashing_vector(embedded_text("T", (), f"text{n} about pumps"), DIMENSION)
        for n in range(TEXTS)
    ]
    assert np.allclose(vectors, np.stack(expected), atol=1e-3)


class KeyRunsOut(FakeMistral):
    """Accepts a number of requests, then 401 until it is allowed more."""

    allowed = 3

    def __init__(self, rules: EmbeddingRules) -> None:
        super().__init__(rules)
        self.answered: list[str] = []
        self._seen = 0
        self._lock = threading.Lock()
        rules.vector = self._recorded

    def scripted(self, path: str) -> Reply | Drop | None:
        with self._lock:
            self._seen += path == EMBEDDINGS
            return Reply(401) if self._seen > self.allowed else None

    def _recorded(self, text: str, dimension: int) -> Any:  # noqa: ANN401
        self.answered.append(text)
        return hashing_vector(text, dimension)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[KeyRunsOut]:
    with KeyRunsOut(EmbeddingRules(dimension=DIMENSION)) as running:
        write_site(tmp_path)
        write_configuration(
            tmp_path,
            f'[embedding]\nprovider = "mistral"\nserver_url = "{running.url}"\n'
            "[knowledge]\nkeep = 1\n",
        )
        monkeypatch.setenv("MISTRAL_API_KEY", "test-key")
        yield running


def sections(count: int) -> str:
    return "---\ntitle: Many\n---\n" + "".join(
        f"## Part {n}\n\nThe part{n} has its own words.\n\n" for n in range(count)
    )


def stored_hashes(root: Path) -> set[bytes]:
    with closing(sqlite3.connect(root / "knowledge/embeddings.sqlite")) as connection:
        return {key for (key,) in connection.execute("SELECT hash FROM vectors")}


def used_hashes(root: Path) -> set[bytes]:
    stores = (root / "knowledge/generations").glob("*/chunks.sqlite")
    return {key for store in stores for _, key, _ in chunk_hashes(store)}


def test_a_sync_that_broke_off_goes_on_where_it_was(tmp_path: Path, server: KeyRunsOut) -> None:
    write_files(tmp_path / "content", {"many.md": sections(600)})
    broken = askfolio("sync", "--json")
    assert broken.code == 1
    answered = list(server.answered)
    assert len(stored_hashes(tmp_path)) == len(answered)
    server.allowed, before = 10_000, len(server.embedded())
    resumed = askfolio("sync", "--json")
    assert resumed.code == 0
    sent = server.embedded()[before:]
    assert not set(sent) & set(answered)
    assert len(sent) == len(set(sent)) == resumed.json["embedded_texts"]
    assert stored_hashes(tmp_path) == used_hashes(tmp_path)


@pytest.mark.parametrize("damage", [None, b"", b"no database", b"SQLite format 3\0" + bytes(90)])
def test_lost_or_torn_stored_vectors_are_taken_from_the_generation(
    tmp_path: Path, server: KeyRunsOut, damage: bytes | None
) -> None:
    server.allowed = 10_000
    askfolio("sync")
    file = tmp_path / "knowledge/embeddings.sqlite"
    file.unlink()
    if damage is not None:
        file.write_bytes(damage)
    write_files(tmp_path / "content", {"new.md": "---\ntitle: New\n---\nA new lantern.\n"})
    planned = askfolio("sync", "--dry-run", "--json").json
    assert planned["embedded_texts"] == 1
    assert damage == (file.read_bytes() if file.exists() else None)
    ran = askfolio("sync", "--json")
    assert (ran.code, ran.json["embedded_texts"]) == (0, 1)
    assert askfolio("status", "--verify").code == 0
    assert stored_hashes(tmp_path) == used_hashes(tmp_path)


def test_vectors_of_a_file_that_was_changed_are_not_taken_over(
    tmp_path: Path, server: KeyRunsOut
) -> None:
    server.allowed = 10_000
    askfolio("sync")
    texts = len(stored_hashes(tmp_path))
    (tmp_path / "knowledge/embeddings.sqlite").unlink()
    (file,) = (tmp_path / "knowledge/generations").glob("*/vectors.f16")
    file.write_bytes(bytes(file.stat().st_size))
    write_files(tmp_path / "content", {"new.md": "---\ntitle: New\n---\nA new lantern.\n"})
    assert askfolio("sync", "--json").json["embedded_texts"] == texts + 1
    assert askfolio("status", "--verify").code == 0


def test_vectors_that_no_kept_generation_uses_are_deleted(
    tmp_path: Path, server: KeyRunsOut
) -> None:
    server.allowed = 10_000
    askfolio("sync")
    first = stored_hashes(tmp_path)
    for number in range(3):
        text = f"---\ntitle: Kiln\n---\nThe kiln of version {'abc'[number]}.\n"
        write_files(tmp_path / "content", {"kiln.md": text})
        assert askfolio("sync").code == 0
        assert stored_hashes(tmp_path) == used_hashes(tmp_path)
    assert len(first - stored_hashes(tmp_path)) == 1


def test_going_back_to_a_kept_generation_and_on_pays_nothing(
    tmp_path: Path, server: KeyRunsOut
) -> None:
    server.allowed = 10_000
    askfolio("sync")
    write_files(tmp_path / "content", {"kiln.md": "---\ntitle: Kiln\n---\nAnother kiln.\n"})
    askfolio("sync")
    sent = len(server.embedded())
    assert askfolio("rollback").code == 0
    ran = askfolio("sync", "--json").json
    assert (ran["updated"], ran["embedded_texts"]) == (1, 0)
    assert len(server.embedded()) == sent


def test_one_refused_text_is_reported_and_the_rest_is_published(
    tmp_path: Path, server: KeyRunsOut
) -> None:
    server.allowed = 10_000
    server.rules.refuse = lambda text: "braille" in text
    ran = askfolio("sync", "--json")
    assert ran.code == 4
    assert [error["path"] for error in ran.json["errors"]] == ["content/labels.md"]
    found = askfolio("search", "braille", "--mode", "keyword", "--json").json["results"]
    assert found[0]["path"] == "content/labels.md"
    assert askfolio("status", "--verify").code == 0


class InterruptedOnce(FakeMistral):
    """Interrupts the sync, as Ctrl-C does, while its main thread waits for the n-th answer."""

    at = 4

    def __init__(self, rules: EmbeddingRules) -> None:
        super().__init__(rules)
        self.interrupt: Callable[[], None] = lambda: None
        self._seen = 0
        self._lock = threading.Lock()

    def scripted(self, path: str) -> Reply | Drop | None:
        with self._lock:
            self._seen += 1
            if self._seen == self.at:
                self.interrupt()
        return None


def test_ctrl_c_keeps_what_arrived(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", "test-key")
    write_site(tmp_path)
    write_files(tmp_path / "content", {"many.md": sections(900)})
    with InterruptedOnce(EmbeddingRules(dimension=DIMENSION)) as server:
        write_configuration(
            tmp_path, f'[embedding]\nprovider = "mistral"\nserver_url = "{server.url}"\n'
        )
        command = [sys.executable, "-c", "import askfolio; askfolio.main()", "sync"]
        with subprocess.Popen(
            command,
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            # A job in the background of a shell ignores SIGINT, and so would its children.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        ) as process:
            server.interrupt = lambda: process.send_signal(signal.SIGINT)
            assert process.wait(60) == 130
        stored = len(stored_hashes(tmp_path))
        assert stored >= sum(len(request.body["input"]) for request in server.requests[:1])
        last = (tmp_path / "knowledge/last_sync.json").read_text(encoding="utf-8")
        assert "interrupted" in last
        assert not list((tmp_path / "knowledge/generations").iterdir())
        resumed = askfolio("sync", "--json")
        assert resumed.code == 0
        assert resumed.json["embedded_texts"] == len(used_hashes(tmp_path)) - stored
