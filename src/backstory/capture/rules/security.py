"""Secrets seen, weaknesses named, personal data mentioned."""

from __future__ import annotations

import re

from backstory.capture.rules.draft import Draft
from backstory.capture.rules.results import show
from backstory.capture.rules.statements import Statement
from backstory.capture.rules.steps import Step
from backstory.capture.rules.titles import is_order, mark

_REDACTED = re.compile(
    r"(?:([A-Za-z_][\w.-]{1,60})[\"']?\s*[:=]\s*[\"']?(?:Bearer\s+)?)?\[redacted:([\w -]{1,40})\]"
)
_WEAKNESS = re.compile(
    r"\bCVE-\d{4}-\d{4,}\b|\bGHSA(?:-\w{4}){3}\b|\bsql injection|\bcommand injection|\bcode "
    r"injection|"
    r"\bxss\b|\bcross-site|\bcsrf\b|\bssrf\b|\bpath traversal|\bdirectory traversal|\bremote "
    r"code execution|"
    r"\bprivilege escalation|\bvulnerab\w+|\bhard-?coded (?:secret|password|credential|key|"
    r"token)|\bdata leak\w*|"
    r"\bauth(?:entication|orization)? bypass|\binsecure\b|\bexposed (?:secret|key|credential|"
    r"token)s?|"
    r"уязвим|sicherheitslücke|schwachstelle|vulnérab|faille|vulnerabil|漏洞|注入|脆弱性|취약",
    re.IGNORECASE,
)
_PERSONAL = re.compile(
    r"\bpersonal(?:ly identifiable)? (?:data|information)\b|\bPII\b|\bGDPR\b|\bdate of birth\b|"
    r"\bsocial security\b|"
    r"\bpassport numbers?\b|\bhealth records?\b|\bpatient (?:data|names?|records?)\b|\bhome "
    r"address(?:es)?\b|"
    r"персональн\w+ данн|паспортн|personenbezogen|DSGVO|données personnelles|RGPD|datos "
    r"personales|dados pessoais|"
    r"LGPD|个人信息|隐私数据|身份证|個人情報|개인정보|주민등록",
    re.IGNORECASE,
)
_NEEDS_NAME = re.compile(r"audit", re.IGNORECASE)
_AUDIT = re.compile(
    r"^(?:found )?\d+ (?:\w+ severity )?vulnerabilit(?:y|ies)[^\n]*", re.MULTILINE | re.IGNORECASE
)


def secrets(steps: list[Step]) -> list[Draft]:
    """One note for all the secrets that outputs held, by the names they stood under."""
    found: dict[str, Step] = {}
    orders: list[Step] = []
    for step in steps:
        if "[redacted:" in step.text:
            for name, kind in _REDACTED.findall(step.text):
                found.setdefault(f"{name} ({kind})" if name else kind, step)
        if step.kind in ("shell", "read", "web", "mcp") and is_order(step.text[:12_000]):
            orders.append(step)
    drafts: list[Draft] = []
    if found:
        names = list(found)
        draft = Draft(
            "secret", "security_note", f"Secret in output: {', '.join(names[:4])}", importance=2
        )
        draft.steps = list({id(s): s for s in found.values()}.values())
        for name, step in list(found.items())[:8]:
            draft.add_fact(f"{name} appeared in {_source(step)}")
        draft.files_read = [step.path for step in draft.steps if step.path]
        draft.concepts = ["gotcha"]
        drafts.append(draft)
    if orders:
        where = _source(orders[0])
        draft = Draft(
            "orders", "security_note", f"Text shaped like instructions in {where}", importance=2
        )
        draft.narrative = [
            "The output holds text that addresses the model; it is not repeated here."
        ]
        draft.steps = orders[:8]
        draft.tainted = True
        drafts.append(draft)
    return drafts


def _source(step: Step) -> str:
    if step.path:
        return step.path
    heads = [command for command in step.commands if command.words]
    return f"the output of `{show(heads[0])[:60]}`" if heads else f"the output of {step.use.name}"


def audits(steps: list[Step]) -> list[Draft]:
    """What dependency audits reported."""
    drafts: list[Draft] = []
    for step in steps:
        if step.kind != "shell" or not _NEEDS_NAME.search(step.script):
            continue
        if found := _AUDIT.search(step.text):
            draft = Draft(
                "audit", "security_alert", f"Dependency audit: {found.group()}", importance=2
            )
            draft.steps = [step]
            draft.concepts = ["gotcha"]
            for name in list(dict.fromkeys(_WEAKNESS.findall(step.text)))[:5]:
                draft.add_fact(f"Reported: {name}")
            drafts = [draft]
    return drafts


def is_weakness(text: str) -> bool:
    """Whether a sentence names a weakness."""
    return bool(_WEAKNESS.search(text))


def is_personal(text: str) -> bool:
    """Whether a sentence speaks of personal data."""
    return bool(_PERSONAL.search(text))


def stated(statements: list[Statement]) -> tuple[list[Draft], list[Statement]]:
    """Rows for sentences that name a weakness or personal data, and the other sentences."""
    rows: list[Draft] = []
    rest: list[Statement] = []
    for said in statements:
        kind = (
            "security_alert"
            if is_weakness(said.text)
            else "sensitive"
            if is_personal(said.text)
            else ""
        )
        if not kind or said.sort == "next":
            rest.append(said)
        elif same := next((row for row in rows if row.type == kind), None):
            same.add_fact(said.text)
        else:
            row = Draft(
                f"{kind}:{mark(said.text)}", kind, said.text, importance=3, concepts=["gotcha"]
            )
            rows.append(row)
    return rows, rest
