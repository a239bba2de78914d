"""Values that hold when nothing else is set: `?? "x"`, `unwrap_or`, `getenv(name, default)`."""

from __future__ import annotations

import re

_LITERAL = r"((?:[\"'][^\"'\n]{1,60}[\"'])|-?\d[\w.]*|true|false|True|False)"
_ENV = (
    r"(?:environ(?:\.get)?|[gG]etenv|get_?[eE]nv\w*|config|ENV\.fetch|env|process\.env|"
    r"import\.meta\.env|env::var(?:_os)?|LookupEnv)"
)
_OR = r"(?:\bor\s+|\|\|\s*|\?\?\s*|\?:\s*|unwrap_or(?:_else)?\((?:\|_?\|\s*)?)"
_RULES = tuple(
    (needle, re.compile(pattern))
    for needle, pattern in (
        # os.environ.get("NAME", "x"), getenv("NAME", 3), env("NAME", "x")
        (", ", rf"\b{_ENV}\(\s*[\"'](\w+)[\"']\s*,\s*{_LITERAL}\s*\)"),
        # os.getenv("NAME") or "x", env::var("NAME").unwrap_or("x")
        (
            "(",
            rf"\b{_ENV}\(\s*[\"'](\w+)[\"']\s*\)[^\n;,]{{0,30}}?{_OR}{_LITERAL}",
        ),
        # process.env.NAME ?? "x"
        ("env", rf"\b{_ENV}(?:\.|\[[\"'])(\w+)(?:[\"']\])?\)?\s*(?:\?\?|\|\|)\s*{_LITERAL}"),
        # ${NAME:-x} in shells and compose files, ${name:x} in Spring
        ("${", r"\$\{([A-Za-z_][\w.]*):-?([^}\n]{1,60})\}"),
    )
)
_ELSE = re.compile(
    rf"(?:\?\?|\?:|\.unwrap_or\(|\.getOrDefault\([^,()]+,|\.get\([^,()]+,)\s*{_LITERAL}"
)
_ASSIGNED = re.compile(
    r"^\s*(?:(?:export|pub|public|private|static|final|const|let|var|val|readonly|auto|mut)\s+)*"
    r"[\"']?([A-Za-z_][\w.-]{1,50})[\"']?(?:\s*:\s*&?[\w<>'\[\] ]{1,24}?)?\s*(?::=|=(?!=)|:)\s*"
)


def fallback(line: str) -> str:
    """What a line falls back to, as "NAME: VARIABLE, by default VALUE"; "" when it does not."""
    if len(line) > 300:
        return ""
    assigned = _ASSIGNED.match(line)
    name = assigned[1] if assigned else ""
    for needle, pattern in _RULES:
        if needle in line and (found := pattern.search(line)):
            variable = found[1]
            head = f"{name}: {variable}" if name and name != variable else variable
            return f"{head}, by default {found[2]}"
    if name and (found := _ELSE.search(line)):
        return f"{name}: by default {found[1]}"
    return ""
