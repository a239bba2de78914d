"""The one figure in an output that a title can name: a thing measured and its number."""

from __future__ import annotations

import re
from collections.abc import Iterable

_SHORT = 56
_UNIT = (
    r"(?:ns/op|ms|µs|us|ns|s|secs?|seconds?|min|minutes|h|hours|[KMGT]i?B|[kKMGT]?bytes|%|x|"
    r"req/s|rps|qps|ops/s(?:ec)?|fps|rows?|records?|lines?|files?|errors?|tests?|passed|failed)"
)
_NAMED = re.compile(
    r"(?:^|(?<=[\s;(]))((?!(?:in|at|passed|failed|of|and|from|to|after|"
    r"the)\b)[A-Za-z_µ][\w-]*(?: [\w±σ-]+){0,3}"
    rf"(?: \([^()]{{1,24}}\))?)(?:\s*[:=]\s*|\s+is\s+|\s+)(-?\d[\d.,]*)\s?({_UNIT})(?![\w/])"
)
_SHARE = re.compile(
    r"^[\d.%a-z ]{0,60}?\b()(\d+\.\d+)(%) [^\n]{0,200} ([A-Za-z_][\w:.*()]{3,120})$"
)
_BENCHMARK = re.compile(r"(Benchmark\w+?)(?:-\d+)?\s+\d+\s+([\d.]+)\s+(ns/op|ms/op|B/op)")
_PAIR = re.compile(r"(?:^|(?<=[\s;(]))([A-Za-z_][\w ()-]{2,40}?)\s*[:=]\s*(\d[\d.,]*)(?![\w:/-])()")
_VERSION = re.compile(r"\b[A-Za-z][\w+-]{2,} (?:version )?v?\d+\.\d+(?:\.\d+)?(?![\w.])")
_WHOLE = re.compile(
    r"\b(?:execution|total|elapsed|real|mean|median|overall)\b.{0,24}\d", re.IGNORECASE
)
# Lines as a program prints them for programs: log lines, records, columns.
_RAW = re.compile(
    r"\s*[\[{<|(]|.*\d{4}-\d\d-\d\d[T ,]|\w{3} +\d{1,2} \d\d:\d\d|(?:[A-Z]{2,}[\s;]+){2,}|"
    r".*\S\s{3,}\S|"
    r".*[{}]|(?:[\d.%]+\w{0,2}\s+)+"
)


def brief(lines: Iterable[str]) -> str:
    """What of some lines a title can say: all of it when it is short and readable, else a figure.

    The more telling lines come first. "" when there is neither.
    """
    told = [line.strip() for line in lines if line.strip()]
    readable = [line for line in told if not _RAW.match(line)]
    whole = "; ".join(told[:3])
    if len(told) < 4 and len(readable) == len(told) and len(whole) <= _SHORT:
        return whole
    for line in sorted(told, key=lambda line: not _WHOLE.search(line)):
        if found := figure(line):
            name, number, unit = found
            return f"{name} {number}{'' if unit == '%' else ' '}{unit}".strip()
    for line in told:
        if found_version := _VERSION.search(line):
            return found_version.group()
    return next((line for line in readable if len(line) <= _SHORT and " " in line), "")


def figure(line: str) -> tuple[str, str, str] | None:
    """The first name, number and unit in a line that stand together."""
    if re.match(r"\s*[\[{]", line) and not _BENCHMARK.search(line):
        return None
    if shared := _SHARE.match(line):  # of a profile
        return shared[4], shared[2], "%"
    found = _BENCHMARK.search(line) or _NAMED.search(line)
    if found is None and not _RAW.match(line):
        found = _PAIR.search(line)
    return (found[1].strip(" -("), found[2].rstrip(".,:"), found[3]) if found else None
