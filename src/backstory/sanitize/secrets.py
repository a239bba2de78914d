"""Credentials in text become `[redacted:<kind>]`.

Every rule has needles, looked for in the whole text first: text that holds none costs almost
nothing. Lengths are short on purpose: a key that was cut off is still part of a key.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from backstory.sanitize.assignments import (
    lower,
    redact_assignments,
    redact_flags,
    redact_headers,
)
from backstory.sanitize.credentials import has_both, looks_random, words
from backstory.sanitize.sentences import redact_sentences


class Rule(NamedTuple):
    """A credential that is recognised by its own shape."""

    kind: str
    needles: tuple[str, ...]  # lower case; one of them is in every match
    pattern: re.Pattern[str]  # the group `secret`, else the whole match, is masked
    check: Callable[[str], bool] | None = None  # what the pattern can't say


_FULL = 32  # a whole key of this length is one, mixed or not


def _mixed(secret: str) -> bool:
    return has_both(secret) or (secret.upper() != secret and secret.lower() != secret)


def _body_mixed(secret: str) -> bool:
    return _mixed(re.split(r"[_.-]", secret, maxsplit=1)[-1]) or len(secret) >= _FULL


def _has_random_part(secret: str) -> bool:
    parts = re.split("[-_]", secret)
    return any(len(part) >= _FULL or (len(part) >= 10 and _mixed(part)) for part in parts)


def _is_bot_token(secret: str) -> bool:
    return looks_random(secret) or len(secret) >= _FULL


def _is_aws_secret(secret: str) -> bool:
    return has_both(secret) and secret.upper() != secret and secret.lower() != secret


def _word(prefix: str) -> str:
    """A pattern for `prefix` at the start of a word, or behind an escape ("\\n", "%3D").

    What stands before it is looked at last: a pattern that begins with plain text is fast.
    """
    fixed = re.escape(prefix)
    before = ("(?<![A-Za-z0-9]%s)", r"(?<=\\[nrtbf]%s)", "(?<=%%[0-9A-Fa-f]{2}%s)")
    return f"{fixed}(?:{'|'.join(pattern % fixed for pattern in before)})"


_SERVICE_PREFIXES = sorted(
    words(
        "gsk_ xai- r8_ pplx- lin_api_ ntn_ secret_ shpat_ shpss_ hvs. sbp_ figd_ PMAK- ATATT3 glsa_"
        " sntrys_ rubygems_ dckr_pat_ dapi tskey- nvapi-"
    )
)


def _rule(
    kind: str, needles: str, pattern: str, check: Callable[[str], bool] | None = None
) -> Rule:
    return Rule(kind, tuple(needles.split()), re.compile(pattern), check)


RULES = (
    _rule("anthropic_key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{6,}"),
    _rule(
        "openai_key",
        "sk-proj- sk-svcacct- sk-admin- sk-or-v1-",
        r"sk-(?:proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{8,}",
    ),
    _rule("openai_key", "sk-", _word("sk-") + r"[A-Za-z0-9_-]{16,}", _has_random_part),
    _rule(
        "github_token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        r"(?:gh[pousr]|github_pat)_[A-Za-z0-9_]{8,}",
        _body_mixed,
    ),
    _rule(
        "gitlab_token",
        "glpat- gldt- glrt- glcbt- glptt- glft- gloas- glsoat-",
        r"gl(?:pat|dt|rt|cbt|ptt|ft|oas|soat)-[A-Za-z0-9_.-]{6,}",
    ),
    _rule("aws_access_key", "akia", _word("AKIA") + r"[A-Z0-9]{8,16}(?![a-z])"),
    _rule("aws_access_key", "asia", _word("ASIA") + r"[A-Z0-9]{8,16}(?![a-z])", has_both),
    _rule(
        "aws_secret_key",
        "aws secret",
        r"(?i:secret|aws)[^\n]{0,60}?(?<![A-Za-z0-9/+=])(?P<secret>[A-Za-z0-9/+]{40})"
        r"(?![A-Za-z0-9/+=])",
        _is_aws_secret,
    ),
    _rule("google_key", "aiza", _word("AIza") + r"[A-Za-z0-9_-]{10,}"),
    _rule("google_token", "ya29.", _word("ya29.") + r"[A-Za-z0-9_.-]{10,}"),
    _rule("google_token", "gocspx-", r"GOCSPX-[A-Za-z0-9_-]{10,}"),
    _rule("slack_token", "xox xapp-", r"(?:xox[abeoprs]-|xapp-\d)[A-Za-z0-9.-]{8,}"),
    _rule(
        "slack_webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9/_-]{6,})",
    ),
    _rule(
        "discord_webhook",
        "/api/webhooks/",
        r"/api/webhooks/(?P<secret>\d{5,}/[A-Za-z0-9_-]{6,})",
    ),
    _rule(
        "discord_token",
        ".",
        r"(?<![A-Za-z0-9_.-])[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{8,}",
        _mixed,
    ),
    _rule(
        "stripe_key",
        "sk_live_ sk_test_ rk_live_ rk_test_ whsec_",
        r"(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9+/=]{6,}",
    ),
    _rule("npm_token", "npm_", _word("npm_") + r"[A-Za-z0-9]{10,}", _body_mixed),
    _rule("pypi_token", "pypi-ag", _word("pypi-Ag") + r"[A-Za-z0-9_-]{8,}"),
    _rule("huggingface_token", "hf_", _word("hf_") + r"[A-Za-z0-9]{10,}", _body_mixed),
    _rule(
        "sendgrid_key",
        "sg.",
        _word("SG.") + r"[A-Za-z0-9_-]{12,}(?:\.[A-Za-z0-9_-]*)?",
        _mixed,
    ),
    _rule("twilio_key", "sk", _word("SK") + r"[0-9a-f]{32}(?![A-Za-z0-9])"),
    _rule("twilio_key", "ac", _word("AC") + r"[0-9a-f]{32}(?![A-Za-z0-9])"),
    _rule("digitalocean_token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[a-f0-9]{6,}"),
    _rule(
        "telegram_token",
        ":aa bot telegram",
        r":(?<=\d{6}:)(?P<secret>AA[A-Za-z0-9_-]{8,}|[A-Za-z0-9_-]{30,})",
        _is_bot_token,
    ),
    _rule(
        "jwt",
        "eyj",
        _word("eyJ") + r"(?:[A-Za-z0-9_-]{8,2048}+(?:\.[A-Za-z0-9_-]{2,}(?:\.[A-Za-z0-9_-]*){0,3})"
        r"|(?:hbGci|0eXAi|raWQi)[A-Za-z0-9_-]*)",
    ),
    _rule("age_key", "age-secret-key-", r"AGE-SECRET-KEY-[A-Z0-9]{6,}"),
    _rule(
        "azure_key",
        "sig=",
        r"(?:[?&;]|\\u0026|&amp;)sig=(?P<secret>[A-Za-z0-9%+/=_-]{16,})",
    ),
    *(
        _rule(
            "service_token",
            prefix.lower(),
            _word(prefix) + r"(?P<secret>[A-Za-z0-9_-]{20,})",
            _has_random_part,
        )
        for prefix in _SERVICE_PREFIXES
    ),
)

_PEM = re.compile(
    r"-{4,5} ?(?P<edge>BEGIN|END) (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
    r"|(?P<putty>Private-Lines: ?\d+)"
)
_PEM_BODY = re.compile(r"[A-Za-z0-9+/=\s\\\"',:|>→.-]*")  # "\n" may be two characters, lines quoted
_BASE64 = re.compile(r"[A-Za-z0-9+/]{16,}")


def redact(text: str) -> tuple[str, dict[str, int]]:
    """`text` without credentials, and how many of each kind were masked; idempotent."""
    counts: dict[str, int] = {}
    low = text.lower()
    if "private key" in low or "private-lines" in low:
        text = _redact_private_keys(text, counts)
    text = redact_headers(text, low, counts)
    for rule in RULES:
        if any(needle in low for needle in rule.needles):
            text = _apply(rule, text, counts)
    while (masked := redact_assignments(text, counts)) is not text:
        text = masked  # a value may be a name itself: A=B=secret
    if (told := redact_sentences(text, lower(text), counts)) is not text:
        # and so may be what stands for a secret now: "[redacted:password]: secret"
        while (text := redact_assignments(told, counts)) is not told:
            told = text
    return redact_flags(text, low, counts), counts


def opens_private_key(text: str) -> bool:
    """Whether a private key begins in `text` and does not end there."""
    edges = [m["edge"] for m in _PEM.finditer(text) if m["edge"]] if "PRIVATE KEY" in text else []
    return bool(edges) and edges[-1] == "BEGIN"


def closes_private_key(text: str) -> bool:
    """Whether a private key that began earlier ends in `text`."""
    return "PRIVATE KEY" in text and any(m["edge"] == "END" for m in _PEM.finditer(text))


def _apply(rule: Rule, text: str, counts: dict[str, int]) -> str:
    group = "secret" if "secret" in rule.pattern.groupindex else 0

    def mask(match: re.Match[str]) -> str:
        whole, secret = match[0], match[group]
        if rule.check and not rule.check(secret):
            return whole
        counts[rule.kind] = counts.get(rule.kind, 0) + 1
        start, end = (at - match.start() for at in match.span(group))
        return f"{whole[:start]}[redacted:{rule.kind}]{whole[end:]}"

    return rule.pattern.sub(mask, text)


def _redact_private_keys(text: str, counts: dict[str, int]) -> str:
    """Masks whole blocks, and what there is of a block whose other end was cut off."""
    pieces: list[str] = []
    at = 0  # what comes before is done
    edges = list(_PEM.finditer(text))
    for index, edge in enumerate(edges):
        if edge.start() < at:
            continue
        start, end = edge.start(), edge.end()
        following = edges[index + 1] if index + 1 < len(edges) else None
        if edge["edge"] == "END":
            before = _PEM_BODY.match(text[at:start][: -20_000 - 1 : -1])
            start -= before.end() if before else 0
        elif following and following["edge"] == "END":
            end = following.end()
        else:
            body = _PEM_BODY.match(text, end, following.start() if following else len(text))
            end = body.end() if body else end
        if _BASE64.search(_without_labels(text[start:end])):
            pieces += [text[at:start], "[redacted:private_key]"]
            counts["private_key"] = counts.get("private_key", 0) + 1
        else:
            pieces.append(text[at:end])
        at = end
    return "".join(pieces) + text[at:]


def _without_labels(block: str) -> str:
    return _PEM.sub("", block)
