"""One document of ten passages is replaced: how long until the keyword index knows?

    python -m bench.changed_document < request.json > times.json

tantivy deletes and adds in the index on disk; rank-bm25 as it comes is made anew, from terms that
are in memory already. Neither is a whole sync, which `bench.sync_time` measures.
"""

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import tantivy
from rank_bm25 import BM25Okapi

from bench.plain_bm25 import passage_terms
from bench.timing import Times
from retrieval.analyzer import Analyzer
from retrieval.generation import KEYWORD_FOLDER
from retrieval.keyword.tantivy_building import KEY, TERMS, TOKENIZER

PASSAGES = 10
WRITER_BYTES = 15 << 20  # the least that tantivy takes


def replace_in_tantivy(folder: Path, repeats: int) -> Times:
    """Delete the passages of a document by their rows, add others, commit."""
    analyzer = Analyzer(())
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / "keyword"
        shutil.copytree(folder / KEYWORD_FOLDER, copy)

        def replace(number: int) -> None:
            index = tantivy.Index.open(str(copy))
            words = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
            index.register_tokenizer(TOKENIZER, words)
            writer = index.writer(heap_size=WRITER_BYTES, num_threads=1)
            for row in range(PASSAGES):
                writer.delete_documents_by_term(KEY, row)
                document = tantivy.Document()
                document.add_unsigned(KEY, row)
                text = f"the changed passage {row} of version{number} " * 20
                document.add_text(TERMS, " ".join(analyzer.passage_terms(text, "en")))
                writer.add_document(document)
            writer.commit()
            writer.wait_merging_threads()
            index.reload()
            found = index.searcher().search(
                tantivy.Query.term_query(index.schema, TERMS, f"version{number}", "freq"), PASSAGES
            )
            if len(found.hits) != PASSAGES:
                raise ValueError(f"{len(found.hits)} of {PASSAGES} changed passages are found")

        return _timed(replace, repeats)


def rebuild_rank_bm25(folder: Path, repeats: int) -> Times:
    """Make the model of every passage anew."""
    terms = passage_terms(folder)
    return _timed(lambda _: BM25Okapi(terms), repeats)


def _timed(change: Callable[[int], object], repeats: int) -> Times:
    wall, cpu = [], []
    for number in range(repeats):
        started, used = time.perf_counter_ns(), time.process_time_ns()
        change(number)
        cpu.append(round((time.process_time_ns() - used) / 1e6, 3))
        wall.append(round((time.perf_counter_ns() - started) / 1e6, 3))
    return Times(tuple(wall), tuple(cpu), 0.0)


def main() -> None:
    """Answer one request: folder, kind and repeats."""
    request = json.load(sys.stdin)
    change = replace_in_tantivy if request["kind"] == "tantivy" else rebuild_rank_bm25
    sys.stdout.write(json.dumps(asdict(change(Path(request["folder"]), request["repeats"]))))


if __name__ == "__main__":
    main()
