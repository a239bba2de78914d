"""The keys of YAML."""

from __future__ import annotations

import math

from backstory.codenav.languages import languages
from backstory.codenav.symbols import Reading
from backstory.codenav.yaml_keys import yaml_keys


def read(text: str) -> Reading:
    return yaml_keys(text, languages()["yaml"], math.inf)


def names(text: str) -> list[str]:
    return [f"{one.start_line}-{one.end_line} {one.qualified_name}" for one in read(text).symbols]


def test_texts_hold_no_keys() -> None:
    text = (
        "a: |\n  b: 1\n\n  - c: 2\nd: >-\n  e: 3\nf: 'g: 4\n  h: 5'\ni: {j: 6,\n  k: 7}\nl: m: n\n"
    )
    assert names(text) == ["1-4 a", "5-6 d", "7-8 f", "9-10 i", "11-11 l"]


def test_a_list_may_stand_at_the_indent_of_its_key() -> None:
    text = "a:\n- name: x\n  v: 1\n- name: y\nb:\n  - name: z\n    w: 1\n"
    assert names(text) == [
        "1-4 a",
        "2-3 a.x",
        "2-2 a.x.name",
        "3-3 a.x.v",
        "4-4 a.y",
        "4-4 a.y.name",
        "5-7 b",
        "6-7 b.z",
        "6-6 b.z.name",
        "7-7 b.z.w",
    ]


def test_documents_are_sections_with_the_names_of_what_they_hold() -> None:
    text = "---\nkind: Service\nmetadata:\n  name: web\n---\na: 1\n...\n"
    assert names(text) == [
        "1-4 Service web",
        "2-2 Service web > kind",
        "3-4 Service web > metadata",
        "4-4 Service web > metadata.name",
        "5-6 document 2",
        "6-6 document 2 > a",
    ]


def test_one_document_needs_no_section() -> None:
    assert names("# comment\n---\na: 1\n") == ["3-3 a"]


def test_of_a_long_list_the_first_items_are_shown() -> None:
    found = read("a:\n" + "".join(f"  - n: {number}\n" for number in range(100))).symbols
    assert found[-1].name == "[20…99]"
    assert found[-1].signature == "80 more items"
    assert (found[-1].start_line, found[-1].end_line) == (22, 101)


def test_keys_are_written_in_many_ways() -> None:
    text = "\"a: b\": 1\n'c''d': 2\n価格: 3\nx y: 4\n&n k: 5\n!t m: 6\n<<: *n\nurl:x: 7\n8: 9\n"
    assert [one.name for one in read(text).symbols] == [
        *("a: b", "c''d", "価格", "x y", "k", "m", "<<", "url:x", "8"),
    ]


def test_comments_right_above_a_key_belong_to_it() -> None:
    text = "# far\n\n# The port.\n# It is open.\nport: 80 # why\n# end\n"
    (port,) = read(text).symbols
    assert (port.start_line, port.end_line, port.line, port.doc) == (3, 5, 5, "The port.")
