"""May this be spent? Asked before a call; the truth is settled after it."""

import threading
from dataclasses import dataclass
from pathlib import Path

from service.spending.day_file import SPEND_FILE, DayFile, today

VISITORS_SHARE = 0.1
_MAX_VISITORS = 50_000


@dataclass(frozen=True, slots=True)
class Reservation:
    """An amount that counts as spent until it is settled."""

    visitor: bytes
    day: str
    amount: float


class Budget:
    """The amount of one UTC day for everybody, a tenth of it for one visitor.

    The total is one number in a file. What a visitor had is known to this process alone, by the
    hash that the rate limit uses.
    """

    def __init__(self, knowledge: Path, daily: float) -> None:
        """Prepare.

        Args:
            knowledge: Folder of the file.
            daily: In the currency of the price table; 0 for no limit, which counts all the same.
        """
        self._file = DayFile(knowledge / SPEND_FILE)
        self._daily = daily
        self._lock = threading.Lock()
        self._day = ""
        self._visitors: dict[bytes, float] = {}

    def reserve(self, visitor: bytes, amount: float) -> Reservation | None:
        """Count `amount` as spent; None where it does not fit any more."""
        with self._lock, self._file.locked() as spent:
            day = self._begin_day()
            had = self._visitors.get(visitor, 0.0)
            if self._daily > 0 and (
                spent.value + amount > self._daily or had + amount > self._daily * VISITORS_SHARE
            ):
                return None
            spent.value += amount
            self._count(visitor, had + amount)
            return Reservation(visitor, day, amount)

    def settle(self, reservation: Reservation, actual: float) -> None:
        """Put what was really spent in the place of what was reserved."""
        with self._lock, self._file.locked() as spent:
            if self._begin_day() != reservation.day:
                spent.value += actual  # it was reserved yesterday
                return
            change = actual - reservation.amount
            spent.value = max(0.0, spent.value + change)
            had = self._visitors.get(reservation.visitor, 0.0)
            self._count(reservation.visitor, max(0.0, had + change))

    def spent(self) -> float:
        """So far today, by every worker."""
        with self._lock, self._file.locked() as spent:
            return spent.value

    def _begin_day(self) -> str:
        day = today()
        if day != self._day:
            self._day, self._visitors = day, {}
        return day

    def _count(self, visitor: bytes, amount: float) -> None:
        if visitor not in self._visitors and len(self._visitors) >= _MAX_VISITORS:
            self._visitors.pop(next(iter(self._visitors)))
        self._visitors[visitor] = amount
