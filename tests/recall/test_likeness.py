"""How near short texts are to a question."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from backstory import config
from backstory.recall.likeness import nearness


def test_what_means_alike_is_nearer(tmp_path: Path) -> None:
    """Also where no word is shared."""
    near = nearness(config.load(tmp_path))
    assert near is not None
    texts = ["remove an entry from a mapping", "draw a circle", ""]
    values = near("delete key of dictionary", texts)
    assert values[0] > values[1]
    assert len(values) == 3


def test_who_switched_meanings_off_has_none(tmp_path: Path) -> None:
    """Words alone rank then."""
    settings = config.load(tmp_path)
    off = replace(settings, values={**settings.values, "embedder": "none"})
    assert nearness(off) is None
