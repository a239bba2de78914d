"""Which row a sentence of the closing message belongs to."""

from __future__ import annotations

import re

from backstory.capture.rules import words
from backstory.capture.rules.draft import TOKEN_LIMIT, Draft
from backstory.capture.rules.statements import Statement
from backstory.capture.rules.terms import overlap, terms, weight
from backstory.capture.rules.titles import tokens

_ROOM = 210  # tokens of a row that sentences may take
_REQUEST = 35  # tokens that the request takes on a row, put there later
_FEW = 2
_GOES_ON, _NAMED = 2, 3
_CODE = re.compile(r"`([^`]+)`")
_LEAST = 3  # shared words, weighed, for a sentence to belong to a row


def place(statements: list[Statement], drafts: list[Draft], outside: str) -> list[Statement]:
    """Puts sentences on the rows of work that they speak of; gives back what belongs to none.

    `outside` is text from the web: a sentence that rests on it never goes on a row of our own work.
    """
    known = [(draft, _words(draft)) for draft in drafts]
    foreign = terms(outside)
    rest: list[Statement] = []
    before: Draft | None = None  # where the sentence before went
    for one in statements:
        found = terms(one.text)
        if rests_on(found, foreign):
            rest.append(one)
            continue
        draft = (
            before if before and words.REFERS.match(one.text) else _home(one, found, known, before)
        )
        before = draft
        if draft is None or not _fits(draft, one):
            rest.append(one)
            continue
        if not draft.says(one.text):
            _put(draft, one)
    return rest


def settle(rest: list[Statement], drafts: list[Draft], outside: str) -> list[Statement]:
    """Puts a remaining sentence or two on the main piece of work; more make a row of their own."""
    work = [draft for draft in drafts if draft.files_modified]
    if (
        not work
        or len(rest) > _FEW
        or any(rests_on(terms(one.text), terms(outside)) for one in rest)
    ):
        return rest
    home = max(work, key=lambda draft: (draft.importance, draft.type == "bugfix", len(draft.said)))
    left: list[Statement] = []
    for one in rest:
        if _fits(home, one):
            _put(home, one)
        else:
            left.append(one)
    return left


def _put(draft: Draft, one: Statement) -> None:
    text = one.text
    if one.sort == "next":
        # Without its label a step may read as if it were done.
        text = (
            text if words.NEXT.search(text) or text.endswith(("?", "？")) else f"Left to do: {text}"
        )
        draft.left.append(text)
    draft.said.append(text)


def rests_on(found: frozenset[str], foreign: frozenset[str]) -> bool:
    """Whether a sentence says what the outside text said."""
    return bool(foreign) and len(found) > 2 and len(found & foreign) / len(found) > 0.6


def _words(draft: Draft) -> frozenset[str]:
    return terms(
        " ".join(
            [
                draft.title,
                *draft.narrative,
                *draft.facts,
                *draft.files_modified,
                *draft.symbols,
                draft.words,
            ]
        )
    )


def _home(
    one: Statement,
    found: frozenset[str],
    known: list[tuple[Draft, frozenset[str]]],
    before: Draft | None,
) -> Draft | None:
    best, score = None, 0
    coded = {word.strip("() ") for word in _CODE.findall(one.text)}
    for draft, own in known:
        points = weight(found & own) + (1 if draft.type == "bugfix" and one.sort == "cause" else 0)
        if coded and any(symbol.rsplit(".", 1)[-1] in coded for symbol in draft.symbols):
            points += _NAMED
        # A sentence mostly goes on about what the one before it was about.
        points += _GOES_ON if points and draft is before and one.sort in ("fact", "cause") else 0
        if points > score:
            best, score = draft, points
    if score >= _LEAST or (best is not None and overlap(found, _words(best)) > 0.4):
        return best
    fixes = [draft for draft, _ in known if draft.type == "bugfix"]
    if one.sort in ("cause", "done") and len(fixes) == 1:
        return fixes[0]
    # With a single piece of work, what is said at the end is said about it.
    if len(known) == 1 and known[0][0].files_modified and one.sort != "fact":
        return known[0][0]
    return best if score >= 2 else None


def _fits(draft: Draft, one: Statement) -> bool:
    taken = sum(tokens(text) for text in draft.said)
    if taken + tokens(one.text) > _ROOM:
        return False
    fixed = tokens(draft.title) + sum(tokens(text) for text in draft.narrative)
    return fixed + taken + tokens(one.text) < TOKEN_LIMIT - _REQUEST
