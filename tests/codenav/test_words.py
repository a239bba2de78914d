"""The words of code and of questions about it."""

from __future__ import annotations

import pytest

from backstory.codenav.words import alike, asked_words, stem, words_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("strings", "str"),
        ("dictionary", "dict"),
        ("parsed", "parse"),
        ("parsing", "parses"),
        ("splitting", "split"),
        ("classes", "class"),
        ("queries", "query"),
        ("folders", "directory"),
        ("configuration", "config"),
        ("matches", "match"),
        ("running", "run"),
        ("falling", "fall"),
    ],
)
def test_spellings_of_a_word_are_one(one: str, other: str) -> None:
    """Endings and the abbreviations of programmers."""
    assert stem(one) == stem(other)


@pytest.mark.parametrize(("one", "other"), [("status", "stat"), ("class", "cla"), ("sing", "s")])
def test_other_words_stay_apart(one: str, other: str) -> None:
    """An ending is taken off only where a word is left."""
    assert stem(one) != stem(other)


def test_identifiers_are_cut_into_their_parts() -> None:
    """Camel and snake case alike."""
    assert words_of("getUserRow") == words_of("get_user_row") == ["get", "user", "row"]


def test_a_question_is_left_with_what_it_asks_for() -> None:
    """Its own words say nothing about code."""
    asked = asked_words("how to convert a string into a dictionary in python")
    assert asked == ["convert", "str", "dict"]


def test_a_question_of_such_words_alone_keeps_them() -> None:
    """Something has to be looked for."""
    assert asked_words("how to") == ["how", "to"]


def test_words_that_say_nearly_the_same_know_each_other() -> None:
    """In both directions, and none is its own neighbour."""
    table = alike()
    assert stem("delete") in table[stem("remove")]
    assert all(word in table[other] for word, others in table.items() for other in others)
    assert not any(word in others for word, others in table.items())
