import numpy as np

from bench.vectors import VectorSource


def test_one_seed_gives_one_set_of_unit_vectors() -> None:
    one = np.concatenate(list(VectorSource(300, 32, seed=4).slices()))
    two = np.concatenate(list(VectorSource(300, 32, seed=4).slices()))
    assert one.shape == (300, 32)
    assert (one == two).all()
    assert np.allclose(np.linalg.norm(one, axis=1), 1, atol=1e-5)
    assert not np.allclose(one, np.concatenate(list(VectorSource(300, 32, seed=5).slices())))


def test_clustered_vectors_have_near_neighbours_and_unclustered_ones_have_not() -> None:
    nearest = {}
    for clustered in (True, False):
        source = VectorSource(2000, 256, seed=1, clustered=clustered)
        scores = source.queries(20) @ np.concatenate(list(source.slices())).T
        nearest[clustered] = float(np.median(scores.max(axis=1)))
    assert nearest[True] > 0.6
    assert nearest[False] < 0.5


def test_queries_are_no_passages() -> None:
    source = VectorSource(500, 64, seed=1)
    scores = source.queries(10) @ np.concatenate(list(source.slices())).T
    assert float(scores.max()) < 0.999
