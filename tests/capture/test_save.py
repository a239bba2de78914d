"""What is saved word for word."""

from __future__ import annotations

import pytest

from backstory.capture.save import CONTENT_LIMIT, save
from backstory.errors import BadInput
from tests.support.pipeline import Pipeline


@pytest.fixture
def project(pipe: Pipeline) -> int:
    """A project without anything in it."""
    values = {"name": "shop", "root": "/r", "at": 1}
    pipe.db.execute(
        "INSERT INTO projects (name, root, created_at) VALUES (:name, :root, :at)", values
    )
    return 1


def test_words_are_stored_exactly_and_found(pipe: Pipeline, project: int) -> None:
    """With the first line as title, where none is given."""
    text = "Deploys go out on Tuesdays.\nNever on a Friday."
    saved = save(pipe.db, project, text, files=("deploy.sh",))
    assert (saved.new, saved.redacted) == (True, False)
    query = "SELECT title, narrative, type, evidence, distilled_by FROM observations WHERE id = ?"
    assert pipe.rows(query, saved.id) == [
        ("Deploys go out on Tuesdays.", text, "discovery", "stated", "user")
    ]
    assert pipe.rows("SELECT path FROM observation_files") == [("deploy.sh",)]
    match = "SELECT rowid FROM search_text WHERE search_text MATCH 'fridays'"
    assert pipe.rows(match) == [(saved.id * 4,)]


def test_a_memory_may_wait_for_prompts(pipe: Pipeline, project: int) -> None:
    """Cleaned, each once, and a few at most; they are no part of what is shown or searched."""
    secret = "ghp_" + "a1B2" * 9
    asked = ["can I ship today", f"push with {secret}", "can I ship today", "", *"abcdef"]
    saved = save(pipe.db, project, "Deploys go out on Tuesdays.", queries=asked)
    kept = [text for (text,) in pipe.rows("SELECT query FROM observation_queries")]
    assert len(kept) == 4
    assert "can I ship today" in kept
    assert secret not in "".join(kept)
    assert pipe.one("SELECT narrative FROM observations WHERE id = ?", saved.id) == (
        "Deploys go out on Tuesdays."
    )
    assert pipe.rows("SELECT rowid FROM search_text WHERE search_text MATCH 'ship'") == []


@pytest.mark.parametrize(
    "variant",
    ["Café fix", "Cafe\u0301 fix", "  CAFÉ\n fix ", "Ｃafé ﬁx", "café\u00a0fix"],
)
def test_the_same_words_are_stored_once_a_project(
    pipe: Pipeline, project: int, variant: str
) -> None:
    """E3: spelling variants of Unicode, case and spacing do not make them others."""
    first = save(pipe.db, project, "Café fix")
    again = save(pipe.db, project, variant)
    assert (again.id, again.new) == (first.id, False)
    pipe.db.execute("INSERT INTO projects (name, root, created_at) VALUES ('b', '/b', 1)")
    assert save(pipe.db, 2, variant).new
    assert pipe.one("SELECT count(*) FROM observations") == 2


def test_secrets_and_private_text_are_left_out(pipe: Pipeline, project: int) -> None:
    """G1: also of titles and file names; the caller learns of it."""
    secret = "ghp_" + "a1B2" * 9
    saved = save(
        pipe.db,
        project,
        f"the token {secret} <private>canary</private>",
        title=f"T {secret}",
        files=(f"x/{secret}.txt",),
    )
    assert saved.redacted
    everything = str(
        [pipe.rows(f"SELECT * FROM {t}") for t in ("observations", "observation_files")]
    ) + str(pipe.rows("SELECT * FROM search_text"))
    assert secret not in everything
    assert secret.lower() not in everything
    assert "canary" not in everything
    assert save(pipe.db, project, "kept <private>canary</private>").redacted


def test_a_file_named_twice_is_one(pipe: Pipeline, project: int) -> None:
    """Also where two names become one by what is left out of them."""
    names = ("a.py", "a.py", "<private>x</private>.md", "<private>y</private>.md")
    save(pipe.db, project, "two files", files=names)
    assert pipe.rows("SELECT path FROM observation_files") == [("[private].md",), ("a.py",)]


@pytest.mark.parametrize(
    ("content", "kind", "words"),
    [
        ("", "discovery", "empty"),
        (" \n", "discovery", "empty"),
        ("x" * (CONTENT_LIMIT + 1), "discovery", "4001 characters"),
        ("x", "poem", "no type 'poem'"),
        ("<private>all of it</private>\n", "discovery", "private"),
    ],
)
def test_what_cannot_be_saved_says_why(
    pipe: Pipeline, project: int, content: str, kind: str, words: str
) -> None:
    """And stores nothing."""
    with pytest.raises(BadInput, match=words):
        save(pipe.db, project, content, type=kind)
    assert pipe.one("SELECT count(*) FROM observations") == 0
