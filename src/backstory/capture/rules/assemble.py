"""From a turn to its rows: made, joined, weighed and cut to the best eight."""

from __future__ import annotations

import re

from backstory.capture.rules import (
    changerows,
    checkrows,
    findrows,
    foreign,
    operations,
    security,
    seen,
    troublerows,
    words,
)
from backstory.capture.rules.bounds import bounded
from backstory.capture.rules.draft import TOKEN_LIMIT, Draft
from backstory.capture.rules.gitwork import Commit
from backstory.capture.rules.naming import name_rows
from backstory.capture.rules.paths import name
from backstory.capture.rules.placing import place, rests_on, settle
from backstory.capture.rules.proofs import verify
from backstory.capture.rules.reads import Look
from backstory.capture.rules.story import Story, tell
from backstory.capture.rules.summary import summarise
from backstory.capture.rules.terms import same, terms
from backstory.capture.rules.titles import is_order, mark, shorten
from backstory.records import Distilled, Observation, Turn

RULES_VERSION = "rules/1"

_MOST = 8
_DECISIONS = 3
_CONTEXT = 20  # characters of a request that say what a rule was laid down for
_SHOWN = 160  # characters of the request that a row shows
_ORDER = ("security_alert", "decision", "discovery", "security_note", "sensitive")


def distill(turn: Turn) -> Distilled:
    """The rows and the summary of a turn; the same turn always gives the same.

    Reads nothing but the turn. A turn without anything worth knowing gives nothing.
    """
    story = tell(bounded(turn))
    drafts = _drafts(story)
    rows = _kept(drafts, story)
    return Distilled(rows, summarise(story, rows))


def _drafts(story: Story) -> list[Draft]:
    work = _work(story)
    said = _said(story, work)
    beside = _beside(story)
    drafts = [*work, *beside, *said]
    _investigations(story, drafts)
    _seen(story, drafts)
    if story.reads_only and drafts:
        drafts = [_one(drafts)]
    _given(story, drafts)
    _ask(story, drafts)
    if not drafts:
        drafts = _only_checks(story)
    return drafts


def _work(story: Story) -> list[Draft]:
    """Rows for fixes, failures, changes, installations and commits."""
    prompt = story.turn.prompt
    rows = checkrows.run_rows(story)
    if not any(row.type == "bugfix" for row in rows):
        rows += checkrows.earlier_rows(story)
    spoken = f"{prompt}\n{story.turn.last_message}"
    rows += troublerows.trouble_rows(story.troubles, story.changes, story.installs, spoken)
    told = {id(step) for row in rows if row.files_modified for step in row.steps}
    rest = [c for c in story.changes.values() if any(id(step) not in told for step in c.steps)]
    rows += changerows.rows(rest, story.intent)
    told_steps = {step.index for row in rows for step in row.steps}
    rows += changerows.install_rows([i for i in story.installs if i.step.index not in told_steps])
    told_steps = {step.index for row in rows for step in row.steps}
    done = operations.operation_row([a for a in story.acted if a[0].index not in told_steps])
    rows += [done] if done is not None else []
    _commits(story, rows)
    verify(story, rows)
    return rows


def _commits(story: Story, rows: list[Draft]) -> None:
    changed = [row for row in rows if row.files_modified]
    if len(story.commits) == 1 and len(changed) == 1:
        commit, row = story.commits[0], changed[0]
        row.said.append(commit.text())
        if commit.body:
            row.add_fact(commit.body)
        if commit.step not in row.steps:
            row.steps.append(commit.step)
        _events(story, [row])
        return
    before = -1
    made: list[Draft] = []
    for commit in story.commits:
        made.append(_commit_row(commit, story, before))
        before = commit.step.index
    rows += made
    _events(story, made)
    if story.git and not made:
        best = max(story.git, key=lambda event: event.weight)
        row = Draft(
            f"git:{mark(story.git[0].text)}",
            "change",
            best.text,
            importance=1,
            concepts=["what-changed"],
        )
        for event in story.git:
            row.add_fact(event.text)
            row.steps += [event.step] if event.step not in row.steps else []
        row.importance = best.weight
        row.type = "discovery" if "bisect" in best.text or "conflict" in best.text else "change"
        rows.append(row)


def _commit_row(commit: Commit, story: Story, before: int) -> Draft:
    row = Draft(
        f"commit:{commit.hash or mark(commit.subject)}", "change", commit.text(), importance=2
    )
    row.steps, row.evidence, row.concepts = [commit.step], "verified", ["what-changed"]
    subject = commit.subject.lower()
    if subject.startswith(("fix", "hotfix", "bugfix")):
        row.type = "bugfix"
    elif subject.startswith(("feat", "add ", "implement")):
        row.type = "feature"
    elif subject.startswith(("refactor", "rename", "move", "extract")):
        row.type = "refactor"
    for change in story.changes.values():
        if any(before < step.index <= commit.step.index for step in change.steps):
            row.files_modified.append(change.path)
    row.add_fact(commit.body)
    if commit.branch:
        row.add_fact(f"On branch {commit.branch}")
    return row


def _events(story: Story, rows: list[Draft]) -> None:
    for event in story.git if rows else []:
        rows[-1].add_fact(event.text)
        if event.step not in rows[-1].steps:
            rows[-1].steps.append(event.step)


def _said(story: Story, work: list[Draft]) -> list[Draft]:
    """Rows for what was said; sentences about the work go on the rows of the work."""
    rows, said = security.stated(story.said)
    outside = terms(story.outside)
    main = [row for row in work if row.importance > 0]
    laid = [one for one in said if one.sort == "decision" and not one.weighed]
    laid += [one for one in said if one.sort == "decision" and one.weighed and not main]
    others = [one for one in said if one not in laid and one.text not in {d.why for d in laid}]
    laid_down = findrows.decisions(story.rules, "user", _DECISIONS)
    rows += laid_down
    for row in laid_down:
        around = re.sub(re.escape(row.title), "", story.request, flags=re.IGNORECASE)
        around = around.strip(" .;,。，；")
        if not row.narrative and len(around) >= _CONTEXT:
            row.narrative.append(f"While: {shorten(around, 110)}")
    worked = bool(story.steps)
    laid = [one for one in laid if not findrows.repeats(one, laid_down, worked=worked)]
    others = [one for one in others if not findrows.repeats(one, laid_down, worked=worked)]
    made = findrows.decisions(laid, "claude", _DECISIONS)
    for row in made:
        if story.request:
            row.narrative.append(f"While: {shorten(story.request, 110)}")
        row.tainted = rests_on(terms(row.title), outside)
    rows += made
    rest = settle(place(others, main, story.outside), main, story.outside)
    name_rows(work)
    # What is left to do is in the summary; alone it makes no finding.
    worth = [one for one in rest if one.sort != "next"]
    if worth:
        found = findrows.findings(
            worth + [one for one in rest if one.sort == "next"][:2], story.request
        )
        for row in found:
            row.tainted = bool(outside) and _mostly(row, outside)
        rows += found
    return rows


def _given(story: Story, drafts: list[Draft]) -> None:
    """Puts what the prompt tells about how things are on the row of the work, else on its own."""
    # The first sentence is the request, which is shown where it is answered.
    told = [fact for fact in story.given if not story.request.startswith(fact[:40])]
    told = [fact for fact in told if not words.FIX.search(fact)]
    if not (told or drafts or story.steps):
        told = story.given  # said to be remembered, and nothing else
    if not told:
        return
    main = _main(drafts)
    if main is None or main.type == "decision":
        drafts.append(findrows.given(told))
        return
    for fact in reversed(told):
        if fact not in story.request[:_SHOWN]:
            main.add_fact(fact, first=True)


def _main(drafts: list[Draft]) -> Draft | None:
    """The row that answers the request."""
    return max(
        drafts,
        key=lambda d: (
            bool(d.files_modified),
            d.type != "decision",
            d.importance,
            d.type == "bugfix",
        ),
        default=None,
    )


def _mostly(row: Draft, outside: frozenset[str]) -> bool:
    lines = [row.title, *row.facts]
    return any(rests_on(terms(line), outside) for line in lines)


def _beside(story: Story) -> list[Draft]:
    rows = [*foreign.agents(story.steps), *foreign.web(story.steps), *foreign.answers(story.steps)]
    refused = foreign.refusals(story.steps)
    if refused is not None:
        rows.append(refused)
    rows += security.secrets(story.steps)
    rows += security.audits(story.steps)
    if row := findrows.investigation(story.foreign_looks, "web-shell"):
        row.tainted, row.importance = True, 1
        rows.append(row)
    return rows


def _investigations(story: Story, drafts: list[Draft]) -> None:
    """Adds what was looked at: to the finding it led to, or as a row when it says something."""
    busy = any(draft.files_modified for draft in drafts)
    row = findrows.investigation([k for k in story.looks if not busy or _counts(k, story)])
    if row is None:
        return
    finding = next((d for d in drafts if d.key.startswith("finding:")), None)
    roomy = finding is not None and (story.reads_only or finding.cost() + row.cost() < TOKEN_LIMIT)
    if finding is not None and not busy and roomy:
        # The closing message is what came of the looking: one row, not two.
        for line in row.facts:
            finding.add_fact(line)
        finding.files_read += [path for path in row.files_read if path not in finding.files_read]
        finding.steps += [step for step in row.steps if step not in finding.steps]
        return
    main = _main(drafts)
    if main is not None and _tells_little(row, main):
        for line in row.facts:
            main.add_fact(line)
        main.steps += [step for step in row.steps if step not in main.steps]
        return
    if row.facts or not drafts:
        row.importance = max(row.importance, 1 if row.facts else 0)
        drafts.append(row)


def _tells_little(row: Draft, main: Draft) -> bool:
    """Whether what was looked at is told well enough on the row of the work."""
    if main.type == "decision" or main.agent_type:
        return False
    if all(step in main.steps for step in row.steps):
        return True
    return row.title.startswith("Output of ") and main.cost() + row.cost() < TOKEN_LIMIT


def _seen(story: Story, drafts: list[Draft]) -> None:
    """Adds the settings that were seen on the way and that no other row holds."""
    held = "\n".join(line for d in drafts for line in (d.title, *d.narrative, *d.facts))
    row = seen.seen_row(story.steps, story.turn.root, story.interest, held)
    if row is None:
        return
    finding = next((d for d in drafts if d.key.startswith("finding:")), None)
    busy = any(draft.files_modified for draft in drafts)
    if finding is None or busy or finding.cost() + row.cost() > TOKEN_LIMIT:
        drafts.append(row)
        return
    for line in (*([] if row.covered else [row.title]), *row.facts):
        finding.add_fact(line)
    finding.files_read += [path for path in row.files_read if path not in finding.files_read]


def _counts(look: Look, story: Story) -> bool:
    """Whether a look still matters beside real work: measured, or spoken of in the end."""
    if look.measured:
        return True
    others = [path for path in look.files if path not in story.changes]
    return look.score > 4 and any(name(path) in story.turn.last_message for path in others)


def _one(drafts: list[Draft]) -> Draft:
    """All of a turn of reads in one row."""
    order = sorted(
        drafts,
        key=lambda d: (_ORDER.index(d.type) if d.type in _ORDER else len(_ORDER), -d.importance),
    )
    first, *rest = order
    for draft in rest:
        first.absorb(draft)
    first.key = "reads"
    return first


def _ask(story: Story, drafts: list[Draft]) -> None:
    """Puts the request on the row that answers it: people search by what they asked."""
    main = _main(drafts)
    if not story.request or main is None:
        return
    asked = terms(story.request)
    if any(d.type == "decision" and same(terms(d.title), asked) for d in drafts):
        return
    main.add_fact(f"Reported: {story.reported}" if story.reported else "")
    line = f"Asked: {shorten(story.request, _SHOWN)}"
    if not any(text.startswith("Asked:") for text in main.narrative) and not main.says(
        story.request[:80]
    ):
        main.narrative.insert(
            0, line if line.endswith((".", "?", "!", "…", "。", "？")) else line + "."
        )


def _only_checks(story: Story) -> list[Draft]:
    """A row for a check that passed, when the turn did nothing else."""
    passed = [run for run in story.runs if run.ok and run.counts]
    if not passed:
        return []
    last = passed[-1]
    row = Draft(
        f"{last.kind}:{last.tool}", "discovery", f"{last.tool} passes: {last.counts}", importance=1
    )
    row.narrative = [f"`{shorten(last.command, 80)}`: {last.counts}."]
    row.steps, row.evidence = [last.step], "verified"
    return [row]


def _kept(drafts: list[Draft], story: Story) -> tuple[Observation, ...]:
    """The rows worth keeping, at most eight; what is over is joined into the last."""
    drafts = [
        d
        for d in drafts
        if d.title and not (is_order(d.title) and not d.key.startswith("decision"))
    ]
    unique: dict[str, Draft] = {}
    for draft in drafts:
        if draft.key in unique:
            unique[draft.key].absorb(draft)
        else:
            unique[draft.key] = draft
    drafts = sorted(unique.values(), key=lambda d: (-d.importance, -len(d.facts)))
    if len(drafts) > _MOST:
        kept, over = drafts[: _MOST - 1], drafts[_MOST - 1 :]
        last = over[0]
        for draft in over[1:]:
            last.absorb(draft)
        drafts = [*kept, last]
    drafts.sort(key=lambda d: d.last)
    at = story.turn.ended_at or story.turn.started_at
    limit = TOKEN_LIMIT + 60 if story.reads_only else TOKEN_LIMIT
    return tuple(draft.observation(at, limit) for draft in drafts)
