"""The summary of a turn, in five short fields."""

from __future__ import annotations

from collections.abc import Iterable

from backstory.capture.rules.results import show
from backstory.capture.rules.story import Story
from backstory.capture.rules.titles import is_order, plain, shorten
from backstory.records import Observation, Summary

_FIELD = 600


def summarise(story: Story, rows: tuple[Observation, ...]) -> Summary | None:
    """What the turn came to; None when nothing happened that is worth a word."""
    if not rows and not story.looks and not (story.request and story.said):
        return None
    said = [one for one in story.said if not is_order(one.text)]
    learned = [one.text for one in said if one.sort in ("cause", "decision")]
    learned += [one.text for one in said if one.sort == "fact"]
    done = [row.title for row in rows if row.files_modified or row.type in ("bugfix", "feature")]
    done += [commit.text() for commit in story.commits]
    done += [event.text for event in story.git]
    done += [f"Ran `{show(command)}`" for _, command in story.acted]
    done += [install.text() for install in story.installs]
    done += [f"{run.tool} passed: {run.counts}" for run in story.runs if run.ok and run.counts][-1:]
    done = done or [one.text for one in said if one.sort == "done"]
    steps = [one.text for one in said if one.sort == "next"]
    steps += [f"Open: {row.title}" for row in rows if " fails: " in row.title]
    if story.turn.error:
        steps.append("The turn ended with an error before it was done.")
    return Summary(
        request=shorten(story.request, 240),
        investigated=_join(_investigated(story)),
        learned=_join(learned),
        completed=_join(done),
        next_steps=_join(steps),
    )


def _investigated(story: Story) -> list[str]:
    files = list(dict.fromkeys(look.subject for look in story.looks if look.step.kind == "read"))
    others = [look.subject for look in story.looks if look.step.kind != "read"]
    lines = [f"Read {', '.join(files[:8])}"] if files else []
    if others:
        lines.append(f"Looked at {', '.join(dict.fromkeys(others[:5]))}")
    return lines


def _join(parts: Iterable[str]) -> str:
    text = ""
    for part in dict.fromkeys(plain(part) for part in parts):
        if not part or part in text:
            continue
        joined = f"{text} {part}" if text else part
        if len(joined) > _FIELD:
            break
        text = joined if joined.endswith((".", "。", "!", "?", "！", "？", "…")) else joined + "."
    return text or next((shorten(plain(part), _FIELD) for part in parts if part), "")
