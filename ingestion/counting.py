"""How large is each source, and how much of it would a prompt hold?"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from retrieval.context import one_translation, preferred_languages
from retrieval.manifest import SourceCounts
from retrieval.types import StoredDocument


def source_counts(
    documents: Sequence[StoredDocument], names: Iterable[str]
) -> dict[str, SourceCounts]:
    """Counts of the sources that hold a document, in the order of `names`."""
    by_source: dict[str, list[StoredDocument]] = {name: [] for name in names}
    for document in documents:
        by_source[document.source].append(document)
    languages = {
        name: dict(sorted(Counter(document.language for document in found).items()))
        for name, found in by_source.items()
        if found
    }
    context = _context_tokens(documents, languages)
    return {
        name: SourceCounts(
            documents=len(by_source[name]),
            chunks=sum(document.chunks for document in by_source[name]),
            tokens=sum(document.tokens for document in by_source[name]),
            context_tokens=context[name],
            languages=found,
        )
        for name, found in languages.items()
    }


def corpus_languages(sources: Mapping[str, SourceCounts]) -> tuple[str, ...]:
    """Language codes of the corpus, most documents first, ties by code."""
    total: Counter[str] = Counter()
    for counts in sources.values():
        total.update(counts.languages)
    del total[""]
    return tuple(sorted(total, key=lambda code: (-total[code], code)))


def _context_tokens(
    documents: Sequence[StoredDocument], languages: Mapping[str, Mapping[str, int]]
) -> dict[str, int]:
    """By source the most tokens that it takes in any visitor's language."""
    counts = {name: SourceCounts(0, 0, 0, 0, found) for name, found in languages.items()}
    preferred = preferred_languages(counts)
    most: dict[str, int] = defaultdict(int)
    for language in {document.language for document in documents}:
        chosen = one_translation(documents, language, preferred)
        given: Counter[str] = Counter()
        for document in documents:
            if document.doc_id in chosen:
                given[document.source] += document.context_tokens
        for name, tokens in given.items():
            most[name] = max(most[name], tokens)
    return most
