import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from retrieval.slots import Slots


def test_no_more_are_inside_than_there_are_slots() -> None:
    slots, lock = Slots(3), threading.Lock()
    inside, seen = set[int](), []
    together = threading.Barrier(3)

    def work(number: int) -> None:
        with slots:
            with lock:
                inside.add(number)
                seen.append(len(inside))
            together.wait(timeout=30)  # passes when three are inside at once
            with lock:
                inside.remove(number)

    with ThreadPoolExecutor(9) as pool:
        list(pool.map(work, range(9)))
    assert max(seen) == 3


def test_who_leaves_comes_in_again_behind_those_who_wait() -> None:
    slots, order = Slots(1), []

    def wait(name: str) -> None:
        with slots:
            order.append(name)

    threads = []
    with slots:
        for name in ("first", "second", "third"):
            threads.append(threading.Thread(target=wait, args=(name,)))
            threads[-1].start()
            while slots.waiting < len(threads):
                pass
    with slots:
        order.append("again")
    for thread in threads:
        thread.join(timeout=30)
    assert order == ["first", "second", "third", "again"]


def test_an_error_inside_gives_the_slot_back() -> None:
    slots = Slots(1)
    with pytest.raises(ZeroDivisionError), slots:
        1 / 0  # noqa: B018
    with slots:
        assert slots.waiting == 0
