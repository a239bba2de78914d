"""The rows of an answer as the model wrote them: of the right types, and not believed yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from backstory.capture.orders import is_addressed
from backstory.capture.rules.sentences import split_prose
from backstory.capture.rules.titles import plain, shorten
from backstory.records import CONCEPTS, OBSERVATION_TYPES
from backstory.sanitize.door import clean_text

FACTS = SYMBOLS = 12
FILES = 20
QUERIES, _QUERY = 4, 120  # and characters of each
SUMMARY_FIELDS = ("request", "investigated", "learned", "completed", "next_steps")
_BINDING = ("decision", "change")  # what a later session may take for laid down
_WEIGHT = {"feature": 2, "change": 2, "refactor": 2, "discovery": 1}  # others: 3
_REFS = 40
_READ = 8_000  # characters of a text that are looked at; the middle of a longer one is cut out
_BULLETS = "-*•– \t"


def _strict(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


_TEXT = {"type": "string"}
# No length keywords and no optional fields: not every service takes them.
SCHEMA: dict[str, Any] = _strict(
    observations=_list(
        _strict(
            turn=_TEXT,
            type={"type": "string", "enum": list(OBSERVATION_TYPES)},
            title=_TEXT,
            narrative=_TEXT,
            facts=_list(_TEXT),
            concepts=_list({"type": "string", "enum": list(CONCEPTS)}),
            files=_list(_TEXT),
            symbols=_list(_TEXT),
            queries=_list(_TEXT),
            sources=_list(_TEXT),
            replaces=_list(_TEXT),
            supersedes=_list(_TEXT),
        )
    ),
    summaries=_list(_strict(turn=_TEXT, **dict.fromkeys(SUMMARY_FIELDS, _TEXT))),
)


@dataclass(frozen=True, slots=True)
class Claim:
    """One row as it was written."""

    turn: str
    type: str
    title: str
    narrative: str
    facts: tuple[str, ...]
    concepts: tuple[str, ...]
    files: tuple[str, ...]
    symbols: tuple[str, ...]
    queries: tuple[str, ...]
    sources: tuple[str, ...]
    replaces: tuple[str, ...]
    supersedes: tuple[str, ...]

    @property
    def texts(self) -> Iterator[str]:
        """All that could be shown of it, as it came."""
        yield from (self.title, self.narrative, *self.facts, *self.files, *self.symbols)
        yield " ".join((self.title[:_READ], self.narrative[:_READ], *self.facts))


def read_claim(raw: object) -> Claim | None:
    """The row, None where a field has the wrong type. What the schema does not know is left out."""
    if not isinstance(raw, Mapping):
        return None
    turn, kind, title, narrative = (
        _text(raw, name) for name in ("turn", "type", "title", "narrative")
    )
    lists = [
        _strings(raw, name, most)
        for name, most in (
            ("facts", 2 * FACTS),
            ("concepts", len(CONCEPTS)),
            ("files", 2 * FILES),
            ("symbols", 2 * SYMBOLS),
            ("queries", 2 * QUERIES),
            ("sources", _REFS),
            ("replaces", _REFS),
            ("supersedes", _REFS),
        )
    ]
    if not turn or not kind or not title or narrative is None:
        return None
    fit = [one for one in lists if one is not None]
    if len(fit) < len(lists) or kind.strip().lower() not in OBSERVATION_TYPES:
        return None
    return Claim(turn.strip(), kind.strip().lower(), title, narrative, *fit)


def read_summary(raw: object) -> dict[str, str] | None:
    """The fields of a summary and its turn, None where one has the wrong type."""
    if not isinstance(raw, Mapping):
        return None
    fields = {name: _text(raw, name) for name in ("turn", *SUMMARY_FIELDS)}
    if not fields["turn"] or any(text is None for text in fields.values()):
        return None
    return {name: (text or "").strip() for name, text in fields.items()}


def _text(raw: Mapping[Any, Any], name: str) -> str | None:
    """A text; "" where it is absent, None where it is something else."""
    value = raw.get(name)
    return "" if value is None else value if isinstance(value, str) else None


def _strings(raw: Mapping[Any, Any], name: str, most: int) -> tuple[str, ...] | None:
    value = raw.get(name)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        return None
    return tuple(dict.fromkeys(value[:most]))


def line(text: str) -> str:
    """The text through the one door, on one line, without markup."""
    return plain(clean_text(text, _READ))


def queries_of(told: Sequence[str]) -> tuple[str, ...]:
    """What a record is to be found by. It is shown to nobody, and may say what no source holds."""
    lines = (shorten(line(query), _QUERY) for query in told)
    return tuple(dict.fromkeys(one for one in lines if one and not is_addressed(one)))[:QUERIES]


def sentences(text: str) -> list[str]:
    """The sentences of a text, through the one door; list items are sentences, too."""
    lines = clean_text(text, _READ)[: _READ // 2].splitlines()
    return [part for one in lines for part in split_prose(plain(one.strip().lstrip(_BULLETS)))]


def joined(parts: list[str], limit: int) -> str:
    """As many whole sentences as fit into `limit` characters; of a longer first one, its start."""
    text = ""
    for part in parts:
        longer = f"{text} {part}" if text else part
        if len(longer) > limit:
            break
        text = longer
    return text or (shorten(parts[0], limit) if parts else "")


def is_binding(claim: Claim) -> bool:
    """Whether a row may be taken for a rule; what was only found out is none."""
    return claim.type in _BINDING and "gotcha" not in claim.concepts


def importance(claim: Claim) -> int:
    """3 for decisions, fixes, security and what surprises, 1 for what was only found."""
    return importance_of(claim.type, claim.concepts)


def importance_of(kind: str, concepts: Sequence[str]) -> int:
    """The importance of a row of that type."""
    return 3 if "gotcha" in concepts else _WEIGHT.get(kind, 3)
