from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.errors import SyncRefused
from ingestion.sync import DocumentHashes, document_hashes, plan_sync, refuse_mass_delete
from retrieval.types import Document, Section, SyncPlan

PAGE = Document(
    doc_id="site:content/a.md",
    source="site",
    path="content/a.md",
    url="https://a.example/a/",
    title="A",
    language="en",
    kind="page",
    sections=(Section(("Setup",), "setup", "## Setup\n\nText."),),
    anchors=("setup",),
)
CODE = replace(
    PAGE,
    kind="code",
    url="https://git.example/x/blob/c0ffee/a.py",
    line_link="https://git.example/x/blob/c0ffee/a.py#L{start}-L{end}",
    revision="c0ffee",
)
HASHES = st.builds(DocumentHashes, st.binary(max_size=2), st.binary(max_size=2))
CORPORA = st.dictionaries(st.sampled_from("abcdef"), HASHES)


def test_a_new_text_changes_the_text_hash_alone() -> None:
    changed = replace(PAGE, sections=(Section(("Setup",), "setup", "## Setup\n\nOther."),))
    before, after = document_hashes(PAGE), document_hashes(changed)
    assert before.text != after.text
    assert before.metadata == after.metadata


@pytest.mark.parametrize(
    "changed",
    [
        replace(PAGE, url="https://a.example/b/"),
        replace(PAGE, language="es"),
        replace(PAGE, translation_key="x"),
        replace(PAGE, anchors=("x",)),
        replace(PAGE, aliases=("https://a.example/old/",)),
    ],
)
def test_what_is_not_embedded_changes_the_metadata_hash_alone(changed: Document) -> None:
    assert document_hashes(PAGE).text == document_hashes(changed).text
    assert document_hashes(PAGE).metadata != document_hashes(changed).metadata


def test_a_new_commit_alone_is_no_change() -> None:
    moved = replace(
        CODE,
        url="https://git.example/x/blob/beef/a.py",
        line_link="https://git.example/x/blob/beef/a.py#L{start}-L{end}",
        revision="beef",
    )
    assert document_hashes(CODE) == document_hashes(moved)


@given(stored=CORPORA, wanted=CORPORA, kept=st.frozensets(st.sampled_from("abcdef")))
def test_every_document_has_exactly_one_operation(
    stored: dict[str, DocumentHashes], wanted: dict[str, DocumentHashes], kept: frozenset[str]
) -> None:
    plan = plan_sync(stored, wanted, kept)
    operations = [*plan.add, *plan.update, *plan.delete, *plan.ignore]
    assert sorted(operations) == sorted(set(operations))
    assert set(operations) == set(stored) | set(wanted)
    assert not set(plan.delete) & kept
    after = {**{d: stored[d] for d in plan.ignore}, **{d: wanted[d] for d in plan.add}}
    after |= {d: wanted[d] for d in plan.update}
    again = plan_sync(after, wanted, kept)
    assert (again.add, again.update, again.delete) == ((), (), ())


def planned(lost: int, had: int) -> tuple[SyncPlan, dict[str, str]]:
    stored = {f"site:{n}": "site" for n in range(had)}
    return SyncPlan((), (), tuple(list(stored)[:lost]), ()), stored


@pytest.mark.parametrize(("lost", "had"), [(4, 10), (31, 100), (1, 1), (5, 5)])
def test_a_mass_delete_is_refused(lost: int, had: int) -> None:
    plan, stored = planned(lost, had)
    with pytest.raises(SyncRefused, match=f"{lost} of {had}"):
        refuse_mass_delete(plan, stored, ["site"], 0.3)


@pytest.mark.parametrize(("lost", "had"), [(3, 10), (4, 9), (0, 5)])
def test_a_small_loss_passes(lost: int, had: int) -> None:
    plan, stored = planned(lost, had)
    refuse_mass_delete(plan, stored, ["site"], 0.3)


def test_removing_a_source_from_the_configuration_is_intention_enough() -> None:
    plan, stored = planned(20, 20)
    refuse_mass_delete(plan, stored, ["other"], 0.3)
