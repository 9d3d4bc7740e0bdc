"""How many requests are under way at once, and what becomes of one that is refused?"""

import threading
import time
from collections.abc import Callable, Generator, Iterator
from queue import Empty, SimpleQueue

from retrieval.embedding.base import EmbeddedBatch
from retrieval.embedding.batching import refusal
from retrieval.errors import ProviderError, ProviderUnavailable
from retrieval.provider_retry import RequestFailed

MAX_UNDER_WAY = 4
# 100,000 chunks are about 1,600 requests: at one a second less than half an hour.
RUN_LIMIT_S = 3600.0
# So many texts refused one by one, and none accepted: it is the request, not the texts.
MAX_REFUSED_IN_A_ROW = 3

Outcome = EmbeddedBatch | Exception


class Pace:
    """One request at first, one more after each that succeeds, one again after a 429.

    A wait for the provider ends when the run is stopped or would outlast its limit.
    """

    def __init__(
        self,
        sleep: Callable[[float], object] | None = None,
        clock: Callable[[], float] = time.monotonic,
        limit_s: float = RUN_LIMIT_S,
    ) -> None:
        """Nothing runs yet.

        Args:
            sleep: Waits between requests; None: until the time is over or the run is stopped.
            clock: Seconds that only ever grow.
            limit_s: Longest time from the first request to the start of the last one.
        """
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._sleep = sleep or self._stopped.wait
        self._clock = clock
        self._limit_s = limit_s
        self._deadline: float | None = None
        self._most = 1

    @property
    def most_under_way(self) -> int:
        """Requests that may be under way now."""
        return self._most

    def begin(self) -> None:
        """Start the clock of the run, if it does not run yet."""
        self._stopped.clear()
        if self._deadline is None:
            self._deadline = self._clock() + self._limit_s

    def succeeded(self) -> None:
        """A request was answered."""
        with self._lock:
            self._most = min(self._most + 1, MAX_UNDER_WAY)

    def slowed(self) -> None:
        """A request was answered with 429."""
        with self._lock:
            self._most = 1

    def stop(self) -> None:
        """Let every wait end: its result is not needed any more."""
        self._stopped.set()

    def check(self, wait_s: float = 0.0) -> None:
        """Raise where the limit would be over in `wait_s` seconds.

        Raises:
            RequestFailed: It would.
        """
        if self._deadline is not None and self._clock() + wait_s > self._deadline:
            raise RequestFailed(
                ProviderUnavailable(
                    f"embedding took longer than the limit of {self._limit_s:.0f} s: what arrived "
                    "is stored, run `askfolio sync` again to go on"
                )
            )

    def wait(self, seconds: float) -> None:
        """Wait before a request is sent again.

        Raises:
            RequestFailed: The run was stopped, or has no time left for this wait.
        """
        self.check(seconds)
        self._sleep(seconds)
        if self._stopped.is_set():
            raise RequestFailed(ProviderUnavailable("the run was stopped"))


class EmbeddingRun:
    """Sends planned batches in threads; a batch that is refused for its texts is halved.

    The threads are daemons, so that an interrupted process ends without waiting for them.
    """

    def __init__(
        self,
        planned: Iterator[list[int]],
        embed: Callable[[list[int]], EmbeddedBatch],
        concerns_texts: Callable[[RequestFailed], bool],
        pace: Pace,
    ) -> None:
        """Nothing is sent yet.

        Args:
            planned: Positions of the texts of each request.
            embed: Sends one request; called in threads.
            concerns_texts: Whether a smaller request may be accepted.
            pace: How many at once.
        """
        self._planned = planned
        self._embed = embed
        self._concerns_texts = concerns_texts
        self._pace = pace
        self._halves: list[list[int]] = []
        self._arrived: SimpleQueue[tuple[list[int], Outcome]] = SimpleQueue()
        self._under_way = 0
        self._accepted = False
        self._refused = 0

    def batches(self) -> Generator[EmbeddedBatch, None, None]:
        """Batches as they arrive, in any order; a text refused alone is yielded as refused.

        What has arrived is yielded before any error, an interruption of the process included.

        Raises:
            ProviderError: A failure that no smaller request mends, the time limit, or the first
                MAX_REFUSED_IN_A_ROW texts were all refused.
        """
        self._pace.begin()
        try:
            while self._fill():
                yield from self._taken(*self._arrived.get())
        except (RequestFailed, ProviderError) as failure:
            self._pace.stop()
            yield from self._under_way_still()
            if isinstance(failure, RequestFailed):
                raise failure.error from failure
            raise
        except KeyboardInterrupt:
            yield from self._here_already()
            raise
        finally:
            self._pace.stop()

    def _fill(self) -> bool:
        """Start requests while there is room; False where none is under way."""
        while self._under_way < self._pace.most_under_way:
            part = self._halves.pop() if self._halves else next(self._planned, None)
            if part is None:
                break
            self._pace.check()
            self._under_way += 1
            threading.Thread(target=self._send, args=(part,), daemon=True).start()
        return self._under_way > 0

    def _send(self, part: list[int]) -> None:
        outcome: Outcome
        try:
            outcome = self._embed(part)
        except Exception as error:  # noqa: BLE001 - raised again in the thread that asked
            outcome = error
        self._arrived.put((part, outcome))

    def _taken(self, part: list[int], outcome: Outcome) -> Iterator[EmbeddedBatch]:
        self._under_way -= 1
        if isinstance(outcome, EmbeddedBatch):
            self._accepted = True
            self._pace.succeeded()
            yield outcome
        elif not isinstance(outcome, RequestFailed) or not self._concerns_texts(outcome):
            raise outcome
        elif len(part) > 1:
            half = len(part) // 2
            self._halves += [part[half:], part[:half]]
        else:
            self._refused += 1
            if not self._accepted and self._refused >= MAX_REFUSED_IN_A_ROW:
                raise outcome
            yield refusal(((part[0], str(outcome.error)),), 0)

    def _under_way_still(self) -> Iterator[EmbeddedBatch]:
        """Wait for the requests that were sent: they are paid for."""
        while self._under_way:
            _, outcome = self._arrived.get()
            self._under_way -= 1
            if isinstance(outcome, EmbeddedBatch):
                yield outcome

    def _here_already(self) -> Iterator[EmbeddedBatch]:
        while True:
            try:
                _, outcome = self._arrived.get_nowait()
            except Empty:
                return
            if isinstance(outcome, EmbeddedBatch):
                yield outcome
