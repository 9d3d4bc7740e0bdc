"""Is a ranking the same whether it is made at once, as by keywords, or in a thread?"""

from pathlib import Path

from tests.service.running import configure, running


def test_without_vectors_both_modes_rank_alike(tmp_path: Path) -> None:
    with running(configure(tmp_path)) as service:
        query = {"query": "tipping bucket"}
        at_once = service.post("/search", {**query, "mode": "keyword"}).json
        in_a_thread = service.post("/search", query).json
    assert at_once == in_a_thread
    assert at_once["results"]
