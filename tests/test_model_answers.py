"""Whatever a model answers, a real worker keeps the batch or does it rightly, and says how it is.

C5 to C8: nothing that was not seen is stored, what is billed is booked, and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.distilling import QUICK, Distilling, Replies, Speaks, distilling
from tests.support.home import until
from tests.support.model_api import (
    Scripted,
    closes,
    cut_off,
    drips,
    fails,
    hangs,
    observed,
    says,
    sends,
)

BOTH: list[Speaks] = ["openai", "anthropic"]
TIMEOUT_S = 2.0  # of a call; a good answer takes milliseconds


@dataclass(frozen=True, slots=True)
class Case:
    """A bad reply and what becomes of the turn that it was given for."""

    name: str
    reply: Scripted
    calls: int = 2  # until the turn is done
    rows: int = 1  # of the model, in the end
    lost: int = 0  # calls of which nobody knows whether they were billed

    def __str__(self) -> str:
        return self.name


class Day:
    """A worker and all that went through it, turn by turn."""

    def __init__(self, home: Distilling, script: Replies) -> None:
        self.home = home
        self.script = script
        self.turns = 0
        self.rows = 0
        self.lost = 0

    def turn(self) -> None:
        """Another turn, taken in and due."""
        self.turns += 1
        self.home.turn(self.turns, f"s{self.turns}")
        self.home.flush()

    def stored(self) -> str:
        """All that was written of the newest turn."""
        tables = ("observations", "summaries")
        found = [
            self.home.rows(f"SELECT * FROM {table} WHERE prompt = ?", self.turns)
            for table in tables
        ]
        query = (
            "SELECT path FROM observation_files f JOIN observations o ON o.id = f.observation"
            " WHERE o.prompt = ?"
        )
        return json.dumps([found, self.home.rows(query, self.turns)], default=str)


@pytest.fixture(scope="module", params=BOTH)
def day(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Day]:
    """One worker that gets all of it."""
    script = Replies()
    with distilling(tmp_path_factory.mktemp("day"), script, request.param) as home:
        home.tuned = {**QUICK, "capture.calls.TIMEOUT_S": TIMEOUT_S}
        home.start()
        yield Day(home, script)


def inventing(**fields: Any) -> Scripted:
    """A good answer with something in it that no event holds."""
    batch = "## t1\nt1e1 Bash: make"
    return says(observed(batch, **fields))


CASES = [
    Case("a limit notice", says("You've hit your usage limit · resets 3pm (UTC)")),
    Case("nothing at all", says("")),
    Case("no observations", says("No observations to record."), calls=1, rows=0),
    Case("an empty record", says('{"observations": [], "summaries": []}'), calls=1, rows=0),
    Case("prose", says("The user looked into a matter and all went well.")),
    Case("a wrong shape", says('{"observations": "none", "rows": [1, 2]}')),
    Case("cut JSON", says('{"observations": [{"turn": "t1", "type": "disc', stop="cut")),
    Case("cut JSON that claims an end", says('{"observations": [{"turn": "t1", "type": "disc')),
    Case("a refusal", says("", stop="refusal")),
    Case("400", fails(400, "invalid request")),
    Case("429 with retry-after", fails(429, "slow down", retry_after="1")),
    Case("500", fails(500, "internal error")),
    Case("529", fails(529, "Overloaded", "overloaded_error")),
    Case("a web page", sends("<html>Sign in to the hotel</html>", "text/html", status=503)),
    Case("a hang", hangs(), lost=1),
    Case("a byte a second", drips(), lost=1),
    Case("a closed connection", closes(), lost=1),
    Case("a connection that closes in the answer", cut_off(), lost=1),
    Case("3 MB", says("x" * 3_000_000), lost=1),
    Case("a hash", inventing(title="Commit deadbee mends it", facts=["See deadbee."]), calls=1),
    Case("a file", inventing(files=["src/deadbee.py"], facts=["src/deadbee.py has it."]), calls=1),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_batch_is_done_rightly_all_the_same(day: Day, case: Case) -> None:
    """Once, with what its events hold, and billed as the service bills."""
    before = len(day.home.api.requests)
    day.script.first.append(case.reply)
    day.turn()
    day.home.drain()
    day.lost += case.lost
    assert not day.script.first
    assert len(day.home.api.requests) - before == case.calls
    state = day.home.rows("SELECT state FROM jobs WHERE kind = 'model' AND prompt = ?", day.turns)
    assert state == [("done",)]
    assert day.home.rows_a_turn()[day.turns] == case.rows
    stored = day.stored()
    for word in ("deadbee", "xxxx", "usage limit", "all went well", "No observations", "hotel"):
        assert word not in stored
    assert_booked(day)
    assert day.home.ask("GET", "/api/health")["status"] == "ok"


def assert_booked(day: Day) -> None:
    """The bills of the service are in the ledger, or kept back where nobody knows them."""
    home = day.home
    assert home.lost() == day.lost
    assert home.one("SELECT count(*) FROM reservations WHERE state = 'open'") == 0
    service = home.billed()
    unknown = list(service)
    for bill in home.ledger():
        unknown.remove(bill)
    kept = home.rows("SELECT tokens_in FROM reservations")
    assert len(unknown) == len(kept)
    assert sum(tokens for tokens, _ in unknown) <= sum(tokens for (tokens,) in kept) * 1.1


def test_a_refused_key_is_told_and_asked_again_when_the_user_says_so(day: Day) -> None:
    """Paused at once: asking again would not mend it. Rules go on."""
    home = day.home
    day.script.first.append(fails(401, "invalid x-api-key", "authentication_error"))
    before = len(home.api.requests)
    day.turn()
    until(lambda: home.distiller["state"] == "paused", "it is paused")
    health = home.ask("GET", "/api/health")
    assert health["status"] == "degraded"
    assert "refuses the key" in health["reason"]
    status = home.cli("status")
    assert status.returncode == 2
    assert "refuses the key" in status.stdout
    told = "".join(home.sessions_start(f"told{n}") for n in range(2))
    assert told.count("paused until") == 1
    assert "backstory" in told
    assert home.one("SELECT distilled_by FROM summaries WHERE prompt = ?", day.turns) == "rules/1"
    home.drain()
    assert len(home.api.requests) == before + 1
    assert home.cli("distill", "--retry").returncode == 0
    home.drain()
    assert len(home.api.requests) == before + 2
    assert home.ask("GET", "/api/health")["status"] == "ok"
    assert_booked(day)


def test_five_failures_in_a_row_are_a_pause_that_is_told_once(day: Day) -> None:
    """D4: an outage costs no turn an attempt; the rules' rows are there meanwhile."""
    home = day.home
    before = len(home.api.requests)
    day.script.first += [fails(500, "internal error")] * 5
    day.turn()
    until(lambda: home.distiller["state"] == "paused", "it is paused")
    assert len(home.api.requests) == before + 5
    assert home.ask("GET", "/api/health")["status"] == "degraded"
    assert home.cli("status").returncode == 2
    assert home.one("SELECT attempts FROM jobs WHERE kind = 'model' AND prompt = ?", day.turns) == 0
    assert home.one("SELECT count(*) FROM summaries WHERE prompt = ?", day.turns) == 1
    home.cli("distill", "--retry")
    home.drain()
    assert home.ask("GET", "/api/health")["status"] == "ok"
    assert home.rows_a_turn()[day.turns] == 1
    assert_booked(day)
