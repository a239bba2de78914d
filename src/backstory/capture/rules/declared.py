"""What added lines declare: settings, endpoints, flags, tables, constants, what they raise."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from backstory.capture.rules.fallbacks import fallback
from backstory.capture.rules.paths import is_config, is_doc

_LINES = 400


@dataclass(frozen=True, slots=True)
class _Rule:
    needle: str  # a cheap sign that the pattern may match; "" tries every line
    pattern: re.Pattern[str]
    say: Callable[[re.Match[str]], str]


def _rule(needle: str, pattern: str, say: str | Callable[[re.Match[str]], str]) -> _Rule:
    speak = say if callable(say) else (lambda found: found.expand(say))
    return _Rule(needle, re.compile(pattern), speak)


_ENV = r"Reads environment variable \1"
_RULES = (
    _rule("environ", r"environ(?:\.get)?\s*[\[(]\s*[\"'](\w+)", _ENV),
    _rule("etenv", r"[gG]etenv\(\s*[\"'](\w+)", _ENV),
    _rule("process.env", r"process\.env(?:\.|\[\s*[\"'])(\w+)", _ENV),
    _rule("import.meta.env", r"import\.meta\.env\.(\w+)", _ENV),
    _rule("env::var", r"env::var(?:_os)?\(\s*\"(\w+)", _ENV),
    _rule("LookupEnv", r"LookupEnv\(\s*\"(\w+)", _ENV),
    _rule("ENV[", r"ENV\[[\"'](\w+)", _ENV),
    _rule("ENV.fetch", r"ENV\.fetch\([\"'](\w+)", _ENV),
    _rule(
        "@",
        r"@\w+\.(get|post|put|patch|delete|route|websocket)\(\s*[\"']([^\"']+)",
        lambda m: f"Endpoint {'' if m[1] == 'route' else m[1].upper() + ' '}{m[2]}",
    ),
    _rule(
        "Mapping(",
        r"@(Get|Post|Put|Patch|Delete|Request)Mapping\(\s*(?:\w+\s*=\s*)?\"([^\"]+)",
        lambda m: f"Endpoint {'' if m[1] == 'Request' else m[1].upper() + ' '}{m[2]}",
    ),
    _rule(
        "(",
        r"\b(?:app|router|server|api|mux|routes?|r|e|g)\.(get|post|put|patch|delete|Get|Post|Put|"
        r"Patch|Delete|GET|POST|PUT|PATCH|DELETE)\(\s*[\"'`](/[^\"'`]*)",
        lambda m: f"Endpoint {m[1].upper()} {m[2]}",
    ),
    _rule("Handle", r"\bHandle(?:Func)?\(\s*\"([^\"]+)", r"Endpoint \1"),
    _rule("path(", r"\b(?:re_)?path\(\s*r?[\"']([^\"']+)[\"'],", r"Endpoint \1"),
    _rule(
        "add_argument",
        r"add_argument\(\s*(?:[\"']-\w[\"'],\s*)?[\"'](--?[\w-]+)",
        r"Command-line flag \1",
    ),
    _rule(
        "option(",
        r"\boption\(\s*(?:[\"']-\w[\"'],\s*)?[\"'](?:-\w,\s*)?(--[\w-]+)",
        r"Command-line flag \1",
    ),
    _rule("flag.", r"\bflag\.\w+\((?:&\w+,\s*)?\"([\w-]+)\"", r"Command-line flag \1"),
    _rule(
        "able", r"(?i)\bcreate\s+table\s+(?:if\s+not\s+exists\s+)?([\w.\"`]+)", r"Creates table \1"
    ),
    _rule(
        "able",
        r"(?i)\balter\s+table\s+(?:if\s+exists\s+)?(?:only\s+)?([\w.\"`]+)\s+(add|drop|alter|"
        r"rename)\s+"
        r"(?:column\s+)?(?:if\s+(?:not\s+)?exists\s+)?([\w\"`]+(?:\s+[\w()]+)?)",
        lambda m: f"ALTER TABLE {m[1]} {m[2].upper()} {m[3]}",
    ),
    _rule(
        "ABLE",
        r"\bALTER\s+TABLE\s+(\S+)\s+(ADD|DROP|ALTER|RENAME)\s+(?:COLUMN\s+)?(\w+(?:\s+\w+)?)",
        r"ALTER TABLE \1 \2 \3",
    ),
    _rule("ABLE", r"\bCREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?([\w.\"`]+)", r"Creates table \1"),
    _rule(
        "NDEX",
        r"(?i)\bcreate\s+(unique\s+)?index\s+(?:concurrently\s+)?(?:if\s+not\s+exists\s+)?(\w+)\s+on\s+"
        r"([\w.]+\s*\([^)]*\))",
        lambda m: f"Creates {(m[1] or '').lower()}index {m[2]} on {m[3]}",
    ),
    _rule(
        "op.",
        r"\bop\.(add_column|drop_column|create_index|alter_column)\(\s*[\"'](\w+)[\"'],\s*"
        r"(?:sa\.Column\(\s*)?[\"'](\w+)",
        lambda m: f"{m[1].replace('_', ' ').capitalize()} {m[2]}.{m[3]}",
    ),
    _rule(
        "op.",
        r"\bop\.(create_table|drop_table)\(\s*[\"'](\w+)",
        lambda m: f"{m[1].replace('_', ' ').capitalize()} {m[2]}",
    ),
    _rule(
        "_column",
        r"\b(add|remove|rename)_column\s+:(\w+),\s*:(\w+)(?:,\s*:(\w+))?",
        lambda m: f"{m[1].capitalize()} column {m[2]}.{m[3]}{' ' + m[4] if m[4] else ''}",
    ),
    _rule("models.", r"^\s*(\w+)\s*=\s*models\.(\w+)\(", r"Model field \1 (\2)"),
    _rule("raise ", r"\braise\s+(\w+)\(\s*f?[\"']([^\"'\n]{4,120})", r"Raises \1: \2"),
    _rule("throw ", r"\bthrow\s+(?:new\s+)?(\w+)\(\s*[\"'`]([^\"'`\n]{4,120})", r"Throws \1: \2"),
    _rule("rrors.New", r"errors\.New\(\s*\"([^\"\n]{4,120})", r"Returns error: \1"),
    _rule(
        "",
        r"^\s*(?:export\s+|public\s+|private\s+|pub\s+|static\s+|final\s+|const\s+|let\s+|"
        r"var\s+|readonly\s+)*"
        r"#?(?:define\s+)?([A-Z][A-Z0-9_]{2,})\b(?:\s*:\s*[\w<>\[\]., &']+?)?\s*:?=?\s+"
        r"((?:[\"'][^\"'\n]{0,80}[\"'])|-?\d[\w.]*(?:\s*[*/+-]\s*\d[\w.]*)*|true|false|True|"
        r"False|None|null)",
        r"\1 = \2",
    ),
)
_SETTING = re.compile(
    r"^\s*(?:export\s+|ENV\s+|ARG\s+|-\s+)?[\"']?([A-Za-z_][\w./@-]{0,60})[\"']?\s*(?:=>|[:=])\s*"
    r"([^\s{\[|>&#][^#\n]{0,100}?)\s*,?\s*(?:#.*)?$"
)
_INLINE = re.compile(
    r"^\s*-?\s*[\"']?([A-Za-z_][\w-]*)[\"']?\s*[:=]?\s*\{\s*([^{}\n]+?)\s*\},?\s*$"
)
_PAIR = re.compile(r"[\"']?([A-Za-z_][\w.-]*)[\"']?\s*[:=]\s*([\"'][^\"']*[\"']|[^\s,;]+)")
QUOTES = "\"'"
_DIRECTIVE = re.compile(r"^\s*([a-z_]{3,40})\s+([^;{}]{1,80});\s*$")  # nginx and its like
_FROM = re.compile(
    r"^\s*(?:FROM|EXPOSE|CMD|ENTRYPOINT|HEALTHCHECK|listen|proxy_pass|server_name)\s+\S.*$"
)
_REQUIREMENT = re.compile(
    r"^\s*[\"']?([A-Za-z][\w.-]*(?:\[[\w,]+\])?\s*(?:==|~=|>=|<=|>|<)\s*[\w.*]+[^\"'#]*)"
)
_COMMENT = re.compile(
    r"(?:^|\s)(?:#|//|--|;;)\s?(?!!|\s*type:|\s*noqa|\s*eslint)([^#/\n-][^\n]{19,220})$"
)
_IMPORT = re.compile(
    r"^\s*(?:from\s+([\w.]+)\s+import\s+([\w*, ()]+)|import\s+([\w., ]+)$|"
    r"import\s.*?from\s+[\"']([^\"']+)"
    r"|(?:const|let|var)\s.*?require\(\s*[\"']([^\"']+)|use\s+([\w:{}, ]+);)"
)


def declarations(path: str, added: list[str]) -> list[str]:
    """What the added lines of a file declare, most telling first, each as a short phrase."""
    found: list[str] = []
    config = is_config(path)
    for line in added[:_LINES]:
        if len(line) > 500:
            continue
        if otherwise := fallback(line):
            found.append(otherwise)
        for rule in _RULES:
            if rule.needle in line and (match := rule.pattern.search(line)):
                found.append(rule.say(match).replace('"', "").strip())
                break
        else:
            if config:
                found += _block(line) or [one for one in (_setting(line),) if one]
    if not is_doc(path):
        found += _comments(added)
    return list(dict.fromkeys(found))


def imports(added: list[str]) -> list[str]:
    """The modules that the added lines bring in."""
    found: list[str] = []
    for line in added[:_LINES]:
        if len(line) < 300 and (match := _IMPORT.match(line)):
            if match[1]:
                found.append(f"{match[2].strip(' ()')} from {match[1]}")
            else:
                found.append(next(part for part in match.groups()[2:] if part).strip())
    return list(dict.fromkeys(found))


def _block(line: str) -> list[str]:
    """The settings of a block that stands in one line, `expiration { days = 30 }`."""
    found = _INLINE.match(line)
    if found is None:
        return []
    pairs = _PAIR.findall(found[2])
    return [f"{found[1]}.{name}: {value.strip(QUOTES)}" for name, value in pairs]


def _setting(line: str) -> str:
    stripped = line.strip()
    if _FROM.match(line):
        return stripped
    if requirement := _REQUIREMENT.match(line):
        return requirement[1].strip(" ,")
    if found := _DIRECTIVE.match(line):
        return f"{found[1]} {found[2]}"
    if found := _SETTING.match(line):
        return f"{found[1]}: {found[2].strip(chr(34) + chr(39))}"
    return ""


def _comments(added: list[str]) -> list[str]:
    said = [
        found[1].strip(" */") for line in added[:_LINES] if (found := _COMMENT.search(line[:400]))
    ]
    return [f"Comment: {text}" for text in said if text.count(" ") >= 3][:2]
