"""Where does a symbolic link of a commit lead? Told from the tree alone; no link is followed."""

from collections import deque
from collections.abc import Iterable, Mapping

MAX_HOPS = 40
MAX_TARGET_BYTES = 4096
INSIDE, OUTSIDE, LOOP, BROKEN = "symlink", "symlink-outside", "symlink-loop", "symlink-broken"


class LinkMap:
    """The names of a commit and the targets of its links."""

    def __init__(self, names: Iterable[bytes], targets: Mapping[bytes, bytes]) -> None:
        """Take every name of the commit, and the content of each symbolic link by its name."""
        self._targets = targets
        self._files = frozenset(names) - targets.keys()
        self._folders = {b""}
        for name in (*self._files, *targets):
            parts = name.split(b"/")
            self._folders.update(b"/".join(parts[:depth]) for depth in range(1, len(parts)))

    def reason(self, link: bytes) -> str:
        """Why the link is left out: it leads inside, outside, in a circle or nowhere.

        What a link inside the tree leads to is read under its own name already.
        """
        place = link.split(b"/")[:-1]
        ahead = deque([self._targets[link]])
        hops = 1
        while ahead:
            target = ahead.popleft()
            if target.startswith(b"/"):
                return OUTSIDE
            part, _, behind = target.partition(b"/")
            if behind.strip(b"/"):
                ahead.appendleft(behind.lstrip(b"/"))
            if part == b".." and not place:
                return OUTSIDE
            _step(place, part)
            if (further := self._targets.get(b"/".join(place))) is not None:
                place.pop()
                ahead.appendleft(further)
                hops += 1
            if hops > MAX_HOPS:
                return LOOP
        return self._arrived(link, b"/".join(place))

    def _arrived(self, link: bytes, place: bytes) -> str:
        if place in self._files:
            return INSIDE
        if place not in self._folders:
            return BROKEN
        return LOOP if not place or link.startswith(place + b"/") else INSIDE


def _step(place: list[bytes], part: bytes) -> None:
    if part == b"..":
        place.pop()
    elif part not in (b"", b"."):
        place.append(part)
