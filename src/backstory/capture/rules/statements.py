"""What was said in words: the closing message and the prompt, sentence by sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from backstory.capture.rules import words
from backstory.capture.rules.problems import traceback
from backstory.capture.rules.sentences import Sentence, sentences
from backstory.capture.rules.terms import overlap, same, terms
from backstory.capture.rules.titles import is_order, plain, shorten

Sort = Literal["decision", "next", "cause", "done", "fact"]

_PROMPT_LIMIT = 6_000
_GENERIC = re.compile(
    r"^(?:summary|changes?(?: made)?|what (?:i|was) (?:did|done|changed)|details?|notes?|"
    r"results?|overview|key changes|"
    r"findings?|files? (?:changed|modified)|总结|修改内容|变更|итог|zusammenfassung|résumé|resumen|"
    r"resumo)$",
    re.IGNORECASE,
)
_NEXT_HEADING = re.compile(
    r"^(?:next(?: steps?)?|to-?dos?|remaining(?: work)?|follow-?ups?|open (?:questions?|points?|"
    r"items?)|still open|"
    r"下一步|后续(?:工作)?|待办(?:事项)?|接下来|次のステップ|残作業|다음 단계|남은 작업|"
    r"дальнейшие шаги|следующие шаги|осталось|"
    r"nächste schritte|offen|offene punkte|prochaines étapes|à faire|próximos pasos|pendientes?|"
    r"próximos passos)\b",
    re.IGNORECASE,
)
_DECISION_HEADING = re.compile(
    r"^(?:decisions?|design (?:decisions?|choices?)|trade-?offs?|决定|决策|決定事項|решения?|"
    r"entscheidung(?:en)?|"
    r"décisions?|decisi(?:ón|ones)|decis(?:ão|ões))\b",
    re.IGNORECASE,
)
_PASTED = re.compile(
    r"^\s*(?:[\w.]*(?:Error|Exception)|FATAL|fatal|panic|ERROR)\b ?:? .{4,}$", re.MULTILINE
)
_CLAUSE = re.compile(r";\s+(?=\S+\s+\S+\s+\S)")  # a clause that can stand by itself
_LOGLIKE = re.compile(r"^\s*(?:\d{4}-\d\d-\d\d|\[\d|at \S+\(|File \"|Traceback|>|\$ |[{}<])")


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence worth keeping."""

    text: str
    sort: Sort
    why: str = ""  # a neighbouring sentence that gives the reason of a decision
    weighed: bool = False  # only compares two ways, so it may belong to a change


def closing(message: str) -> list[Statement]:
    """The sentences of Claude's closing message that carry something."""
    found: list[Statement] = []
    parts = sentences(message)
    for index, part in enumerate(parts):
        text = _with_section(part)
        if not _carries(part.text) and not (part.item and part.section and " " in part.text):
            continue
        if is_order(text):
            continue
        sort: Sort = _sort(part)
        why = ""
        if sort == "decision" and not words.CAUSE.search(part.text) and index + 1 < len(parts):
            following = parts[index + 1]
            if words.CAUSE.search(following.text) and not following.item:
                why = following.text
        weighed = (
            sort == "decision"
            and not words.DECIDED.search(part.text)
            and not _DECISION_HEADING.match(part.section)
        )
        found.append(Statement(text, sort, why, weighed))
    return _distinct(found)


def _sort(part: Sentence) -> Sort:
    text = part.text
    if _NEXT_HEADING.match(part.section) or _NEXT_HEADING.match(text):
        return "next"
    if _DECISION_HEADING.match(part.section) or words.DECIDED.search(text):
        return "decision"
    if words.NEXT.search(text[:90]) or text.endswith(("?", "？")):
        return "next"
    if words.CAUSE.search(text):
        return "cause"
    if words.WEIGHED.search(text):
        return "decision"
    return "done" if words.DONE.search(text) else "fact"


def _with_section(part: Sentence) -> str:
    """A list item with its lead-in, which often names what it is about."""
    section = part.section
    if (
        not part.item
        or not section
        or len(section) > 60
        or _GENERIC.match(section)
        or _NEXT_HEADING.match(section)
    ):
        return part.text
    if overlap(terms(section), terms(part.text)) > 0.7:
        return part.text
    return f"{section}: {part.text}"


def _carries(text: str) -> bool:
    """Whether a sentence says something by itself."""
    if words.CHATTER.match(text):
        return False
    wide = sum(1 for char in text if ord(char) > 0x2E7F)
    return (
        wide >= 5
        or len(text.split()) + wide >= 4
        or bool(re.search(r"\d|[\w-]+\.\w{1,4}\b|\w_\w|`", text))
    )


def _distinct(found: list[Statement]) -> list[Statement]:
    kept: list[Statement] = []
    for one in found:
        if not any(same(terms(one.text), terms(other.text)) for other in kept):
            kept.append(one)
    return kept


def request(prompt: str, limit: int) -> str:
    """The prompt in short: its first sentences, without pasted logs."""
    parts = [
        part.text for part in sentences(prompt[:_PROMPT_LIMIT]) if not _LOGLIKE.match(part.text)
    ]
    text = ""
    for part in parts:
        if text and len(text) + len(part) > limit:
            break
        text = f"{text} {part}".strip()
    return shorten(text or plain(prompt[:_PROMPT_LIMIT]), limit)


def is_trivial(prompt: str) -> bool:
    """Whether the prompt only greets, thanks or says to go on."""
    return bool(words.TRIVIAL.fullmatch(prompt.strip())) if len(prompt) < 60 else not prompt.strip()


def _lays_down(text: str) -> bool:
    if words.FIX.search(text) and words.HABIT.search(text) and not words.ORDERS.match(text):
        return False  # "it always fails" tells of a fault
    if words.WISHED.search(text) or words.DECIDED.search(text) or words.WEIGHED.search(text):
        return True
    # "… because …" gives a reason for what is wanted, unless it explains a fault
    return bool(words.BECAUSE.search(text)) and not words.FIX.search(text)


def intent(prompt: str, message: str) -> str:
    """What the turn was for: "fix", "add", "reshape" or "", by what is asked first."""
    for text in (prompt[:600], message[:600]):
        found = {
            "fix": words.FIX.search(text),
            "add": words.ADD.search(text),
            "reshape": words.RESHAPE.search(text),
        }
        places = {name: match.start() for name, match in found.items() if match}
        if places:
            return min(places, key=lambda name: places[name])
    return ""


def reported(prompt: str) -> str:
    """The error that a pasted log or traceback in the prompt ends in, "" for none."""
    _, raised = traceback(prompt)
    if raised:
        return raised
    found = _PASTED.search(prompt)
    return plain(found.group())[:220] if found else ""


def wishes(prompt: str) -> tuple[list[Statement], list[str]]:
    """What a prompt lays down: rules and decisions, and plain facts about how things are."""
    rules: list[Statement] = []
    facts: list[str] = []
    parts = [
        replace(part, text=clause)
        for part in sentences(prompt[:_PROMPT_LIMIT])[:60]
        if not _LOGLIKE.match(part.text)
        for clause in _CLAUSE.split(part.text)
    ]
    for index, part in enumerate(parts):
        text = _with_section(part)
        if len(text) < 8 or words.QUESTION.search(text) or text.startswith("/"):
            continue
        if _lays_down(text):
            following = parts[index + 1].text if index + 1 < len(parts) else ""
            why = (
                following if words.CAUSE.search(following) and not words.CAUSE.search(text) else ""
            )
            rules.append(Statement(text, "decision", why))
        elif words.STATES.match(text) and _carries(text):
            facts.append(text)
    return rules, [text for text in facts if not any(rule.why == text for rule in rules)]
