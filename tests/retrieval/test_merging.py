from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.keyword.merging import NEW, merged_postings
from retrieval.keyword.postings import Postings, collect_postings, write_postings

PASSAGES = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=6), max_size=8)


def same(one: Postings, other: Postings) -> None:
    assert list(one.terms) == list(other.terms)
    assert one.terms == other.terms
    for name in ("starts", "rows", "frequencies", "lengths"):
        mine, theirs = getattr(one, name), getattr(other, name)
        assert mine.dtype == theirs.dtype
        assert mine.tolist() == theirs.tolist()


@given(before=PASSAGES, data=st.data())
def test_merged_postings_equal_those_of_a_fresh_build(
    before: list[list[str]], data: st.DataObject
) -> None:
    kept = data.draw(st.permutations(range(len(before))))
    kept = kept[: data.draw(st.integers(0, len(before)))]
    new = data.draw(PASSAGES)
    places: list[int] = data.draw(st.permutations([*kept, *[NEW] * len(new)]))
    waiting = iter(new)
    after = [next(waiting) if place == NEW else before[place] for place in places]
    merged = merged_postings(
        collect_postings(before, ()),
        np.array(places, dtype=np.int64),
        collect_postings(new, ("en",)),
    )
    same(merged, collect_postings(after, ("en",)))
    assert merged.languages == ("en",)


def test_merged_files_are_the_bytes_of_a_fresh_build(tmp_path: Path) -> None:
    before = [["tide", "gauge"], ["kiln"], ["tide", "tide"]]
    after = [["tide", "tide"], ["lamp"], ["tide", "gauge"]]
    merged = merged_postings(
        collect_postings(before, ()), np.array([2, NEW, 0]), collect_postings([["lamp"]], ("en",))
    )
    for name, postings in (("merged", merged), ("fresh", collect_postings(after, ("en",)))):
        (tmp_path / name).mkdir()
        write_postings(postings, tmp_path / name)
    for file in (tmp_path / "fresh").iterdir():
        assert file.read_bytes() == (tmp_path / "merged" / file.name).read_bytes()


def test_another_number_of_new_passages_is_a_mistake_of_the_caller() -> None:
    postings = collect_postings([["a"]], ())
    with pytest.raises(ValueError, match="1 new passages, 0"):
        merged_postings(postings, np.array([0, NEW]), collect_postings([], ()))
