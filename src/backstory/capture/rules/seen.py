"""Settings that were seen on the way: ports, hosts, limits, versions in files and outputs.

Nobody may have spoken of them, and weeks later somebody asks.
"""

from __future__ import annotations

import re

from backstory.capture.rules.draft import Draft
from backstory.capture.rules.fallbacks import fallback
from backstory.capture.rules.paths import is_certain, is_config, is_scratch, is_test, relative
from backstory.capture.rules.reads import Interest
from backstory.capture.rules.steps import Step
from backstory.capture.rules.steps import field as text_field
from backstory.capture.rules.titles import is_order, plain, shorten

_LINES = 600  # of a file
_ALL_LINES = 8_000  # of a turn
_FILES = 5
_OF_A_FILE = 6
_LEAST = 4

_SETTING = re.compile(
    r"^\s*(?:-\s+|export\s+|(?:pub(?:lic)?\s+|private\s+|static\s+|final\s+|const\s+|let\s+|"
    r"var\s+|readonly\s+|"
    r"default\s+)*)[\"']?([A-Za-z_][\w.-]{1,50})[\"']?(?:\s*:\s*&?[\w<>'\[\] ]{1,24}?)?\s*(?::=|"
    r"[:=]|=>)\s*"
    r"[\[(]?\s*([\"'`]?[\w/~$@+.-][^\n]{0,110}?)\s*[,;{]?\s*(?:(?:#|//).*)?$"
)
_FLAG = re.compile(r"--[a-z][\w-]+[ =][\w./:@-]*\d[\w./:@-]*")
_SIGN = re.compile(r"[:=]|--\w|\?\?")
_KEY = re.compile(
    r"port|host|addr|listen|url|uri|endpoint|time_?out|ttl|expir|limit|max|min|size|count|retr|"
    r"interval|"
    r"delay|back_?off|batch|chunk|pool|worker|thread|concurren|replica|version|image|region|"
    r"zone|bucket|path|dir|"
    r"file|repo|branch|schedule|cron|seed|rate|window|threshold|level|mode|algorithm|locale|"
    r"lang|currency|"
    r"default|user|name|database|schema|table|queue|topic|channel|prefix|keep|days|hours|"
    r"minutes|seconds|"
    r"memory|cpu|quota|timezone|tz\b|key|profile|env|domain|cert|range|engine|driver|backend|"
    r"runtime",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"\d|[\"'`][^\"'`]{2,}[\"'`]|^(?:true|false|yes|no|on|off)\b|^[A-Z]{2,}\w*$|"
    r"^[\w-]+(?:[./:@-][\w-]+)+$",
    re.IGNORECASE,
)
_CODE = re.compile(r"[({]\s*$|=>|\bfunction\b|\breturn\b|\bawait\b|\bnew\b|&&|\|\||[\w\]]\(")
_EMPTY = frozenset({"name", "type", "id", "kind", "value", "title", "description", "label", "key"})
_VIEWERS = frozenset({"cat", "head", "tail", "sed", "bat", "less", "grep", "rg"})
_SEARCHERS = frozenset({"grep", "rg", "ag", "git"})
_HIT = re.compile(r"^([\w@.][^\s:]*?\.\w+|/[^\s:]+):\d+[:-](.*)$", re.MULTILINE)


def seen_row(steps: list[Step], root: str, interest: Interest, told: str) -> Draft | None:
    """One row for the settings in what was read; `told` is text that other rows hold already."""
    files: dict[str, list[tuple[int, str]]] = {}
    kept: dict[str, Step] = {}
    budget = _ALL_LINES
    looked: set[str] = set()  # paths and whole outputs: the same again tells nothing new
    for step in steps:
        if not step.ok or step.use.agent_id or not step.text or step.text in looked:
            continue
        looked.add(step.text)
        budget -= step.text.count("\n") + 1
        if budget < 0:
            break
        for path, text in _sources(step, root):
            # A search shows some lines of a file, reading it shows more.
            source = f"{path}\n{step.kind == 'read'}"
            fresh = path and text and source not in looked
            looked.add(source)
            if fresh and not (is_scratch(path) or is_test(path)):
                known = files.get(path, [])
                said = {line for _, line in known}
                found = _settings(text, is_config(path), interest, told)
                if found := [one for one in found if one[1] not in said]:
                    files[path] = [*known, *found]
                    kept.setdefault(path, step)
    if not files:
        return None
    best = sorted(files, key=lambda path: -max(score for score, _ in files[path]))[:_FILES]
    row = Draft("seen", "discovery", "", importance=0, concepts=["how-it-works"], covered=True)
    for path in best:
        chosen = sorted(files[path], key=lambda item: -item[0])[:_OF_A_FILE]
        lines = [line for _, line in files[path] if line in {text for _, text in chosen}]
        row.add_fact(f"{path}: {'; '.join(lines)}")
        row.steps.append(kept[path])
        row.files_read.append(path)
    row.steps.sort(key=lambda step: step.index)
    row.title = f"Settings in {', '.join(best)}"
    if len(best) == 1:
        row.title, row.covered = row.facts.pop(), False
    return row


def _sources(step: Step, root: str) -> list[tuple[str, str]]:
    """The files whose text a step showed, and their texts."""
    if step.kind == "read":
        return [(step.path, text_field(step.output.get("file"), "content") or step.text)]
    if step.kind == "search" or any(c.program in _SEARCHERS for c in step.commands):
        hits: dict[str, list[str]] = {}
        for path, line in _HIT.findall(step.text):
            hits.setdefault(relative(path, root, step.cwd), []).append(line)
        if hits:
            return [(path, "\n".join(lines)) for path, lines in hits.items()]
    for command in step.commands if step.kind == "shell" else ():
        if command.program in _VIEWERS and command.joined != "|":
            names = [w for w in command.arguments if is_certain(w) and ("." in w or "/" in w)]
            if names:
                return [(relative(names[-1], root, step.cwd), step.text)]
    return []


def _settings(text: str, config: bool, interest: Interest, told: str) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for line in text.splitlines()[:_LINES]:
        if len(line) > 240 or "[redacted:" in line or not _SIGN.search(line):
            continue
        said = _setting(line, config)
        if not said or said in told or is_order(said):
            continue
        score = interest.score(line) + 2 * bool(
            _KEY.search(said if said[:2] == "--" else said.split(":")[0])
        )
        score += 2 * (", by default " in said or ": by default " in said)
        score += 2 * bool(re.search(r"\d|/|[\"'`]", said)) + config
        if score >= _LEAST:
            found.append((score, said))
    return list(dict.fromkeys(found))


def _setting(line: str, config: bool) -> str:
    if otherwise := fallback(line):
        return otherwise
    if flags := _FLAG.findall(line):
        return " ".join(flags[:4])
    match = _SETTING.match(re.sub(r"^\s*\d+[\t→:-]", "", line))
    if match is None:
        return ""
    # What comes from the environment has its default beside it, so that call is a setting.
    if not config and _CODE.search(match[2]) and "env" not in line.lower():
        return ""
    value = match[2].strip(" ,;")
    if match[1].lower() in _EMPTY:
        return ""
    if not _VALUE.search(value) or (not config and not re.search(r"\d|[\"'`]", value)):
        return ""
    return shorten(plain(f"{match[1]}: {value}"), 90)
