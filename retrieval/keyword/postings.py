"""Which rows hold a term, and how often? Arrays in memory, plain files on disk."""

import json
import zipfile
import zlib
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from retrieval.errors import GenerationCorrupt, GenerationIncompatible

FORMAT = 1
TERMS_FILE = "terms.json"
POSTINGS_FILE = "postings.npz"
MAX_TERMS_BYTES = 1 << 30
# What numpy and zipfile raise for files that are torn or something else.
UNREADABLE = (
    AttributeError,
    EOFError,
    KeyError,
    MemoryError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
    zipfile.BadZipFile,
    zlib.error,
)

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Postings:
    """Rows by term, rows of one term ascending.

    Attributes:
        languages: Of the passages, as the analyzer was given them.
        terms: Number of a term, in sorted order.
        starts: int64 (terms + 1,): where a term's stretch of `rows` begins and ends.
        rows: int32; every row of every term.
        frequencies: int32, as `rows`: how often the row holds the term, at least 1.
        lengths: int32 (passages,): terms of each passage.
    """

    languages: tuple[str, ...]
    terms: dict[str, int]
    starts: NDArray[np.int64]
    rows: Ints
    frequencies: Ints
    lengths: Ints

    def of(self, term: str) -> tuple[Ints, Ints]:
        """Rows that hold `term`, ascending, and how often each of them does."""
        number = self.terms.get(term)
        if number is None:
            return self.rows[:0], self.frequencies[:0]
        stretch = slice(self.starts[number], self.starts[number + 1])
        return self.rows[stretch], self.frequencies[stretch]


def collect_postings(passages: Iterable[list[str]], languages: tuple[str, ...]) -> Postings:
    """Turn the terms of each passage into postings; there may be none."""
    numbers: dict[str, int] = {}
    occurrences = array("q")  # numbers of the terms, passage after passage
    lengths: list[int] = []
    for terms in passages:
        lengths.append(len(terms))
        occurrences.extend([numbers.setdefault(term, len(numbers)) for term in terms])
    names = sorted(numbers)
    order = np.empty(len(names), dtype=np.int64)
    order[[numbers[name] for name in names]] = np.arange(len(names))
    rows = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
    # One number for (term, row): sorted, they are the postings of one term after the other.
    found = order[np.frombuffer(occurrences, dtype=np.int64)] * len(lengths) + rows
    pairs, frequencies = np.unique(found, return_counts=True)
    terms_of, rows_of = np.divmod(pairs, max(1, len(lengths)))
    sizes = np.bincount(terms_of, minlength=len(names))
    return Postings(
        languages,
        {name: number for number, name in enumerate(names)},
        np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        rows_of.astype(np.int32),
        frequencies.astype(np.int32),
        np.array(lengths, dtype=np.int32),
    )


def write_postings(postings: Postings, folder: Path) -> None:
    """Write `terms.json` and `postings.npz`, byte-identical for equal postings."""
    table = {
        "format": FORMAT,
        "languages": list(postings.languages),
        "terms": list(postings.terms),
    }
    text = json.dumps(table, ensure_ascii=False, separators=(",", ":"))
    (folder / TERMS_FILE).write_bytes(text.encode("utf-8"))
    with (folder / POSTINGS_FILE).open("wb") as file:
        np.savez(
            file,
            allow_pickle=False,
            starts=postings.starts,
            rows=postings.rows,
            frequencies=postings.frequencies,
            lengths=postings.lengths,
        )


def read_postings(folder: Path) -> Postings:
    """Read what `write_postings` wrote.

    Raises:
        GenerationCorrupt: A file is absent, torn, foreign, or does not fit the other.
        GenerationIncompatible: A newer format.
    """
    languages, terms = _read_terms(folder / TERMS_FILE)
    path = folder / POSTINGS_FILE
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            starts = arrays["starts"].astype(np.int64, casting="safe")
            rows, frequencies, lengths = (
                arrays[name].astype(np.int32, casting="safe", copy=False)
                for name in ("rows", "frequencies", "lengths")
            )
    except UNREADABLE as error:
        raise GenerationCorrupt(f"{path} is absent, torn or no keyword index") from error
    postings = Postings(languages, terms, starts, rows, frequencies, lengths)
    if not _fits(postings):
        raise GenerationCorrupt(f"{path} does not fit {TERMS_FILE} beside it")
    return postings


def _read_terms(path: Path) -> tuple[tuple[str, ...], dict[str, int]]:
    try:
        if path.stat().st_size > MAX_TERMS_BYTES:
            raise GenerationCorrupt(f"{path} is larger than {MAX_TERMS_BYTES} bytes")
        table = json.loads(path.read_bytes())
        version, languages, names = table["format"], table["languages"], table["terms"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise GenerationCorrupt(f"{path} is absent, torn or no keyword index") from error
    if version != FORMAT:
        raise GenerationIncompatible(f"{path} has format {version!r}, this version reads {FORMAT}")
    if not all(isinstance(value, list) for value in (languages, names)):
        raise GenerationCorrupt(f"{path} is no keyword index")
    if not set(map(type, (*languages, *names))) <= {str}:  # JSON has no subclass of it
        raise GenerationCorrupt(f"{path} is no keyword index")
    return tuple(languages), {name: number for number, name in enumerate(names)}


def _fits(postings: Postings) -> bool:
    starts, rows = postings.starts, postings.rows
    return bool(
        starts.shape == (len(postings.terms) + 1,)
        and starts[0] == 0
        and starts[-1] == len(rows) == len(postings.frequencies)
        and (np.diff(starts) > 0).all()
        and (postings.frequencies > 0).all()
        and (postings.lengths >= 0).all()
        and (rows >= 0).all()
        and (rows < len(postings.lengths)).all()
    )
