"""Raw input and output of tool calls."""

from __future__ import annotations

import pytest

from backstory.errors import BadInput, StorageError
from backstory.recall.tool_uses import get_tool_uses
from tests.recall.conftest import Store


@pytest.fixture
def turn(store: Store) -> tuple[Store, int, int, int]:
    """A store, its project, a session and a prompt."""
    project = store.project()
    session = store.session(project, "one")
    return store, project, session, store.prompt(project, session, "go")


def test_a_call_is_found_by_either_id_and_unpacked(turn: tuple[Store, int, int, int]) -> None:
    """The host's id and ours mean the same call."""
    store, project, session, prompt = turn
    use = store.tool_use(session, prompt, "toolu_01Ab", "Bash", {"command": "pytest"}, {"x": "é"})
    for id_ in (use, str(use), f"#{use}", "toolu_01Ab"):
        (found,) = get_tool_uses(store.db, [id_], project_ids=(project,)).tool_uses
        assert (found.id, found.tool_use_id, found.name) == (use, "toolu_01Ab", "Bash")
        assert (found.input, found.output, found.kept) == ({"command": "pytest"}, {"x": "é"}, True)


def test_what_is_no_longer_kept_says_so(turn: tuple[Store, int, int, int]) -> None:
    """Raw text goes after 90 days; that it happened stays."""
    store, _, session, prompt = turn
    use = store.tool_use(session, prompt, "toolu_1", "Bash", {}, "")
    store.db.execute("DELETE FROM tool_io")
    (found,) = get_tool_uses(store.db, [use]).tool_uses
    assert not found.kept


def test_missing_and_foreign_ids_are_told_apart(turn: tuple[Store, int, int, int]) -> None:
    """F10: another project's output is not shown."""
    store, project, session, prompt = turn
    use = store.tool_use(session, prompt, "toolu_1", "Bash", {}, "")
    found = get_tool_uses(store.db, ["toolu_1", "toolu_9", 77], project_ids=(project + 1,))
    assert (found.tool_uses, found.foreign) == ((), ("toolu_1",))
    assert found.missing == ("toolu_9", "77")
    assert get_tool_uses(store.db, [use], project_ids=(project + 1,)).foreign == (str(use),)


@pytest.mark.parametrize("ids", [[], ["a b"], ["'"], [None, "x" * 300], list(range(60))])
def test_ids_that_are_none_are_an_error(store: Store, ids: list[object]) -> None:
    """F14: and the error says where ids come from."""
    with pytest.raises(BadInput):
        get_tool_uses(store.db, ids)


def test_a_damaged_call_is_an_error(turn: tuple[Store, int, int, int]) -> None:
    """A failure is never an empty output."""
    store, _, session, prompt = turn
    use = store.tool_use(session, prompt, "toolu_1", "Bash", {}, "")
    store.db.execute("UPDATE tool_io SET output = x'00'")
    with pytest.raises(StorageError):
        get_tool_uses(store.db, [use])


def test_what_a_limit_leaves_out_is_named(turn: tuple[Store, int, int, int]) -> None:
    """The oldest are given."""
    store, _, session, prompt = turn
    first, second = (
        store.tool_use(session, prompt, f"toolu_{n}", "Bash", {}, "") for n in range(2)
    )
    found = get_tool_uses(store.db, [second, first], limit=1)
    assert [use.id for use in found.tool_uses] == [first]
    assert found.left_out == (str(second),)
