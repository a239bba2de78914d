"""Answers of a model, the batch that they answer, and what may come of them."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Sequence
from typing import Any

from backstory.capture import batch, reply
from backstory.capture.batch import Batch, Known, Stretch
from backstory.capture.orders import is_addressed
from backstory.records import (
    CONCEPTS,
    OBSERVATION_TYPES,
    Observation,
    Status,
    ToolUse,
    Turn,
)

NONCE = "0a1b2c3d4e5f6789"
ROOT = "/home/u/shop"


def use(
    number: int, name: str, given: dict[str, Any], output: Any, status: Status = "ok", **more: Any
) -> ToolUse:
    """A tool use with everything that the reader looks at."""
    return ToolUse(number, f"toolu_{number}", name, given, output, status, 1_000 + number, **more)


def bash(number: int, command: str, printed: str, status: Status = "ok", **more: Any) -> ToolUse:
    """A shell step."""
    return use(
        number, "Bash", {"command": command}, {"stdout": printed, "stderr": ""}, status, **more
    )


def edit(number: int, path: str, old: str, new: str) -> ToolUse:
    """An edit of a file below the root."""
    full = f"{ROOT}/{path}"
    given = {"file_path": full, "old_string": old, "new_string": new}
    return use(number, "Edit", given, {"filePath": full, "oldString": old, "newString": new})


CART = (
    use(
        1,
        "Read",
        {"file_path": f"{ROOT}/src/cart.py"},
        {
            "type": "text",
            "file": {
                "filePath": f"{ROOT}/src/cart.py",
                "content": "class Cart:\n    def total(self): ...",
            },
        },
    ),
    bash(
        2,
        "pytest -q",
        "FAILED tests/test_cart.py::test_round - assert 2.67 == 2.68\n1 failed, 3 passed in 0.12s",
        "failed",
    ),
    edit(3, "src/cart.py", "round(price, 2)", "round_half_up(price, 2)"),
    bash(4, "pytest -q", "4 passed in 0.10s"),
    bash(5, "git commit -am 'Round half up'", "[main 9f8e7d6] Round half up\n 1 file changed"),
)
DRAFTS = (
    Known(12, "bugfix", "Fixed test_round in src/cart.py", ("src/cart.py",), "verified"),
    Known(13, "change", "Commit 9f8e7d6: Round half up", ("src/cart.py",)),
)
OLDER = (
    Known(45, "decision", "Cart.total rounds half even", ("src/cart.py",), day="2026-11-02"),
    Known(46, "discovery", "The database is PostgreSQL", ("db.py",), day="2026-11-03"),
)


def turn(
    *uses: ToolUse, prompt: str = "Totals are off by a cent, fix it", last: str = "Fixed."
) -> Turn:
    """A turn that has ended."""
    return Turn(1, prompt, uses, last, ROOT, ROOT, 1_000, 2_000)


def made(*stretches: Stretch, candidates: Sequence[Known] = OLDER) -> Batch:
    """A batch as it is sent."""
    return batch.build(stretches or (Stretch(turn(*CART), DRAFTS),), candidates, NONCE, "shop")


def row(**fields: Any) -> dict[str, Any]:
    """A row as a model writes it, good unless something else is said."""
    return {
        "turn": "t1",
        "type": "bugfix",
        "title": "Cart.total rounds half up since 9f8e7d6",
        "narrative": "Totals were a cent off. `round_half_up` replaced round in src/cart.py.",
        "facts": ["4 passed after the change"],
        "concepts": ["problem-solution"],
        "files": ["src/cart.py"],
        "symbols": ["Cart.total"],
        "queries": ["the sum is a cent too low", "switch the totals to floor"],
        "sources": ["t1e3", "t1e4"],
        "replaces": [],
        "supersedes": [],
        **fields,
    }


def answer(*rows: Any, summaries: Sequence[Any] = ()) -> str:
    """The answer as text."""
    return json.dumps({"observations": rows, "summaries": summaries}, ensure_ascii=False)


def read(*rows: Any, on: Batch | None = None, summaries: Sequence[Any] = ()) -> reply.Reply:
    """What is read of an answer to the cart's turn."""
    return reply.read(answer(*rows, summaries=summaries), on or made())


def only(found: reply.Reply) -> Observation:
    """The one observation of a reply."""
    assert len(found.written) == 1
    return found.written[0].observation


def strings(value: Any) -> list[str]:
    """Every text in a value, at any depth."""
    if isinstance(value, str):
        return [value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [t for f in dataclasses.fields(value) for t in strings(getattr(value, f.name))]
    if isinstance(value, dict):
        return [t for pair in value.items() for item in pair for t in strings(item)]
    return [t for item in value for t in strings(item)] if isinstance(value, (list, tuple)) else []


def check(found: reply.Reply, on: Batch) -> None:
    """Nothing but what the schema and the batch know has come out."""
    ids = {u.tool_use_id for s in on.stretches for u in s.turn.tool_uses}
    assert len(found.written) <= 30
    for one in found.written:
        kept, stretch = one.observation, on.stretches[one.stretch]
        assert isinstance(one, reply.Written)
        assert isinstance(kept, Observation)
        assert kept.type in OBSERVATION_TYPES
        assert set(kept.concepts) <= set(CONCEPTS)
        assert re.fullmatch(r"model:\d+|draft:\d+", kept.key)
        assert kept.evidence in ("verified", "stated")
        assert kept.importance in (1, 2, 3)
        assert isinstance(kept.tainted, bool)
        assert isinstance(kept.at, int)
        assert set(kept.tool_use_ids) <= ids
        assert set(one.replaces) <= {d.id for d in stretch.drafts}
        assert set(one.supersedes) <= set(on.candidates)
        assert 0 < len(kept.title) <= 100
        assert len(kept.narrative) <= 1_200
        assert len(kept.facts) <= 12
        assert all(0 < len(fact) <= 300 for fact in kept.facts)
        assert len(kept.symbols) <= 12
        assert len(kept.files_read) <= 20
        assert len(kept.files_modified) <= 20
    assert set(found.summaries) <= set(range(len(on.stretches)))
    for text in strings(found):
        assert not is_addressed(text)
        assert not re.search(
            "[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2066-\u2069]", text
        )
