"""A service of embeddings on this machine, for ModelApi: the words of a text, hashed.

with ModelApi(embedding()) as api:
    settings["embedding_url"] = api.url + "/v1"
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from backstory.estimate import estimate_tokens
from tests.support.embedding import direction
from tests.support.model_api import Request, Scripted, fails, sends


def embedding(
    dimensions: int = 64,
    *,
    most_tokens: int = 0,
    refuses: str = "",
    tells_usage: bool = True,
    change: Callable[[dict[str, Any]], object] = bool,
    synonyms: Mapping[str, str] = MappingProxyType({}),
) -> Callable[[Request], Scripted]:
    """A model that embeds whatever it is given.

    most_tokens: of a text; longer ones are refused with the words of such services. refuses: so
    are texts in which this stands. change: does something to the answer before it is sent.
    synonyms: words that are taken for others.
    """

    def answer(request: Request) -> Scripted:
        texts = request.body["input"]
        if most_tokens and any(estimate_tokens(text) > most_tokens for text in texts):
            return fails(400, f"This model's maximum context length is {most_tokens} tokens")
        if refuses and any(refuses in text for text in texts):
            return fails(400, "invalid input")
        data = [
            {"object": "embedding", "index": place, "embedding": vector(text, dimensions, synonyms)}
            for place, text in enumerate(texts)
        ]
        found: dict[str, Any] = {"object": "list", "data": data, "model": request.body["model"]}
        if tells_usage:
            tokens = sum(map(estimate_tokens, texts))
            found["usage"] = {"prompt_tokens": tokens, "total_tokens": tokens}
        change(found)
        return sends(json.dumps(found))

    return answer


def vector(
    text: str, dimensions: int = 64, synonyms: Mapping[str, str] = MappingProxyType({})
) -> list[float]:
    """The sum of where its words point, of no particular length."""
    words = re.findall(r"\w+", text.casefold()) or [""]
    pointing = [direction(synonyms.get(word, word))[:dimensions] for word in words]
    found = np.sum(pointing, axis=0)
    return [float(number) for number in found]


def texts(requests: list[Request]) -> list[str]:
    """All texts that were sent, in order."""
    return [text for request in requests for text in request.body["input"]]
