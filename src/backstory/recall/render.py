"""Answers as text for a model to read: few tokens, absolute dates, and how to go on at the end."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from functools import cache

from backstory.estimate import estimate_tokens
from backstory.recall.context import EVIDENCE
from backstory.recall.observations import Record, Records
from backstory.recall.onward import MODEL, Onward
from backstory.recall.search import SearchResult
from backstory.recall.timeline import Timeline
from backstory.records import Row

FEW_ALIKE = 2  # ids of records that say the same: so many are named
LINE_TOKENS = 60  # of one line of an index; the title gives way
TITLE_CHARACTERS = 100
_TITLE_TOKENS = 12  # the least that is left for a title, unless nothing can give way
LEGEND = "times in UTC, ~ tokens to read"
PAGE = 48_000  # characters of one answer; the host shows at most 50,000

# Tags that the host or a model could take for its own; in recalled text they are only text.
_CONTROL_TAG = re.compile(
    r"<(?=/?(?:system|backstory|persisted-output|tool_|function|antml|command|local-command|user|"
    r"assistant|human|task-notification|private|invoke|parameter)\b|/?system-)",
    re.IGNORECASE,
)


def when(at: int) -> str:
    """A time as it is shown, UTC."""
    try:
        return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%d %H:%M")
    except (OverflowError, ValueError, OSError):
        return "unknown time"


def harmless(text: str) -> str:
    """Text without characters that hide, reorder or steer, and without tags that command."""
    return _CONTROL_TAG.sub("‹", _hidden().sub("", text.replace("\r\n", "\n")))


def one_line(text: str, characters: int = TITLE_CHARACTERS, tokens: int = LINE_TOKENS) -> str:
    """The beginning of a text on one line, within both bounds."""
    line = " ".join(harmless(text[: characters * 4]).split())
    cut = line[:characters]
    while (cost := estimate_tokens(cut)) > tokens:
        cut = cut[: min(len(cut) - 1, len(cut) * tokens // cost)]
    return cut if len(cut) == len(line) and len(text) <= characters * 4 else cut.rstrip() + "…"


def index_line(row: Row, *, projects: bool = False, time: str = "") -> str:
    """One row: id, time, type, title, what else decides whether to read it, and its tokens."""
    marks = []  # the first to give way stands last
    if "superseded_by" in row.extra:
        marks.append(f"superseded by {row.extra['superseded_by']}")
    if row.extra.get("tainted"):
        marks.append("from outside")
    if row.extra.get("verified"):
        marks.append("verified")
    if alike := row.extra.get("alike"):
        few = ", ".join(f"#{id_}" for id_ in alike[:FEW_ALIKE])
        least = "+" if row.extra.get("more_alike") else ""
        many = f"{len(alike)}{least} more alike"
        marks.append(f"also {few}" if len(alike) <= FEW_ALIKE else many)
    if row.extra.get("by_meaning"):
        marks.append("by meaning")
    if projects:
        marks.append(one_line(row.project, 40, 12))
    if row.extra.get("agent_type"):
        marks.append(one_line(str(row.extra["agent_type"]), 30, 8))
    head = f"#{row.id} {time or when(row.at)} {row.type}: "
    title = one_line(row.title) or "(untitled)"
    needed = min(estimate_tokens(title), _TITLE_TOKENS)
    while True:
        tail = f" ({', '.join([*marks, f'~{row.tokens}'])})"
        left = LINE_TOKENS - 3 - estimate_tokens(head + tail)
        if left >= needed or not marks:
            break
        marks.pop()
    return head + one_line(title, tokens=max(left, 1)) + tail


def finished(text: str, full: int, how: str) -> str:
    """An answer with its last line: its cost, that of reading all of it in full, how to go on.

    full: tokens of everything that the answer is about. The line counts itself.
    """
    whole = text
    for places in (3, 4, 2, 5, 1):
        # any digits cost the same: once their number is right, so is the cost
        cost = str(estimate_tokens(f"{text}\n{_closing('0' * places, full, how)}"))
        whole = f"{text}\n{_closing(cost, full, how)}"
        if len(cost) == places:
            break
    return whole


def _closing(cost: str, full: int, how: str) -> str:
    return f"Cost ~{cost} tokens, in full ~{full}. Next: {how}"


def full_cost(rows: Iterable[Row]) -> int:
    """What it costs to read these records, each once."""
    return sum({row.id: row.tokens for row in rows}.values())


def search_text(
    result: SearchResult, *, query: str = "", offset: int = 0, onward: Onward = MODEL
) -> str:
    """The answer of `search`. No hits, a degraded search and hits read differently."""
    text = "\n".join(search_lines(result, query=query, offset=offset))
    return finished(text, full_cost(result.rows), _search_next(result, offset, onward))


def search_lines(result: SearchResult, *, query: str = "", offset: int = 0) -> list[str]:
    """An index, with what was found and what did not work."""
    shown = one_line(query).replace('"', "'")
    asked = f' for "{shown}"' if shown else ""
    lines: list[str] = []
    if result.rows:
        heading = {
            "recent": "The newest records",
            "all words": f"Records{asked}",
            "some words": f"Records with some of the words{asked}",
            "newest": f"The newest records{asked}",
            "meaning": f"Records that may mean the same{asked}, without its words",
        }.get(result.how, f"Records{asked}")
        count = f"{offset + 1}-{offset + len(result.rows)}" if offset else str(len(result.rows))
        lines += [EVIDENCE, f"{heading}, {count}, {LEGEND}:"]
        several = len({row.project for row in result.rows}) > 1
        lines += [index_line(row, projects=several) for row in result.rows]
    else:
        lines.append(f"No records{asked}" + (" beyond this offset." if offset else "."))
    if result.note:
        lines.append(f"Note: {result.note}.")
    if result.degraded:
        lines.append(f"Degraded: {result.degraded}; records may be missing. Run: backstory doctor")
    return lines


def _search_next(result: SearchResult, offset: int, onward: Onward) -> str:
    if not result.rows:
        return "fewer or other words, no filters; no query: the newest."
    more = f"; {onward.offset(offset + len(result.rows))}" if result.more else ""
    return f"{onward.records}{more}."


def timeline_text(result: Timeline, onward: Onward = MODEL) -> str:
    """The answer of `timeline`: rows by day, the anchor marked."""
    if not result.rows:
        return "Nothing is stored for this project yet. Memory begins with the next turn."
    lines = [EVIDENCE, f"Around #{result.anchor}, oldest first, {LEGEND}:"]
    lines += timeline_lines(result.rows, {result.anchor})
    if result.note:
        lines.append(f"Note: {result.note}.")
    if result.degraded:
        lines.append(f"Degraded: {result.degraded}. Run: backstory doctor")
    how = f"{onward.records}, or another anchor."
    return finished("\n".join(lines), full_cost(result.rows), how)


def timeline_lines(rows: Iterable[Row], anchors: Collection[str]) -> list[str]:
    """Rows below their day and session, the anchors marked with an arrow."""
    rows = list(rows)
    several = len({row.project for row in rows}) > 1
    lines: list[str] = []
    day = session = ""
    for row in rows:
        date, _, time = when(row.at).partition(" ")
        if date != day or row.session != session:
            label = f", session {row.session[:8]}" if row.session else ""
            lines.append(f"{date}{harmless(label)}")
            day, session = date, row.session
        mark = "→ " if row.id in anchors else "  "
        lines.append(mark + index_line(row, projects=several, time=time))
    return lines


def records_text(result: Records, onward: Onward = MODEL) -> str:
    """The answer of `get_observations`."""
    how = onward.evidence(is_there=any(record.tool_uses for record in result.records))
    parts = [EVIDENCE] if result.records else []
    parts += record_parts(result, PAGE)
    full = sum(record.tokens for record in result.records)
    return finished("\n\n".join(parts), full, how)


def record_parts(result: Records, room: int) -> list[str]:
    """Records in full within so many characters; those left out and the missing ones are named."""
    parts: list[str] = []
    left: list[str] = []
    for record in result.records:
        text = record_text(record)
        if parts and len(text) > room:
            left.append(record.id)
            continue
        if len(text) > room:
            text = f"{text[:room]}\n… {len(text) - room} characters cut"
        room -= len(text)
        parts.append(text)
    if left:
        parts.append(f"Too long for one answer; get_observations gives: {', '.join(left)}.")
    return parts + not_given(result.missing, result.foreign, result.left_out)


def record_text(record: Record) -> str:
    """One record in full."""
    about = [when(record.at) + " UTC", f"project {one_line(record.project)}"]
    if record.session:
        number = f", prompt {record.prompt}" if record.prompt is not None else ""
        about.append(f"session {record.session[:8]}{number}")
    if record.branch or record.commit:
        about.append(" ".join(filter(None, (record.branch, record.commit[:12]))))
    if record.kind == "observation":
        about.append(record.evidence)
    if record.tainted:
        about.append("rests on web pages or other servers")
    if record.agent_type:
        about.append(f"by the subagent {record.agent_type}")
    if record.superseded_by is not None:
        about.append(f"superseded by #{record.superseded_by}")
    lines = [
        f"#{record.id} {record.type}: {one_line(record.title)}",
        one_line(" · ".join(about), 400, 400),
    ]
    if record.text:
        lines.append(harmless(record.text))
    lines += [f"{heading}: {harmless(text)}" for heading, text in record.sections]
    lines += [f"- {harmless(fact)}" for fact in record.facts]
    for heading, items in (
        ("Modified", record.files_modified),
        ("Read", record.files_read),
        ("Symbols", record.symbols),
        ("Concepts", record.concepts),
        ("Evidence", [f"{use.id} {use.name} {use.status}" for use in record.tool_uses]),
    ):
        if items:
            lines.append(f"{heading}: {harmless(', '.join(items))}")
    return "\n".join(lines)


def not_given(
    missing: Iterable[str], foreign: Iterable[str], left_out: Iterable[str] = ()
) -> list[str]:
    """What was asked for and is not in the answer."""
    parts = []
    if left := [one_line(id_, 40) for id_ in left_out]:
        parts.append(f"Left out by limit: {', '.join(left)}.")
    if missing := [one_line(id_, 40) for id_ in missing]:
        parts.append(f"There is no record {', '.join(missing)}. Search for it by words.")
    if foreign := [one_line(id_, 40) for id_ in foreign]:
        parts.append(f"Of another project: {', '.join(foreign)}. Name that project to see them.")
    return parts


@cache
def _hidden() -> re.Pattern[str]:
    """Control, bidirectional and zero-width characters, and lone surrogates; not tab or newline."""
    codes = [
        code
        for code in (*range(0x3000), *range(0xFE00, 0x10000))
        if unicodedata.category(chr(code)) in ("Cc", "Cf") and chr(code) not in "\t\n"
    ]
    ranges = "\ud800-\udfff\u2028\u2029\U000e0000-\U000e007f"
    return re.compile(f"[{re.escape(''.join(map(chr, codes)))}{ranges}]")
