"""Tables and logs: what their columns are, how many rows; which times, how many errors."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import islice

from backstory.codenav.parts import Part, placed, shown
from backstory.codenav.symbols import Symbol

_DELIMITERS = {"csv": ",", "tsv": "\t", "psv": "|", "ssv": ";", "tab": "\t"}
_SAMPLE = 30  # rows
_MOST_COLUMNS = 100
_MOST_FIELD = 20_000_000
_NUMBER = re.compile(r"[-+]?[\d.,]*\d(?:[eE][-+]?\d+)?%?$")
_TIME = re.compile(
    r"[\[(<{\"']{0,2}(?:\w{1,10}[ \t]{1,3})?(?:"
    r"(\d{4}[-/.]\d\d[-/.]\d\d)(?:[T_ ,]+(\d\d):\d\d)?"
    r"|(?:\w{3}\s+)?(\w{3}\s+\d{1,2})[ ,]+(?:\d{4}[ ,]+)?(\d\d):\d\d:\d\d"
    r"|()(\d\d):\d\d:\d\d(?![\d:]))"
)
_BRACKETED_TIME = re.compile(r"[^\[]{0,80}\[(\d\d/\w{3}/\d{4}):(\d\d):\d\d")
_ERROR = re.compile(
    r"\b(?:ERROR|ERR|FATAL|CRITICAL|SEVERE|PANIC|EMERG|ALERT|Traceback|error:|panic:)|\" 5\d\d "
)
_WARNING = re.compile(r"\b(?:WARN|WARNING|warning:)|\" 4\d\d ")
_LOG_SAMPLE = 200
_MOST_SPANS = 60
_MOST_ERRORS = 100
_ERRORS_OF_A_SPAN = 5


def table_kind(lines: Sequence[str], path: str) -> str:
    """ "csv" or "tsv" where a text is a table with a delimiter, by its name or by its rows."""
    ending = path.rpartition(".")[2].lower()
    if ending in _DELIMITERS:
        return "tsv" if _DELIMITERS[ending] == "\t" else "csv"
    head = [line for line in lines[:_SAMPLE] if line.strip()]
    if len(head) < 5 or ending not in ("", "txt", "dat", "data", "text"):
        return ""
    for delimiter in "\t;|,":
        counts = {line.count(delimiter) for line in head}
        if len(counts) == 1 and counts.pop() >= 2:
            return "tsv" if delimiter == "\t" else "csv"
    return ""


def table(lines: Sequence[str], kind: str) -> tuple[Symbol, ...]:
    """The columns and the rows of a table; () where it cannot be read as one."""
    first = next((line for line in lines if line.strip()), "")
    delimiter = "\t" if kind == "tsv" else max(",;|\t", key=first.count)
    csv.field_size_limit(max(csv.field_size_limit(), _MOST_FIELD))
    reader = csv.reader((line.replace("\0", " ") + "\n" for line in lines), delimiter=delimiter)
    try:
        head = next((row for row in reader if row), [])
        head_end = reader.line_num
        sample = [row for row in islice(reader, _SAMPLE) if row]
        rows = len(sample) + sum(1 for row in reader if row)
    except csv.Error:
        return ()
    if not head:
        return ()
    is_named = _is_header(head)
    rows += not is_named
    counted = f"{len(head):,} column" + "s" * (len(head) != 1)
    names = ", ".join(shown(name, 40) for name in head[:_MOST_COLUMNS])
    said = f"{counted}: {names}" if is_named else f"{counted} without names"
    columns = Part("columns", "section", 1, head_end, signature=shown(said, 1_000))
    counted = f"{rows:,} row" + "s" * (rows != 1)
    start = min(head_end + 1, len(lines)) if is_named else 1
    body = Part("rows", "section", start, len(lines), signature=counted)
    if not is_named:
        columns.parent = 0
        return placed([body, columns, *_columns(head, [head, *sample], is_named, head_end, 1)])
    found = [columns, *_columns(head, sample, is_named, head_end, 0)]
    return placed([*found, body] if rows else found)


def _columns(
    head: Sequence[str], rows: Sequence[Sequence[str]], is_named: bool, last: int, parent: int
) -> Iterator[Part]:
    for at, cell in enumerate(head[:_MOST_COLUMNS]):
        name = shown(cell, 60) if is_named and cell.strip() else f"column {at + 1}"
        values = [row[at] for row in rows if at < len(row) and row[at].strip()]
        are_numbers = bool(values) and all(map(_NUMBER.match, values))
        kind = "number" if are_numbers else "text"
        example = f"{kind}, such as {shown(values[0], 40)}" if values else "empty"
        yield Part(name, "field", 1, last, parent, signature=f"{name}: {example}")


def _is_header(head: Sequence[str]) -> bool:
    names = [name.strip() for name in head]
    filled = [name for name in names if name]
    is_wordy = bool(filled) and not any(_NUMBER.match(name) for name in filled)
    return is_wordy and len(set(filled)) == len(filled) and all(len(one) <= 80 for one in filled)


def is_log(lines: Sequence[str]) -> bool:
    """Whether most lines begin with a time, or every second one does."""
    step = max(1, len(lines) // _LOG_SAMPLE)
    sample = [line for line in lines[::step] if line.strip()]
    timed = sum(1 for line in sample if _time(line, 0) is not None)
    return len(sample) >= 5 and timed * 2 >= len(sample)


def log(lines: Sequence[str]) -> tuple[Symbol, ...]:
    """The days or hours of a log, with their errors."""
    spans = _spans(lines, 1)
    if len(spans) > _MOST_SPANS:
        spans = _spans(lines, 0)
    if len(spans) > _MOST_SPANS:
        step = -(-len(spans) // _MOST_SPANS)
        groups = [spans[at : at + step] for at in range(0, len(spans), step)]
        spans = [(f"{one[0][0]} – {one[-1][0]}", one[0][1], one[-1][2]) for one in groups]
    parts: list[Part] = []
    for name, start, end in spans:
        errors = [at for at in range(start, end + 1) if _ERROR.search(lines[at - 1])]
        warnings = sum(1 for at in range(start, end + 1) if _WARNING.search(lines[at - 1]))
        said = [f"{end - start + 1:,} lines"]
        said += [f"{len(errors):,} with errors"] if errors else []
        said += [f"{warnings:,} with warnings"] if warnings else []
        parent = len(parts)
        parts.append(Part(name, "section", start, end, signature=f"{name}: {', '.join(said)}"))
        kept = errors[:_ERRORS_OF_A_SPAN] if len(parts) < _MOST_SPANS + _MOST_ERRORS else []
        parts += [Part(shown(lines[at - 1], 80), "section", at, at, parent) for at in kept]
    return placed(parts)


def _spans(lines: Sequence[str], part: int) -> list[tuple[str, int, int]]:
    """(time, first line, last line) of what was logged on one day, or in one hour."""
    result: list[tuple[str, int, int]] = []
    for number, line in enumerate(lines, 1):
        time = _time(line, part)
        if result and (time is None or time == result[-1][0]):
            result[-1] = (result[-1][0], result[-1][1], number)
        elif line.strip() or result:
            result.append((time or "beginning", number, number))
    return result


def _time(line: str, part: int) -> str | None:
    """The day of a line that begins with a time; with its hour where `part` is 1."""
    found = _TIME.match(line) or _BRACKETED_TIME.match(line)
    if found is None:
        return None
    groups = [group for group in found.groups() if group is not None]
    day, hour = groups[0], groups[1] if len(groups) > 1 else ""
    if part and hour:
        return f"{day} {hour}h".strip()
    return day or "one day"
