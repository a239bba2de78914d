"""The ways to read a language for which its query is not enough: `shape` in languages.toml."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from backstory.codenav.json_keys import json_keys
from backstory.codenav.languages import Language
from backstory.codenav.markdown import markdown
from backstory.codenav.markup import html, xml
from backstory.codenav.notebook import notebook
from backstory.codenav.settings_keys import settings_keys
from backstory.codenav.sql_statements import sql_statements
from backstory.codenav.style_rules import style_rules
from backstory.codenav.symbols import Reading, deadline_of, read
from backstory.codenav.yaml_keys import yaml_keys

Shape = Callable[[str, Language, float], Reading]

# each takes the text, its language and a deadline by time.monotonic(), and raises for no text
SHAPES: Mapping[str, Shape] = {
    "json": json_keys,
    "html": html,
    "xml": xml,
    "markdown": markdown,
    "notebook": notebook,
    "settings": settings_keys,
    "sql": sql_statements,
    "style": style_rules,
    "yaml": yaml_keys,
}

PROSE = frozenset({"markdown", "latex"})  # may have no heading, and yet be worth an outline


def reading_of(text: str, language: Language, deadline_s: float) -> Reading | None:
    """What is in a text, by the shape of its language or by its query.

    None when it could not be parsed in time, or is larger or nested deeper than is parsed here.
    The first use of a language loads its grammar, which `deadline_s` does not count.
    """
    if language.shape:
        return SHAPES[language.shape](text, language, time.monotonic() + deadline_s)
    return read(text, language, deadline_of(language, deadline_s))
