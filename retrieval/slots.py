"""How many may work at once, and who is next? First come, first served.

`threading.Semaphore` lets whoever leaves come in again before those who wait, so that under load
some wait for ever.
"""

import threading
from collections import deque
from types import TracebackType


class Slots:
    """A context that `count` threads may be in at once; the others wait in the order they came."""

    def __init__(self, count: int) -> None:
        """Make `count` free slots."""
        self._lock = threading.Lock()
        self._free = count
        self._turns: deque[threading.Lock] = deque()

    @property
    def waiting(self) -> int:
        """Threads that wait for a slot now."""
        return len(self._turns)

    def __enter__(self) -> None:
        with self._lock:
            if self._free:
                self._free -= 1
                return
            turn = threading.Lock()
            turn.acquire()
            self._turns.append(turn)
        turn.acquire()  # until somebody hands over a slot

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with self._lock:
            if self._turns:
                self._turns.popleft().release()
            else:
                self._free += 1
