"""Which rows share a term with the query, by rank-bm25? The default for small corpora.

BM25Okapi gives the model and its parameters; three things are ours (FACTS.md 3.4): Lucene's idf,
which is never negative; an empty corpus; and postings, so that only rows that share a term are
looked at, and exactly those are hits.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rank_bm25 import BM25Okapi

from retrieval.analyzer import Analyzer, QueryTerm
from retrieval.keyword.base import Passage, Selection, check_search
from retrieval.keyword.merging import merged_postings
from retrieval.keyword.postings import (
    Ints,
    Postings,
    collect_postings,
    read_postings,
    write_postings,
)
from retrieval.types import Hit

K1 = 1.2
B = 0.75
# What the word as it was typed adds to its stem. nDCG@10 at 0 / .25 / .5: Cranfield .519 / .524 /
# .520, XQuAD en .970 / .973 / .973, es .961 / .966 / .965, SciFact .701 / .699 / .697.
EXACT_BONUS = 0.25

Rows = NDArray[np.intp]


class LuceneOkapi(BM25Okapi):  # type: ignore[misc]
    """BM25Okapi over postings: idf(t) = ln(1 + (N - df + 0.5) / (df + 0.5)), as Lucene has it.

    Every idf is positive, so that any row that shares a term scores above 0.
    """

    def __init__(self, postings: Postings) -> None:
        self.postings = postings
        super().__init__((), k1=K1, b=B)

    def _initialize(self, corpus: Iterable[list[str]]) -> dict[str, int]:  # noqa: ARG002
        """Take the statistics from the postings; BM25Okapi divides by zero without a passage."""
        lengths = self.postings.lengths
        self.corpus_size = len(lengths)
        self.doc_len = lengths
        self.avgdl = float(lengths.mean()) if lengths.any() else 1.0
        self.length_norm = self.k1 * (1 - self.b + self.b * lengths / self.avgdl)
        return {}

    def _calc_idf(self, nd: dict[str, int]) -> None:
        """Nothing in advance: a query term's idf counts the rows of all its forms."""

    def inverse_frequency(self, document_frequency: int) -> float:
        """Lucene's idf of a term that `document_frequency` rows hold."""
        missing = self.corpus_size - document_frequency
        return math.log1p((missing + 0.5) / (document_frequency + 0.5))

    def term_scores(self, rows: Ints, frequencies: Ints) -> NDArray[np.float64]:
        """BM25 of one term in the rows that hold it: idf tf (k1 + 1) / (tf + k1 norm)."""
        weight = self.inverse_frequency(len(rows)) * (self.k1 + 1)
        return np.asarray(weight * frequencies / (frequencies + self.length_norm[rows]))


class OkapiIndex:
    """Keyword index over `LuceneOkapi`."""

    kind = "rank-bm25"

    def __init__(self, postings: Postings) -> None:
        self._postings = postings
        self._analyzer = Analyzer(postings.languages)
        self._model = LuceneOkapi(postings)

    @classmethod
    def open(cls, folder: Path) -> "OkapiIndex":
        """Read what `build_okapi` wrote; raises as `read_postings`."""
        return cls(read_postings(folder))

    def __len__(self) -> int:
        return len(self._postings.lengths)

    def search(self, query: str, k: int, selection: Selection | None = None) -> list[Hit]:
        """The k best rows that share a term with the query, best first, ties by row."""
        check_search(k, selection, len(self))
        scores = np.zeros(len(self))
        for term in self._analyzer.query_terms(query):
            rows, frequencies = self._term_postings(term)
            scores[rows] += self._model.term_scores(rows, frequencies)
            if len(term.forms) > 1:
                rows, frequencies = self._postings.of(term.surface)
                scores[rows] += EXACT_BONUS * self._model.term_scores(rows, frequencies)
        # Lucene's idf is positive: a row has a score if and only if it shares a term.
        matching = np.flatnonzero(scores if selection is None else scores * selection.rows)
        best = _best(matching, scores[matching], k)
        return list(map(Hit, best.tolist(), scores[best].tolist(), range(1, len(best) + 1)))

    def known_share(self, query: str) -> float:
        """Share of the query's distinct terms that the index knows; a whole by its parts."""
        terms = [term for term in self._analyzer.query_terms(query) if not term.compound]
        known = sum(
            any(form in self._postings.terms for form in (*term.forms, *term.wholes))
            for term in terms
        )
        return known / len(terms) if terms else 0.0

    def frequency(self, word: str) -> int:
        """Number of passages that hold the word in any of its forms."""
        terms = self._analyzer.query_terms(word)
        holding = [self._term_postings(term)[0] for term in terms]
        if len(holding) == 1:
            return len(holding[0])
        return len(np.unique(np.concatenate(holding))) if holding else 0

    def coverage(self, query: str, rows: list[int]) -> list[float]:
        """For each row the share of the query's idf mass that its terms cover."""
        wanted = np.asarray(rows, dtype=np.int64)
        covered, mass = np.zeros(len(wanted)), 0.0
        for term in self._analyzer.query_terms(query):
            if term.compound:
                continue
            holding = np.zeros(len(self), dtype=np.bool_)
            for form in (*term.forms, *term.wholes):
                holding[self._postings.of(form)[0]] = True
            idf = self._model.inverse_frequency(int(np.count_nonzero(holding)))
            mass += idf
            covered += idf * holding[wanted]
        return [float(share) for share in covered / mass] if mass else [0.0] * len(rows)

    def _term_postings(self, term: QueryTerm) -> tuple[Ints, Ints]:
        """Rows that hold any form of the term, with the greatest count of a single form.

        A passage that holds a word holds its stem as often or more often, so that the greatest
        count is that of the term, where a sum would count most of its occurrences twice.
        """
        found = [self._postings.of(form) for form in term.forms]
        found = [postings for postings in found if len(postings[0])]
        if len(found) < 2:
            return found[0] if found else self._postings.of("")
        if self._analyzer.forms_are_nested:
            return max(reversed(found), key=lambda postings: len(postings[0]))
        rows = np.concatenate([rows for rows, _ in found])
        frequencies = np.concatenate([counts for _, counts in found])
        order = np.lexsort((-frequencies, rows))
        first = np.r_[True, np.diff(rows[order]) > 0]
        return rows[order][first], frequencies[order][first]


def build_okapi(passages: Iterable[Passage], folder: Path) -> None:
    """Write `terms.json` and `postings.npz`; there may be no passage, and they may be empty."""
    analyzer = Analyzer(())  # languages matter for queries alone
    languages: set[str] = set()

    def terms() -> Iterator[list[str]]:
        for passage in passages:
            languages.add(passage.language)
            yield analyzer.passage_terms(passage.text, passage.language)

    postings = collect_postings(terms(), ())
    write_postings(replace(postings, languages=tuple(sorted(languages))), folder)


def update_okapi(
    before: Path,
    old_rows: NDArray[np.int64],
    fresh: Iterable[Passage],
    languages: tuple[str, ...],
    folder: Path,
) -> None:
    """Write what `build_okapi` would, without analysing again what `before` has."""
    analyzer = Analyzer(())
    terms = (analyzer.passage_terms(passage.text, passage.language) for passage in fresh)
    merged = merged_postings(read_postings(before), old_rows, collect_postings(terms, languages))
    write_postings(merged, folder)


def _best(rows: Rows, scores: NDArray[np.float64], k: int) -> Rows:
    if len(rows) > k:
        threshold = np.partition(scores, len(scores) - k)[len(scores) - k]
        rows, scores = rows[scores >= threshold], scores[scores >= threshold]
    order = np.lexsort((rows, -scores))[:k]
    return np.asarray(rows[order])
