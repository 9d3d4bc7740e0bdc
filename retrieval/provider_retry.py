"""When is a request to a provider sent again, how long is the wait, and what is its error?

Shared by the adapter that embeds and the one that chats. Pure but for `call_with_retry`, which
waits with the `sleep` it is given; an asynchronous caller uses `RetryPolicy.wait_s` itself.
"""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from retrieval.errors import (
    ProviderError,
    ProviderRateLimited,
    ProviderRefused,
    ProviderUnavailable,
)

T = TypeVar("T")
MAX_DETAIL_CHARS = 300
REQUEST_TIMEOUT = 408
TOO_MANY_REQUESTS = 429
SERVER_ERROR = 500


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How patient a caller is.

    Attributes:
        attempts: Requests in all, the first included.
        base_s: Wait before the second request, doubled before each further one; the shortest wait
            where the provider asks for none or less.
        cap_s: Longest wait, whatever the provider asks for.
        wait_beyond_cap: Asked for a longer wait, take the cap and try again; else give up at once.
    """

    attempts: int
    base_s: float
    cap_s: float
    wait_beyond_cap: bool = True

    def wait_s(self, sent: int, retry_after_s: float | None) -> float | None:
        """Seconds to wait after `sent` failed requests; None: do not try again."""
        if sent >= self.attempts:
            return None
        if retry_after_s is None:
            return min(self.base_s * math.pow(2, sent - 1), self.cap_s)
        if retry_after_s > self.cap_s and not self.wait_beyond_cap:
            return None
        return min(max(retry_after_s, self.base_s), self.cap_s)


# Limits are for a minute: seven requests wait 63 s in all where no Retry-After comes.
SYNC_POLICY = RetryPolicy(attempts=7, base_s=1.0, cap_s=60.0)
QUERY_POLICY = RetryPolicy(attempts=2, base_s=0.5, cap_s=2.0, wait_beyond_cap=False)


class RequestFailed(Exception):
    """One request failed; raised by an adapter, never shown.

    Attributes:
        error: What the caller is told if it is not tried again.
        retry_after_s: Wait that the provider asked for.
        status: Of the answer; None where none came.
    """

    def __init__(
        self, error: ProviderError, retry_after_s: float | None = None, status: int | None = None
    ) -> None:
        super().__init__(str(error))
        self.error = error
        self.retry_after_s = retry_after_s
        self.status = status

    @property
    def passing(self) -> bool:
        """The same request may succeed later: network, 408, 429, 5xx."""
        return isinstance(self.error, ProviderUnavailable | ProviderRateLimited)


def call_with_retry(
    request: Callable[[], T], policy: RetryPolicy, sleep: Callable[[float], None]
) -> T:
    """Send a request until it succeeds, fails for good or the policy is used up.

    Raises:
        RequestFailed: The last failure.
    """
    sent = 0
    while True:
        try:
            return request()
        except RequestFailed as failure:
            sent += 1
            wait = policy.wait_s(sent, failure.retry_after_s) if failure.passing else None
            if wait is None:
                raise
        sleep(wait)


def retry_after_s(value: str | None, now: datetime | None = None) -> float | None:
    """Seconds from a Retry-After header (a number or an HTTP date); None if it says nothing."""
    text = (value or "").strip()
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            until = parsedate_to_datetime(text)
        except (ValueError, OverflowError):
            return None
        until = until if until.tzinfo else until.replace(tzinfo=UTC)
        seconds = (until - (now or datetime.now(UTC))).total_seconds()
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def error_for_status(status: int, detail: str, secret: str) -> ProviderError:
    """The error for an HTTP status, with what the provider said and without the key."""
    said = without_secret(_said(detail), secret)
    if status == TOO_MANY_REQUESTS:
        return ProviderRateLimited(f"the provider answered 429, too many requests: {said}")
    if status == REQUEST_TIMEOUT or status >= SERVER_ERROR:
        return ProviderUnavailable(f"the provider answered {status}: {said}")
    if status in (401, 403):
        return ProviderRefused(
            f"the provider answered {status}, it does not accept the key: check MISTRAL_API_KEY "
            f"and that the key may use this model and server: {said}"
        )
    return ProviderRefused(f"the provider answered {status}: {said}")


def _said(detail: str) -> str:
    """The message in an error body, or the body."""
    try:
        body = json.loads(detail)
    except ValueError:
        return detail
    message = body.get("message") or body.get("detail") if isinstance(body, dict) else None
    return message if isinstance(message, str) else detail


def without_secret(text: str, secret: str) -> str:
    """One line of `text`, shortened, with every `secret` in it masked."""
    masked = text.replace(secret, "***") if secret else text
    line = " ".join(masked.split())
    return line if len(line) <= MAX_DETAIL_CHARS else line[:MAX_DETAIL_CHARS] + "…"
