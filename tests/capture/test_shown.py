"""What of an output matters: errors, results, changes and findings first."""

from __future__ import annotations

from backstory.capture.excerpt import excerpt
from backstory.estimate import estimate_tokens
from tests.support.turns import Session


def _last(session: Session, message: str = "") -> str:
    turn = session.done(message)
    return excerpt(turn, turn.tool_uses[-1])


def test_of_failing_tests_the_failures_and_counts_stay() -> None:
    """Three hundred passing tests are left out, and their number is told."""
    passed = "\n".join(f"tests/test_{n}.py::test_{n} PASSED" for n in range(300))
    out = (
        f"{passed}\n___ test_half_cent ___\n    def test_half_cent():\n"
        ">       assert cart.total() == 2.68\nE       assert 2.67 == 2.68\n"
        "tests/test_cart.py:15: AssertionError\n=== short test summary info ===\n"
        "FAILED tests/test_cart.py::test_half_cent - assert 2.67 == 2.68\n"
        "=== 1 failed, 300 passed in 4.20s ==="
    )
    told = _last(Session().prompt("Fix the totals").fail("pytest", out))
    for needle in ("assert 2.67 == 2.68", "tests/test_cart.py:15", "test_half_cent"):
        assert needle in told
    assert "1 failed, 300 passed" in told
    assert "lines left out" in told
    assert estimate_tokens(told) < 400


def test_of_passing_tests_the_counts_are_enough() -> None:
    """Nobody needs the names of tests that pass."""
    passed = "\n".join(f"tests/test_{n}.py::test_{n} PASSED" for n in range(300))
    told = _last(Session().bash("pytest -v", f"{passed}\n=== 300 passed in 4.20s ==="))
    assert "300 passed in 4.20s" in told
    assert estimate_tokens(told) < 130


def test_an_error_in_the_middle_of_a_build_is_found() -> None:
    """Neither head nor tail holds it."""
    noise = [f"[{n}/900] Compiling module {n} of the tree" for n in range(900)]
    noise[450] = "src/parser.rs:88:9: error[E0308]: mismatched types"
    told = _last(Session().fail("cargo build", "\n".join(noise)))
    assert "src/parser.rs:88:9: error[E0308]: mismatched types" in told
    assert "[899/900]" in told


def test_the_lines_of_a_diff_go_before_its_context() -> None:
    """`git diff` tells what changed."""
    context = "\n".join(f" unchanged line {n} of the file" for n in range(60))
    out = f"diff --git a/x.py b/x.py\n{context}\n-LIMIT = 10\n+LIMIT = 50\n{context}"
    told = _last(Session().bash("git diff", out))
    assert "| -LIMIT = 10\n| +LIMIT = 50" in told
    assert "left out" in told


def test_a_long_script_is_shown_below_its_purpose() -> None:
    """The first line stays short; the script's ends follow."""
    script = "\n".join(f"echo step {n} of the migration" for n in range(80))
    told = _last(Session().bash(script, "ok", about="Migrate the data")).splitlines()
    assert told[0] == "Bash: Migrate the data"
    assert told[1] == "| $ echo step 0 of the migration"
    assert "| $ echo step 79 of the migration" in told
    assert told[-1] == "| ok"


def test_an_edit_is_its_changed_lines() -> None:
    """The rest of the file, known to the host, is not sent."""
    session = Session()
    session.files["a.py"] = "\n".join(f"value_{n} = {n}" for n in range(2_000))
    told = _last(session.edit("a.py", "value_7 = 7\n", "value_7 = 70\n"))
    assert told == "Edit: a.py\n| -value_7 = 7\n| +value_7 = 70"


def test_every_place_of_a_large_edit_is_shown() -> None:
    """The first lines of each place go before the rest of any."""
    session = Session()
    session.files["a.py"] = "\n".join(
        f"old_{n} = 1" if n % 40 == 0 else f"b{n}" for n in range(200)
    )
    told = _last(session.edit("a.py", "old_", "new_", everywhere=True))
    assert [f"+new_{n} = 1" in told for n in range(0, 200, 40)] == [True] * 5


def test_several_edits_in_one_call_are_all_shown() -> None:
    """MultiEdit names each old and new text."""
    pairs = [{"old_string": f"a{n}", "new_string": f"b{n}"} for n in range(3)]
    given = {"file_path": "/home/dev/app/a.py", "edits": pairs}
    told = _last(Session().tool("MultiEdit", given, {"filePath": "/home/dev/app/a.py"}))
    assert told == "MultiEdit: a.py\n| -a0\n| +b0\n| -a1\n| +b1\n| -a2\n| +b2"


def test_a_failed_edit_changed_nothing() -> None:
    """Only the reason is told."""
    given = {"file_path": "/home/dev/app/a.py", "old_string": "SECRET", "new_string": "y"}
    told = _last(Session().tool("Edit", given, "String to replace not found in file.", "failed"))
    assert told == "Edit failed: a.py\n| String to replace not found in file."


def test_a_new_file_is_its_names_and_its_head() -> None:
    """What it declares says more than its hundredth line."""
    body = "\n".join(f"    x{n} = {n}" for n in range(200))
    text = (
        f'"""Exports."""\nimport csv\n\nPORT = 8080\n\ndef to_csv(cart):\n{body}\n\nclass Sink:\n'
    )
    told = _last(Session().write("shop/export.py", text))
    assert "| declares to_csv, Sink; PORT = 8080" in told
    assert '| """Exports."""' in told
    assert estimate_tokens(told) < 320


def test_a_file_written_over_is_its_changed_lines() -> None:
    """The old text is known, so that the difference can be told."""
    session = Session()
    session.files["a.toml"] = "name = 'x'\nport = 80\n"
    told = _last(session.write("a.toml", "name = 'x'\nport = 90\n"))
    assert told == "Write: a.toml\n| -port = 80\n| +port = 90"


def test_of_a_read_file_the_first_lines_and_those_about_the_turn_stay() -> None:
    """The file itself is in the repository."""
    lines = ["import os", '"""Reads the settings."""', *(f"filler_{n} = None" for n in range(200))]
    lines[120] = "checkout_timeout = 45  # seconds before the gateway gives up"
    session = Session().prompt("Why does the checkout gateway give up?")
    session.read("settings.py", "\n".join(lines))
    told = _last(session)
    assert '"""Reads the settings."""' in told
    assert "checkout_timeout = 45" in told
    assert estimate_tokens(told) < 200


def test_of_a_search_pattern_place_and_first_hits_stay() -> None:
    """Hits beyond the budget are counted."""
    hits = "\n".join(f"shop/m{n}.py:{n}: round(x, 2)" for n in range(100))
    given = {"pattern": "round", "path": "/home/dev/app/shop", "glob": "*.py"}
    told = _last(Session().tool("Grep", given, {"content": hits, "numFiles": 100}))
    assert told.startswith("Grep: round in shop *.py (100 files)\n| shop/m0.py:0: round(x, 2)\n")
    assert "lines left out" in told
    names = {"filenames": ["/home/dev/app/a.py", 3, "/home/dev/app/b/c.py"], "numFiles": 2}
    told = _last(Session().tool("Glob", {"pattern": "**/*.py"}, names))
    assert told == "Glob: **/*.py (2 files)\n| a.py\n| b/c.py"


def test_a_subagents_report_has_more_room() -> None:
    """It is a finding, and what was asked belongs to it."""
    report = "\n".join(f"{n}. Module {n} imports inspect and costs {n} ms." for n in range(20))
    told = _last(Session().subagent("Explore").report("Find heavy imports", report))
    assert told.startswith("Agent: [Explore] Find heavy imports\n| asked: Find heavy imports\n")
    assert "| reported: 0. Module 0 imports inspect" in told
    assert "19. Module 19 imports inspect" in told


def test_what_the_user_chose_stands_with_what_could_have_been() -> None:
    """A decision needs its alternatives."""
    options = [{"label": "Redis"}, {"label": "Postgres"}, 7]
    given = {"questions": [{"question": "Which store?", "options": options}, "odd"]}
    told = _last(Session().tool("AskUserQuestion", given, {"answers": {"Which store?": "Redis"}}))
    assert told == (
        "AskUserQuestion\n| asked: Which store? chosen: Redis\n| options: Redis, Postgres"
    )


def test_a_result_without_text_is_shown_as_it_is() -> None:
    """Structured answers of MCP servers tell something, too."""
    told = _last(Session().tool("mcp__db__count", {"table": "orders"}, {"rows": [{"n": 42}]}))
    assert told == 'mcp__db__count (foreign): table=orders\n| {"rows": [{"n": 42}]}'
