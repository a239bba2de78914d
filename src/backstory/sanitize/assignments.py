"""Credentials that only their surroundings give away: headers, URLs, `NAME=value`, flags."""

from __future__ import annotations

import re

from backstory.sanitize.credentials import (
    Style,
    could_be,
    has_both,
    is_header_value,
    is_placeholder,
    looks_random,
    promise,
    words,
)

Counts = dict[str, int]

_QUOTE = re.compile(r"\\*[\"'`]")
_ESCAPED_END = re.compile(r"\\+r\\+n|\\+[rn](?![a-z])")
# In lower case: such patterns begin with plain text, which makes them fast.
_HEADER = re.compile(
    r"(?:authorization|cookie)(?P<close>(?:\\*[\"'`]\]?)?)\s{0,3}(?P<sep>=>|[:=,])[ \t]{0,4}"
)
_HEADER_START = re.compile(r"(?P<quote>\\*[\"'`])?(?<![\w-])(?:proxy-|set-)?\Z", re.IGNORECASE)
_BEARER = re.compile(r"(?:bearer|basic)(?:\s|%20|\\u0020)+([a-z0-9._~+/=-]{12,})")
_URL = re.compile(
    r":(?<=[A-Za-z0-9]:)(?:\\*/){2}"
    r"(?:[^\s/:@\"'<>\\\[]{0,100}:(?P<password>[^\s\"'<>`\\/]{1,300})|(?P<token>[A-Za-z0-9_-]{20,}))"
    r"@(?=[\w\[.$<{-])"
)
_ASSIGNMENT = re.compile(
    r"(?:passw(?:or)?d|passphrase|passcode|pwd?|pass|secret|credentials?|token|key|auth)"
    r"(?:[_-]?(?:base|value|prod|production|dev|staging|live|test|main|old|new|current|b64|base64"
    r"|\d{1,3}))?"
    r"(?P<close>(?:\\{0,3}[\"'`])?\]?)"
    r"(?:[ \t]{0,40}(?P<sep>[:?!]?={1,3}>?|:(?![:/]))[ \t]{0,8}"
    r"|(?P<pair>[,\s]{1,40}(?:\\{0,3}[\"'])?value(?:\\{0,3}[\"'])?[ \t]{0,3}[:=][ \t]{0,3})"
    r"|(?P<list>,)[ \t]{0,4}(?=[\"'`\\])"
    r"|(?P<define>[ \t]+(?=\"))"
    r"|(?P<xml>>)(?=[^<\s])"
    r"|(?P<prose>[ \t]+(?:(?:for|of|on)[ \t]+[\w.-]{1,40}[ \t]+)?(?:(?:is|was)(?::|[ \t])[ \t]*)?)"
    r"(?=[^\s=:]))",
)
_NAME_BEFORE = re.compile(r"[A-Za-z0-9_.$-]*\Z")
_ANNOTATION = re.compile(r"[A-Za-z_][\w.\[\]<>| ,]{0,40}?[ \t]*=[ \t]*(?=[frbuFRBU]{0,2}[\"'`])")
_PREFIX = re.compile(r"[frbuFRBU]{1,2}(?=[\"'])|@(?=\")")
_LONGEST = 8_192  # characters of a header's value or a quoted one
_BARE = re.compile(r"(?:[^\s\"'`<>\\]++|\\(?![nrtu\"'\\]))++")
_LONGEST_BARE = 2_048
_LINE_START = re.compile(
    r"(?:^|\n|\\n|[\"']|[ \t\"'](?P<flag>--))[ \t]*(?:export[ \t]+)?[\w.-]+=\Z"
)
_LINE_STOP = re.compile(r"[ \t]*(?:\r?\n|\\+[rn]|\\*\"|\Z)")
_NEXT_PAIR = re.compile(r"[&;,](?=\s*[\w.-]+\s*[=:])")
_FLAG = re.compile(
    r"-(?<![\w-]-)-?(?:[A-Za-z]+-){0,3}(?:password|passwd|pass|passphrase|token|secret|api-?key|"
    r"access-key|secret-key|private-key|cookie)[ \t]+"
    r"(?P<secret>\\*\"[^\"\n]+|\\*'[^'\n]+|[^\s\"'-]\S*)"
)
_ANY = r"(?P<secret>\"[^\"\n]+|'[^'\n]+|[^\s\"'$<]\S*)"
_USER_COLON = r"[\"']?[^\s:\"'$]+:(?P<secret>[^\s\"'$]+)"
_REST = r"[^\n|;&]{0,200}?[ \t]"
# Each begins with the plain text that is its needle.
_COMMANDS = (
    ("mysql", rf"[\w-]{{0,20}}\b{_REST}-p(?![ \t\n=])" + _ANY),
    ("mariadb", rf"[\w-]{{0,20}}\b{_REST}-p(?![ \t\n=])" + _ANY),
    ("sshpass", r"[ \t]+-p[ \t]*" + _ANY),
    ("login", rf"\b{_REST}-p[ \t]+" + _ANY),
    ("redis-cli", rf"\b{_REST}-a[ \t]+" + _ANY),
    ("curl", r"\b[^\n|;]{0,500}?[ \t](?:-u|--(?:proxy-)?user)[ =]{0,3}" + _USER_COLON),
    ("-pass", r"(?:in|out)?[ \t]+pass:(?P<secret>[^\s\"'$]+)"),
    ("login", r"\s+\S+\s+password\s+(?P<secret>\S+)"),
    ("machine", r"\s+\S+[^\n]{0,80}\s+password\s+(?P<secret>\S+)"),
)
_COMMAND_RULES = tuple((needle, re.compile(needle + pattern)) for needle, pattern in _COMMANDS)
_PGPASS = re.compile(
    r":(?:\d{4,5}|\*):[^\s:/]+:[^\s:/]+:(?P<secret>[^\s\"'\\]+)(?=$|[\"'\\])", re.MULTILINE
)
_HOST = re.compile(r"(?:^|\n|\\n|[\"'])(?=[\w-]*[A-Za-z*.])[\w.*-]+\Z")
_NO_VALUES = words(
    "option options flag flags argument arguments parameter and or to is are was with in for as if"
    " from the on at of by stdin file prompt that when instead"
)


def redact_headers(text: str, low: str, counts: Counts) -> str:
    """Masks the whole value of Authorization and Cookie headers, and passwords in URLs."""
    if "authorization" in low or "cookie" in low:
        text = _replace(text, _header_values(text), counts)
    if "bearer" in low or "basic" in low:
        found = [
            (*m.span(1), "authorization")
            for m in _BEARER.finditer(lower(text))
            if looks_random(text[slice(*m.span(1))])
        ]
        text = _replace(text, found, counts)
    if "@" in text and ":" in text:
        text = _replace(text, _url_passwords(text), counts)
    return text


def redact_assignments(text: str, counts: Counts) -> str:
    """Masks values whose name promises a credential, in env files, shell, JSON, YAML and code."""
    low = lower(text)
    found: list[tuple[int, int, str]] = []
    at = 0
    for match in _ASSIGNMENT.finditer(low):
        if match.start() < at:
            continue
        name = _name(text, match)
        promised = promise(name)
        if promised is None:
            continue
        start, end, style = _value(text, match, name)
        value = text[start : min(end, start + 256)]
        if (match["list"] or match["prose"]) and not _stands_out(value, match["prose"]):
            continue  # perhaps only the next of many words
        if could_be(value, promised, style):
            found.append((start, end, promised.kind))
            at = end
    return _replace(text, found, counts)


def redact_flags(text: str, low: str, counts: Counts) -> str:
    """Masks passwords on command lines, and in .netrc and .pgpass files."""
    if "--" in low or " -" in low:
        found = []
        for match in _FLAG.finditer(lower(text)):
            start, end = _trimmed(text, *match.span("secret"))
            value = text[start:end]
            if len(value) > 2 and value.lower() not in _NO_VALUES and not is_placeholder(value):
                found.append((start, end, "password"))
        text = _replace(text, found, counts)
    for needle, pattern in _COMMAND_RULES:
        if needle in low:
            spans = [_trimmed(text, *m.span("secret")) for m in pattern.finditer(text)]
            found = [(a, b, "password") for a, b in spans if not is_placeholder(text[a:b])]
            text = _replace(text, found, counts)
    found = [
        (*match.span("secret"), "password")
        for match in _PGPASS.finditer(text)
        if _HOST.search(text, max(0, match.start() - 100), match.start())
        and not is_placeholder(match["secret"])
    ]
    return _replace(text, found, counts)


def lower(text: str) -> str:
    """`text` in lower case with every character in its place; only one letter would grow."""
    return text.replace("\u0130", "I").lower()


def _replace(text: str, found: list[tuple[int, int, str]], counts: Counts) -> str:
    if not found:
        return text
    pieces = []
    at = 0
    for start, end, kind in found:
        pieces += [text[at:start], f"[redacted:{kind}]"]
        counts[kind] = counts.get(kind, 0) + 1
        at = end
    return "".join(pieces) + text[at:]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without the quotes and brackets around the value."""
    while start < end and text[start] in "\\\"'":
        start += 1
    while start < end and text[end - 1] in "\\\"'`,;)]}":
        end -= 1
    return start, end


def _header_values(text: str) -> list[tuple[int, int, str]]:
    found = []
    done = 0
    for match in _HEADER.finditer(lower(text)):
        before = _HEADER_START.search(text, max(0, match.start() - 16), match.start())
        if match.start() < done or not before or (match["sep"] == "," and not match["close"]):
            continue
        start = match.end()
        quote = _QUOTE.match(text, start)
        if before["quote"] and not match["close"]:
            end = _closing(text, start, before["quote"])
        elif quote:
            start = quote.end()
            end = _closing(text, start, quote[0])
        else:
            end = _line_end(text, start)
        value = text[start:end].rstrip()
        kind = "cookie" if match[0][0] == "c" else "authorization"
        if is_header_value(value, kind) and not (kind == "cookie" and match["sep"] == "="):
            found.append((start, start + len(value), kind))
            done = end
    return found


def _url_passwords(text: str) -> list[tuple[int, int, str]]:
    found = []
    for match in _URL.finditer(text):
        group = "password" if match["password"] else "token"
        value = match[group]
        template = value[0] in "$<{%[*" or len(set(value)) == 1
        if not template and (group == "password" or looks_random(value)):
            found.append((*match.span(group), "url_password"))
    return found


def _closing(text: str, start: int, quote: str) -> int:
    """Where the string that `quote` opened ends: at the same quote, or with its line."""
    last = min(start + _LONGEST, len(text))
    end = text.find(quote, start, last)
    while end > start and text[end - 1] == "\\":
        end = text.find(quote, end + 1, last)
    newline = text.find("\n", start, last)
    return min([at for at in (end, newline) if at >= 0], default=last)


def _line_end(text: str, start: int) -> int:
    last = min(start + _LONGEST, len(text))
    newline = text.find("\n", start, last)
    last = newline if newline >= 0 else last
    escaped = _ESCAPED_END.search(text, start, last) if "\\" in text[start:last] else None
    return escaped.start() if escaped else last


def _name(text: str, match: re.Match[str]) -> str:
    before = _NAME_BEFORE.search(text, max(0, match.start() - 60), match.start())
    head = before[0] if before else ""
    if before and head[:1] in "nrt" and text[before.start() - 1 : before.start()] == "\\":
        head = head[1:]  # the letter belongs to an escape
    end = match.start("close")
    if match["prose"] and not head:  # "the api key is …"
        head = text[max(0, match.start() - 8) : match.start()]
    return head + text[match.start() : end]


def _value(text: str, match: re.Match[str], name: str) -> tuple[int, int, Style]:
    start = match.end()
    if match["sep"] == ":":
        annotation = _ANNOTATION.match(text, start)
        start = annotation.end() if annotation else start
    if match["xml"]:
        return start, _until(text, start, "<"), "quoted"
    prefix = _PREFIX.match(text, start)
    quote = _QUOTE.match(text, prefix.end() if prefix else start)
    if quote:
        start = quote.end()
        return start, _closing(text, start, quote[0]), "quoted"
    bare = _BARE.match(text, start, start + _LONGEST_BARE)
    end = bare.end() if bare else start
    is_env = match["sep"] == "=" and text[match.end() - 1] == "="
    is_env = is_env and (name.upper() == name or _is_line(text, match.start() - 60, start, end))
    following = _NEXT_PAIR.search(text, start, end + 40)
    if following and following.start() < end:
        end = following.start()
    if not is_env:
        while end > start and text[end - 1] in ",:;)]}":
            end -= 1
    return start, end, "env" if is_env else "bare"


def _stands_out(value: str, prose: str | None) -> bool:
    if prose and prose.rstrip(" \t:").endswith((" is", " was")):
        return has_both(value)
    return has_both(value) and looks_random(value) and (not prose or len(value) > 8)


def _is_line(text: str, begin: int, start: int, end: int) -> bool:
    """Whether `name=value` is all there is on its line, or a flag: it is no code then."""
    before = _LINE_START.search(text, max(0, begin), start)
    if not before or text[end - 1 : end] in ",);:":
        return False  # an argument, a statement
    return bool(before["flag"] or _LINE_STOP.match(text, end))


def _until(text: str, start: int, stop: str) -> int:
    end = text.find(stop, start, start + _LONGEST)
    return end if end >= 0 else min(start + _LONGEST, len(text))
