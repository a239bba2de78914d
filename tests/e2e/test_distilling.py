"""Distilling by a model, from one session of the client to the next.

Who distils is told; the model gets what happened and nothing that is not its business; what it
writes is what the next session begins with.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.api import Api, Block, Request, Script, Turn, call, text
from tests.e2e.home import ROOT, Home, Result
from tests.e2e.shop import BUG, FIX, RUN_TESTS
from tests.e2e.story import context_of
from tests.e2e.test_claude_cli import EVENTS, write
from tests.e2e.test_tools import mem
from tests.support.model_api import ModelApi, observed, says

if TYPE_CHECKING:
    from tests.e2e.conftest import MakeHome

TITLE = "The discount had been applied the wrong way round"
NARRATIVE = "Only an ocelot would have seen it."  # a word that no event holds
ROW = {"type": "bugfix", "title": TITLE, "narrative": NARRATIVE}
TOKEN = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
STREAM = ("--output-format", "stream-json", "--verbose")
BASH = [f"Bash({program}:*)" for program in ("python3", "git", "backstory")]
ALLOWED = ("--allowedTools", "Edit", "Write", *BASH)
COMMIT = "git -c user.name=Shop -c user.email=shop@example.org commit -am 'Take the discount off'"
DANGER = "Secret in output: github_token"  # what rules say of the note
# of our context, of our tools' answers, and of what must leave the machine never
UNSENT = ("backstory-memory", "Retrieved memory evidence", "ocelot", "NARWHAL", "OKAPI", TOKEN)


def worked(shop: Path) -> list[Turn]:
    """A new file, a test that fails and then passes, and a note with what is nobody's business."""
    cart, note = shop / "shop/cart.py", shop / "note.txt"
    note.write_text(f"The token is {TOKEN}\nbefore <private>OKAPI</private> after\n")
    money = "def cents(price: float) -> int:\n    return round(price * 100)\n"
    return [
        [call("Read", file_path=str(cart)), call("Read", file_path=str(note))],
        [call("Bash", command=RUN_TESTS, description="Run the tests")],
        [call("Write", file_path=str(shop / "shop/money.py"), content=money)],
        [call("Edit", file_path=str(cart), old_string=BUG, new_string=FIX)],
        [call("Bash", command=RUN_TESTS, description="Run the tests")],
        [call("Bash", command=COMMIT, description="Commit it")],
        [text("The discount is taken off now, and money.py turns prices into cents.")],
    ]


def looked_back(home: Home, shop: Path) -> list[Turn]:
    """Every way to our records, and a look at a file."""
    ids = [row for (row,) in home.rows("SELECT id FROM observations ORDER BY id")]
    return [
        [
            mem("get_observations", ids=ids),
            mem("search", query="discount"),
            mem("session_start_context"),
            call("Bash", command="backstory show 2", description="Show a record"),
        ],
        [call("Read", file_path=str(shop / "test_cart.py"))],
        [text("The total of test_cart.py is 180, as it should be.")],
    ]


def two_sessions(home: Home, shop: Path, api: Api) -> tuple[Result, Result]:
    """One that works, one that looks back at it; both are distilled."""
    distiller = api.script.distiller
    api.script = Script(worked(shop), distiller=distiller)
    prompt = "Fix the discount, <private>NARWHAL</private>"
    first = home.run_with(api, prompt, *STREAM, *ALLOWED, cwd=shop)
    home.drain()
    api.script = Script(looked_back(home, shop), distiller=distiller)
    second = home.run_with(api, "What did we do?", *STREAM, *ALLOWED, cwd=shop)
    home.drain()
    for result in (first, second):
        assert result.code == 0, result.stderr
    return first, second


def assert_remembered(home: Home, second: Result, drafts: Sequence[str]) -> None:
    """The second session knows the model's record; the rules' rows are behind it, but for one.

    What tells of a danger is not replaced by what tells of something else.
    """
    context = context_of(second.turns[0])
    assert TITLE in context, context
    assert DANGER in context, context
    others = [draft for draft in drafts if draft != DANGER]
    assert len(others) > 1, "there was more than one to be made one"
    assert [draft for draft in others if draft in context] == []
    full = second.tool_result("toolu_0_0")
    assert f"#2 bugfix: {TITLE}" in full
    assert NARRATIVE in full
    assert " · verified" in full
    assert re.search(r"Evidence: .*Bash failed.*Bash ok", full), full
    assert "superseded by #2" in full
    for place in (1, 2, 3):
        assert TITLE in second.tool_result(f"toolu_0_{place}")
    query = "SELECT id, type, distilled_by LIKE 'rules/%', superseded_by FROM observations"
    rows = home.rows(f"{query} WHERE session = 1 ORDER BY id")
    assert rows[:2] == [(1, "security_note", 1, None), (2, "bugfix", 0, None)]
    assert {row[2:] for row in rows[2:]} == {(1, 2)}


def assert_clean(batches: Sequence[str]) -> None:
    """What was sent holds the work, and nothing of what must not be sent."""
    assert len(batches) == 2, "one call for each session"
    assert "shop/money.py" in batches[0]
    assert "AssertionError: 20 != 180" in batches[0]
    assert "test_cart.py" in batches[1]
    for batch in batches:
        assert [word for word in UNSENT if word.lower() in batch.lower()] == []


def drafts_in(batch: str) -> list[str]:
    """The titles of the rules' rows that a batch offers."""
    return re.findall(r"^r\d+ [a-z_ ]+: (.*?)(?: \[.*)?$", batch, re.MULTILINE)


def told(result: Result) -> str:
    """What our SessionStart hook said to the user."""
    return "\n".join(
        json.loads(event["stdout"]).get("systemMessage", "")
        for event in result.events
        if event.get("subtype") == "hook_response" and "Backstory" in event.get("stdout", "")
    )


def status(home: Home) -> dict[str, Any]:
    """The worker's status, once it knows who distils."""
    ends = time.monotonic() + 30
    while time.monotonic() < ends:
        found: dict[str, Any] = json.loads(home.backstory("status", "--json").stdout)
        if found["distiller"]["state"] != "looking":
            return found
    raise TimeoutError("nobody was chosen in 30 s")


def start(home: Home, **settings: str) -> dict[str, Any]:
    """Sets what a user sets, starts the worker, and gives its status."""
    for name, value in settings.items():
        done = home.backstory("settings", name, value)
        assert done.returncode == 0, done.stderr
    assert home.backstory("start").returncode == 0
    return status(home)


def change(path: Path, **values: object) -> None:
    """Puts values into a JSON file."""
    found = json.loads(path.read_text()) if path.exists() else {}
    write(path, {**found, **values})


def distil(request: Request) -> list[Block]:
    """What the model writes through the client: one record a turn, in the place of its drafts."""
    said = observed(request.conversation(), merges=True, **ROW)
    return [call("StructuredOutput", **json.loads(said))]


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


@pytest.mark.parametrize("provider", ["claude-cli", "auto"])
def test_the_user_s_own_client_distils_its_sessions(
    make_home: MakeHome, shop: Path, tmp_path: Path, provider: str
) -> None:
    """C2, C3: one request a batch, and no hook, session or transcript of a session of its own."""
    home = make_home()
    home.install(ROOT)
    fired = tmp_path / "fired"
    hook = [{"hooks": [{"type": "command", "command": f"cat >> {fired}"}]}]
    with Api(Script([], distiller=distil)) as api:
        login = {"ANTHROPIC_BASE_URL": api.url, "ANTHROPIC_AUTH_TOKEN": "token-of-a-test"}
        settings = home.path / ".claude/settings.json"
        change(settings, env=login, hooks=dict.fromkeys(EVENTS, hook))
        found = start(home, **({} if provider == "auto" else {"provider": provider}))
        first, second = two_sessions(home, shop, api)
        batches = [request.conversation() for request in api.batches]
        others = [r for r in api.requests if r not in (*api.turns, *api.batches)]
    assert found["distiller"]["provider"] == "claude-cli"
    assert "claude-cli distils what happens here (model haiku, your Claude login)" in told(first)
    assert told(second) == ""
    assert_clean(batches)
    assert_remembered(home, second, drafts_in(batches[0]))
    assert others == [], "no title, no probe"
    calls = "SELECT provider, tokens_in, tokens_out, outcome FROM ledger WHERE provider <> 'rules'"
    assert home.rows(calls) == [("claude-cli", 10, 20, "done")] * 2
    sessions = {result.events[-1]["session_id"] for result in (first, second)}
    assert set(re.findall(r'"session_id": ?"([^"]+)"', fired.read_text())) == sessions
    assert {row for (row,) in home.rows("SELECT session_id FROM sessions")} == sessions
    projects = home.path / ".claude/projects"
    assert {path.stem for path in projects.glob("*/*.jsonl")} == sessions
    assert str(home.data) not in (home.path / ".claude.json").read_text()
    assert list((home.data / "model").iterdir()) == []


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
        login = {"ANTHROPIC_BASE_URL": api.url, "ANTHROPIC_AUTH_TOKEN": "token-of-a-test"}
        change(home.path / ".claude/settings.json", env=login)
        assert home.backstory("restart").returncode == 0
        status(home)
        after = home.run_with(api, "hello", *STREAM, cwd=shop)
    assert "rules distil" in told(before)
    assert "claude-cli distils" in told(after)
