"""One rate for every process, counted in a real Redis."""

import asyncio
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import redis

from retrieval.errors import ConfigurationError
from service.guards.shared_rate import SharedLimiter
from tests.redis_server import needs_redis, running_redis
from tests.service.processes import of_workers, serving
from tests.service.running import configure, running

QUESTION = {"question": "How does the station measure rain?"}


@pytest.fixture
def uri(tmp_path: Path) -> Iterator[str]:
    with running_redis(tmp_path) as (address, _):
        yield address


@needs_redis
def test_two_limiters_count_together_and_each_visitor_for_themselves(uri: str) -> None:
    async def waits() -> list[float]:
        first, second = SharedLimiter(uri, 3, 60.0), SharedLimiter(uri, 3, 60.0)
        asked = [(first, b"a"), (second, b"a"), (first, b"a"), (second, b"a"), (second, b"b")]
        found = [await limiter.wait(visitor) for limiter, visitor in asked]
        await first.aclose()
        await second.aclose()
        return found

    found = asyncio.run(waits())
    assert found[:3] == [0.0] * 3
    assert 50 < found[3] <= 60
    assert found[4] == 0.0


@needs_redis
def test_workers_share_the_rate_and_redis_learns_no_address(tmp_path: Path, uri: str) -> None:
    configure(tmp_path, f'[service]\nrate = "150/day"\nrate_storage = "{uri}"\n')
    with serving(tmp_path, "--workers", "2") as (_, service):
        of_workers(service)
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: service.post("/ask", QUESTION), range(200)))
        samples = of_workers(service).values()
        other = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {}}
        tool = service.post("/mcp", other, ("Accept", "application/json, text/event-stream"))
        privacy = service.send("GET", "/privacy").json
    assert Counter(answer.status for answer in answers) == {200: 150, 429: 50}
    assert tool.status == 429
    assert "Redis" in privacy["memory"]
    asked = 'askfolio_requests_total{route="/ask",'
    for sample in samples:
        assert any(name.startswith(asked) for name in sample), "one worker answered everything"
    assert all(answer.headers["Retry-After"] for answer in answers if answer.status == 429)
    with redis.Redis.from_url(uri) as client:
        keys = client.keys("*")
        assert len(keys) == 1
        assert 0 < client.ttl(keys[0]) <= 86_400
        stored = keys[0] + b"".join(client.lrange(keys[0], 0, -1))
    assert b"127.0.0.1" not in stored
    assert b"rain" not in stored


@needs_redis
def test_without_redis_each_process_counts_for_itself_and_says_so_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with running_redis(tmp_path) as (uri, process):
        text = f'[service]\nrate = "3/hour"\nrate_storage = "{uri}"\n'
        with running(configure(tmp_path, text)) as service:
            assert service.post("/ask", QUESTION).status == 200
            process.terminate()
            process.wait()
            found = [service.post("/ask", QUESTION).status for _ in range(4)]
    assert found == [200, 200, 200, 429]
    warnings = [line for line in caplog.messages if "rate_storage" in line]
    assert len(warnings) == 1
    assert str(tmp_path) not in warnings[0]


@pytest.mark.parametrize(
    "uri", ["localhost:6379", "memcached://localhost", "", "redis://:secret@localhost:port/0"]
)
def test_what_is_no_redis_is_refused_without_repeating_it(uri: str) -> None:
    with pytest.raises(ConfigurationError, match="rate_storage") as raised:
        SharedLimiter(uri, 5, 60.0)
    assert raised.value.__cause__ is None
    assert not any(part in str(raised.value) for part in ("localhost", "secret"))


def test_without_the_extra_the_error_says_what_to_install(tmp_path: Path) -> None:
    configure(tmp_path, '[service]\nrate_storage = "redis://localhost:1"\n')
    program = (
        "import sys; sys.modules['limits'] = None; "
        "sys.argv = ['askfolio', 'serve', '--port', '0']; from askfolio import main; main()"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 2
    assert "pip install 'askfolio[redis]'" in ran.stderr
