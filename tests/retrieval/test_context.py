from dataclasses import replace

from retrieval.configuration import RetrievalSection
from retrieval.context import decide_context, one_translation, without_overlap
from retrieval.manifest import SourceCounts
from retrieval.types import Chunk, RankedChunk, StoredDocument

SOURCES = {
    "site": SourceCounts(3, 5, 900, 600, {"en": 2, "es": 1}),
    "engine": SourceCounts(2, 9, 5000, 5000, {"": 2}),
}
PAGE = StoredDocument("site:a", "site", "a", "https://a.example/a/", "A", "en", "page", "a")


def policy(limit: int, pinned: tuple[str, ...] = (), *, embeds: bool = True) -> tuple[str, str]:
    settings = RetrievalSection(full_context_tokens=limit, pinned=pinned)
    decided = decide_context(SOURCES, settings, embeds)
    return decided.mode, decided.reason


def test_at_the_limit_the_whole_corpus_is_given() -> None:
    assert policy(5600) == ("full-context", "5600 tokens, at or below full_context_tokens = 5600")


def test_above_the_limit_passages_are_retrieved() -> None:
    assert policy(5599)[0] == "hybrid"
    assert policy(0) == ("hybrid", "full_context_tokens = 0")


def test_pinned_sources_are_whole_while_they_fit() -> None:
    assert policy(600, ("site",))[0] == "mixed"
    assert policy(599, ("site",))[0] == "hybrid"


def test_without_vectors_the_search_is_by_keyword() -> None:
    assert policy(0, embeds=False)[0] == "keyword"


def test_an_empty_corpus_is_never_a_full_context() -> None:
    assert decide_context({}, RetrievalSection(), embeds=True).mode == "hybrid"


def test_a_translation_in_the_visitors_language_stands_for_its_page() -> None:
    spanish = replace(PAGE, doc_id="site:a.es", language="es")
    other = replace(PAGE, doc_id="site:b", translation_key="")
    documents = [PAGE, spanish, other]
    assert one_translation(documents, "es", {"site": "en"}) == {"site:a.es", "site:b"}
    assert one_translation(documents, "de", {"site": "en"}) == {"site:a", "site:b"}


def test_the_overlap_of_neighbours_is_given_once() -> None:
    parts = [("one two three", 0), ("three four", 5), ("four five", 0)]
    chunks = [
        RankedChunk(
            Chunk(f"site:a#0.{n}", "site:a", None, "", (), n, text, 1, None, None, "", overlap),
            PAGE,
            0.0,
        )
        for n, (text, overlap) in enumerate(parts)
    ]
    texts = [ranked.chunk.text for ranked in without_overlap(chunks)]
    assert texts == ["one two three", " four", "four five"]
