"""Rows for what was found out: by looking, and as the closing message puts it."""

from __future__ import annotations

import re

from backstory.capture.rules import words
from backstory.capture.rules.draft import TOKEN_LIMIT, Draft
from backstory.capture.rules.paths import folder, name
from backstory.capture.rules.reads import Look
from backstory.capture.rules.statements import Statement
from backstory.capture.rules.terms import overlap, terms, weight
from backstory.capture.rules.titles import mark, shorten, tokens

_LOOK_FACTS = 6
_LOOK_CHARACTERS = 180  # of each, so that one long line does not push out the others
_SAID_ROWS = 3
_ADVICE = 60  # characters of an advice that leave room for its reason in a title
_SAME = 0.6  # shared words from which an answer repeats a rule,
_AKIN, _AKIN_WORDS = 0.15, 2  # and of an answer that says that it takes it in
_OPENING = re.compile(
    r"^(?:also|and|but|so|please|btw|oh|note(?: that)?|noted)\b[ ,:]*", re.IGNORECASE
)
_GRAVE = re.compile(r"\W*(?:blocking|blocker|critical|must[- ]fix|high)\b", re.IGNORECASE)
_TELLING = re.compile(r"\d|`|[\w-]+\.\w{2,4}\b|\w_\w|[a-z][A-Z]|\w\(\)")


def investigation(looks: list[Look], key: str = "reads") -> Draft | None:
    """One row for all that was looked at; None when there was nothing to see."""
    if not looks:
        return None
    row = Draft(key, "discovery", "", importance=0, concepts=["how-it-works"])
    row.steps, row.covered = [look.step for look in looks], True
    for look in looks:
        row.files_read += [path for path in look.files[:6] if path not in row.files_read]
    ranked = sorted(looks, key=lambda look: -look.score)
    lines = [line for look in ranked for line in look.facts[: 2 if len(looks) > 3 else 3]]
    room = 1.6 * _LOOK_CHARACTERS if len(lines) < 3 else _LOOK_CHARACTERS
    for line in lines[:_LOOK_FACTS]:
        row.add_fact(shorten(line, int(room)))
    row.title = _title(looks, ranked)
    if any(look.measured for look in looks):
        row.importance = 1
    return row


def _title(looks: list[Look], ranked: list[Look]) -> str:
    files = list(
        dict.fromkeys(path for look in looks if look.step.kind == "read" for path in look.files)
    )
    best = ranked[0]
    if best.measured and best.facts:
        return best.headline or best.facts[0]
    searches = [look for look in looks if look.step.kind != "read" and look.files]
    if searches and (not files or searches[0].score >= best.score):
        where = ", ".join(searches[0].files[:3])
        return f"{searches[0].subject}: {where}"
    if not files:
        return best.facts[0] if best.facts else f"Looked at {best.subject}"
    shared = {folder(path) for path in files}
    if len(shared) == 1 and len(files) > 2 and (one := shared.pop()):
        return f"Read {', '.join(name(path) for path in files)} in {one}"
    return f"Read {', '.join(files[:4])}"


def findings(statements: list[Statement], request: str) -> list[Draft]:
    """Rows for sentences of the closing message that belong to no other row."""
    rows: list[Draft] = []
    group: list[Statement] = []
    cost = 0
    for one in statements:
        price = tokens(one.text) + 3
        if group and cost + price > TOKEN_LIMIT - 70 and len(rows) < _SAID_ROWS - 1:
            rows.append(_found(group, request))
            group, cost = [], 0
        group.append(one)
        cost += price
    if group and (not rows or any(one.sort != "next" for one in group)):
        rows.append(_found(group, request))
    elif group:
        for one in group:
            rows[-1].add_fact(one.text)
    return rows


def _found(group: list[Statement], request: str) -> Draft:
    best = max(group, key=lambda one: _rank(one, group))
    row = Draft(f"finding:{mark(best.text)}", "discovery", best.text, importance=2)
    advised = next((one for one in group if words.RECOMMENDED.search(one.text)), None)
    if advised and words.SHOULD_WE.search(request):
        # Asked which way to go, and answered.
        row.type, row.importance = "decision", 3
        if advised is not best and len(advised.text) < _ADVICE:
            row.title = f"{advised.text.rstrip('.。 ')}: {best.text}"
    row.concepts = ["why-it-exists" if best.sort == "cause" else "how-it-works"]
    for one in group:
        if one is not best:
            row.add_fact(one.text)
    if request:
        row.narrative = [f"Asked: {shorten(request, 160)}"]
    return row


def _rank(one: Statement, group: list[Statement]) -> float:
    """How well a sentence stands for its group: it says why, it names things, it came first."""
    length = len(one.text)
    fits = 1.0 if 20 <= length <= 140 else 0.0
    return (
        2.0 * (one.sort == "cause")
        + 1.5 * bool(_TELLING.search(one.text))
        + fits
        - 0.4 * group.index(one)
        - 1.0 * (one.sort == "next")
        + 1.5 * bool(_GRAVE.match(one.text))
    )


def decision(one: Statement, source: str) -> Draft:
    """A row for a decision or a rule; `source` says who laid it down."""
    text = _OPENING.sub("", one.text) or one.text
    word = text.split(" ", 1)[0].rstrip(",;")
    if word.isalpha() and word.islower():
        text = text[0].upper() + text[1:]
    row = Draft(f"decision:{mark(one.text)}", "decision", text, importance=3)
    row.concepts = ["trade-off" if one.weighed or one.why else "why-it-exists"]
    if one.why:
        row.narrative.append(one.why)
    if source == "user":
        row.concepts.append("pattern")
    return row


def decisions(found: list[Statement], source: str, most: int) -> list[Draft]:
    """Rows for decisions; beyond `most` they share the last one."""
    rows = [decision(one, source) for one in found[:most]]
    for one in found[most:]:
        rows[-1].add_fact(one.text)
    return rows


def repeats(one: Statement, laid_down: list[Draft], *, worked: bool) -> bool:
    """Whether a sentence of the answer only takes in a rule of the prompt; then it goes there.

    `worked` says that the turn did something, so that a sentence may tell of that instead.
    """
    found = terms(one.text)
    taken_in = words.ACKNOWLEDGED.match(one.text)
    for row in laid_down:
        own = terms(" ".join([row.title, *row.facts]))
        shared = overlap(found, own)
        akin = shared >= _AKIN or weight(found & own) >= _AKIN_WORDS
        if (taken_in and akin) or (not worked and shared >= _SAME):
            if not row.says(one.text) and len(row.narrative) < 2:
                row.narrative.append(one.text)
            return True
    return False


def given(facts: list[str]) -> Draft:
    """A row for what the user told about how things are."""
    row = Draft(
        f"given:{mark(facts[0])}", "discovery", facts[0], importance=2, concepts=["how-it-works"]
    )
    for line in facts[1:]:
        row.add_fact(line)
    return row
