"""How is the inverted index on disk written? Terms come from the one analyzer, row by row."""

import json
from collections.abc import Iterable
from pathlib import Path

import tantivy

from retrieval.analyzer import Analyzer
from retrieval.keyword.base import Passage

FORMAT = 1
TABLE_FILE = "keyword.json"
TERMS, LABEL, KEY = "terms", "label", "row"
TOKENIZER = "analysed"
WRITER_BYTES = 128 << 20  # of one thread; what is above becomes another segment
# The writer's locks and its list of files to delete: nothing that a reader needs.
LEFTOVERS = (".tantivy-*", ".managed.json")


def build_tantivy(passages: Iterable[Passage], folder: Path) -> None:
    """Write a tantivy index, and `keyword.json` with what the analyzer must know.

    Raises:
        OSError: There is no space, or the folder cannot be written.
    """
    languages: set[str] = set()
    analyzer = Analyzer(())  # languages matter for queries alone
    count = 0
    try:
        index = tantivy.Index(schema(), path=str(folder), reuse=False)
        words = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
        index.register_tokenizer(TOKENIZER, words)
        # One thread, so that rows lie in their order.
        writer = index.writer(heap_size=WRITER_BYTES, num_threads=1)
        for row, passage in enumerate(passages):
            document = tantivy.Document()
            document.add_unsigned(KEY, row)
            terms = analyzer.passage_terms(passage.text, passage.language)
            document.add_text(TERMS, " ".join(terms))
            for text in passage.labels:
                document.add_text(LABEL, text)
            writer.add_document(document)
            languages.add(passage.language)
            count = row + 1
        writer.commit()
        writer.wait_merging_threads()
    except ValueError as error:  # tantivy's only error
        raise OSError(f"{folder} cannot be written: {error}") from error
    for pattern in LEFTOVERS:
        for file in folder.glob(pattern):
            file.unlink()
    table = {
        "format": FORMAT,
        "languages": sorted(languages),
        "passages": count,
        "files": sorted(file.name for file in folder.iterdir()),
    }
    (folder / TABLE_FILE).write_text(json.dumps(table), encoding="utf-8")


def schema() -> tantivy.Schema:
    """Fields of a passage: analysed terms with their counts, labels as they are, the row."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field(TERMS, tokenizer_name=TOKENIZER, index_option="freq")
    builder.add_text_field(LABEL, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field(KEY, indexed=True, fast=True)
    return builder.build()
