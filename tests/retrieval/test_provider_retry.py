from datetime import UTC, datetime

import pytest

from retrieval.errors import ProviderRateLimited, ProviderRefused, ProviderUnavailable
from retrieval.provider_retry import (
    QUERY_POLICY,
    RequestFailed,
    RetryPolicy,
    call_with_retry,
    error_for_status,
    retry_after_s,
    without_secret,
)

POLICY = RetryPolicy(attempts=4, base_s=1.0, cap_s=3.0)
NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Requests:
    """Fails as it is told, then succeeds."""

    def __init__(self, *failures: RequestFailed) -> None:
        self.failures = list(failures)
        self.sent = 0

    def __call__(self) -> str:
        self.sent += 1
        if self.failures:
            raise self.failures.pop(0)
        return "done"


def busy(after: float | None = None) -> RequestFailed:
    return RequestFailed(ProviderRateLimited("busy"), after, 429)


def no_wait(seconds: float) -> None:
    pytest.fail(f"waited {seconds} s")


def test_waits_double_up_to_the_cap() -> None:
    waits: list[float] = []
    assert call_with_retry(Requests(busy(), busy(), busy()), POLICY, waits.append) == "done"
    assert waits == [1.0, 2.0, 3.0]


def test_attempts_are_bounded() -> None:
    requests, waits = Requests(*[busy() for _ in range(9)]), list[float]()
    with pytest.raises(RequestFailed):
        call_with_retry(requests, POLICY, waits.append)
    assert (requests.sent, len(waits)) == (4, 3)


def test_retry_after_is_honoured_up_to_the_cap() -> None:
    waits: list[float] = []
    call_with_retry(Requests(busy(2.5), busy(3600), busy(0)), POLICY, waits.append)
    assert waits == [2.5, 3.0, 1.0]


def test_a_query_does_not_wait_for_a_long_retry_after() -> None:
    requests = Requests(busy(30))
    with pytest.raises(RequestFailed):
        call_with_retry(requests, QUERY_POLICY, no_wait)
    assert requests.sent == 1


def test_what_the_provider_refuses_is_not_sent_again() -> None:
    requests = Requests(RequestFailed(ProviderRefused("no"), None, 401))
    with pytest.raises(RequestFailed):
        call_with_retry(requests, POLICY, no_wait)
    assert requests.sent == 1


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("Thu, 01 Jan 2026 00:00:09 GMT", 9.0),
        ("Thu, 01 Jan 2015 00:00:09 GMT", 0.0),
        ("", None),
        (None, None),
        ("soon", None),
        ("nan", None),
        ("inf", None),
    ],
)
def test_retry_after_header(header: str | None, seconds: float | None) -> None:
    assert retry_after_s(header, NOW) == seconds


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (429, ProviderRateLimited),
        (408, ProviderUnavailable),
        (500, ProviderUnavailable),
        (503, ProviderUnavailable),
        (400, ProviderRefused),
        (401, ProviderRefused),
        (403, ProviderRefused),
        (422, ProviderRefused),
    ],
)
def test_status_decides_the_error(status: int, error: type[Exception]) -> None:
    assert type(error_for_status(status, "why", "")) is error


def test_message_shows_what_the_provider_said_but_not_the_key() -> None:
    body = '{"message": "key sk-secret\\n is not valid", "code": 1}'
    message = str(error_for_status(401, body, "sk-secret"))
    assert "key *** is not valid" in message
    assert "MISTRAL_API_KEY" in message
    assert "sk-secret" not in message


def test_long_answers_are_shortened() -> None:
    assert len(without_secret("x" * 10_000, "")) < 400
