"""How near short texts are to a question."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from backstory import config
from backstory.recall.embedders.builtin import TokenVectors
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


def test_a_text_is_near_by_its_words_as_it_is_whole() -> None:
    """What is kept of words changes no vector, also after more of them than are kept."""
    model = TokenVectors.load()
    assert model is not None
    texts = ["parse the arguments. Parses `x`, e.g. getUserById", "", "größe 日本語", "a"]
    np.testing.assert_allclose(model.by_words(texts), model.vectors(texts), atol=1e-5)
    for first in range(0, 24_000, 3_000):
        model.by_words([" ".join(f"w{n}" for n in range(first, first + 3_000))])
    np.testing.assert_allclose(model.by_words(texts), model.vectors(texts), atol=1e-5)
