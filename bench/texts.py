"""Any number of real texts: overlapping windows over the installed Python library's sources."""

import random
import re
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path

WORD = re.compile(r"[A-Za-z][\w.]*")
WINDOW_WORDS = 110
MAX_FILE_BYTES = 1 << 20
QUERY_WORDS = (3, 7)
MIN_QUERY_WORD_CHARS = 4


@cache
def library_words() -> tuple[str, ...]:
    """Words of every module of the standard library, in the order of its files."""
    root = Path(sysconfig.get_paths()["stdlib"])
    words: list[str] = []
    for file in sorted(root.rglob("*.py")):
        if "site-packages" not in file.parts and file.stat().st_size <= MAX_FILE_BYTES:
            words += WORD.findall(file.read_text(encoding="utf-8", errors="replace"))
    return tuple(words)


def windows(count: int) -> Iterator[str]:
    """`count` texts of WINDOW_WORDS words at even distances; close ones share words."""
    words = library_words()
    last = len(words) - WINDOW_WORDS
    for number in range(count):
        start = number * last // count
        yield " ".join(words[start : start + WINDOW_WORDS])


def queries(count: int, seed: int) -> list[str]:
    """`count` questions made of words that stand near each other in the library."""
    words = library_words()
    drawn = random.Random(seed)
    found: list[str] = []
    while len(found) < count:
        start = drawn.randrange(len(words) - WINDOW_WORDS)
        near = [w for w in words[start : start + 40] if len(w) >= MIN_QUERY_WORD_CHARS]
        wanted = drawn.randint(*QUERY_WORDS)
        if len(set(near)) >= wanted:
            found.append(" ".join(drawn.sample(sorted(set(near)), wanted)))
    return found
