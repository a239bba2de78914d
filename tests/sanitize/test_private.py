"""Private text never leaves the hook: not in any spelling, not from a broken document."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backstory.sanitize.private import (
    cut_private,
    cut_private_text,
    cut_private_value,
    holds_private,
)

CANARY = "pw123"
# Every way in which a tag's "<" and ">" are seen in real payloads.
SPELLINGS = [
    ("<", ">"),
    ("\\u003c", "\\u003e"),
    ("\\\\u003C", "\\\\u003E"),
    ("&lt;", "&gt;"),
    ("&amp;lt;", "&amp;gt;"),
    ("&#60;", "&#62;"),
    ("&#x3C;", "&#x3E;"),
    ("%3C", "%3E"),
    ("\\x3c", "\\x3e"),
]


def cut(value: Any) -> Any:
    return json.loads(cut_private(json.dumps(value).encode()))


def test_the_prompt_loses_its_private_part_and_keeps_the_rest() -> None:
    """G1."""
    prompt = {"prompt": f"a <private>{CANARY}</private> b"}
    assert cut(prompt) == {"prompt": "a [private] b"}


def test_a_wholly_private_prompt_leaves_the_mark_alone() -> None:
    """G1."""
    assert cut({"prompt": f"<private>{CANARY}</private>"}) == {"prompt": "[private]"}


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a <PRIVATE>x</Private> b", "a [private] b"),
        ("a <private>x\ny\nz</private> b", "a [private] b"),
        ('a <private reason="1>0">x</private> b', "a [private] b"),
        ("a <private\n  lang=en\n>x</private\n> b", "a [private] b"),
        ("a < private >x< / private > b", "a [private] b"),
        ("a <private>x<private>y</private>z</private> b", "a [private] b"),
        ("a <private>x</private> b <private>y</private> c", "a [private] b [private] c"),
        ("a <private>x", "a [private]"),
        ("a <private>x<private>y</private> z", "a [private]"),
        ("a <private", "a [private]"),
        ("x</private> b", "[private] b"),
        ("x</private> y</private> b", "[private] b"),
        ("a <private>x</private> y</private> b", "[private] b"),
        ("a <private>x</private b", "a [private]"),
        ("a <private/> x", "a [private]"),
    ],
)
def test_tags_of_every_shape_hide_what_they_hold(text: str, left: str) -> None:
    """G2: case, lines, attributes, nesting, unclosed and unopened tags."""
    assert cut_private_text(text) == left
    assert cut({"a": {"b": text}}) == {"a": {"b": left}}


@pytest.mark.parametrize(
    "text",
    [
        "private int x = 1; // private",
        "#include <private/qobject_p.h>",
        "List<PrivateKey> keys",
        "<private-note>kept</private-note>",
        "public < private schools",
        "std::map<privateer, int>",
        "caf\\u00e9 private",
    ],
)
def test_ordinary_text_about_private_things_stays(text: str) -> None:
    assert cut_private_text(text) == text


@pytest.mark.parametrize(("less", "more"), SPELLINGS)
def test_escaped_tags_are_tags(less: str, more: str) -> None:
    text = f"a {less}private{more}{CANARY}{less}/private{more} b"
    data = json.dumps({"t": text}).encode()
    assert holds_private(data)
    assert json.loads(cut_private(data)) == {"t": "a [private] b"}


def test_a_tag_spelled_in_json_escapes_is_seen() -> None:
    """The bytes hold neither "<" nor "private", their meaning does."""
    name = "".join(f"\\u{ord(letter):04x}" for letter in "private")
    data = f'{{"a": "\\u003c{name}\\u003e{CANARY}\\u003c\\/{name}\\u003e b"}}'.encode()
    assert holds_private(data)
    assert json.loads(cut_private(data)) == {"a": "[private] b"}
    assert CANARY.encode() not in cut_private(data[:-1])


def test_json_inside_a_string_stays_json() -> None:
    inner = json.dumps({"q": f"<private>{CANARY}</private>", "n": 1})
    escaped = inner.replace("<", "\\u003c").replace("/", "\\/")
    for text in (inner, escaped, json.dumps(escaped)):
        left = cut({"stdout": text})["stdout"]
        assert CANARY not in left
        while isinstance(left, str):
            left = json.loads(left)
        assert left == {"q": "[private]", "n": 1}


def test_a_block_over_the_lines_of_a_patch_is_cut_as_one() -> None:
    lines = [" a", "+<private>", "+pw123", "+</private>", " b"]
    document = {"structuredPatch": [{"lines": lines}], "other": "kept"}
    patch = cut(document)["structuredPatch"][0]["lines"]
    assert patch == [" a", "+[private]", "[private]", "[private]", " b"]


def test_a_block_may_go_on_in_the_next_hunk_or_content_block() -> None:
    hunks = [{"start": 1, "lines": ["<private>"]}, {"start": 9, "lines": ["pw123", "</private>z"]}]
    assert cut({"p": hunks}) == {
        "p": [
            {"start": 1, "lines": ["[private]"]},
            {"start": 9, "lines": ["[private]", "[private]z"]},
        ]
    }
    blocks = [
        {"type": "text", "text": "<private>"},
        {"type": "text", "text": CANARY},
        {"type": "text", "text": "</private>"},
    ]
    left = cut({"r": blocks})["r"]
    assert CANARY not in str(left)
    assert [block["type"] for block in left] == ["text"] * 3


def test_an_unopened_closing_hides_the_earlier_elements() -> None:
    assert cut(["pw", "123</private> a", "b"]) == ["[private]", "[private] a", "b"]


def test_numbers_and_nested_values_between_hidden_strings_are_hidden() -> None:
    left = cut({"v": ["<private>", 123, True, {"k": "pw123"}, ["pw123"], "</private>", 4]})
    assert left == {
        "v": ["[private]", "[private]", True, {"k": "[private]"}, ["[private]"], "[private]", 4]
    }


def test_an_unclosed_tag_does_not_reach_other_fields() -> None:
    calls = [
        {"id": "toolu_1", "input": {"command": "grep '<private>' x"}},
        {"id": "toolu_2", "input": {"command": "ls"}},
    ]
    left = cut({"tool_calls": calls, "session_id": "s"})
    assert [call["id"] for call in left["tool_calls"]] == ["toolu_1", "toolu_2"]
    assert left["session_id"] == "s"


def test_keys_are_cut_too() -> None:
    assert cut({f"a<private>{CANARY}</private>": 1}) == {"a[private]": 1}


def edit(original: str, old: str, new: str, lines: list[str]) -> Any:
    return cut(
        {
            "tool_name": "Edit",
            "tool_input": {"file_path": "/r/a.txt", "old_string": old, "new_string": new},
            "tool_response": {
                "filePath": "/r/a.txt",
                "oldString": old,
                "newString": new,
                "originalFile": original,
                "structuredPatch": [{"oldStart": 3, "lines": lines}],
            },
        }
    )


def test_an_edit_inside_a_private_block_is_private_although_its_lines_hold_no_tag() -> None:
    original = "top\n<private>\nkey one\nold-pw123\nkey two\n</private>\nend\n"
    left = edit(
        original, "old-pw123", "new-pw456", [" key one", "-old-pw123", "+new-pw456", " key two"]
    )
    text = json.dumps(left)
    for word in ("pw123", "pw456", "key one", "key two"):
        assert word not in text
    assert left["tool_input"]["file_path"] == "/r/a.txt"
    assert left["tool_response"]["originalFile"] == "top\n[private]\nend\n"


@pytest.mark.parametrize("opening", ["<private>", '<private why="a b">', "&lt;private&gt;"])
@pytest.mark.parametrize("gap", ["", "\n"])
def test_an_edit_that_makes_something_private_does_not_show_it_as_it_was(
    opening: str, gap: str
) -> None:
    """The file before, the old text and the patch hold it without tags."""
    closing = opening.replace("private", "/private").replace(' why="a b"', "")
    old, new = "user me pw-123-pw x", f"user me {opening}{gap}pw-123-pw{gap}{closing} x"
    added = ["+" + line for line in new.split("\n")]
    left = edit(f"top\n{old}\nend\n", old, new, [" top", "-" + old, *added, " end"])
    assert "pw-123-pw" not in json.dumps(left)
    assert left["tool_response"]["originalFile"] == "top\nuser me [private] x\nend\n"
    assert left["tool_response"]["structuredPatch"][0]["lines"][0] == " top"


def test_short_private_parts_of_an_edit_take_nothing_else_along() -> None:
    left = edit("a b c\n", "a b c", "a <private>b</private> c", ["-a b c"])
    assert left["tool_response"]["originalFile"] == "a b c\n"


def test_an_edit_beside_a_private_block_keeps_its_lines() -> None:
    original = "top\n<private>\nkey one\n</private>\nend\n"
    left = edit(original, "end", "the end", ["-end", "+the end"])
    assert left["tool_input"]["new_string"] == "the end"
    assert left["tool_response"]["structuredPatch"][0]["lines"] == ["-end", "+the end"]


@pytest.mark.parametrize(
    ("data", "left"),
    [
        (b'{"a": "x <private>pw123</private> y", "b": "cu', b'{"a": "x [private] y", "b": "cu'),
        (b'{"a": "x <private>pw123", "b": "cu', b'{"a": "x [private]'),
        (b'{"a": "pw123</private> y", "b": "cu', b'[private] y", "b": "cu'),
        (b'{"a": "\\u003cPrivate\\u003epw123\\u003c/private\\u003e y', b'{"a": "[private] y'),
        (b"not json <private>\xff\xfepw123</private>\xff", b"not json [private]\xff"),
        (b"", b""),
    ],
)
def test_a_broken_document_is_cut_by_bytes(data: bytes, left: bytes) -> None:
    assert cut_private(data) == left


def test_broken_utf8_inside_good_json_is_replaced() -> None:
    data = b'{"a": "\xff<private>\xc3\x28pw123</private>b"}'
    assert json.loads(cut_private(data)) == {"a": "\ufffd[private]b"}


def test_lone_surrogates_come_out_as_escapes() -> None:
    """B9: what can't be encoded still makes a valid document."""
    data = b'{"a": "\\ud83d <private>x</private> \xd0\xbf\xd0\xbe\xd0\xb8\xd1\x81\xd0\xba"}'
    out = cut_private(data)
    assert b"\\ud83d" in out
    assert "поиск" in out.decode()
    assert json.loads(out) == {"a": "\ud83d [private] поиск"}


@pytest.mark.parametrize("depth", [900, 100_000])
def test_deep_nesting_is_no_way_out(depth: int) -> None:
    data = b"[" * depth + b'"<private>pw123</private>"' + b"]" * depth
    assert CANARY.encode() not in cut_private(data)


def test_huge_numbers_are_no_way_out() -> None:
    data = b'{"n": ' + b"9" * 5000 + b', "t": "<private>pw123</private>"}'
    assert CANARY.encode() not in cut_private(data)


texts = st.text(max_size=20)
SHAPES = ["both", "open", "nested", "close"]


@st.composite
def private_text(draw: st.DrawFn, shapes: list[str] = SHAPES) -> str:
    """A canary behind an opening that nothing closes earlier, or before a closing."""
    less, more = draw(st.sampled_from(SPELLINGS))
    name = draw(st.sampled_from(["private", "Private", "PRIVATE"]))
    gap = draw(st.sampled_from(["", " ", "\n", " x='y' "]))
    opening = f"{less}{name}{gap}{more}"
    closing = f"{less}/{name}{more}"
    match draw(st.sampled_from(shapes)):
        case "open":
            return f"{draw(texts)}{opening}{draw(texts)}CANARY"
        case "nested":
            return f"{opening}{opening}{closing}CANARY{closing}{draw(texts)}"
        case "close":
            return f"{draw(texts)}CANARY{draw(texts)}{closing}{closing}"
        case _:
            return f"{draw(texts)}{opening}{draw(texts)}CANARY{draw(texts)}{closing}{draw(texts)}"


leaves = st.none() | st.booleans() | st.integers() | texts | private_text()
documents = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(texts | private_text(), inner, max_size=4)
        | inner.map(json.dumps)
    ),
    max_leaves=12,
)


@given(documents, st.booleans())
def test_no_canary_survives_anywhere_in_any_document(document: Any, ascii_only: bool) -> None:
    data = json.dumps(document, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    if not holds_private(data):
        assert b"CANARY" not in data
        return
    out = cut_private(data)
    assert b"CANARY" not in out
    json.loads(out)


@given(st.lists(texts | private_text(["both", "open", "nested"])), st.integers(0, 400))
def test_no_canary_survives_in_a_document_cut_short(parts: list[str], length: int) -> None:
    data = json.dumps({"a": parts, "b": dict.fromkeys(parts, parts)}).encode()[:length]
    assert b"CANARY" not in cut_private(data)


@given(documents)
def test_cutting_twice_changes_nothing(document: Any) -> None:
    once = cut_private_value(document)
    assert cut_private_value(once) == once


@given(st.text(alphabet="<>/privateé \\u03c&lt;\n", max_size=60))
def test_whatever_is_cut_was_announced(text: str) -> None:
    """The cheap test lets nothing through that the thorough one would cut."""
    if cut_private_text(text) != text:
        assert holds_private(json.dumps(text).encode())
        assert holds_private(text.encode())


def test_the_module_loads_nothing_until_a_tag_is_there() -> None:
    code = (
        "import sys; before = set(sys.modules); import backstory.sanitize.private as p;"
        "p.holds_private(b'<b>private'); print(sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": "src"},
    )
    assert done.stdout.strip() == str(
        ["__future__", "backstory", "backstory.sanitize", "backstory.sanitize.private"]
    )
