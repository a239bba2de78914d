"""What rows of work are called."""

from __future__ import annotations

import pytest

from backstory.capture.rules import distill
from backstory.capture.rules.figures import brief
from backstory.records import Observation, Turn
from tests.support.turns import Session


def work(turn: Turn) -> Observation:
    """The row of a turn that changed a file or mended something."""
    rows = [r for r in distill(turn).observations if r.files_modified or r.type == "bugfix"]
    assert len(rows) == 1, [row.title for row in rows]
    return rows[0]


def edited(prompt: str, path: str, old: str, new: str) -> Session:
    """A session with one edit and no checks."""
    session = Session().prompt(prompt)
    session.files[path] = f"def load(name):\n    {old}\n"
    return session.edit(path, old, new)


def test_the_cause_names_a_fix_and_the_diff_stays_below() -> None:
    """People look for why, not for which line."""
    s = edited("the import fails at night", "jobs/load.py", "float(name)", "parse(name)")
    said = "Handled in load.py. The partner was sending German decimals since yesterday."
    row = work(s.done(said))
    assert row.title == ("The partner was sending German decimals since yesterday (jobs/load.py)")
    assert "Changed load in jobs/load.py" in row.narrative + str(row.facts)


def test_a_mended_test_is_named_by_its_cause_and_what_failed_is_told() -> None:
    """The failing test is in the narrative, the symbol in the title."""
    s = Session().prompt("fix it")
    s.files["area.py"] = "def area(w, h):\n    return w + h\n"
    s.fail("pytest -q", "FAILED tests/test_area.py::test_square - assert 6 == 9\n1 failed in 0.1s")
    s.edit("area.py", "w + h", "w * h")
    s.bash("pytest -q", "4 passed in 0.1s")
    row = work(s.done("The cause: the sides were added because of a typo. All 4 tests pass."))
    assert row.title == "Fixed area: the sides were added because of a typo (area.py)"
    assert "test_square" in row.narrative


@pytest.mark.parametrize(
    "said",
    [
        "All 12 tests pass.",
        "Committed as 1a2b3c4d.",
        "Should I also change the other loader in `jobs/load.py`?",
        "Next: `load` should take a path.",
        "I left `load` in jobs/load.py off the public API because nobody calls it.",
    ],
)
def test_a_hollow_sentence_names_nothing(said: str) -> None:
    """What went well, what is left and what was rejected are no results."""
    row = work(edited("tidy up", "jobs/load.py", "float(name)", "parse(name)").done(said))
    assert row.title.startswith("Changed load in jobs/load.py")


def test_a_changed_value_keeps_its_numbers_in_the_title() -> None:
    """From what to what says more than a sentence that names neither."""
    s = Session().prompt("raise the limit")
    s.files["conf.py"] = "LIMIT = 3\n"
    s.edit("conf.py", "LIMIT = 3", "LIMIT = 9")
    row = work(s.done("The limit is now raised so that imports get through."))
    assert row.title == "LIMIT changed from 3 to 9 (conf.py)"


def test_what_was_added_does_not_name_what_was_mended() -> None:
    """A feature and a slip on the way stay apart."""
    s = Session().prompt("add a --dry flag")
    s.files["cli.py"] = "def main():\n    pass\n"
    s.edit("cli.py", "pass", "flag('--dry')")
    s.fail("pytest -q", "FAILED tests/test_cli.py::test_help - assert 0\n1 failed in 0.1s")
    s.edit("cli.py", "def main():", "def main(argv=None):")
    s.bash("pytest -q", "7 passed in 0.1s")
    said = (
        "Added `--dry`, which prints only. The help test failed since `main()` took no arguments."
    )
    (row,) = [r for r in distill(s.done(said)).observations if r.type == "bugfix"]
    assert row.title.startswith("The help test failed since `main()` took no arguments")


@pytest.mark.parametrize(
    ("lines", "title"),
    [
        (["Time (mean ± σ): 1.84 s ± 0.02 s"], "Time (mean ± σ): 1.84 s ± 0.02 s"),
        (["[2026-02-11 08:31:40] INFO - loaded 12 rows"], ""),
        (['{"ts":"2026-03-10T08:50:00Z","msg":"flushed batch"}'], ""),
        (
            ["Sort  (cost=0.42..48112.20 rows=2)", "Execution Time: 231.774 ms"],
            "Execution Time 231",
        ),
        (
            ["   171.22s 92.65% 92.65%    171.22s 92.65%  runtime.selectgo"],
            "runtime.selectgo 92.65%",
        ),
        (["    38.12%  app  app  [.] core::hash::sip::write"], "core::hash::sip::write 38.12%"),
        (["[X] 0030_coupon", "[X] 0031_zone", "PostgreSQL 14.11 (Ubuntu)"], "PostgreSQL 14.11"),
        (["BenchmarkQuote-8   512   2288140 ns/op   10411 B/op"], "BenchmarkQuote 2288140 ns/op"),
        (["2117 orders/utils.py", "63", "41"], ""),
    ],
)
def test_raw_output_is_no_title(lines: list[str], title: str) -> None:
    """The thing measured and its number, or nothing."""
    told = brief(lines)
    assert told.startswith(title) if title else told == ""


def test_a_figure_taken_twice_is_told_as_before_and_after() -> None:
    """Two runs of one command are a comparison."""
    s = Session().prompt("make the list faster")
    s.bash("bin/bench list", "list: 2840 ms")
    s.bash("bin/bench list", "list: 190 ms")
    (row,) = distill(s.done("")).observations
    assert row.title == "list 2840 → 190 ms"


def test_an_answer_to_which_way_is_a_decision_with_its_reason() -> None:
    """Asked whether to, told what to do and why."""
    s = Session().prompt("should we move sessions from Redis to Postgres?")
    s.read("values.yaml", "redis:\n  image: redis:7.2\n")
    (row,) = distill(s.done("I'd stay on Redis. The primary is at 70 % CPU already.")).observations
    assert row.type == "decision"
    assert row.title == "I'd stay on Redis: The primary is at 70 % CPU already"


def test_taking_in_a_rule_makes_no_second_row() -> None:
    """The answer goes below the rule of the prompt."""
    s = Session().prompt("From now on put the ticket id in every commit message.")
    (row,) = distill(s.done("Understood: every commit message gets its ticket id.")).observations
    assert row.type == "decision"
    assert "gets its ticket id" in row.narrative


def test_where_things_are_is_told_with_the_work() -> None:
    """A pointer of the prompt is no row of its own."""
    s = edited("the import fails. the log is in /tmp/load-12.log", "a/load.py", "x = 1", "x = 2")
    found = distill(s.done("The name was wrong because of a typo.")).observations
    assert len(found) == 1
    assert "/tmp/load-12.log" in found[0].narrative + str(found[0].facts)


def test_the_same_value_in_several_files_is_one_row() -> None:
    """One bump is one thing, however many files name it."""
    s = Session().prompt("use the new core everywhere")
    for number in range(3):
        path = f"svc{number}/pyproject.toml"
        s.files[path] = '[project]\nrequires = "core-2.1"\n'
        s.edit(path, "core-2.1", "core-3.0")
    row = work(s.done(""))
    assert row.title.startswith("requires changed from core-2.1 to core-3.0 in svc0/")
    assert len(row.files_modified) == 3


def test_a_step_without_its_label_says_that_it_is_left_to_do() -> None:
    """Else it would read as if it had been done."""
    s = edited("tidy up", "jobs/load.py", "float(name)", "parse(name)")
    found = distill(s.done("Next: `load` in jobs/load.py takes a path."))
    assert "Left to do: `load` in jobs/load.py takes a path." in str(found.observations[0])
    assert found.summary is not None
    assert found.summary.next_steps == "`load` in jobs/load.py takes a path."


def test_a_sentence_on_a_symbol_goes_on_the_row_of_the_symbol() -> None:
    """Not on the row of the sentence before it."""
    s = Session().prompt("upgrade react")
    s.bash("pnpm add react@19", "+ react 19.0.0")
    s.files["src/Form.tsx"] = "export function Form() {\n  useEffect(() => submit());\n}\n"
    s.edit("src/Form.tsx", "submit());", "submit(), []);")
    said = "React 19 is in. `Form` submitted twice as its effect had no dependency list."
    assert work(s.done(said)).title.startswith("`Form` submitted twice")


@pytest.mark.parametrize("piece", ["1 ", "12.3% ", "a b ", "1.1s ", "x=1 ", "a: b= ", "`a` "])
def test_a_long_line_of_columns_is_looked_at_once(piece: str) -> None:
    """A pattern that tries every split of such a line would never end."""
    assert len(brief([piece * 200])) < 100
