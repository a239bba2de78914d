"""Checking the arguments of a call against the tool's schema: the host does not.

What a model plainly meant is taken for it ("5", "[1,2]", "true"); everything else is an error that
gives the field, what it got, what was expected and, for an unknown name, the nearest one.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping
from typing import Any

from backstory.errors import BadInput

Schema = Mapping[str, Any]

# Names that callers are known to use, without case and underscores, and what they mean by them.
_MEANT = {
    **dict.fromkeys(("from", "since", "start", "datefrom", "startdate"), ("dateStart",)),
    **dict.fromkeys(("to", "until", "end", "dateto", "enddate"), ("dateEnd",)),
    **dict.fromkeys(("order", "sort"), ("orderBy",)),
    **dict.fromkeys(("q", "words"), ("query",)),
    **dict.fromkeys(("ids", "id", "observationids", "tooluseids"), ("ids", "selectedIds")),
    **dict.fromkeys(("token", "cursor", "next"), ("continuation",)),
    **dict.fromkeys(("text", "memory", "note"), ("content", "query")),
    **dict.fromkeys(("platform",), ("platformSource",)),
    **dict.fromkeys(("file", "path", "filename"), ("file_path", "path")),
    **dict.fromkeys(("files", "paths"), ("file_paths", "files")),
    **dict.fromkeys(("name", "symbol", "function", "line", "lines"), ("symbol_name", "symbol")),
    **dict.fromkeys(("names", "symbols"), ("symbol_names", "symbol")),
    **dict.fromkeys(("tokens", "budget", "maxtokens"), ("max_tokens",)),
}
_NAMES = {"string": "a text", "integer": "a whole number", "boolean": "true or false"}


def check(tool: str, schema: Schema, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with the declared types; those not given (or null) are left out.

    Raises BadInput.
    """
    fields: Schema = schema.get("properties", {})
    for name in arguments:
        if name not in fields:
            raise _unknown(tool, name, tuple(fields))
    checked = {
        name: _value(name, fields[name], value)
        for name, value in arguments.items()
        if value is not None
        and not (
            value == "" and name not in schema.get("required", ()) and not _clears(fields[name])
        )
    }
    for name in schema.get("required", ()):
        if name not in checked:
            raise BadInput(f"{name}: got nothing, expected {_expected(fields[name])}")
    return checked


def _clears(field: Schema) -> bool:
    """Whether an empty text says something: there is to be nothing."""
    return field.get("minLength") == 0 or _is_prose(field)


def _is_prose(field: Schema) -> bool:
    """Whether it is a list of sentences, which hold commas: one text parts them by lines."""
    return "maxLength" in field.get("items", ())


def _unknown(tool: str, name: str, known: tuple[str, ...]) -> BadInput:
    message = f"{tool} has no argument {name[:40]!r}"
    if not known:
        return BadInput(message, hint="it takes none")
    folded = {_fold(one): one for one in known}
    meant = next((one for one in _MEANT.get(_fold(name), ()) if one in known), "")
    if not meant:
        near = difflib.get_close_matches(_fold(name), folded, 1, 0.6)
        meant = folded[near[0]] if near else ""
    listed = ", ".join(known)
    return BadInput(message, hint=f"did you mean {meant}? It has {listed}" if meant else listed)


def _fold(name: str) -> str:
    return name.replace("_", "").replace("-", "").casefold()


def _value(field: str, schema: Schema, value: Any) -> Any:
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    for type_ in types:
        found = _lines(value) if _is_prose(schema) else _COERCE[type_](value)
        if found is not None:
            break
    else:
        raise _wrong(field, schema, value)
    if isinstance(found, list):
        return _items(field, schema, found)
    if "enum" in schema and found not in schema["enum"]:
        near = difflib.get_close_matches(str(found), schema["enum"], 1, 0.5)
        raise _wrong(field, schema, value, f"did you mean {near[0]}?" if near else "")
    if isinstance(found, str):
        if len(found) > schema.get("maxLength", len(found)):
            raise BadInput(f"{field}: got {len(found)} characters, expected {_expected(schema)}")
        if not re.fullmatch(schema.get("pattern", ".*"), found, re.DOTALL):
            raise _wrong(field, schema, value)
    elif not schema.get("minimum", found) <= found <= schema.get("maximum", found):
        raise _wrong(field, schema, value)
    return found


def _lines(value: Any) -> list[str] | None:
    if not isinstance(value, str) or value.startswith("["):
        return _array(value)
    lines = (line.strip().removeprefix("- ").strip() for line in value.splitlines())
    return [line for line in lines if line]


def _items(field: str, schema: Schema, values: list[Any]) -> list[Any]:
    least, most = schema.get("minItems", 0), schema.get("maxItems", len(values))
    if not least <= len(values) <= most:
        hint = "ask in portions" if values else ""
        raise BadInput(f"{field}: got {len(values)} items, expected {_expected(schema)}", hint=hint)
    return [_value(f"{field}[{place}]", schema["items"], item) for place, item in enumerate(values)]


def _wrong(field: str, schema: Schema, value: Any, hint: str = "") -> BadInput:
    shown = json.dumps(value, ensure_ascii=False, default=str)
    shown = shown if len(shown) <= 60 else shown[:60] + "…"
    return BadInput(f"{field}: got {shown}, expected {_expected(schema)}", hint=hint)


def _expected(schema: Schema) -> str:
    if "enum" in schema:
        return "one of " + ", ".join(map(str, schema["enum"]))
    if schema["type"] == "array":
        return f"a list of {schema.get('minItems', 0)} to {schema['maxItems']} items"
    if schema["type"] == "integer" and "maximum" in schema:
        return f"a whole number from {schema['minimum']} to {schema['maximum']}"
    if schema.get("format") == "date":
        return "an ISO date, for example 2026-03-10"
    if "pattern" in schema:
        return f"a text like {schema['pattern'].strip('^$')}"
    if "maxLength" in schema:
        return f"a text of at most {schema['maxLength']} characters"
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return " or ".join(_NAMES[type_] for type_ in types)


def _integer(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str) and re.fullmatch(r"\s*-?[0-9]{1,18}\s*", value):
        return int(value)
    return None


def _string(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    # an id or a word that looks like a number
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _boolean(value: Any) -> bool | None:
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower())
    return value if isinstance(value, bool) else None


def _array(value: Any) -> list[Any] | None:
    if isinstance(value, str):
        text = value.strip()
        if text.startswith("["):
            try:
                value = json.loads(text)
            except ValueError:
                return None
        else:
            value = [part.strip() for part in text.split(",") if part.strip()]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return [value]
    return value if isinstance(value, list) else None


_COERCE = {"integer": _integer, "string": _string, "boolean": _boolean, "array": _array}
