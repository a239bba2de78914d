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
    r"items?)|open(?=$|:)|outstanding|not done|left (?:over|to do)|still open|"
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
_ADVICE_HEADING = re.compile(
    r"^(?:(?:my )?recommendation|verdict|decision|decided|empfehlung|entscheidung|рекомендация|"
    r"решение|recommandation|recomendación|decisión|recomendação|推荐|建议|结论|决定|おすすめ|推奨|結論|決定|"
    r"추천)\s*[:：]\s*\S",
    re.IGNORECASE,
)
_PASTED = re.compile(
    r"^\s*(?:[\w.]*(?:Error|Exception)|FATAL|fatal|panic|ERROR)\b ?:? .{4,}$", re.MULTILINE
)
# Words before a rule that only announce it.
_LEAD_IN = re.compile(
    r"^\W*(?:(?:please |and |a )*note(?: to self)?(?: for (?:the )?(?:future|later))?[:,]|for "
    r"(?:the "
    r"record|later|the future)[:,]|one more thing[:,]|(?:fyi|btw|reminder|also|rule|remember)[:,]|"
    r"(?:ok(?:ay)?|great|thanks|good|nice|do it|yes|no)[,:] (?:but |and )?(?=\w+ )|"
    r"ok(?:ay)? (?=(?:do|then|use|and|but|let)\b)|"
    r"merke?[:,]|notiz[:,]|на будущее[:,]|nota[:,]|"
    r"注意[:：,，]|另外[,，]?|对了[,，]?|顺便[,，]?)\s*",
    re.IGNORECASE,
)
_CLAUSE_START = re.compile(
    r"\s[-–—]\s|[,，](?:\s+(?:and|but|und|aber|et|mais|y|pero|а|но|и)\b)?\s*"
)
_LEAST_CLAUSE = 18
# A short rule that points back says little without the sentence before it.
_POINTS = re.compile(
    r"\b(?:there|that|those|these|it|this|dort|das|là|eso|там|это)\b", re.IGNORECASE
)
_FEW_WORDS = 7
# Labels that say no more than the kind of a row or a field does.
_LABEL = re.compile(
    r"^\W*(?:(?:design |my |our )?decisions?|decided|next(?: steps?)?|to-?dos?|still (?:to do|"
    r"open)|"
    r"open(?: points?| items?)?|remaining|follow-?ups?|left to do|pending|left over|"
    r"not done(?: yet)?|still missing|"
    r"entscheidung|beschluss|nächste[rs]? schritte?|offen|noch offen|решение|далее|осталось|"
    r"следующ\w+ шаг\w*|décision|prochaines? étapes?|à faire|reste à faire|decisión|"
    r"próximos? pasos?|pendientes?|decisão|próximos? passos?|"
    r"决定|决策|決定|下一步|接下来|待办|次|"
    r"次のステップ|残り|残作業|結論|결정|다음(?: 단계)?)\s*[:：]\s*(?=\S)",
    re.IGNORECASE,
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
        if _ADVICE_HEADING.match(part.section) and (
            not index or parts[index - 1].section != part.section
        ):
            found.append(Statement(part.section, "decision", part.text))
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
            and not words.REJECTED.search(part.text)
            and not _DECISION_HEADING.match(part.section)
        )
        found.append(Statement(_unlabelled(text, sort), sort, why, weighed))
    return _distinct(found)


def _sort(part: Sentence) -> Sort:
    text = part.text
    if _NEXT_HEADING.match(part.section) or _NEXT_HEADING.match(text):
        return "next"
    if _DECISION_HEADING.match(part.section) or words.DECIDED.search(text):
        return "decision"
    if words.REJECTED.search(text) and not text.endswith(("?", "？")):
        return "decision"
    if words.NEXT.search(text[:90]) or text.endswith(("?", "？")):
        return "next"
    if words.CAUSE.search(text):
        return "cause"
    if words.WEIGHED.search(text):
        return "decision"
    return "done" if words.DONE.search(text) else "fact"


def _unlabelled(text: str, sort: Sort) -> str:
    """A decision or a next step without the label that its row or field is named by anyway."""
    if sort not in ("decision", "next"):
        return text
    bare = _LABEL.sub("", text)
    if bare != text and (word := re.match(r"[^\W\d_]+(?=[ ,;:.!?]|$)", bare)) and word[0].islower():
        bare = bare[0].upper() + bare[1:]
    return bare


def _with_section(part: Sentence) -> str:
    """A list item with its lead-in, which often names what it is about."""
    section = part.section
    if (
        not part.item
        or not section
        or len(section) > 60
        or _GENERIC.match(section)
        or _ADVICE_HEADING.match(section)
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
        part.text
        for part in sentences(prompt[:_PROMPT_LIMIT], loose=True)
        if not _LOGLIKE.match(part.text)
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
    """Whether a sentence of a prompt is a rule, a limit or a choice that lasts beyond the turn."""
    ordered = words.ORDERS.match(text)
    if words.FIX.search(text) and words.HABIT.search(text) and not ordered:
        return False  # "it always fails" tells of a fault
    if words.LASTING.search(text) or words.SETTLED.search(text):
        return True
    if words.THIS_TURN.search(text):
        return False
    if words.HOW.search(text) or words.DECIDED.search(text):
        return True
    if words.HANDS_OFF.search(text):
        return bool(words.LASTING_THING.search(text) or words.BECAUSE.search(text))
    # "… because …" gives a reason for what is wanted, unless it explains a fault
    weighs = words.BECAUSE.search(text) or words.WEIGHED.search(text)
    return bool(weighs and ordered) and not words.FIX.search(text)


def _clause(text: str) -> str:
    """The clause of a sentence that holds its rule: the end of it, from where the rule begins."""
    text = _LEAD_IN.sub("", text) or text
    for found in _CLAUSE_START.finditer(text):
        rest = text[found.end() :]
        if (
            len(rest) >= _LEAST_CLAUSE
            and _lays_down(rest)
            and not _lays_down(text[: found.start()])
        ):
            return _clause(rest)
    return text


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
        for part in sentences(prompt[:_PROMPT_LIMIT], loose=True)[:60]
        if not _LOGLIKE.match(part.text)
        for clause in _CLAUSE.split(part.text)
    ]
    for index, part in enumerate(parts):
        text = _with_section(part)
        if len(text) < 8 or words.QUESTION.search(text) or text.startswith("/"):
            continue
        if _lays_down(text):
            text = _clause(text)
            before = parts[index - 1].text if index else ""
            if _POINTS.search(text) and len(text.split()) < _FEW_WORDS and before:
                text = f"{_LEAD_IN.sub('', before).rstrip('.! ')}; {text}"
            following = parts[index + 1].text if index + 1 < len(parts) else ""
            why = (
                following if words.CAUSE.search(following) and not words.CAUSE.search(text) else ""
            )
            rules.append(Statement(text, "decision", why))
        elif words.HANDS_OFF.search(text) or words.THIS_TURN.search(text):
            continue  # a limit of this turn, told with the request
        elif words.STATES.match(text) and _carries(text):
            facts.append(text)
    return rules, [text for text in facts if not any(rule.why == text for rule in rules)]
