"""One condition for all that a question is limited to."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import pytest

from backstory.storage import sqlite
from backstory.storage.filters import ALIASES, Filters, of_any_kind
from backstory.storage.text_index import KINDS

TABLES = {"observation": "observations", "summary": "summaries", "prompt": "prompts"}
ODD = 'it\'s "50%" of [a_b] -- {filter} {r} :f_files ; DROP TABLE x'


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    """The schema, without a row."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    sqlite.migrate(connection)
    yield connection
    connection.close()


EVERY: dict[str, Any] = {
    "project_ids": (1, 2),
    "kinds": ("observation",),
    "types": ("bugfix",),
    "concepts": ("gotcha",),
    "files": ("src/a.py",),
    "agents": ("main",),
    "saved": True,
    "branches": ("main",),
    "sessions": ("s",),
    "platforms": ("codex",),
    "start": 1,
    "end": 2,
}
OF_OBSERVATIONS = {"types", "concepts", "files", "agents", "saved"}


def test_every_field_is_a_filter() -> None:
    """A new one that no condition knows would be ignored in silence."""
    assert EVERY.keys() == {field.name for field in fields(Filters)}
    for name, value in EVERY.items():
        condition = Filters(**{name: value}).condition("observation")
        assert (condition == "1") == (name == "kinds"), name
    assert Filters().condition("observation") == "1"


@pytest.mark.parametrize("name", EVERY)
def test_a_filter_knows_the_kinds_that_can_pass(name: str) -> None:
    """What only observations have keeps the others out, whatever else they are."""
    filters = Filters(**{name: EVERY[name]})
    only = name in OF_OBSERVATIONS | {"kinds"}
    assert filters.asked_kinds == (("observation",) if only else KINDS)
    assert filters.is_of_observations == (name in OF_OBSERVATIONS)
    assert filters.is_narrow == (name not in ("project_ids", "kinds", "types"))
    assert (filters.condition("prompt") == "0") == only


def test_a_start_of_the_epoch_is_a_filter() -> None:
    """0 is a time, not nothing."""
    assert Filters(end=0).is_narrow
    assert "created_at" in Filters(end=0).condition("prompt")


def test_kinds_that_exclude_each_other_leave_none() -> None:
    """A bugfix is no prompt."""
    filters = Filters(kinds=("prompt",), types=("bugfix",))
    assert filters.asked_kinds == ()
    assert {filters.condition(kind) for kind in KINDS} == {"0"}


@pytest.mark.parametrize("kind", KINDS)
def test_conditions_are_whole_statements_with_any_values(db: sqlite3.Connection, kind: str) -> None:
    """F10: a name never becomes part of one."""
    texts = ("types", "concepts", "files", "agents", "branches", "sessions", "platforms")
    everything = Filters(**{**EVERY, **dict.fromkeys(texts, (ODD, "'", '"', ""))})
    shared = Filters(**{name: EVERY[name] for name in EVERY if name not in OF_OBSERVATIONS})
    for filters in (everything, shared, Filters(sessions=(ODD,), branches=(ODD,))):
        table, alias = TABLES[kind], ALIASES[kind]  # type: ignore[index]  # a kind
        query = f"SELECT count(*) FROM {table} {alias} WHERE {filters.condition(kind)}"  # type: ignore[arg-type]
        assert db.execute(query, filters.arguments()).fetchone() == (0,)
        assert ODD not in query


def test_one_condition_is_for_rows_of_any_kind(db: sqlite3.Connection) -> None:
    """Each row of the index is asked as what it is."""
    db.execute("INSERT INTO projects VALUES (1, 'p', '/p', 0, NULL)")
    for name in ("a", "b"):
        db.execute(
            "INSERT INTO observations"
            " (project, type, title, distilled_by, content_hash, tokens, created_at, branch)"
            " VALUES (1, 'change', 't', 'rules/1', ?, 1, 0, ?)",
            (name, name),
        )
    filters = Filters(branches=("b",))
    query = (
        "SELECT r.value FROM (SELECT 4 AS value UNION SELECT 8 UNION SELECT 5 UNION SELECT 6) r"
        " LEFT JOIN observations o ON r.value & 3 = 0 AND o.id = r.value >> 2"
        " LEFT JOIN summaries u ON r.value & 3 = 1 AND u.id = r.value >> 2"
        " LEFT JOIN prompts q ON r.value & 3 = 2 AND q.id = r.value >> 2"
        f" WHERE {of_any_kind(filters, 'r.value')}"
    )
    assert db.execute(query, filters.arguments()).fetchall() == [(8,)]
