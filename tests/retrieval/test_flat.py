from pathlib import Path

import faiss
import pytest

from retrieval.dense import VectorFile, build_dense_index, open_dense_index
from retrieval.dense.vector_file import VECTORS_FILE
from retrieval.errors import DenseIndexError, GenerationCorrupt, GenerationIncompatible
from tests.contracts.dense_index import (
    DIMENSION,
    DenseIndexContract,
    UntrainedContract,
    unit,
    write_index,
)


class TestFlatIndex(DenseIndexContract, UntrainedContract):
    kind = "flat"

    def test_scores_equal_those_of_float32_to_the_last_bit(self, tmp_path: Path) -> None:
        vectors = unit(500, 96)
        index = write_index(self.kind, vectors, tmp_path)
        exact = faiss.IndexFlatIP(96)
        exact.add(vectors.astype("<f2").astype("float32"))
        scores, rows = exact.search(vectors[:1], 50)
        hits = index.search(vectors[0], 50)
        assert [hit.row for hit in hits] == rows[0].tolist()
        assert [hit.score for hit in hits] == pytest.approx(scores[0].tolist(), abs=1e-7)


def test_unknown_kind_to_build_is_a_callers_mistake(tmp_path: Path) -> None:
    (tmp_path / VECTORS_FILE).touch()
    with pytest.raises(ValueError, match="flat, sq8, ivf-pq"):
        build_dense_index("hnsw", VectorFile(tmp_path / VECTORS_FILE, DIMENSION), tmp_path)


def test_unknown_kind_to_open_is_incompatible(tmp_path: Path) -> None:
    with pytest.raises(GenerationIncompatible, match="hnsw"):
        open_dense_index("hnsw", tmp_path, DIMENSION)


@pytest.mark.parametrize("kind", ["flat", "sq8", "ivf-pq"])
def test_index_of_another_faiss_kind_is_corrupt(kind: str, tmp_path: Path) -> None:
    others = (
        faiss.IndexFlatL2(DIMENSION),
        faiss.IndexFlatIP(DIMENSION),
        faiss.IndexHNSWFlat(DIMENSION, 4),
        faiss.IndexScalarQuantizer(
            DIMENSION, faiss.ScalarQuantizer.QT_4bit, faiss.METRIC_INNER_PRODUCT
        ),
    )
    for other in others:
        faiss.write_index(other, str(tmp_path / f"dense.{kind}"))
        with pytest.raises(GenerationCorrupt, match=rf"dense\.{kind}"):
            open_dense_index(kind, tmp_path, DIMENSION)


def test_a_dimension_below_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DenseIndexError, match="dimension"):
        VectorFile(tmp_path / VECTORS_FILE, 0)
