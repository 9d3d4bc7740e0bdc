"""Which sentences of the passages answer best, when no model writes an answer?

Deterministic: the question's terms, weighted by Lucene's idf over the generation, choose two to
four sentences of the passages that cover them best. Every sentence is followed by its marker.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

from retrieval.analyzer import Analyzer, QueryTerm
from retrieval.chunk_store import ChunkStore
from retrieval.keyword.base import KeywordIndex
from retrieval.types import RankedChunk
from service.asking_words import asking_words
from service.plain_text import sentences

MAX_SENTENCES = 4
MAX_PASSAGES = 12
_SEARCHED = 60
_READ_AT_ONCE = 6  # most questions are covered by one of the first passages
_CONTEXT_SHARE = 0.3
_OTHER_LANGUAGE = 0.6
_ENOUGH = 0.45
_ANNOUNCEMENT = 0.5
_CODE_SHARE = 0.6
_MAX_LINE_CHARS = 160
_QUESTION = ("?", "？", '?"', "?”", "?*")
_MARKER = re.compile(r"\[(\d+(?:\s*,\s*\d+)*)\]")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A sentence with the number of its passage."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class _Candidate:
    order: tuple[int, int]
    number: int
    text: str
    terms: frozenset[str]
    context: frozenset[str]
    factor: float


class Excerpts:
    """Chooses sentences by the terms of one generation."""

    def __init__(self, keyword: KeywordIndex, store: ChunkStore, languages: Sequence[str]) -> None:
        """Prepare.

        Args:
            keyword: Gives the weight of a term and the passages that cover a question.
            store: Names the rows of `keyword`.
            languages: Of the corpus.
        """
        self._keyword = keyword
        self._store = store
        self._analyzer = Analyzer(languages)

    def content_words(self, text: str) -> int:
        """Number of distinct words that are no function words."""
        return len(self._terms(text))

    def coverage(self, question: str, enough: float = 1.0) -> float:
        """Best share of the question's idf mass that a stretch of two sentences covers.

        Function words do not count. The title and the headings above the sentences do.

        Args:
            question: What was asked.
            enough: The search ends with the first stretch that covers so much.
        """
        terms = self._terms(question)
        weights = {term.surface: self._weight(term) for term in terms}
        rows = [hit.row for hit in self._keyword.search(question, _SEARCHED)] if terms else []
        whole, best = sum(weights.values()), 0.0
        for held in self._stretches(rows, terms):
            best = max(best, _covered(held, weights))
            if best >= enough * whole:
                break
        return best / whole if best else 0.0

    def choose(
        self, question: str, passages: Sequence[RankedChunk], language: str
    ) -> list[Excerpt]:
        """The best sentences, those beside the best one first; none without a shared term.

        Args:
            question: What was asked.
            passages: As they are numbered from 1.
            language: The visitor's; sentences in it are preferred.
        """
        terms = self._terms(question)
        weights = {term.surface: self._weight(term) for term in terms}
        candidates = [
            candidate
            for place, (number, ranked) in enumerate(self._best_passages(question, passages))
            for candidate in self._candidates(place, number, ranked, terms, language)
        ]
        chosen = _pick(candidates, weights)
        numbers = [candidate.number for candidate in chosen]
        chosen.sort(key=lambda candidate: (numbers.index(candidate.number), candidate.order))
        return [Excerpt(candidate.number, candidate.text) for candidate in chosen]

    def _terms(self, question: str) -> list[QueryTerm]:
        common = asking_words()
        terms = self._analyzer.query_terms(question)
        return [term for term in terms if not term.compound and term.surface not in common]

    def _stretches(
        self, rows: Sequence[int], terms: Sequence[QueryTerm]
    ) -> Iterator[frozenset[str]]:
        """The terms that each two neighbouring sentences hold, their headings' included."""
        batches = (rows[at : at + _READ_AT_ONCE] for at in range(0, len(rows), _READ_AT_ONCE))
        for ranked in chain.from_iterable(map(self._store.ranked, batches)):
            document = ranked.document
            above = " ".join((document.title, *ranked.chunk.headings))
            context = self._matched(above, terms, document.language)
            held = (self._matched(text, terms, document.language) for text in _texts(ranked))
            for first, second in pairwise(chain(held, [frozenset[str]()])):
                yield first | second | context

    def _weight(self, term: QueryTerm) -> float:
        count = len(self._keyword)
        frequency = self._keyword.frequency(term.surface)
        return math.log1p((count - frequency + 0.5) / (frequency + 0.5))

    def _best_passages(
        self, question: str, passages: Sequence[RankedChunk]
    ) -> list[tuple[int, RankedChunk]]:
        """Passages with their numbers, those that cover the question best first."""
        numbered = {ranked.chunk.chunk_id: n for n, ranked in enumerate(passages, start=1)}
        rows = [hit.row for hit in self._keyword.search(question, _SEARCHED)]
        ids = self._store.chunk_ids(rows)
        coverage = dict(zip(rows, self._keyword.coverage(question, rows), strict=True))
        best = sorted(range(len(rows)), key=lambda place: (-coverage[rows[place]], place))
        numbers = [numbered[ids[rows[place]]] for place in best if ids[rows[place]] in numbered]
        if not numbers:  # found by meaning alone: another language
            numbers = list(range(1, min(len(passages), MAX_PASSAGES) + 1))
        return [(number, passages[number - 1]) for number in numbers[:MAX_PASSAGES]]

    def _candidates(
        self,
        place: int,
        number: int,
        ranked: RankedChunk,
        terms: Sequence[QueryTerm],
        language: str,
    ) -> list[_Candidate]:
        document, chunk = ranked.document, ranked.chunk
        above = " ".join((document.title, *chunk.headings))
        context = self._matched(above, terms, document.language)
        factor = 1.0 if document.language in ("", language) else _OTHER_LANGUAGE
        factor *= _CODE_SHARE if document.kind == "code" else 1.0
        found = []
        for position, (text, asked) in enumerate(_answering(_texts(ranked))):
            held = self._matched(f"{asked} {text}", terms, document.language)
            own = factor * (_ANNOUNCEMENT if text.endswith((":", "：")) else 1.0)
            shown = _MARKER.sub(r"(\1)", text)
            found.append(_Candidate((place, position), number, shown, held, context, own))
        return found

    def _matched(self, text: str, terms: Sequence[QueryTerm], language: str) -> frozenset[str]:
        held = set(self._analyzer.passage_terms(text, language))
        return frozenset(
            term.surface for term in terms if held.intersection((*term.forms, *term.wholes))
        )


def _texts(ranked: RankedChunk) -> list[str]:
    if ranked.document.kind == "code":
        lines = (line.strip() for line in ranked.chunk.text.splitlines())
        return [f"`{line}`" for line in lines if len(line) <= _MAX_LINE_CHARS and "`" not in line]
    found = sentences(ranked.chunk.text)
    is_broken = ranked.chunk.ordinal > 0 and len(found) > 1 and found[0][:1].islower()
    return found[1:] if is_broken else found


def _answering(texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Sentences with the question that stands right before them, as in a list of questions.

    Such a question holds the words that are searched for; what answers it is the sentence behind.
    """
    asked = ""
    for text, after in pairwise([*texts, ""]):
        if text.endswith(_QUESTION) and after:
            asked = f"{asked} {text}".strip()
        else:
            yield text, asked
            asked = ""


def _pick(candidates: Sequence[_Candidate], weights: dict[str, float]) -> list[_Candidate]:
    """Greedy: the sentence that adds most, until nothing adds enough."""
    chosen: list[_Candidate] = []
    told: set[str] = set()
    best = 0.0
    while len(chosen) < MAX_SENTENCES:
        texts = {candidate.text for candidate in chosen}
        left = [candidate for candidate in candidates if candidate.text not in texts]
        if not left:
            break
        gains = [_gain(candidate, told, weights, chosen) for candidate in left]
        gain = max(gains)
        if gain <= _ENOUGH * best:
            break
        best = best or gain
        candidate = left[gains.index(gain)]
        chosen.append(candidate)
        told |= candidate.terms
    return chosen


def _gain(
    candidate: _Candidate, told: set[str], weights: dict[str, float], chosen: list[_Candidate]
) -> float:
    """What a sentence adds: new terms fully, told ones and those of its headings in part."""
    new = _covered(candidate.terms - told, weights)
    known = _covered(candidate.terms & told, weights)
    around = _covered(candidate.context - candidate.terms, weights)
    beside = any(
        candidate.number == other.number and abs(candidate.order[1] - other.order[1]) == 1
        for other in chosen
    )
    score = new + (0.5 if beside else 0.35) * known + _CONTEXT_SHARE * around
    return candidate.factor * score / (1 + candidate.order[0] * 0.1)


def _covered(terms: frozenset[str], weights: dict[str, float]) -> float:
    return sum(weights[term] for term in terms)
