"""The seam between what is measured and where it comes from: synthetic, or the owner's own."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Queries:
    """Questions that tuned nothing.

    Attributes:
        texts: Their words.
        vectors: .npy file of float32 (len(texts), dimension); "" where nothing is embedded.
        own_rows: For each query the passage whose vector it is, which does not count as found;
            empty where no query is a passage.
    """

    texts: tuple[str, ...]
    vectors: str
    own_rows: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Built:
    """A generation with the indexes that were asked for.

    Attributes:
        folder: Of the generation.
        cost: Seconds and peak memory of what made it.
    """

    folder: Path
    cost: Mapping[str, object]


class Corpus(Protocol):
    """Passages and vectors of which generations with any kinds of index can be made."""

    @property
    def chunks(self) -> int:
        """Number of passages."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector; 0 where nothing is embedded."""
        ...

    @property
    def queries(self) -> Queries:
        """What is asked."""
        ...

    @property
    def current(self) -> Mapping[str, str]:
        """Kinds of index that serve now, `dense` and `keyword`; empty where nothing serves."""
        ...

    def build(self, dense: str, keyword: str) -> Built:
        """A generation with these kinds, made in a process of its own.

        Raises:
            AskfolioError: It cannot be built.
        """
        ...
