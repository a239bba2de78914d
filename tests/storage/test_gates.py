"""What outlines in place of Reads spared: also when that is less than nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from backstory.storage import gates, sqlite
from backstory.storage.gates import Spared

NOW = 1_800_000_000_000
DAY = gates.DAY_MS
WHERE = ("s1", "", "/repo/a.py")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A database with two projects."""
    with closing(sqlite.open_writer(tmp_path / "backstory.db")) as found:
        for number, name in ((1, "shop"), (2, "bank")):
            found.execute(
                "INSERT INTO projects (id, name, root, created_at) VALUES (?, ?, '/repo', 0)",
                (number, name),
            )
        yield found


@pytest.mark.parametrize(
    ("spared", "net"),
    [
        (Spared(20_000, 1_000), 19_000),
        (Spared(20_000, 1_000, afterwards=2_000, calls=1, context=30_000), 14_000),
        (Spared(20_000, 1_000, afterwards=20_000, calls=1, context=100_000), -11_000),
        (Spared(20_000, 1_000, afterwards=2_000, calls=2), 7_000),
    ],
)
def test_each_later_call_costs_a_tenth_of_the_context(spared: Spared, net: int) -> None:
    """As the host's cache prices it; 50,000 tokens where nobody told."""
    assert spared.net == net


def test_what_is_read_later_counts_for_its_own_agent_and_file(db: sqlite3.Connection) -> None:
    """And for the newest answer alone."""
    gates.add(db, 1, WHERE, Spared(20_000, 1_000, context=10_000), NOW)
    gates.add(db, 1, WHERE, Spared(20_000, 1_000, context=10_000), NOW + 1)
    assert gates.has_any(db, "s1")
    assert not gates.has_any(db, "s2")
    assert gates.is_answered(db, *WHERE)
    for other in (("s2", *WHERE[1:]), ("s1", "a1", WHERE[2]), ("s1", "", "/repo/b.py")):
        assert not gates.is_answered(db, *other)
        assert not gates.read_later(db, other, 500)
    assert gates.read_later(db, WHERE, 500)
    assert gates.unfolded_later(db, WHERE[2], 200, NOW + 1_000)
    assert not gates.unfolded_later(db, WHERE[2], 200, NOW + 2 * gates.UNFOLDED_MS)
    rows = db.execute("SELECT afterwards, calls FROM gates ORDER BY id").fetchall()
    assert rows == [(0, 0), (700, 2)]


def test_the_report_is_by_project_with_its_net(db: sqlite3.Connection) -> None:
    """The sums add up; older days are left out."""
    for days in (0, 1, 40):
        gates.add(db, 1, WHERE, Spared(20_000, 1_000, context=100_000), NOW - days * DAY)
    gates.add(db, 2, ("s9", "", "/x.py"), Spared(12_000, 700), NOW)
    gates.read_later(db, ("s9", "", "/x.py"), 12_000)
    gates.read_later(db, WHERE, 300)
    shop, bank = gates.report(db, 30, NOW)
    assert (shop["project"], shop["gates"], shop["would_deliver"]) == ("shop", 2, 40_000)
    assert bank["net"] == 12_000 - 700 - 12_000 - 5_000
    for row in (shop, bank):
        spent = row["given"] + row["afterwards"] + row["round_trips"]
        assert row["net"] == row["would_deliver"] - spent
        assert not row["only_advises"]


def test_a_project_where_it_loses_twenty_times_is_only_advised(db: sqlite3.Connection) -> None:
    """In sum, over the newest twenty; a month later it is tried again."""

    def lose(number: int, at: int) -> None:
        where = ("s1", "", f"/repo/{number}.py")
        gates.add(db, 1, where, Spared(10_000, 600, context=100_000), at)
        gates.read_later(db, where, 10_000)

    for number in range(gates.LOOKED_AT - 1):
        lose(number, NOW + number)
    assert not gates.is_losing(db, 1, NOW + 100)
    lose(99, NOW + 99)
    assert gates.is_losing(db, 1, NOW + 100)
    assert not gates.is_losing(db, 2, NOW + 100)
    assert gates.report(db, 30, NOW + 100)[0]["only_advises"]
    assert not gates.is_losing(db, 1, NOW + 100 + gates.JUDGED_DAYS * DAY)
    for number in range(15):
        gates.add(db, 1, ("s2", "", f"/repo/{number}.py"), Spared(25_000, 1_400), NOW + 200)
    assert not gates.is_losing(db, 1, NOW + 300), "fifteen good ones outweigh five bad ones"


def test_old_rows_go(db: sqlite3.Connection) -> None:
    """After ninety days."""
    gates.add(db, 1, WHERE, Spared(1, 1), NOW - 91 * DAY)
    gates.add(db, 1, WHERE, Spared(2, 1), NOW)
    gates.prune(db, NOW)
    assert db.execute("SELECT would_deliver FROM gates").fetchall() == [(2,)]
