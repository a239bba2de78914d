"""The ways to read a language for which its query is not enough: `shape` in languages.toml."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from backstory.codenav.json_keys import json_keys
from backstory.codenav.languages import Language
from backstory.codenav.markdown import markdown
from backstory.codenav.markup import html, xml
from backstory.codenav.notebook import notebook
from backstory.codenav.settings_keys import settings_keys
from backstory.codenav.style_rules import style_rules
from backstory.codenav.symbols import Reading
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
    "style": style_rules,
    "yaml": yaml_keys,
}
