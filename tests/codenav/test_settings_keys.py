"""The sections and keys of TOML, INI and .properties."""

from __future__ import annotations

import math

from backstory.codenav.languages import languages
from backstory.codenav.settings_keys import settings_keys
from backstory.codenav.symbols import Reading


def read(text: str, name: str) -> Reading:
    return settings_keys(text, languages()[name], math.inf)


def names(text: str, name: str) -> list[str]:
    found = read(text, name).symbols
    return [f"{one.start_line}-{one.end_line} {one.qualified_name}" for one in found]


def test_values_of_several_lines_hold_no_keys() -> None:
    text = "a = '''\n[b]\nc = 1\n'''\nd = [\n  { e = 1 },\n  \"]\",  # ]\n]\nf = \"[\"\n"
    assert names(text, "toml") == ["1-4 a", "5-8 d", "9-9 f"]


def test_tables_of_a_list_are_called_by_the_name_in_them() -> None:
    text = '[[package]]\nname = "serde"\n\n[[package]]\nversion = "1"\n'
    assert names(text, "toml") == [
        "1-2 package.serde",
        "2-2 package.serde.name",
        "4-5 package",
        "5-5 package.version",
    ]


def test_the_first_fault_of_toml_is_told() -> None:
    assert read("a = 1\nb = = 2\nc = 3\n", "toml").problems == ((2, 2),)
    assert read("a = [1,\n", "toml").problems == ((1, 1),)
    assert read("a = 1\r\n", "toml").problems == ()


def test_lines_that_go_on_belong_to_their_key() -> None:
    ini = "[a]\nb =\n    c\n    d\n; e = 1\nf: 2\n"
    assert names(ini, "ini") == ["1-6 a", "2-4 a.b", "5-6 a.f"]
    properties = "a=b\\\n  c=d\\\n  e\nf=g\\\\\nh=i\n"
    assert names(properties, "properties") == ["1-3 a", "4-4 f", "5-5 h"]


def test_keys_of_git_are_indented() -> None:
    text = '[remote "origin"]\n\turl = x\n\tfetch = y\n'
    assert names(text, "ini")[1:] == ['2-2 remote "origin".url', '3-3 remote "origin".fetch']
