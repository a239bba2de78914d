"""The index's rows and its filter words."""

from __future__ import annotations

import sqlite3

import pytest

from backstory.records import OBSERVATION_TYPES
from backstory.storage import text_index
from backstory.storage.text_index import KINDS, Kind, record_of, rowid, scope_filter


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_id_is_a_kind_and_an_id(kind: Kind) -> None:
    """Both ways."""
    assert record_of(rowid(kind, 12_345)) == (kind, 12_345)


@pytest.fixture
def db() -> sqlite3.Connection:
    """An index alone."""
    db = sqlite3.connect(":memory:")
    db.execute(
        "CREATE VIRTUAL TABLE search_text USING fts5 (scope, title, body, files,"
        " tokenize = 'porter unicode61 remove_diacritics 2')"
    )
    return db


@pytest.mark.parametrize("type_", OBSERVATION_TYPES)
def test_filter_words_tell_every_project_kind_and_type_apart(
    db: sqlite3.Connection, type_: str
) -> None:
    """Stemming makes no two of them one: security_alert is not security_note."""
    row = 0
    for project in (1, 11):
        for kind in KINDS:
            for other in OBSERVATION_TYPES:
                row += 1
                text_index.put(
                    db, kind, row, project=project, type=other, title=f"p1 k{kind} t{type_}"
                )
    match = scope_filter((1,), ("summary",), (type_,))
    found = db.execute("SELECT scope FROM search_text WHERE search_text MATCH ?", (match,))
    assert found.fetchall() == [(f"p1 ksummary t{type_.replace('_', '')}",)]
    db.close()


def test_no_filter_is_no_expression() -> None:
    """Everything is searched where nothing is asked for."""
    assert scope_filter((), (), ()) == ""
