"""What is asked of the memory: arguments parsed once, and the questions put to full text.

Nothing is ignored silently: an unknown argument, a date that is none or a limit out of range is
an error that says what would be right.
"""

from __future__ import annotations

import difflib
import posixpath
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, cast

from backstory import project
from backstory.errors import BadInput
from backstory.records import CONCEPTS, OBSERVATION_TYPES
from backstory.sanitize import door
from backstory.storage.filters import Filters
from backstory.storage.tokens import MAX_QUERY, Term, query_terms

Order = Literal["relevance", "date_desc", "date_asc"]
ORDERS: tuple[Order, ...] = ("relevance", "date_desc", "date_asc")
MAX_LIMIT = 100
MAX_OFFSET = 10_000
_WEEK = re.compile(r"\d{4}-?W\d\d(?:[^\d-].*)?", re.DOTALL)  # Python takes it for its Monday
_TIME = re.compile(r"(?:-\d\d|\d{8}|W\d\d-?\d)[^\d-]([\d:.,]+)")  # behind the day
_MAX_PARTS = 3  # of an identifier that must all be there; a path is looked for by its rare parts

_ARGUMENTS = (
    "query",
    "limit",
    "offset",
    "project",
    "type",
    "obs_type",
    "concept",
    "file",
    "branch",
    "session",
    "agent",
    "dateStart",
    "dateEnd",
    "orderBy",
    "platformSource",
)
_ALIASES = {
    **dict.fromkeys(("date_start", "date_from", "dateFrom", "from", "since", "after"), "dateStart"),
    **dict.fromkeys(("date_end", "date_to", "dateTo", "to", "until", "before"), "dateEnd"),
    **dict.fromkeys(("order_by", "order", "sort"), "orderBy"),
    **dict.fromkeys(("q", "text"), "query"),
    **dict.fromkeys(("obsType", "observation_type"), "obs_type"),
    **dict.fromkeys(("platform_source", "platform"), "platformSource"),
    **dict.fromkeys(("concepts",), "concept"),
    **dict.fromkeys(("files", "path", "file_path", "filePath"), "file"),
    **dict.fromkeys(("branches", "git_branch", "gitBranch"), "branch"),
    **dict.fromkeys(("sessions", "session_id", "sessionId"), "session"),
    **dict.fromkeys(("agents", "agent_type", "agentType", "subagent"), "agent"),
}
_KINDS = {
    **dict.fromkeys(("observations", "observation"), "observation"),
    **dict.fromkeys(("sessions", "session", "summaries", "summary"), "summary"),
    **dict.fromkeys(("prompts", "prompt"), "prompt"),
}
_SAVED = ("memories", "memory", "saved")  # observations that somebody saved word for word
# Words that say nothing about what is looked for; kept when there are no others.
STOP_WORDS = frozenset(
    """
    a about after again all also an and any are as at be because been before being but by can could
    did do does doing done dont for from get gets getting go had has have having he her here him his
    how i if in into is it its just let like me more most my need no not now of off on one only or
    other our out over own please s same she should show so some such t tell than that the their
    them then there these they thing things this those to too under until up us use used using very
    want was we were what when where which while who whom why will with would you your
    der die das und ist ein eine el la los las de y en que un una le les des et est du il
    и в во не на что я с со как а то все она так его но да ты к у же вы за бы по от из о это для
    """.split()  # noqa: SIM905  words read better as words
)


@dataclass(frozen=True, slots=True)
class SearchQuery(Filters):
    """One search: what is asked, what it is limited to, and how much of the answer is wanted."""

    text: str = ""
    order: Order = "relevance"
    limit: int = 20
    offset: int = 0
    fold: bool = True  # those that tell the same are one row


@dataclass(frozen=True, slots=True)
class Question:
    """What full text is asked, from the exact to the loose."""

    all_words: str  # every term as it stands
    loose: str  # every term, by its parts or its beginning; "" when that is no looser
    parts: str  # every term, by its parts alone; "" when that is no looser
    terms: tuple[str, ...]  # those of all_words, each alone
    any_word: tuple[str, ...]  # each alone, for ranking by how many and how rare
    single: bool  # one word, identifier or phrase
    is_name: bool  # one identifier, path or version: meant as it stands
    plain: str  # the words alone, for those who ask by meaning: nothing of it is syntax


def search_query(
    arguments: Mapping[str, Any], *, project_ids: tuple[int, ...] = (), roots: Iterable[str] = ()
) -> SearchQuery:
    """The query that the arguments of `search` mean.

    `project` names are resolved by the caller, who passes the ids. roots: the projects' root
    folders, so that absolute paths find records, which hold relative ones. Raises BadInput.
    """
    given = _known(arguments)
    kinds, types, saved = _kinds_and_types(given.get("type"), given.get("obs_type"))
    start, end = given.get("dateStart"), given.get("dateEnd")
    query = SearchQuery(
        text=relative_text(_text("query", given.get("query", "")), roots),
        project_ids=project_ids,
        kinds=kinds,
        types=types,
        saved=saved,
        concepts=tuple(_choice("concept", name, CONCEPTS) for name in _names(given.get("concept"))),
        files=tuple(_path(name, tuple(roots)) for name in _texts("file", given.get("file"))),
        branches=_texts("branch", given.get("branch")),
        sessions=_texts("session", given.get("session")),
        agents=_texts("agent", given.get("agent")),
        start=None if start is None else parse_date(start, "dateStart"),
        end=None if end is None else parse_date(end, "dateEnd", end=True),
        platforms=_texts("platformSource", given.get("platformSource")),
        order=cast("Order", _choice("orderBy", given.get("orderBy", "relevance"), ORDERS)),
        limit=whole_number("limit", given.get("limit", 20), 1, MAX_LIMIT),
        offset=whole_number("offset", given.get("offset", 0), 0, MAX_OFFSET),
    )
    if query.start is not None and query.end is not None and query.start >= query.end:
        raise BadInput(f"dateStart {start} is after dateEnd {end}", hint="swap the two dates")
    return query


def parse_date(value: object, field: str, *, end: bool = False) -> int:
    """Unix milliseconds of an ISO date or time; UTC unless it has an offset of its own.

    With end=True the first millisecond after it: an end is inclusive, the whole of its day, or of
    its minute where it is given to the minute. Raises BadInput.
    """
    text = str(value).strip()
    if _WEEK.fullmatch(text):
        raise BadInput(
            f"{field}: got {text!r}, a week, expected an ISO date",
            hint="give the first day and the last one as dates",
        )
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise BadInput(
            f"{field}: got {text!r}, expected an ISO date",
            hint="for example 2026-03-10, or 2026-03-10T09:30+02:00 (UTC without an offset)",
        ) from None
    try:
        if end:
            at += _precision(text)
        at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except OverflowError:
        raise BadInput(f"{field}: {text} is out of range", hint="use a date of this age") from None
    return (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


def _precision(text: str) -> timedelta:
    """How long a time lasts that is given so exactly: a day, an hour, a minute, a second."""
    time = _TIME.search(text)
    if time is None:
        return timedelta(days=1)
    if "." in time[1] or "," in time[1]:
        return timedelta(milliseconds=1)
    digits = sum(char.isdigit() for char in time[1])
    return {2: timedelta(hours=1), 4: timedelta(minutes=1)}.get(digits, timedelta(seconds=1))


def whole_number(field: str, value: object, least: int, most: int) -> int:
    """A whole number within bounds; "5" is taken for 5. Raises BadInput."""
    wanted = f"expected a whole number from {least} to {most}"
    if isinstance(value, str) and value.strip().lstrip("-").isdecimal():
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise BadInput(f"{field}: got {str(value)[:40]!r}, {wanted}")
    return value


def relative_text(text: str, roots: Iterable[str]) -> str:
    """A query in which absolute paths below a root are relative to it, as records have them."""
    text = text.replace("\\", "/") if "\\" in text and "/" not in text else text
    for root in sorted(roots, key=len, reverse=True):
        folder = root.replace("\\", "/").rstrip("/")
        if folder:
            # only where a path begins: /var/repo/x is not below /repo
            text = re.sub(r"(?<![^\s\"'`(=:])" + re.escape(folder) + "/", "", text)
    return text


def _path(name: str, roots: tuple[str, ...]) -> str:
    """A file or a folder as records hold it. Raises BadInput where it is the project's own."""
    path = relative_text(name, roots)
    for root in roots:
        if not (short := project.relative(path, root)).startswith("/"):
            path = short
            break
    path = posixpath.normpath(path).strip("/")
    if path in ("", "."):
        raise BadInput(
            f"file: got {name[:80]!r}, expected a path below the project's folder",
            hint="leave file out to search all of the project",
        )
    return path


def question(text: str) -> Question | None:
    """The question that a text asks; None where it holds no word at all."""
    terms = query_terms(text)
    if not terms:
        return None
    kept = [term for term in terms if term.phrase or not STOP_WORDS.issuperset(term.words)]
    kept = kept or list(terms)
    last = kept[-1]
    exact = " AND ".join(term.strict for term in kept)
    loose = " AND ".join(
        [*(_loosened(term) for term in kept[:-1]), _loosened(last, prefix=not last.phrase)]
    )
    parts = " AND ".join(_loosened(term) for term in kept)
    single = len(kept) == 1
    return Question(
        all_words=exact,
        loose=loose if loose != exact else "",
        parts=parts if parts != exact else "",
        terms=tuple(term.strict for term in kept),
        any_word=_alone(kept),
        single=single,
        is_name=single and last.text.isascii() and len(last.words) > 1,
        plain=plain_text(door.clean_text(text[:MAX_QUERY])),  # it may be sent to an endpoint
    )


def plain_text(text: str) -> str:
    """Its words, folded: a question asks the same however it is punctuated."""
    kept: list[str] = []
    for char in unicodedata.normalize("NFKC", text):
        kind = unicodedata.category(char)
        # a mark belongs to the letter before it; what is invisible parts no word
        is_of_word = char.isalnum() or (kind[0] == "M" and kept[-1:] not in ([], [" "]))
        if kind != "Cf":
            kept.append(char if is_of_word else " ")
    return " ".join("".join(kept).casefold().split())


def _loosened(term: Term, *, prefix: bool = False) -> str:
    expression = term.prefix if prefix else term.strict
    if term.phrase or not 1 < len(term.words) <= _MAX_PARTS:
        return expression
    parts = " AND ".join(f'"{word}"' for word in dict.fromkeys(term.words))
    return f"({expression} OR ({parts}))"


def _alone(terms: list[Term]) -> tuple[str, ...]:
    single: dict[str, None] = {}
    for term in terms:
        single[term.strict] = None
        if not term.phrase and len(term.words) > 1:
            for word in term.words:
                if word not in STOP_WORDS and (len(word) > 1 or not word.isascii()):
                    single[f'"{word}"'] = None
    return tuple(single)


def _known(arguments: Mapping[str, Any]) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for name, value in arguments.items():
        right = _ALIASES.get(name, name)
        if right not in _ARGUMENTS:
            near = difflib.get_close_matches(name, [*_ARGUMENTS, *_ALIASES], 1, 0.6)
            meant = _ALIASES.get(near[0], near[0]) if near else ""
            known = ", ".join(_ARGUMENTS)
            raise BadInput(
                f"search has no argument {name!r}",
                hint=f"did you mean {meant}? It has {known}" if meant else f"it has {known}",
            )
        if right in given:
            raise BadInput(f"{right} is given twice, once as {name}", hint=f"give only {right}")
        if value is not None and value != "":
            given[right] = value
    return given


def _kinds_and_types(
    type_: object, obs_type: object
) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    kinds: list[str] = []
    types: list[str] = []
    saved = False
    for name in [*_names(type_), *_names(obs_type)]:
        if name in _KINDS:
            kinds.append(_KINDS[name])
        elif name in _SAVED:
            saved = True
        elif name in OBSERVATION_TYPES:
            types.append(name)
        else:
            allowed = ("observations", "sessions", "prompts", "memories", *OBSERVATION_TYPES)
            _choice("type", name, allowed)
    if (types or saved) and set(kinds) - {"observation"}:
        only = f"have the type {types[0]}" if types else "are saved memories"
        raise BadInput(
            f"only observations {only}",
            hint="leave type out, or give it as observations",
        )
    return tuple(dict.fromkeys(kinds)), tuple(dict.fromkeys(types)), saved


def _names(value: object) -> list[str]:
    items = value if isinstance(value, list | tuple) else str(value or "").split(",")
    return [str(item).strip().lower() for item in items if str(item).strip()]


def _texts(field: str, value: object) -> tuple[str, ...]:
    """One text or a list of them, as they are: a path or a branch may hold a comma."""
    items = value if isinstance(value, list | tuple) else [value if value is not None else ""]
    return tuple(dict.fromkeys(text for item in items if (text := _text(field, item).strip())))


def _text(field: str, value: object) -> str:
    if isinstance(value, bool | list | dict):
        raise BadInput(f"{field}: got {str(value)[:40]!r}, expected a text")
    return str(value)


def _choice(field: str, value: object, allowed: tuple[str, ...]) -> str:
    text = str(value).strip().lower()
    if text in allowed:
        return text
    near = difflib.get_close_matches(text, allowed, 1, 0.4)
    hint = f"did you mean {near[0]}?" if near else ""
    raise BadInput(
        f"{field}: got {str(value)[:40]!r}, expected one of {', '.join(allowed)}", hint=hint
    )
