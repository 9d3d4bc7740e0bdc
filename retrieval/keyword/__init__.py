"""Which rows share a term with a query? One Protocol, one switch between its kinds."""

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from retrieval.errors import GenerationIncompatible
from retrieval.keyword.base import KeywordIndex, Passage, Selection, label

__all__ = [
    "KEYWORD_KINDS",
    "TANTIVY_EXTRA",
    "KeywordIndex",
    "Passage",
    "Selection",
    "build_keyword_index",
    "is_updatable",
    "label",
    "open_keyword_index",
    "update_keyword_index",
]

KEYWORD_KINDS = ("rank-bm25", "tantivy")
TANTIVY_EXTRA = "the extra scale: python -m pip install 'askfolio[scale]'"


def build_keyword_index(kind: str, passages: Iterable[Passage], folder: Path) -> None:
    """Write an index of `kind` into `folder`, which exists and is empty.

    Args:
        kind: One of KEYWORD_KINDS.
        passages: In row order; there may be none. They are taken one by one.
        folder: Where the index lies alone.

    Raises:
        OSError: There is no space, or the folder cannot be written.
        ValueError: Unknown kind.
    """
    match kind:
        case "rank-bm25":
            from retrieval.keyword.okapi import build_okapi

            build_okapi(passages, folder)
        case "tantivy":
            from retrieval.keyword.tantivy_building import build_tantivy

            build_tantivy(passages, folder)
        case _:
            raise ValueError(_unknown(kind))


def is_updatable(kind: str, folder: Path) -> bool:
    """Whether `update_keyword_index` can start from the index of `kind` in `folder`.

    Raises:
        GenerationCorrupt: The index cannot be read.
        GenerationIncompatible: This version does not know its format.
    """
    if kind != "tantivy":
        return kind in KEYWORD_KINDS
    from retrieval.keyword.tantivy_updating import holds_terms

    return holds_terms(folder)


def update_keyword_index(
    kind: str,
    before: Path,
    old_rows: NDArray[np.int64],
    fresh: Iterable[Passage],
    languages: tuple[str, ...],
    folder: Path,
) -> None:
    """Write the index that `build_keyword_index` would, from one that has most passages.

    Args:
        kind: One of KEYWORD_KINDS.
        before: Folder of an index that the same analyzer made and `is_updatable`.
        old_rows: int64 (passages,): the row that an equal passage, its labels included, has in
            `before`, NEW for one of `fresh`; a row at most once.
        fresh: The passages that are new, in row order.
        languages: Of all passages, sorted.
        folder: Where the index lies alone.

    Raises:
        GenerationCorrupt: The index before cannot be read.
        OSError: There is no space, or the folder cannot be written.
        ValueError: Unknown kind; another number of `fresh` than of NEW.
    """
    match kind:
        case "rank-bm25":
            from retrieval.keyword.okapi import update_okapi

            update_okapi(before, old_rows, fresh, languages, folder)
        case "tantivy":
            from retrieval.keyword.tantivy_updating import update_tantivy

            update_tantivy(before, old_rows, fresh, languages, folder)
        case _:
            raise ValueError(_unknown(kind))


def tantivy_installed() -> bool:
    """Whether the extra `scale` is there."""
    return find_spec("tantivy") is not None


def open_keyword_index(kind: str, folder: Path) -> KeywordIndex:
    """Open the index of `kind` that was written into `folder`.

    Raises:
        GenerationCorrupt: A file is absent, torn or of another kind.
        GenerationIncompatible: This version does not know the kind or its format.
    """
    match kind:
        case "rank-bm25":
            from retrieval.keyword.okapi import OkapiIndex

            return OkapiIndex.open(folder)
        case "tantivy" if not tantivy_installed():
            raise GenerationIncompatible(
                f"{folder} has a keyword index of kind tantivy, which needs {TANTIVY_EXTRA}"
            )
        case "tantivy":
            from retrieval.keyword.tantivy import TantivyIndex

            return TantivyIndex.open(folder)
        case _:
            raise GenerationIncompatible(
                f"{folder} has a keyword index of kind {kind!r}, known: "
                f"{', '.join(KEYWORD_KINDS)}; run a sync"
            )


def _unknown(kind: str) -> str:
    return f"unknown kind of keyword index {kind!r}; known: {', '.join(KEYWORD_KINDS)}"
