"""The tokeniser, and through SQLite what its words and expressions find."""

from __future__ import annotations

import sqlite3
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backstory.storage.tokens import MAX_TERMS, counted, index_text, query_terms


def found(text: str, query: str) -> bool:
    """Whether every term of the query is in a row with this text."""
    db = sqlite3.connect(":memory:")
    try:
        db.execute(
            "CREATE VIRTUAL TABLE t USING fts5"
            " (body, tokenize = 'porter unicode61 remove_diacritics 2')"
        )
        db.execute("INSERT INTO t VALUES (?)", (index_text(text),))
        terms = query_terms(query)
        match = " AND ".join(term.strict for term in terms)
        return bool(terms) and bool(
            db.execute("SELECT 1 FROM t WHERE t MATCH ?", (match,)).fetchall()
        )
    finally:
        db.close()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("getUserById", "get user by id getuserbyid"),
        ("get_user_by_id", "get user by id getuserbyid"),
        ("HTTPServer2", "http server 2 httpserver2"),
        ("XMLHttpRequest", "xml http request xmlhttprequest"),
        ("userIDs getURLs", "user ids get urls userids geturls"),
        ("src/auth/login.py", "src auth login py"),
        ("the user's key, don't", "the user key dont"),
        ("C++ C# F# .NET Node.js", "c c f net node js cplusplus csharp fsharp dotnet nodejs"),
        ("a3f9c2e81b", "a3f9c2e81b"),
        ("50% of é 🎉 ①", "50 of é 1"),
        ("\u202eab\u200bc\0d", "abc d"),
        ("", ""),
        ("--- ... ***", ""),
    ],
)
def test_identifiers_are_cut_and_kept_whole(text: str, words: str) -> None:
    """The parts stand in the order of the text, the whole names follow, once each."""
    assert index_text(text) == words


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("call getUserById first", "getuserbyid"),
        ("call getUserById first", "get_user_by_id"),
        ("call get_user_by_id first", "getUserById"),
        ("call getUserById first", "user"),
        ("call getUserById first", '"call getUserById first"'),
        ("in src/auth/get_user.py", "auth/get_user.py"),
        ("in src/auth/get_user.py", "user.py"),
        ("in src\\auth\\login.py", "src/auth/login.py"),
        ("multi-agent", "multiagent"),
        ("multiAgent", "multi-agent"),
        ("C++ templates", "c++"),
        ("a C# service", "C#"),
        (".NET 8 upgrade", ".net"),
        ("emptied pkg/__init__.py", "__init__"),
        ("emptied __init__", "init"),
        ("self.__dict__ is gone", "__DICT__"),
        ("the nodejs version", "Node.js"),
        ("released v1.2.3", "1.2.3"),
        ("@scope/pkg added", "@scope/pkg"),
        ("use --dry-run here", "--dry-run"),
        ("set $MAX_RETRIES", "MAX_RETRIES"),
        ("error E0308 in build", "e0308"),
        ("ticket OC-41252", "OC-41252"),
        ("on 2026-05-08 at noon", "2026-05-08"),
        ("host 192.168.0.1 is up", "192.168.0.1"),
        ("e=mc2", "e=mc2"),
        ("at 50% load", "50%"),
        ("UTF-8 decoding", "utf8"),
        ("Café naïve", "cafe naive"),
        ("Все ёлки", "елки"),
        ("Größe STRASSE", "größe straße"),
        ("ＦＵＬＬ width", "full"),
        ("سَلَام", "سلام"),
        ("סֵפֶר", "ספר"),
        ("Σίσυφος", "σίσυφοσ"),
        ("running tests", "run test"),
    ],
)
def test_what_is_written_one_way_is_found_asked_another(text: str, query: str) -> None:
    """Case, joints, accents and look-alike characters make no difference."""
    assert found(text, query)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("修复用户数据同步", "用户"),
        ("修复用户数据同步", "数据"),
        ("修复用户数据同步", "用"),
        ("修复用户数据同步", "步"),
        ("修复用户数据同步", "用户数据"),
        ("修复用户数据同步", "修复用户数据同步"),
        ("连接db超时", "db"),
        ("重跑gen-itgc后50条", "itgc"),
        ("重跑gen-itgc后50条", "50"),
        ("ログインを修正した", "ログイン"),
        ("데이터베이스에 연결", "데이터베이스"),
        ("แก้ไขผู้ใช้แล้ว", "ผู้ใช้"),
    ],
)
def test_scripts_without_spaces_are_found_at_any_length(text: str, query: str) -> None:
    """F4, F5: two characters, one character, and Latin glued to them."""
    assert found(text, query)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("a C program", "C++"),
        ("a C program", "(C++),"),
        ("the net result", ".NET"),
        ("an init script", "__init__"),
        ("版本 1.2", "2.1"),
        ("用数户据", "用户"),
        ("login of user", '"user login"'),
    ],
)
def test_what_only_looks_alike_is_not_found(text: str, query: str) -> None:
    """Special names are not their letters, and a phrase keeps its order."""
    assert not found(text, query)


def test_a_quoted_phrase_is_one_term_and_a_lone_quote_is_nothing() -> None:
    """F2: only a pair of quotation marks means something."""
    assert [term.strict for term in query_terms('say "exact words" now')] == [
        '"say"',
        '"exact words"',
        '"now"',
    ]
    assert [term.strict for term in query_terms('timeout "error')] == ['"timeout"', '"error"']
    assert query_terms('"') == ()


def test_a_word_asked_twice_is_asked_once() -> None:
    """However it is spelled; twice, it would weigh more."""
    assert [term.strict for term in query_terms("Cart (cart) CART,")] == ['"cart"']


def test_a_term_knows_its_beginning_unless_it_is_too_short_to_mean_much() -> None:
    """`confi` asks for config too; `id` and numbers ask for themselves."""
    assert [term.prefix for term in query_terms("confi id 41252")] == [
        '"confi" *',
        '"id"',
        '"41252"',
    ]


def test_a_query_is_capped() -> None:
    """A pasted page makes no expression that SQLite would refuse."""
    assert len(query_terms(" ".join(f"word{n}x" for n in range(10_000)))) <= MAX_TERMS


@given(st.text())
def test_any_text_is_words_between_spaces(text: str) -> None:
    """Nothing but letters, digits and single spaces ever reaches the index."""
    words = index_text(text)
    assert "  " not in words
    assert words == words.strip()
    assert all(char.isalnum() or char == " " or ord(char) > 127 for char in words)
    words.encode()


@given(st.text(min_size=1, max_size=60))
def test_any_text_is_found_by_itself(text: str) -> None:
    """What is written and what is asked are folded by one rule."""
    if query_terms(text) and '"' not in text and text.isascii():
        assert found(text, text)


@given(st.text() | st.text("aB_-.#+1 日本é'", max_size=40))
def test_words_are_counted_as_they_are_indexed(text: str) -> None:
    """Only quicker."""
    assert counted(text) == Counter(index_text(text).split())
