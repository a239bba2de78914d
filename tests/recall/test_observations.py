"""Full records by id."""

from __future__ import annotations

import pytest

from backstory.errors import BadInput, StorageError
from backstory.recall.observations import get_observations
from tests.recall.conftest import Store


def test_a_record_comes_with_files_facts_and_evidence(store: Store) -> None:
    """What it rests on is one call away."""
    project = store.project()
    session = store.session(project, "one")
    prompt = store.prompt(project, session, "why is the total wrong")
    use = store.tool_use(session, prompt, "toolu_1", "Bash", {"command": "pytest"}, "ok")
    id_ = store.observation(
        project,
        "Fixed rounding",
        "Totals were rounded twice.",
        facts=("half even", "once"),
        files=("src/cart.py",),
        session=session,
        prompt=prompt,
        evidence="verified",
    )
    store.link(id_, use)
    (record,) = get_observations(store.db, [id_], project_ids=(project,)).records
    assert record.id == str(id_)
    assert (record.title, record.text) == ("Fixed rounding", "Totals were rounded twice.")
    assert record.facts == ("half even", "once")
    assert record.files_modified == ("src/cart.py",)
    assert (record.session, record.prompt, record.evidence) == ("one", 1, "verified")
    assert [(link.id, link.tool_use_id) for link in record.tool_uses] == [(use, "toolu_1")]
    assert record.as_json()["tool_uses"][0]["name"] == "Bash"


def test_every_kind_is_given_in_the_order_asked_for_or_by_date(store: Store) -> None:
    """Summaries and prompts are records too."""
    project = store.project()
    session = store.session(project, "one")
    prompt = store.prompt(project, session, "go")
    observation = store.observation(project, "Found")
    summary = store.summary(project, session, prompt, request="go", completed="went")
    asked = [f"s{summary}", observation, f"p{prompt}", f"#{observation}"]
    found = get_observations(store.db, asked)
    assert [record.id for record in found.records] == ["s1", "1", "p1"]
    assert found.records[0].sections == (("Request", "go"), ("Completed", "went"))
    by_date = get_observations(store.db, asked, order="date_asc").records
    assert [record.id for record in by_date] == ["p1", "1", "s1"]
    newest = get_observations(store.db, asked, order="date_desc", limit=1).records
    assert [record.id for record in newest] == ["s1"]


def test_missing_and_foreign_ids_are_told_apart(store: Store) -> None:
    """F10: another project's record is neither shown nor called missing."""
    mine, other = store.project("mine"), store.project("other")
    own, foreign = store.observation(mine, "Mine"), store.observation(other, "Theirs")
    found = get_observations(store.db, [own, foreign, 99], project_ids=(mine,))
    assert [record.id for record in found.records] == [str(own)]
    assert (found.missing, found.foreign) == (("99",), (str(foreign),))


@pytest.mark.parametrize("ids", [[], ["x"], ["1; DROP"], [True], list(range(51)), [1.5]])
def test_ids_that_are_none_are_an_error(store: Store, ids: list[object]) -> None:
    """F14: and the error says what an id looks like."""
    with pytest.raises(BadInput):
        get_observations(store.db, ids)


def test_a_failure_is_an_error(store: Store) -> None:
    """F2: never an empty answer."""
    store.db.execute("DROP TABLE observation_files")
    with pytest.raises(StorageError):
        get_observations(store.db, [1])
