import threading
from collections.abc import Callable, Generator, Iterator

import numpy as np
import pytest

from retrieval.embedding.base import EmbeddedBatch
from retrieval.embedding.mistral_embedder import MistralEmbedder, Server
from retrieval.embedding.window import MAX_UNDER_WAY, EmbeddingRun, Pace
from retrieval.errors import ProviderError, ProviderRefused, ProviderUnavailable
from retrieval.provider_retry import RequestFailed
from tests.fake_mistral import EMBEDDINGS, EmbeddingRules, FakeMistral, Reply

DEADLINE_S = 20


class Clock:
    """Goes on by what is slept."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds


def embedded(part: list[int]) -> EmbeddedBatch:
    return EmbeddedBatch(tuple(part), np.ones((len(part), 2), dtype=np.float32), len(part))


def run(
    parts: int, embed: Callable[[list[int]], EmbeddedBatch], pace: Pace | None = None
) -> EmbeddingRun:
    planned = iter([[n] for n in range(parts)])
    return EmbeddingRun(planned, embed, lambda failure: failure.status == 400, pace or Pace())


def positions(batches: Iterator[EmbeddedBatch]) -> list[int]:
    return sorted(position for batch in batches for position in batch.positions)


def take_all(batches: Iterator[EmbeddedBatch], found: list[int]) -> None:
    for batch in batches:
        found += batch.positions


def interrupted(
    batches: Generator[EmbeddedBatch, None, None],
) -> Iterator[EmbeddedBatch]:
    yield batches.throw(KeyboardInterrupt())
    yield from batches


def test_requests_overlap_up_to_the_bound_and_no_more() -> None:
    full = threading.Barrier(MAX_UNDER_WAY)
    lock = threading.Lock()
    under_way, most = 0, 0

    def embed(part: list[int]) -> EmbeddedBatch:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        if part[0] >= 6:  # the window has opened: these arrive four at a time
            full.wait(DEADLINE_S)
        with lock:
            under_way -= 1
        return embedded(part)

    found = positions(run(6 + 2 * MAX_UNDER_WAY, embed).batches())
    assert found == list(range(6 + 2 * MAX_UNDER_WAY))
    assert most == MAX_UNDER_WAY


def test_a_429_closes_the_window_to_one_request() -> None:
    pace = Pace(sleep=lambda _: None)
    for _ in range(10):
        pace.succeeded()
    assert pace.most_under_way == MAX_UNDER_WAY
    pace.slowed()
    assert pace.most_under_way == 1


def test_what_was_under_way_arrives_before_the_error() -> None:
    failed = threading.Event()

    def embed(part: list[int]) -> EmbeddedBatch:
        if part == [2]:
            failed.set()
            raise RequestFailed(ProviderRefused("no"), status=401)
        if part[0] > 2:
            assert failed.wait(DEADLINE_S)
        return embedded(part)

    batches = run(40, embed).batches()
    found: list[int] = []
    with pytest.raises(ProviderRefused):
        take_all(batches, found)
    assert {0, 1} <= set(found)
    assert len(found) < 2 + MAX_UNDER_WAY + 1


@pytest.mark.parametrize("error", [ProviderError("not used"), ValueError("a bug")])
def test_any_error_of_a_thread_is_raised_in_the_caller(error: Exception) -> None:
    def embed(part: list[int]) -> EmbeddedBatch:
        raise error

    with pytest.raises(type(error)):
        list(run(3, embed).batches())


def test_an_interruption_yields_what_has_arrived() -> None:
    sent = threading.Event()

    def embed(part: list[int]) -> EmbeddedBatch:
        sent.set()
        return embedded(part)

    batches = run(3, embed).batches()
    next(batches)
    found: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        take_all(interrupted(batches), found)
    assert sorted(found) in ([], [1], [1, 2])


def test_the_run_ends_at_its_limit_and_says_how_to_go_on() -> None:
    clock = Clock()
    pace = Pace(sleep=clock.sleep, clock=lambda: clock.now, limit_s=100.0)

    def embed(part: list[int]) -> EmbeddedBatch:
        clock.now += 30.0
        return embedded(part)

    found: list[int] = []
    with pytest.raises(ProviderUnavailable, match=r"100 s.*askfolio sync"):
        take_all(run(50, embed, pace).batches(), found)
    assert 3 <= len(found) <= 3 + MAX_UNDER_WAY


def test_a_wait_that_outlasts_the_limit_is_not_begun() -> None:
    clock = Clock()
    pace = Pace(sleep=clock.sleep, clock=lambda: clock.now, limit_s=10.0)
    pace.begin()
    pace.wait(9.0)
    with pytest.raises(RequestFailed):
        pace.wait(2.0)
    assert clock.waits == [9.0]


def test_a_stopped_run_does_not_wait_on() -> None:
    pace = Pace()
    pace.begin()
    pace.stop()
    with pytest.raises(RequestFailed):
        pace.wait(3600.0)


def test_a_wrong_key_is_one_request_however_many_texts_there_are() -> None:
    with FakeMistral() as server:
        server.script(EMBEDDINGS, *[Reply(401)] * 10)
        embedder = MistralEmbedder(Server("k", url=server.url))
        with pytest.raises(ProviderRefused):
            list(embedder.embed_passages([f"text {n}" for n in range(500)]))
        embedder.close()
        assert len(server.requests) == 1


def test_texts_of_several_requests_get_their_own_vectors() -> None:
    passages = [f"passage {n}" for n in range(700)]
    with FakeMistral(rules=EmbeddingRules(dimension=16, shuffled=True)) as server:
        server.script(EMBEDDINGS, Reply(429, {"Retry-After": "3600"}))
        waits: list[float] = []
        embedder = MistralEmbedder(Server("k", url=server.url), sleep=waits.append)
        found = {
            passages[position]: vector
            for batch in embedder.embed_passages(passages)
            for position, vector in zip(batch.positions, batch.vectors, strict=True)
        }
        embedder.close()
        assert waits == [60.0]
        assert sorted(server.embedded()[64:]) == sorted(passages)
    assert sorted(found) == sorted(passages)
    for text, vector in found.items():
        expected = np.asarray(server.rules.vector(text, 16))
        assert np.allclose(vector, expected, atol=1e-6)
