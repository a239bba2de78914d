"""The hooks' own JSON agrees with the standard library's."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backstory.hook import lean_json

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(VALUES)
def test_what_it_writes_is_what_the_standard_library_reads(value: object) -> None:
    """Every kind of value, any text."""
    assert json.loads(lean_json.dumps(value)) == value


@given(VALUES, st.booleans())
def test_it_reads_what_the_standard_library_writes(value: object, ascii_only: bool) -> None:
    """Escaped or not, as bytes or text, with space around it."""
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert lean_json.loads(f" \n{text}\t") == value
    assert lean_json.loads(text.encode("utf-8", "surrogatepass")) == value or not ascii_only


@given(st.text(max_size=40))
def test_it_refuses_what_the_standard_library_refuses(text: str) -> None:
    """The same documents, and with a ValueError."""
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(ValueError, match=r"\S"):
            lean_json.loads(text)
    else:
        found = lean_json.loads(text)
        assert found == expected or repr(found) == repr(expected)


def test_bytes_that_are_no_utf_8_are_read_with_replacements() -> None:
    """B9: a payload is never refused for its encoding."""
    assert lean_json.loads(b'{"a": "\xff"}') == {"a": "�"}


def test_broken_json_is_a_value_error_before_anything_else_loaded_json() -> None:
    """In a process of its own: the scanner takes its exception from a module that is not there."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from backstory.hook import lean_json\n"
        "for text in ('{\"a\": 1, \"b', '[1,', '{', '\"x', '{\"a\" 1}', '\\xff', '[1] 2', ''):\n"
        "    try: lean_json.loads(text)\n"
        "    except ValueError: print('refused')\n"
        "assert 'json' not in sys.modules"
    )
    source = str(Path(__file__).resolve().parents[2] / "src")
    command = [sys.executable, "-I", "-S", "-c", code, source]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["refused"] * 8


def test_what_has_no_json_is_refused() -> None:
    """It is a mistake of ours, so it must be seen."""
    with pytest.raises(TypeError, match="set"):
        lean_json.dumps({"a": {1}})
