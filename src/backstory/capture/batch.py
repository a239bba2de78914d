"""The text of one call of a model: what happened in some turns, as data in a delimited block.

Turns are `t1`, `t2`…, their events `t1e1`…, the rows that rules wrote of them `r<row id>`, and
older records that may be superseded `#<row id>`. A line that begins with `| ` is data.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from backstory.capture.excerpt import excerpt
from backstory.capture.trimming import cleaned, ends, lines_of, neutral, one_line, quoted
from backstory.estimate import estimate_tokens
from backstory.records import ToolUse, Turn
from backstory.sanitize import door

# Characters and tokens: Chinese and Japanese say as much in fewer characters.
_PROMPT = (1_500, 600)
_CONTINUED = (200, 120)
_MESSAGE = (2_500, 900)
_ERROR = 200
_FILES = 4  # of a draft or a candidate
_NONCE = re.compile(r"[0-9A-Za-z]{8,64}")
_SAMPLE = "0a1b2c3d4e5f6789"
_REF = "t1e100"  # about as long as a reference gets


@dataclass(frozen=True, slots=True)
class Known:
    """A row that is stored: what rules wrote of the turn, or an older record."""

    id: int
    type: str
    title: str
    files: tuple[str, ...] = ()
    evidence: str = "stated"
    day: str = ""  # "2026-11-02", of an older record
    tainted: bool = False  # it rests on text of others
    by: str = ""  # who distilled it, of an older record


@dataclass(frozen=True, slots=True)
class Stretch:
    """A turn in a batch, or a part of a long one."""

    turn: Turn  # its tool uses are those of the stretch only
    drafts: tuple[Known, ...] = ()  # what rules wrote of the turn
    opens: bool = True  # it begins with the turn's prompt
    closes: bool = True  # the turn's end is part of it
    tainted: bool = False  # an earlier part of the turn brought in text of others


@dataclass(frozen=True, slots=True)
class Event:
    """One tool use in a batch."""

    ref: str  # "t1e3"
    use: ToolUse
    text: str  # as sent


@dataclass(frozen=True, slots=True)
class Batch:
    """What one call sends, and what its references stand for."""

    text: str  # the whole message, delimiters included
    tokens: int  # an estimate of it
    stretches: tuple[Stretch, ...]
    events: Mapping[str, Event]  # by reference
    sources: tuple[str, ...]  # the text of each stretch as sent
    candidates: Mapping[int, Known]  # offered for superseding, by row id


def build(
    stretches: Sequence[Stretch], candidates: Sequence[Known], nonce: str, project: str
) -> Batch:
    """The batch of some stretches. `nonce` is new for each call and cannot be guessed.

    Raises ValueError for a nonce that is not 8 to 64 letters and digits.
    """
    if not _NONCE.fullmatch(nonce):
        raise ValueError("a batch's nonce is 8 to 64 letters and digits")
    events: dict[str, Event] = {}
    sources: list[str] = []
    for number, stretch in enumerate(stretches, 1):
        mine: list[Event] = []
        for use in stretch.turn.tool_uses:
            if text := excerpt(stretch.turn, use):
                ref = f"t{number}e{len(mine) + 1}"
                mine.append(Event(ref, use, neutral(f"{ref} {text}", nonce)))
        events.update((event.ref, event) for event in mine)
        sources.append(neutral(_stretch(stretch, number, [event.text for event in mine]), nonce))
    head = neutral(_project(project), nonce)
    older = neutral("\n".join(map(_candidate, candidates)), nonce)
    text = _framed(head, "\n".join(sources), older, nonce)
    return Batch(
        text=text,
        tokens=estimate_tokens(text),
        stretches=tuple(stretches),
        events=events,
        sources=tuple(sources),
        candidates={known.id: known for known in candidates},
    )


def cost(turn: Turn, use: ToolUse) -> int:
    """Tokens of one event as it would be sent; 0 for what is left out."""
    text = excerpt(turn, use)
    return estimate_tokens(f"{_REF} {text}\n") if text else 0


def overhead(stretch: Stretch) -> int:
    """Tokens of a stretch without its events."""
    bare = replace(stretch, turn=replace(stretch.turn, tool_uses=()))
    return estimate_tokens(_stretch(bare, 1, []) + "\n")


def frame(candidates: Sequence[Known], project: str) -> int:
    """Tokens of a batch without its stretches: project, candidates, delimiters."""
    older = "\n".join(map(_candidate, candidates))
    return estimate_tokens(_framed(_project(project), "", older, _SAMPLE))


def _framed(head: str, body: str, older: str, nonce: str) -> str:
    parts = [head, f"<events-{nonce}>", *filter(None, [body]), f"</events-{nonce}>"]
    if older:
        parts += [f"<records-{nonce}>", older, f"</records-{nonce}>"]
    return "\n".join(parts)


def _project(name: str) -> str:
    return f"Project: {door.clean_title(name[:400], 60) or 'unnamed'}"


def _stretch(stretch: Stretch, number: int, events: list[str]) -> str:
    turn = stretch.turn
    parts = [f"## t{number}" if stretch.opens else f"## t{number} (continued)"]
    parts += _said("prompt:", turn.prompt, _PROMPT if stretch.opens else _CONTINUED)
    if stretch.drafts:
        parts += ["drafts:", *map(_draft, stretch.drafts)]
    if events:
        parts += ["events:", *events]
    if stretch.closes:
        parts += _said("closing message:", turn.last_message, _MESSAGE)
        if turn.error:
            parts.append(f"ended with an error: {one_line(turn.error, _ERROR)}")
    else:
        parts.append("(the turn goes on)")
    return "\n".join(parts)


def _said(label: str, text: str, bounds: tuple[int, int]) -> list[str]:
    lines = lines_of(ends(cleaned(text), *bounds))
    return [label, *quoted(lines)] if lines else []


def _draft(known: Known) -> str:
    return f"r{known.id} {_kind(known)}: {_titled(known)}"


def _candidate(known: Known) -> str:
    day = one_line(known.day, 10)
    return f"#{known.id} {day + ' ' if day else ''}{_kind(known)}: {_titled(known)}"


def _kind(known: Known) -> str:
    kind = one_line(known.type, 20)
    return f"{kind} verified" if known.evidence == "verified" else kind


def _titled(known: Known) -> str:
    title = door.clean_title(known.title[:2_000], 100)
    files = [one_line(path, 80, 40) for path in known.files[:_FILES]]
    files += ["…"] if len(known.files) > _FILES else []
    return f"{title} [{', '.join(files)}]" if files else title
