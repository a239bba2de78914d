"""Distilling by a model, from one session of the client to the next.

Who distils is told; the model gets what happened and nothing that is not its business; what it
writes is what the next session begins with.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.e2e.api import Api, Script
from tests.e2e.distilled import (
    ALLOWED,
    ROW,
    STREAM,
    assert_clean,
    assert_remembered,
    distil,
    drafts_in,
    log_in,
    start,
    status,
    told,
    two_sessions,
    worked,
)
from tests.e2e.home import ROOT
from tests.e2e.story import context_of
from tests.support.model_api import ModelApi, observed, says

if TYPE_CHECKING:
    from tests.e2e.conftest import MakeHome


def test_an_endpoint_s_records_are_what_the_next_session_begins_with(
    make_home: MakeHome, shop: Path
) -> None:
    """C1, C13: and it is sent the work alone, no memory, nothing private and no secret."""
    home = make_home()
    home.install(ROOT)
    with (
        ModelApi(lambda r: says(observed(r.batch, merges=True, **ROW))) as service,
        Api(Script([])) as api,
    ):
        start(home, provider="openai", base_url=service.url + "/v1", model="small-1")
        first, second = two_sessions(home, shop, api)
        batches = [request.batch for request in service.requests]
        assert api.batches == []
    assert "openai distils what happens here (model small-1" in told(first)
    assert "at most 500,000 input and 60,000 output tokens a day" in told(first)
    assert told(second) == ""
    assert_clean([request.raw.decode() for request in service.requests])
    assert_remembered(home, second, drafts_in(batches[0]))
    billed = "SELECT sum(tokens_in), sum(tokens_out) FROM ledger WHERE provider = 'openai'"
    assert home.rows(billed) == [
        (sum(b.tokens_in for b in service.billed), sum(b.tokens_out for b in service.billed))
    ]


def test_without_a_login_rules_distil_and_it_is_said(make_home: MakeHome, shop: Path) -> None:
    """C2: once, with what would change that; and nothing is sent."""
    home = make_home()
    home.install(ROOT)
    with Api(Script([], distiller=distil)) as api:
        found = start(home)
        api.script = Script(worked(shop), distiller=distil)
        first = home.run_with(api, "Fix the discount", *STREAM, *ALLOWED, cwd=shop)
        home.drain()
        second = home.run_with(api, "What did we do?", *STREAM, cwd=shop)
        home.drain()
        assert api.batches == []
    assert (found["distiller"]["provider"], found["distiller"]["state"]) == ("rules", "off")
    assert "rules distil what happens here, without a model" in told(first)
    assert f"{home.claude} is not logged in: run `claude` and /login" in told(first)
    assert told(second) == ""
    assert "The discount is taken off now" in context_of(second.turns[0])


def test_a_login_that_comes_later_is_used_by_the_next_worker(
    make_home: MakeHome, shop: Path
) -> None:
    """And told, since it is another one who distils now."""
    home = make_home()
    home.install(ROOT)
    with Api(Script([], distiller=distil)) as api:
        start(home)
        before = home.run_with(api, "hello", *STREAM, cwd=shop)
        log_in(home, api)
        assert home.backstory("restart").returncode == 0
        status(home)
        after = home.run_with(api, "hello", *STREAM, cwd=shop)
    assert "rules distil" in told(before)
    assert "claude-cli distils" in told(after)
