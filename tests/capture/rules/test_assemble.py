"""How a turn's rows come together."""

from __future__ import annotations

from dataclasses import replace

from backstory.capture.rules import RULES_VERSION, distill
from backstory.records import Observation, ToolUse, Turn
from tests.support.turns import Session

_CODE = "def area(w, h):\n    return w + h\n\n\ndef edge(w, h):\n    return w\n"
_FAIL = "FAILED tests/test_area.py::test_square - assert 4 == 9\n1 failed, 3 passed in 0.10s"


def rows(turn: Turn) -> dict[str, Observation]:
    """The rows of a turn by key."""
    return {row.key: row for row in distill(turn).observations}


def fixing() -> Session:
    """A session in which a test fails and is mended."""
    s = Session().prompt("area(3, 3) gives 6, please fix")
    s.read("area.py", _CODE)
    s.fail("pytest -q", _FAIL)
    s.edit("area.py", "w + h", "w * h")
    return s.bash("pytest -q", "4 passed in 0.08s")


def test_the_version_names_the_rules() -> None:
    """Rows say what distilled them."""
    assert RULES_VERSION == "rules/1"


def test_keys_stay_the_same_while_a_turn_grows() -> None:
    """A longer turn replaces its rows instead of adding others."""
    s = fixing()
    early = rows(replace(s.done(""), ended_at=None))
    s.read("other.py", "x = 1\n")
    s.bash("git commit -qam 'Fix area'", "[main 1a2b3c4] Fix area")
    late = rows(s.done("The width was added instead of multiplied."))
    assert early.keys() <= late.keys()
    assert "test:pytest" in early


def test_several_edits_of_a_file_are_one_row() -> None:
    """A file has one row, with its net change."""
    s = Session().prompt("tune it")
    s.files["conf.py"] = "RETRIES = 3\nWAIT = 5\n"
    s.edit("conf.py", "RETRIES = 3", "RETRIES = 4")
    s.edit("conf.py", "RETRIES = 4", "RETRIES = 9")
    s.edit("conf.py", "WAIT = 5", "WAIT = 1")
    (row,) = distill(s.done("ok")).observations
    assert row.key == "file:conf.py"
    assert "RETRIES changed from 3 to 9" in row.title
    assert "WAIT changed from 5 to 1" in row.title + str(row.facts)
    assert "4" not in row.title


def test_a_change_is_verified_only_by_what_passed_after_it() -> None:
    """A passing run before the edit backs nothing."""
    s = Session().prompt("rename the flag")
    s.files["cli.py"] = "FLAG = '--fast'\n"
    s.bash("pytest -q", "5 passed in 0.1s")
    s.edit("cli.py", "--fast", "--quick")
    assert rows(s.done(""))["file:cli.py"].evidence == "stated"
    s.bash("pytest -q", "5 passed in 0.1s")
    assert rows(s.done(""))["file:cli.py"].evidence == "verified"
    s.edit("cli.py", "--quick", "--rapid")
    s.fail("pytest -q", "FAILED tests/test_cli.py::test_flag - assert 0\n1 failed in 0.1s")
    assert rows(s.done(""))["file:cli.py"].evidence == "stated"


def test_a_failure_that_stays_is_a_gotcha() -> None:
    """It names the tests and stays open in the summary."""
    s = Session().prompt("run the tests")
    s.fail("pytest -q", _FAIL)
    found = distill(s.done("One test fails."))
    (row,) = found.observations
    assert row.type == "discovery"
    assert row.concepts == ("gotcha",)
    assert "test_square" in row.title
    assert found.summary is not None
    assert "test_square" in found.summary.next_steps


def test_a_failure_of_an_earlier_turn_is_closed_by_a_later_pass() -> None:
    """The title of the open failure is enough to know it again."""
    s = Session().prompt("run the tests")
    s.fail("pytest -q", _FAIL)
    (left,) = distill(s.done("")).observations
    s.prompt("fix it")
    s.read("area.py", _CODE)
    s.edit("area.py", "w + h", "w * h")
    s.bash("pytest -q", "4 passed in 0.08s")
    turn = replace(s.done("Fixed."), earlier_errors=(left.title,))
    (row,) = distill(turn).observations
    assert row.type == "bugfix"
    assert row.evidence == "verified"
    assert "test_square" in row.title
    assert row.files_modified == ("area.py",)


def test_a_command_that_failed_in_an_earlier_turn_is_known_again() -> None:
    """What was done before it worked is what mended it."""
    s = Session().prompt("start the stack")
    s.fail("docker compose up -d", "Error response from daemon: port 5432 is already allocated")
    (left,) = [row for row in distill(s.done("")).observations if " fails: " in row.title]
    s.prompt("I stopped nothing, see what holds the port")
    s.bash("systemctl stop postgresql")
    s.bash("docker compose up -d", "Container db Started")
    turn = replace(s.done("The host's PostgreSQL held it."), earlier_errors=(left.title,))
    (row,) = [row for row in distill(turn).observations if row.type == "bugfix"]
    assert "5432" in row.title
    assert "systemctl stop postgresql" in row.title


def test_what_a_background_agent_found_is_a_row() -> None:
    """It comes without a tool call, under the agent's own id."""
    s = Session().prompt("look around in the background")
    content = [{"type": "text", "text": "The queue is drained by lib/drain.rb every 30 s."}]
    turn = s.done("Started.")
    use = ToolUse(
        0, "", "Agent", {"subagent_type": "Explore"}, {"content": content}, "ok", 5, None, "b9", ""
    )
    (row,) = [r for r in distill(replace(turn, tool_uses=(use,))).observations if r.agent_type]
    assert row.key == "agent:b9"
    assert row.agent_type == "Explore"
    assert "lib/drain.rb" in row.title
    assert row.tool_use_ids == ()


def test_passing_another_test_closes_nothing() -> None:
    """A run of other tests says nothing about the failed one."""
    s = Session().prompt("check")
    s.fail("pytest -q tests/test_area.py", _FAIL)
    s.bash("pytest -q tests/test_names.py", "2 passed in 0.1s")
    (row,) = distill(s.done("")).observations
    assert " fails: " in row.title


def test_passing_without_a_change_is_called_flaky_not_fixed() -> None:
    """Nothing was mended, so nothing is called fixed."""
    s = Session().prompt("run it twice")
    s.fail("pytest -q", _FAIL)
    s.bash("pytest -q", "4 passed in 0.08s")
    (row,) = distill(s.done("")).observations
    assert row.type == "discovery"
    assert "without a change" in row.title


def test_a_missing_module_and_its_installation_are_one_row() -> None:
    """The error, what helped, and that it worked then."""
    s = Session().prompt("start it")
    s.fail(
        "python app.py",
        "Traceback (most recent call last):\nModuleNotFoundError: No module named 'yaml'",
    )
    s.bash("pip install pyyaml", "Successfully installed pyyaml-6.0.2")
    s.bash("python app.py", "listening")
    found = rows(s.done(""))
    fixed = [row for row in found.values() if "No module named 'yaml'" in row.title]
    assert len(fixed) == 1
    assert "pyyaml 6.0.2" in fixed[0].title + fixed[0].narrative
    assert fixed[0].evidence == "verified"


def test_reads_alone_give_at_most_one_row() -> None:
    """However much was read and said, looking around is one finding."""
    s = Session().prompt("How do sessions work? We must keep Redis.")
    for number in range(12):
        s.read(f"src/auth/part{number}.py", "SESSION_TTL = 1800\n")
    s.bash("grep -rn SESSION_TTL src", "src/auth/part3.py:1:SESSION_TTL = 1800")
    s.bash("ls src; pwd; git status --short", "auth\n/home/dev/app")
    said = "Sessions expire after 1800 s. They live in Redis. Decision: we keep it.\n\n- two parts"
    found = distill(s.done(said))
    assert len(found.observations) == 1
    assert "1800" in str(found.observations[0])
    assert found.summary is not None
    assert "part0.py" in found.summary.investigated


def test_a_subagent_gives_one_row_however_much_it_reads() -> None:
    """C14: its reads don't flood, its report is kept under its type."""
    s = Session().prompt("explore")
    s.subagent("Explore", "x1")
    for number in range(30):
        s.read(f"lib/m{number}.rb", "class M; end\n")
        s.bash(f"grep -n class lib/m{number}.rb", "1:class M; end")
    s.report("Map the library", "The library has one class per file. Entry point: lib/main.rb.")
    explored = [row for row in distill(s.done("Explored.")).observations if row.agent_type]
    assert len(explored) == 1
    assert explored[0].agent_type == "Explore"


def test_refused_calls_are_never_modifications() -> None:
    """A write that was not permitted did not happen."""
    s = Session().prompt("write it")
    s.refuse("Write", {"file_path": "/etc/hosts", "content": "x"}, "Permission denied by user")
    s.refuse("Bash", {"command": "rm -rf build"}, "Permission denied by user")
    (row,) = distill(s.done("")).observations
    assert row.files_modified == ()
    assert "/etc/hosts" in row.title
    assert "rm -rf build" in row.title


def test_rows_that_rest_on_the_web_are_tainted_and_others_are_not() -> None:
    """What a page said is found again, and never put in front of Claude unasked."""
    s = Session().prompt("We use uv here. Find out how to pin it.")
    page = {"result": "Pin uv with required-version in pyproject.toml since 0.2.5.", "url": "u"}
    s.tool("WebFetch", {"url": "https://docs.example/uv", "prompt": "pin"}, page)
    s.files["pyproject.toml"] = "[tool.uv]\n"
    s.edit("pyproject.toml", "[tool.uv]\n", "[tool.uv]\nrequired-version = '>=0.4'\n")
    found = rows(
        s.done("Pin uv with required-version in pyproject.toml, known since 0.2.5. Set to 0.4.")
    )
    assert found["web"].tainted
    assert not found["file:pyproject.toml"].tainted
    assert not any("0.2.5" in str(row) for row in found.values() if not row.tainted)


def test_more_than_eight_subjects_are_merged_not_lost() -> None:
    """The most important keep a row, the rest share one."""
    s = Session().prompt("Never edit b.py. Always run ruff. Must stay on 3.11. Prefer httpx.")
    for number in range(14):
        s.write(f"pkg{number}/mod{number}.py", f"def thing_{number}():\n    return {number}\n")
        s.fail(f"tool{number} go", f"tool{number}: broken pipe {number}")
    found = distill(s.done("Many things."))
    assert len(found.observations) <= 8
    files = {path for row in found.observations for path in row.files_modified}
    assert len(files) >= 10


def test_the_prompt_is_on_the_row_that_answers_it() -> None:
    """People search by what they once asked."""
    row = rows(fixing().done("The width was added."))["test:pytest"]
    assert "area(3, 3) gives 6" in row.narrative


def test_only_a_passing_check_gives_one_row() -> None:
    """When nothing else happened, the result is the news."""
    s = Session().prompt("run the tests")
    s.bash("pytest -q", "14 passed in 1.0s")
    (row,) = distill(s.done("")).observations
    assert row.title == "pytest passes: 14 passed"
    assert row.evidence == "verified"
