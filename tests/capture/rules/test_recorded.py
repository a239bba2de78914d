"""The three recorded sessions, as somebody would tell them."""

from __future__ import annotations

from backstory.capture.rules import distill
from backstory.records import Observation, Turn
from tests.support.turns import recorded


def _only(turn: Turn, kind: str) -> Observation:
    found = [row for row in distill(turn).observations if row.type == kind]
    assert len(found) == 1, [row.title for row in found]
    return found[0]


def test_a_failing_then_passing_test_is_one_verified_fix() -> None:
    """The fix names the tests, the messages, the symbol, the reason and the commit."""
    (turn,) = recorded("bugfix")
    row = _only(turn, "bugfix")
    assert row.evidence == "verified"
    assert row.files_modified == ("shop/cart.py",)
    assert row.symbols == ("Cart.subtotal",)
    assert "2.675 rounded down" in row.title
    assert "test_half_cent" in row.narrative
    assert "2.67 != 2.68" in row.narrative
    assert "2 tests OK" in row.narrative
    facts = "\n".join(row.facts)
    assert "eb278c7" in facts
    assert "not exact binary floats" in facts
    assert "Line.price should become Decimal" in facts


def test_a_stated_decision_is_a_row_of_its_own() -> None:
    """It is of the highest importance and stands on what was said."""
    (turn,) = recorded("bugfix")
    row = _only(turn, "decision")
    assert "integer cents" in row.title
    assert row.importance == 3
    assert row.evidence == "stated"


def test_a_new_file_keeps_its_row_beside_the_slip_that_was_mended() -> None:
    """The feature with its test is one row, the typo another."""
    (turn,) = recorded("feature")
    feature, slip = _only(turn, "feature"), _only(turn, "bugfix")
    assert feature.files_modified == ("shop/export.py", "tests/test_export.py")
    assert feature.evidence == "verified"
    assert "to_csv" in feature.title
    assert "cart.line → cart.lines" in slip.facts
    assert "'Cart' object has no attribute 'line'" in slip.narrative


def test_a_chinese_investigation_is_told_in_its_words() -> None:
    """Reason, decision, key, refusal, missing file and subagent: one row each."""
    (turn,) = recorded("investigation-zh")
    rows = distill(turn).observations
    titles = [row.title for row in rows]
    assert any("dataclasses 导入 inspect" in title for title in titles)
    assert "暂不更换" in _only(turn, "decision").title
    assert "SHOP_API_KEY" in _only(turn, "security_note").title
    assert "Not permitted: Write /etc/shop.conf" in titles
    assert any("missing-config.toml" in title and "No such file" in title for title in titles)
    (explored,) = [row for row in rows if row.agent_type == "Explore"]
    assert "dataclasses pulls in inspect" in explored.title
    assert not any(row.files_modified for row in rows)
    assert not any("sk-ant" in str(row) or "Example" in str(row) for row in rows)


def test_the_summary_tells_request_work_and_what_is_next() -> None:
    """Five short fields, from prompt, steps and closing message."""
    (turn,) = recorded("bugfix")
    summary = distill(turn).summary
    assert summary is not None
    assert summary.request.startswith("Checkout totals are off by a cent")
    assert "shop/cart.py" in summary.investigated
    assert "2.675" in summary.learned
    assert "eb278c7" in summary.completed
    assert "Line.price" in summary.next_steps
