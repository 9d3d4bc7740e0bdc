"""LanceDB: hybrid search with its own reciprocal rank fusion, from its files."""

from pathlib import Path

import lancedb  # type: ignore[import-not-found]
import pyarrow as pa  # type: ignore[import-not-found]
from lancedb.rerankers import RRFReranker  # type: ignore[import-not-found]

from bench.peers.timed import Search, run
from bench.peers.workload import Workload

TABLE = "passages"


def build(workload: Workload, folder: Path) -> Search:
    """A table with a full-text index; vectors are compared exactly."""
    limits = workload.limits
    dimension = workload.vectors.shape[1]
    columns = {
        "row": pa.array(range(len(workload.texts))),
        "text": pa.array(workload.texts),
        "vector": pa.FixedSizeListArray.from_arrays(workload.vectors.reshape(-1), dimension),
    }
    database = lancedb.connect(str(folder / "lancedb"))
    table = database.create_table(TABLE, data=pa.table(columns), mode="overwrite")
    table.create_fts_index("text", replace=True)

    def search(number: int) -> list[int]:
        found = (
            table.search(query_type="hybrid")
            .vector(workload.question_vectors[number])
            .text(workload.questions[number])
            .rerank(RRFReranker())
            .limit(limits.candidates)
            .to_arrow()
        )
        rows: list[int] = found["row"].to_pylist()[: limits.k]
        return rows

    return search


if __name__ == "__main__":
    run(build)
