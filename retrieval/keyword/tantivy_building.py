"""How is the inverted index on disk written? Terms come from the one analyzer, row by row."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import tantivy

from retrieval.analyzer import Analyzer
from retrieval.keyword.base import Passage

FORMAT = 2  # 1 did not store the terms, so that it cannot be updated
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

    def taken() -> Iterator[Passage]:
        for passage in passages:
            languages.add(passage.language)
            yield passage

    count = write_documents(analysed(taken()), folder)
    write_table(folder, languages, count)


def analysed(passages: Iterable[Passage]) -> Iterator[tantivy.Document]:
    """What `write_documents` takes of each passage."""
    analyzer = Analyzer(())  # languages matter for queries alone
    for passage in passages:
        document = tantivy.Document()
        terms = analyzer.passage_terms(passage.text, passage.language)
        document.add_text(TERMS, " ".join(terms))
        for text in passage.labels:
            document.add_text(LABEL, text)
        yield document


def write_documents(documents: Iterable[tantivy.Document], folder: Path) -> int:
    """Index documents in row order; returns how many there were.

    Args:
        documents: Terms and labels; each is given its row here. They are taken one by one.
        folder: Exists and is empty.

    Raises:
        OSError: There is no space, or the folder cannot be written.
    """
    count = 0
    with _writing(folder):
        index = tantivy.Index(schema(), path=str(folder), reuse=False)
        words = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
        index.register_tokenizer(TOKENIZER, words)
        # One thread, so that rows lie in their order.
        writer = index.writer(heap_size=WRITER_BYTES, num_threads=1)
    for document in documents:
        document.add_unsigned(KEY, count)
        with _writing(folder):
            writer.add_document(document)
        count += 1
    with _writing(folder):
        writer.commit()
        writer.wait_merging_threads()
    for pattern in LEFTOVERS:
        for file in folder.glob(pattern):
            file.unlink()
    return count


def write_table(folder: Path, languages: Iterable[str], count: int) -> None:
    """Write `keyword.json` beside the finished files of tantivy.

    Args:
        folder: Of the index.
        languages: Of its passages.
        count: Number of its passages.
    """
    table = {
        "format": FORMAT,
        "languages": sorted(languages),
        "passages": count,
        "files": sorted(file.name for file in folder.iterdir()),
    }
    (folder / TABLE_FILE).write_text(json.dumps(table), encoding="utf-8")


def schema() -> tantivy.Schema:
    """Fields of a passage: analysed terms with their counts, labels as they are, the row.

    Terms and labels are stored as well, so that the index of a later corpus takes them from here.
    """
    builder = tantivy.SchemaBuilder()
    builder.add_text_field(TERMS, stored=True, tokenizer_name=TOKENIZER, index_option="freq")
    builder.add_text_field(LABEL, stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field(KEY, indexed=True, fast=True)
    return builder.build()


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except ValueError as error:  # tantivy's only error
        raise OSError(f"{folder} cannot be written: {error}") from error
