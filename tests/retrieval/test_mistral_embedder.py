import gc
import itertools
import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from retrieval.embedding.base import EmbeddedBatch, Vectors
from retrieval.embedding.batching import BLANK, MAX_INPUTS
from retrieval.embedding.mistral_embedder import MistralEmbedder, Server
from retrieval.errors import (
    ProviderError,
    ProviderRateLimited,
    ProviderRefused,
    ProviderUnavailable,
)
from retrieval.provider_retry import QUERY_POLICY, SYNC_POLICY
from tests.fake_mistral import EMBEDDINGS, Drop, EmbeddingRules, FakeMistral, Reply, error_body
from tests.fakes import hashing_vector

KEY = "sk-not-to-be-shown"


@pytest.fixture
def server() -> Iterator[FakeMistral]:
    with FakeMistral() as running:
        yield running


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def embedder(server: FakeMistral, waits: list[float]) -> Iterator[MistralEmbedder]:
    opened = MistralEmbedder(Server(KEY, url=server.url), sleep=waits.append)
    yield opened
    opened.close()


def texts(count: int) -> list[str]:
    return [f"passage number{position} about pumps" for position in range(count)]


def by_position(batches: list[EmbeddedBatch]) -> dict[int, Vectors]:
    return {
        position: vector
        for batch in batches
        for position, vector in zip(batch.positions, batch.vectors, strict=True)
    }


def refused(batches: list[EmbeddedBatch]) -> dict[int, str]:
    return dict(itertools.chain.from_iterable(batch.refused for batch in batches))


def test_every_text_gets_its_own_unit_vector(
    server: FakeMistral, embedder: MistralEmbedder
) -> None:
    server.rules.shuffled = True
    passages = texts(150)
    found = by_position(list(embedder.embed_passages(passages)))
    assert sorted(found) == list(range(150))
    for position, vector in found.items():
        assert vector == pytest.approx(hashing_vector(passages[position], 1024), abs=1e-6)
    assert max(len(body["input"]) for body in server.bodies(EMBEDDINGS)) <= MAX_INPUTS


def test_the_request_is_mistrals(server: FakeMistral, embedder: MistralEmbedder) -> None:
    vector = embedder.embed_query("where is the pump?")
    (request,) = server.requests
    assert request.body == {"model": "mistral-embed", "input": ["where is the pump?"]}
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert vector.shape == (1024,)
    assert vector.dtype == np.dtype(np.float32)
    assert (embedder.embedder_id, embedder.dimension) == ("mistral:mistral-embed", 1024)


@pytest.mark.parametrize(
    "text",
    ["pump valve rotor " * 55, "9f86d081884c7d65" * 60, "水泵每分钟输送十二升水" * 30, "🚀" * 200],
)
def test_requests_stay_within_the_servers_limits(
    text: str, server: FakeMistral, embedder: MistralEmbedder
) -> None:
    passages = [f"{position} {text}" for position in range(120)]
    found = by_position(list(embedder.embed_passages(passages)))
    assert len(found) == 120
    assert server.violations == []


def test_callers_estimate_bounds_a_request_too(server: FakeMistral) -> None:
    embedder = MistralEmbedder(Server(KEY, url=server.url), tokens=lambda text: 5_000)
    list(embedder.embed_passages(texts(7)))
    embedder.close()
    assert sorted(len(body["input"]) for body in server.bodies(EMBEDDINGS)) == [1, 2, 2, 2]


def test_charged_tokens_are_counted(embedder: MistralEmbedder) -> None:
    batches = list(embedder.embed_passages(texts(3)))
    assert sum(batch.tokens for batch in batches) == sum(math.ceil(len(t) / 2) for t in texts(3))


def test_blank_texts_are_not_sent(server: FakeMistral, embedder: MistralEmbedder) -> None:
    batches = list(embedder.embed_passages(["pump", "", " \n\t", "\0", "valve"]))
    assert sorted(by_position(batches)) == [0, 4]
    assert refused(batches) == {1: BLANK, 2: BLANK, 3: BLANK}
    assert server.embedded() == ["pump", "valve"]


def test_no_texts_no_request(server: FakeMistral, embedder: MistralEmbedder) -> None:
    assert list(embedder.embed_passages([])) == []
    assert server.requests == []


def test_lone_surrogates_are_sent_as_replacements(
    server: FakeMistral, embedder: MistralEmbedder
) -> None:
    list(embedder.embed_passages(["a\ud800b"]))
    assert server.embedded() == ["a\ufffdb"]


def test_a_refused_batch_is_halved(server: FakeMistral, embedder: MistralEmbedder) -> None:
    server.rules.max_inputs = 10
    found = by_position(list(embedder.embed_passages(texts(64))))
    assert sorted(found) == list(range(64))
    assert {len(body["input"]) for body in server.bodies(EMBEDDINGS)} == {64, 32, 16, 8}


def test_too_many_tokens_by_the_servers_count_are_halved(
    server: FakeMistral, embedder: MistralEmbedder
) -> None:
    server.rules = EmbeddingRules(token_count=lambda text: 3 * len(text), max_total_tokens=600)
    found = by_position(list(embedder.embed_passages(texts(40))))
    assert sorted(found) == list(range(40))
    assert server.violations


def test_a_text_that_is_refused_alone_is_named_and_the_rest_goes_on(
    server: FakeMistral, embedder: MistralEmbedder
) -> None:
    server.rules.refuse = lambda text: "number13 " in text
    batches = list(embedder.embed_passages(texts(30)))
    assert sorted(by_position(batches)) == [n for n in range(30) if n != 13]
    assert list(refused(batches)) == [13]
    assert "Input was refused" in refused(batches)[13]


def test_a_request_that_no_text_mends_fails_soon(
    server: FakeMistral, embedder: MistralEmbedder
) -> None:
    server.rules.refuse = lambda text: True
    with pytest.raises(ProviderRefused):
        list(embedder.embed_passages(texts(64)))
    assert len(server.requests) < 15


def test_an_unknown_model_is_not_halved(server: FakeMistral, embedder: MistralEmbedder) -> None:
    server.script(EMBEDDINGS, Reply(400, body=error_body("Invalid model: mistral-embd", "1500")))
    with pytest.raises(ProviderRefused, match="Invalid model"):
        list(embedder.embed_passages(texts(8)))
    assert len(server.requests) == 1


def test_429_waits_as_long_as_asked(
    server: FakeMistral, embedder: MistralEmbedder, waits: list[float]
) -> None:
    server.script(EMBEDDINGS, Reply(429, {"Retry-After": "1"}), Reply(429, {"Retry-After": "4"}))
    assert len(by_position(list(embedder.embed_passages(texts(2))))) == 2
    assert waits == [1.0, 4.0]


def test_429_without_end_is_reported(server: FakeMistral, embedder: MistralEmbedder) -> None:
    server.script(EMBEDDINGS, *[Reply(429, {"Retry-After": "3600"})] * 20)
    with pytest.raises(ProviderRateLimited):
        list(embedder.embed_passages(texts(2)))
    assert len(server.requests) == SYNC_POLICY.attempts


@pytest.mark.parametrize(
    "failure",
    [
        Reply(500),
        Reply(503),
        Reply(408),
        Drop(),
        Reply(200, body=b"{nonsense"),
        Reply(200, body=b""),
        Reply(200, {"Content-Type": "text/html"}, b"<html>"),
        Reply(200, body={"unexpected": 1}),
    ],
)
def test_passing_failures_are_tried_again(
    failure: Reply | Drop, server: FakeMistral, embedder: MistralEmbedder, waits: list[float]
) -> None:
    server.script(EMBEDDINGS, failure, failure)
    assert len(by_position(list(embedder.embed_passages(texts(2))))) == 2
    assert waits == [1.0, 2.0]


def test_lasting_failure_is_unavailable_and_what_came_before_stays(
    server: FakeMistral, embedder: MistralEmbedder
) -> None:
    batches = embedder.embed_passages(texts(MAX_INPUTS + 1))
    assert len(next(batches).positions) == MAX_INPUTS
    server.script(EMBEDDINGS, *[Reply(500)] * 20)
    with pytest.raises(ProviderUnavailable, match="500"):
        next(batches)


@pytest.mark.parametrize("status", [401, 403, 404, 422])
def test_refusals_are_not_tried_again_and_hide_the_key(
    status: int, server: FakeMistral, embedder: MistralEmbedder
) -> None:
    server.script(EMBEDDINGS, Reply(status, body=error_body(f"not with {KEY}")))
    with pytest.raises(ProviderRefused, match=str(status)) as caught:
        list(embedder.embed_passages(texts(3)))
    assert KEY not in str(caught.value)
    assert len(server.requests) == 1


def test_a_server_that_is_not_there_is_unavailable(waits: list[float]) -> None:
    with FakeMistral() as gone:
        url = gone.url
    embedder = MistralEmbedder(Server(KEY, url=url), sleep=waits.append)
    with pytest.raises(ProviderUnavailable, match="cannot be reached") as caught:
        embedder.embed_query("pump")
    embedder.close()
    assert url in str(caught.value)
    assert len(waits) == QUERY_POLICY.attempts - 1


def vectors_reply(*entries: tuple[int | None, list[float]]) -> Reply:
    data = [{"object": "embedding", "index": at, "embedding": vector} for at, vector in entries]
    usage = {"prompt_tokens": 1, "completion_tokens": 0, "total_tokens": 1}
    body = {"id": "1", "object": "list", "model": "m", "data": data, "usage": usage}
    return Reply(200, body=body)


ONE, TWO = [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (vectors_reply((0, ONE)), "2 texts with 1"),
        (vectors_reply((0, ONE), (0, TWO)), "index"),
        (vectors_reply((0, ONE), (2, TWO)), "index"),
        (vectors_reply((0, ONE), (1, TWO), (2, TWO)), "2 texts with 3"),
        (vectors_reply((0, ONE), (1, [1.0, 0.0])), "dimension"),
        (vectors_reply((0, ONE), (1, [])), "dimension"),
        (vectors_reply((0, ONE), (1, [1e39, 0.0, 0.0])), "finite"),
    ],
)
def test_a_wrong_answer_is_not_used(
    reply: Reply, message: str, server: FakeMistral, embedder: MistralEmbedder
) -> None:
    server.script(EMBEDDINGS, reply)
    with pytest.raises(ProviderError, match=message):
        list(embedder.embed_passages(texts(2)))


def test_vectors_are_normalised_and_the_first_answer_decides_the_dimension(
    server: FakeMistral, embedder: MistralEmbedder
) -> None:
    server.script(EMBEDDINGS, vectors_reply((1, TWO), (0, ONE)))
    (batch,) = embedder.embed_passages(texts(2))
    assert batch.vectors.tolist() == [ONE, [0.0, 1.0, 0.0]]
    assert embedder.dimension == 3
    with pytest.raises(ProviderError, match=r"1024.*expected 3"):
        embedder.embed_query("pump")


def test_a_vector_of_length_zero_is_a_refused_text(
    server: FakeMistral, embedder: MistralEmbedder
) -> None:
    server.script(EMBEDDINGS, vectors_reply((0, ONE), (1, [0.0, 0.0, 0.0])))
    (batch,) = embedder.embed_passages(texts(2))
    assert batch.positions == (0,)
    assert "zero" in refused([batch])[1]


def test_a_blank_query_is_refused_without_a_request(
    server: FakeMistral, embedder: MistralEmbedder
) -> None:
    with pytest.raises(ProviderRefused, match="blank"):
        embedder.embed_query(" \n")
    assert server.requests == []


def test_threads_share_an_embedder(embedder: MistralEmbedder) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(embedder.embed_query, texts(12)))
    for text, vector in zip(texts(12), found, strict=True):
        assert vector == pytest.approx(hashing_vector(text, 1024), abs=1e-6)


def test_an_embedder_that_is_dropped_leaves_no_connection(server: FakeMistral) -> None:
    embedder = MistralEmbedder(Server(KEY, url=server.url))
    embedder.embed_query("pump")
    del embedder
    gc.collect()


def test_the_key_is_not_in_the_servers_repr() -> None:
    assert KEY not in repr(Server(KEY))
