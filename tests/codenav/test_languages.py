"""Which language a file is written in."""

from __future__ import annotations

import pytest

from backstory.codenav.languages import detect, languages

PROGRAMMING = {
    *("python", "javascript", "typescript", "tsx", "go", "rust", "java", "kotlin", "c", "cpp"),
    *("csharp", "objc", "ruby", "php", "swift", "scala", "lua", "bash", "elixir", "erlang"),
    *("dart", "zig", "haskell", "ocaml", "perl", "r", "julia", "clojure", "solidity"),
    "powershell",
}


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("src/app.py", "python"),
        ("types.pyi", "python"),
        ("SConstruct", "python"),
        ("a.js", "javascript"),
        ("a.mjs", "javascript"),
        ("a.cjs", "javascript"),
        ("a.jsx", "javascript"),
        ("a.d.ts", "typescript"),
        ("a.component.tsx", "tsx"),
        ("include/cart.h", "cpp"),
        ("A.CPP", "cpp"),
        ("analysis.R", "r"),
        ("Rakefile", "ruby"),
        ("Dockerfile", "dockerfile"),
        ("deploy/Dockerfile.prod", "dockerfile"),
        ("GNUmakefile", "make"),
        ("Cargo.lock", "toml"),
        (".github/workflows/ci.yml", "yaml"),
        ("C:\\work\\app.go", "go"),
        ("/srv/プロジェクト/価格.py", "python"),
    ],
)
def test_a_name_tells_the_language(path: str, name: str) -> None:
    found = detect(path)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("#!/bin/sh\n", "bash"),
        ("#!/usr/bin/env python3.12\nimport os\n", "python"),
        ("#!/usr/bin/env -S node --no-warnings\n", "javascript"),
        ("#! /usr/bin/perl -w\n", "perl"),
        ("#!/usr/bin/env FOO=1 ruby\n", "ruby"),
        ("\ufeff#!/usr/bin/env pwsh\n", "powershell"),
        ("#!/usr/bin/env bash", "bash"),
    ],
)
def test_a_script_without_an_ending_is_known_by_its_first_line(head: str, name: str) -> None:
    found = detect("bin/tool", head)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize(
    ("path", "head"),
    [
        ("notes.txt", ""),
        ("LICENSE", "MIT License"),
        ("", ""),
        (".", ""),
        ("py", ""),
        ("a.py.bak", ""),
        ("tool", "#!"),
        ("tool", "#!/opt/unheard-of"),
        ("tool", "\n#!/bin/sh"),
    ],
)
def test_other_files_have_no_language(path: str, head: str) -> None:
    assert detect(path, head) is None


def test_the_ending_wins_over_the_first_line() -> None:
    found = detect("a.py", "#!/bin/sh\n")
    assert found is not None
    assert found.name == "python"


def test_the_programming_languages_are_there() -> None:
    assert languages().keys() >= PROGRAMMING


def test_no_ending_name_or_interpreter_belongs_to_two_languages_without_a_sign() -> None:
    for field in ("extensions", "filenames", "shebangs"):
        used = [
            value
            for language in languages().values()
            for value in getattr(language, field)
            if not (field == "extensions" and language.signs)
        ]
        assert len(used) == len(set(used))


def test_endings_and_names_are_written_in_lower_case() -> None:
    for language in languages().values():
        assert all(ending == ending.lower() and ending[0] == "." for ending in language.extensions)
        assert all(name == name.lower() for name in language.filenames)


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("/* A cart. */\n#pragma once\nstruct cart;\nint total(struct cart *it);\n", "c"),
        ("#define LIMIT 10\n", "c"),
        ("// A cart.\nnamespace shop {\nclass Cart;\n}\n", "cpp"),
        ("#include <string>\nstd::string name(int a);\n", "cpp"),
        ("#import <Foundation/Foundation.h>\n@interface Cart : NSObject\n@end\n", "objc"),
        ("", "cpp"),
    ],
)
def test_languages_that_share_an_ending_are_told_apart_by_what_they_say(
    head: str, expected: str
) -> None:
    language = detect("cart.h", head)
    assert language is not None
    assert language.name == expected
