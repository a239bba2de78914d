"""Sessions that a model distils: what they do, what the model says, and what is to come of it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.e2e.api import Api, Block, Request, Script, Turn, call, text
from tests.e2e.home import Home, Result
from tests.e2e.shop import BUG, FIX, RUN_TESTS
from tests.e2e.story import context_of
from tests.e2e.test_claude_cli import write
from tests.e2e.test_tools import mem
from tests.support.model_api import observed

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
UNSENT = (
    "plugin_backstory",
    "backstory show",
    "backstory-memory",
    "Retrieved memory evidence",
    "ocelot",
    "NARWHAL",
    "OKAPI",
    TOKEN,
)


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
    left = [draft for draft in others if draft in context]
    assert left == [], (left, context)
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


def log_in(home: Home, api: Api, **more: object) -> None:
    """The user's own settings, with a login to that model in them."""
    login = {"ANTHROPIC_BASE_URL": api.url, "ANTHROPIC_AUTH_TOKEN": "token-of-a-test"}
    path = home.path / ".claude/settings.json"
    write(path, {**json.loads(path.read_text()), "env": login, **more})


def start(home: Home, **settings: str) -> dict[str, Any]:
    """Sets what a user sets, starts the worker, and gives its status."""
    for name, value in settings.items():
        done = home.backstory("settings", name, value)
        assert done.returncode == 0, done.stderr
    assert home.backstory("start").returncode == 0
    return status(home)


def distil(request: Request) -> list[Block]:
    """What the model writes through the client: one record a turn, in the place of its drafts."""
    said = observed(request.conversation(), merges=True, **ROW)
    return [call("StructuredOutput", **json.loads(said))]
