"""Which rows share a term with the query, by tantivy? An inverted index on disk, for any size."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import tantivy
from numpy.typing import NDArray
from tantivy import Occur, Query

from retrieval.analyzer import Analyzer, QueryTerm
from retrieval.dense.base import Rows
from retrieval.errors import GenerationCorrupt
from retrieval.keyword.base import Selection, check_search
from retrieval.keyword.okapi import EXACT_BONUS
from retrieval.keyword.tantivy_building import KEY, LABEL, TABLE_FILE, TERMS
from retrieval.keyword.tantivy_opening import open_tantivy
from retrieval.manifest import REPAIR
from retrieval.types import Hit

TIE_MARGIN = 8
# Which terms a row holds is read off a score of powers of two; a float32 holds 24 of them.
TERMS_AT_ONCE = 20


class TantivyIndex:
    """BM25 with k1 1.2 and b .75, lengths rounded to a byte; scored like `OkapiIndex` otherwise.

    A query term is all its forms: the greatest count of one of them, with the idf of the most
    frequent (rank-bm25: of all together), and EXACT_BONUS for the word as it was typed.
    """

    kind = "tantivy"

    def __init__(self, index: tantivy.Index, languages: Sequence[str], folder: Path) -> None:
        self._folder = folder
        self._searcher = index.searcher()
        self._schema = index.schema
        self._analyzer = Analyzer(languages)
        self._count = self._searcher.num_docs
        # The most frequent form then stands for the others, and tantivy skips blocks, which it does
        # for plain terms alone: .91 to .42 ms for 100,000 passages.
        self._nested = self._analyzer.forms_are_nested

    @classmethod
    def open(cls, folder: Path) -> "TantivyIndex":
        """Open what `build_tantivy` wrote.

        Raises:
            GenerationCorrupt: A file is absent, torn or foreign.
            GenerationIncompatible: Another format.
            GenerationError: No temporary folder can be made.
        """
        index, languages, count = open_tantivy(folder)
        opened = cls(index, languages, folder)
        if len(opened) != count:
            raise GenerationCorrupt(
                f"{folder} holds {len(opened)} passages, {TABLE_FILE} beside it says {count}"
            )
        return opened

    def __len__(self) -> int:
        return self._count

    def search(self, query: str, k: int, selection: Selection | None = None) -> list[Hit]:
        """The k best rows that share a term with the query, best first, ties by row."""
        check_search(k, selection, len(self))
        wanted = self._wanted(query)
        if wanted is None or not len(self):
            return []
        if selection is not None:
            wanted = self._selected(wanted, selection)
        rows, scores = self._best(wanted, min(k, len(self)))
        order = np.lexsort((rows, -scores))[:k]
        pairs = zip(rows[order].tolist(), scores[order].tolist(), strict=True)
        return [Hit(row, score, rank) for rank, (row, score) in enumerate(pairs, start=1)]

    def known_share(self, query: str) -> float:
        """Share of the query's distinct terms that the index knows; a whole by its parts."""
        terms = [term for term in self._analyzer.query_terms(query) if not term.compound]
        known = sum(any(self._known((*term.forms, *term.wholes))) for term in terms)
        return known / len(terms) if terms else 0.0

    def frequency(self, word: str) -> int:
        """Number of passages that hold the word in its most frequent form."""
        terms = self._analyzer.query_terms(word)
        return max((max(self._known(term.forms).values(), default=0) for term in terms), default=0)

    def coverage(self, query: str, rows: list[int]) -> list[float]:
        """For each row the share of the query's idf mass that its terms cover."""
        terms = [term for term in self._analyzer.query_terms(query) if not term.compound]
        forms = [self._known((*term.forms, *term.wholes)) for term in terms]
        weights = [self._idf(max(known.values(), default=0)) for known in forms]
        mass = sum(weights)
        if not mass or not rows:
            return [0.0] * len(rows)
        covered = dict.fromkeys(rows, 0.0)
        for start in range(0, len(forms), TERMS_AT_ONCE):
            some = forms[start : start + TERMS_AT_ONCE]
            for row, held in self._held(some, rows):
                for position in range(len(some)):
                    if held >> position & 1:
                        covered[row] += weights[start + position]
        return [covered[row] / mass for row in rows]

    def _known(self, forms: Sequence[str]) -> dict[str, int]:
        """Those of the forms that a passage holds, with the number of such passages."""
        found = {form: self._searcher.doc_freq(TERMS, form) for form in forms}
        return {form: frequency for form, frequency in found.items() if frequency}

    def _idf(self, frequency: int) -> float:
        return math.log1p((self._count - frequency + 0.5) / (frequency + 0.5))

    def _term(self, text: str) -> Query:
        return Query.term_query(self._schema, TERMS, text, index_option="freq")

    def _wanted(self, query: str) -> Query | None:
        """The query as tantivy's; None where the index knows none of its terms."""
        clauses: list[tuple[Occur, Query]] = []
        for term in self._analyzer.query_terms(query):
            clauses += [(Occur.Should, clause) for clause in self._clauses(term)]
        return Query.boolean_query(clauses) if clauses else None

    def _clauses(self, term: QueryTerm) -> list[Query]:
        known = self._known(term.forms)
        if not known:
            return []
        most = max(reversed(known), key=known.__getitem__)  # the surface is the first form
        exact = EXACT_BONUS if len(term.forms) > 1 and term.surface in known else 0.0
        if len(known) == 1 or self._nested:
            if exact and term.surface == most:
                return [Query.boost_query(self._term(most), 1 + exact)]
            clauses = [self._term(most)]
        else:
            idf = self._idf(known[most])
            forms = [
                Query.boost_query(self._term(form), idf / self._idf(frequency))
                for form, frequency in known.items()
            ]
            clauses = [Query.disjunction_max_query(forms)]
        if exact:
            clauses.append(Query.boost_query(self._term(term.surface), exact))
        return clauses

    def _selected(self, wanted: Query, selection: Selection) -> Query:
        clauses = [(Occur.Must, wanted)]
        for text in selection.required:
            clauses.append((Occur.Must, Query.const_score_query(self._label(text), 0.0)))
        for text in selection.excluded:
            clauses.append((Occur.MustNot, self._label(text)))
        return Query.boolean_query(clauses)

    def _label(self, text: str) -> Query:
        return Query.term_query(self._schema, LABEL, text, index_option="basic")

    def _best(self, query: Query, k: int) -> tuple[Rows, NDArray[np.float64]]:
        """At least the k best rows with every row that ties with the last of them."""
        limit = k + TIE_MARGIN
        while True:
            hits = self._hits(query, min(limit, len(self)))
            complete = len(hits) < limit
            if complete or hits[-1][0] < hits[k - 1][0]:
                scores = np.array([score for score, _ in hits], dtype=np.float64)
                return self._rows([address for _, address in hits]), scores
            limit *= 4

    def _hits(self, query: Query, limit: int) -> list[tuple[float, tantivy.DocAddress]]:
        try:
            return self._searcher.search(query, limit=limit, count=False).hits
        except ValueError as error:  # tantivy's only error
            raise GenerationCorrupt(f"{self._folder} cannot be searched. {REPAIR}") from error

    def _rows(self, addresses: list[tantivy.DocAddress]) -> Rows:
        return np.array(self._searcher.fast_field_values(KEY, addresses), dtype=np.int64)

    def _held(self, forms: list[dict[str, int]], rows: list[int]) -> list[tuple[int, int]]:
        """For each row that holds any, which of the terms it holds: bit n for the n-th."""
        chosen = Query.const_score_query(Query.term_set_query(self._schema, KEY, rows), 0.0)
        clauses = [(Occur.Must, chosen)]
        for position, known in enumerate(forms):
            if known:
                any_form = Query.boolean_query([(Occur.Should, self._term(f)) for f in known])
                bit = Query.const_score_query(any_form, float(1 << position))
                clauses.append((Occur.Should, bit))
        query = Query.boolean_query(clauses)
        hits = self._hits(query, len(rows))
        found = self._rows([address for _, address in hits]).tolist()
        return [(row, int(score)) for row, (score, _) in zip(found, hits, strict=True)]
