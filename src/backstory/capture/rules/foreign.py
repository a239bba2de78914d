"""Rows that rest on others: subagents, web pages, MCP servers, the user's answers, refusals."""

from __future__ import annotations

import re
from collections.abc import Mapping

from backstory.capture.rules import words
from backstory.capture.rules.draft import Draft
from backstory.capture.rules.paths import is_scratch
from backstory.capture.rules.results import show
from backstory.capture.rules.sentences import sentences
from backstory.capture.rules.steps import Step, text_of
from backstory.capture.rules.steps import field as text_field
from backstory.capture.rules.titles import is_order, mark, plain, shorten

_FACTS = 8
_LOCAL = re.compile(
    r"^(?:https?://)?(?:localhost|127\.|0\.0\.0\.0|\[::1\]|10\.|192\.168\.|[\w-]+(?::\d+)?(?:/|$))",
    re.IGNORECASE,
)
_URL = re.compile(r"\bhttps?://[^\s\"'<>)]+")


def agents(steps: list[Step]) -> list[Draft]:
    """One row for each subagent: what it reported, or at least what it read."""
    rows: dict[str, Draft] = {}
    for step in steps:
        agent = step.use.agent_id
        if step.kind == "agent" and step.ok:
            # What an agent in the background found comes under its own id, without a call.
            agent = text_field(step.output, "agentId") or agent or step.use.tool_use_id
            kind = text_field(step.use.input, "subagent_type") or text_field(
                step.output, "agentType"
            )
            row = rows.setdefault(agent, Draft(f"agent:{agent}", "discovery", ""))
            row.agent_type = kind or row.agent_type or "agent"
            _report(row, step)
        elif agent:
            row = rows.setdefault(agent, Draft(f"agent:{agent}", "discovery", ""))
            row.agent_type = step.use.agent_type or row.agent_type or "agent"
            if step.ok and step.kind == "read" and step.path and not is_scratch(step.path):
                row.files_read.append(step.path)
                row.steps.append(step)
            row.tainted = row.tainted or is_foreign(step)
    return [row for row in rows.values() if _finish(row)]


def _report(row: Draft, step: Step) -> None:
    asked = text_field(step.use.input, "description") or text_field(step.use.input, "prompt")
    if asked:
        row.narrative.append(f"Subagent asked: {shorten(plain(asked), 160)}.")
    row.steps.insert(0, step)
    for part in sentences(text_of(step.output.get("content", step.use.output))):
        text = (
            f"{part.section}: {part.text}"
            if part.item and part.section and len(part.section) < 50
            else part.text
        )
        if words.CHATTER.match(text) or is_order(text):
            continue
        if not row.title and len(part.text) > 12:
            row.title = text
        if len(row.facts) < _FACTS and (len(text) > 100 or text != row.title):
            row.add_fact(text)


def _finish(row: Draft) -> bool:
    if not row.title:
        if not row.files_read:
            return False
        row.title = f"Subagent {row.agent_type} read {', '.join(dict.fromkeys(row.files_read))}"
        row.importance = 0
    else:
        row.importance = 2  # it reported what it found
    row.concepts = ["how-it-works"]
    return True


def is_foreign(step: Step) -> bool:
    """Whether the step brought in text from the web or from somebody else's MCP server."""
    if step.kind in ("web", "mcp"):
        return True
    if step.kind != "shell":
        return False
    for command in step.commands:
        if command.program in ("curl", "wget", "http", "https", "lynx", "w3m"):
            urls = [
                w for w in command.words[1:] if "://" in w or re.match(r"[\w-]+(\.[\w-]+)+(/|$)", w)
            ]
            if any(not _LOCAL.match(url) for url in urls):
                return True
        if (
            command.starts("gh", "api")
            or command.starts("gh", "issue")
            or command.starts("gh", "pr", "view")
        ):
            return True
    return False


def web(steps: list[Step]) -> list[Draft]:
    """One row for the turn's web research, one for each foreign MCP server."""
    rows: dict[str, Draft] = {}
    for step in steps:
        if not step.ok or step.use.agent_id or step.kind not in ("web", "mcp"):
            continue
        source = "web" if step.kind == "web" else step.use.name.split("__")[1]
        row = rows.setdefault(
            source, Draft(f"{'web' if step.kind == 'web' else 'mcp:' + source}", "discovery", "")
        )
        row.steps.append(step)
        row.tainted = True
        _research(row, step, source)
    return [row for row in rows.values() if row.title]


def _research(row: Draft, step: Step, source: str) -> None:
    given = step.use.input
    url = text_field(given, "url")
    asked = text_field(given, "query") or text_field(given, "prompt") or url
    if step.kind == "mcp":
        values = [str(v) for v in given.values() if isinstance(v, str | int) and len(str(v)) < 80]
        asked = " ".join([step.use.name.split("__", 2)[-1], *values[:3]])
    if not asked or is_order(asked):
        return
    label = "Web" if source == "web" else source
    row.title = row.title or f"{label}: {shorten(plain(asked), 90)}"
    if url:
        row.narrative.append(f"Looked at {shorten(url, 160)}.")
    elif step.kind == "web":
        row.narrative.append(f"Searched the web for {shorten(plain(asked), 120)}.")
    kept = 0
    for part in sentences(step.text[:6_000]):
        text = part.text
        if kept >= 3 or len(row.facts) >= _FACTS:
            break
        if (
            len(text) > 20
            and not text.startswith(("{", "["))
            and not words.CHATTER.match(text)
            and not is_order(text)
        ):
            row.add_fact(_URL.sub("", text))
            kept += 1


def answers(steps: list[Step]) -> list[Draft]:
    """What the user chose when Claude asked: decisions."""
    rows: list[Draft] = []
    for step in steps:
        given = step.output.get("answers")
        if step.kind != "ask" or not step.ok or not isinstance(given, Mapping):
            continue
        for question, answer in list(given.items())[:4]:
            said = answer if isinstance(answer, str) else text_of(answer)
            if said:
                row = Draft(
                    f"decision:{mark(str(question))}",
                    "decision",
                    f"{plain(str(question))} {plain(said)}",
                )
                row.narrative = [f"Asked: {plain(str(question))} The user chose: {plain(said)}."]
                row.steps, row.importance, row.concepts = [step], 3, ["trade-off"]
                _alternatives(row, step, str(question), said)
                rows.append(row)
    return rows


def _alternatives(row: Draft, step: Step, question: str, chosen: str) -> None:
    questions = step.use.input.get("questions")
    for one in questions if isinstance(questions, list) else []:
        if text_field(one, "question") == question and isinstance(one.get("options"), list):
            labels = [text_field(option, "label") for option in one["options"]]
            others = [label for label in labels if label and label not in chosen]
            if others:
                row.add_fact(f"Alternatives: {', '.join(others[:4])}")


def refusals(steps: list[Step]) -> Draft | None:
    """One row for the writes and commands that were not allowed."""
    refused = [s for s in steps if s.use.status == "refused" and s.kind in ("shell", "edit", "mcp")]
    if not refused:
        return None
    told: list[str] = []
    for step in refused:
        if step.kind == "edit":
            told.append(f"{step.use.name} {step.path}")
        elif step.kind == "shell":
            heads = [show(c) for c in step.commands if c.words and c.program != "cd"]
            told.append(heads[0] if heads else "a command")
        else:
            told.append(step.use.name)
    told = list(dict.fromkeys(told))
    row = Draft(f"refused:{mark(told[0])}", "discovery", f"Not permitted: {', '.join(told[:3])}")
    row.narrative = [f"Refused, so it did not happen: {', '.join(told[:6])}."]
    reason = plain(refused[0].text)
    if reason and not is_order(reason):
        row.add_fact(shorten(reason, 200))
    row.steps, row.concepts = refused, ["gotcha"]
    return row
