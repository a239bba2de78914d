"""From what a model said to rows that may be stored: validated, grounded, marked.

A row says what its turn's text holds and nothing else; which files it touched and what proves it is
read from the events that it cites. What is shaped like an instruction is not kept as text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from backstory.capture.answer import LISTS, Unusable, read_object
from backstory.capture.backing import Backing, Proof, said, where
from backstory.capture.batch import Batch, Event, Known
from backstory.capture.bidding import Bidding
from backstory.capture.claims import (
    FACTS,
    FILES,
    SCHEMA,
    SUMMARY_FIELDS,
    SYMBOLS,
    Claim,
    importance,
    importance_of,
    is_binding,
    joined,
    line,
    queries_of,
    read_claim,
    read_summary,
    sentences,
)
from backstory.capture.grounding import Source
from backstory.capture.orders import is_addressed
from backstory.capture.rules.titles import mark, shorten
from backstory.capture.subjects import Subject, may_replace
from backstory.capture.wishes import Voice
from backstory.records import CONCEPTS, Observation, Summary
from backstory.sanitize.door import clean_title

__all__ = ["SCHEMA", "Reply", "Unusable", "Written", "read"]

_MOST, _OF_A_STRETCH = 30, 8  # rows
_LOOKED_AT = 200  # rows of an answer; more is no answer of ours
_TITLE, _NARRATIVE, _FACT, _FIELD, _NAME = 100, 1_200, 300, 600, 120  # characters
_CHECKED = 8_000  # characters of a text that may be shaped like an instruction
_SUPERSEDED = 3  # records that one row may end
_USES = 40
_TURN = re.compile(r"t([1-9][0-9]{0,5})")
_DRAFT = re.compile(r"r([0-9]{1,18})")
_CANDIDATE = re.compile(r"#?([0-9]{1,18})")
_SHAPED = "Text shaped like instructions in"
_NOT_REPEATED = "The text addresses the model that reads it; it is not repeated here."


@dataclass(frozen=True, slots=True)
class Written:
    """One observation to store."""

    stretch: int  # index into the batch's stretches
    observation: Observation  # key "model:<n>" or "draft:<row id>"
    replaces: tuple[int, ...] = ()  # drafts of the stretch; the first keeps its id
    supersedes: tuple[int, ...] = ()  # candidates that were offered


@dataclass(frozen=True, slots=True)
class Reply:
    """What an answer brings."""

    written: tuple[Written, ...]
    summaries: Mapping[int, Summary]  # by index of the stretch
    dropped: int  # details, rows and references that the sources do not hold
    marked: int  # rows and fields that are shaped like instructions
    is_nothing: bool  # a valid "nothing worth recording"
    tainted_summaries: frozenset[int] = frozenset()  # by index of the stretch


def read(text: str, batch: Batch, *, is_cut: bool = False) -> Reply:
    """The rows of an answer to `batch`. Raises Unusable where it is not what was asked for.

    is_cut: the answer ended where no more tokens were allowed.
    """
    found = read_object(text, is_cut=is_cut)
    if not any(found[name] for name in LISTS):
        return Reply((), {}, 0, 0, is_nothing=True)
    return _Reader(batch).read(found["observations"], found["summaries"])


class _Reader:
    """One answer; counts what is dropped on the way."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.dropped = self.marked = 0
        self.written: list[Written] = []
        self.sources: dict[int, Source] = {}
        self.proofs: dict[int, Proof] = {}
        self.biddings: dict[int, Bidding] = {}
        self.taken: set[int] = set()  # drafts that a row replaces already
        self.ended: set[int] = set()  # candidates that a row supersedes already
        self.titles: set[tuple[int, str]] = set()
        self.user = "\n".join(said(stretch.turn) for stretch in batch.stretches)
        self.voice = Voice(self.user)

    def read(self, rows: list[object], summaries: list[object]) -> Reply:
        claims = [read_claim(row) for row in rows[:_LOOKED_AT]]
        fields = [read_summary(row) for row in summaries[:_LOOKED_AT]]
        if not any(claims) and not any(fields):
            raise Unusable("shape")
        self.dropped += len(rows) + len(summaries) - len(claims) - len(fields)
        self.dropped += claims.count(None) + fields.count(None)
        for at, claim in self._best([claim for claim in claims if claim]):
            self._row(at, claim)
        told: dict[int, Summary] = {}
        for field in filter(None, fields):
            place = self._stretch(field["turn"])
            if place is None or place in told:
                self.dropped += 1
            elif summary := self._summary(place, field):
                told[place] = summary
        return Reply(
            tuple(self.written),
            told,
            self.dropped,
            self.marked,
            is_nothing=False,
            tainted_summaries=frozenset(at for at in told if self._proof(at).is_tainted),
        )

    def _best(self, claims: list[Claim]) -> list[tuple[int, Claim]]:
        """The rows of known turns, the weightiest where there are too many, in their order."""
        placed = [(at, claim) for claim in claims if (at := self._stretch(claim.turn)) is not None]
        ranked = sorted(range(len(placed)), key=lambda number: -importance(placed[number][1]))
        room = dict.fromkeys((at for at, _ in placed), _OF_A_STRETCH)
        kept: list[int] = []
        for number in ranked:
            at = placed[number][0]
            if room[at] and len(kept) < _MOST:
                room[at] -= 1
                kept.append(number)
        self.dropped += len(claims) - len(kept)
        return [placed[number] for number in sorted(kept)]

    def _stretch(self, turn: str) -> int | None:
        found = _TURN.fullmatch(turn.strip())
        at = int(found[1]) - 1 if found else -1
        return at if 0 <= at < len(self.batch.stretches) else None

    def _source(self, at: int) -> Source:
        if at not in self.sources:
            turn = self.batch.stretches[at].turn
            self.sources[at] = Source(self.batch.sources[at], turn.root, turn.cwd)
        return self.sources[at]

    def _proof(self, at: int) -> Proof:
        if at not in self.proofs:
            self.proofs[at] = Proof(self.batch.stretches[at])
        return self.proofs[at]

    def _bidding(self, at: int) -> Bidding:
        if at not in self.biddings:
            message = self.batch.stretches[at].turn.last_message
            self.biddings[at] = Bidding(self._proof(at).steps, self.user, message)
        return self.biddings[at]

    def _row(self, at: int, claim: Claim) -> None:
        drafts = self._drafts(at, claim)
        events = self._events(at, claim)
        title = line(claim.title[:_CHECKED])
        is_rule = is_binding(claim)
        is_order = is_rule and self._is_borne_out(at, title) and self._bidding(at).is_order(title)
        if is_order or any(is_addressed(text[:_CHECKED]) for text in claim.texts):
            self._mark(at, events)
            return
        observation = self._grounded(at, claim, drafts)
        if observation is None:
            self.dropped += 1
            return
        lines = (observation.title, observation.narrative, *observation.facts)
        shown = (*lines, *observation.symbols, " ".join(lines))
        if any(is_addressed(text) for text in shown):  # where what was cut out had broken it up
            self._mark(at, events)
            return
        files = [path for path in map(line, claim.files[:FILES]) if self._holds_file(at, path)]
        subject = self._subject(at, claim, observation, events, files)
        kept = [draft for draft in drafts if subject.holds(draft)]
        self.dropped += len(drafts) - len(kept)
        same = self._same(at, observation, kept)
        drafts = [*kept, *filter(subject.holds, same)]
        if subject.is_bare and same and not drafts:  # the draft says as much, and more
            self.dropped += 1
            return
        backing = self._proof(at).backing(events, drafts, files, lines)
        if is_rule and self._bidding(at).is_bid(observation.title):
            observation, backing = _demoted(observation), replace(backing, tainted=True)
        ended = [] if backing.tainted else self._ended(observation, subject, claim)
        self.dropped += len(claim.supersedes) - len(ended)
        self._put(at, _backed(observation, backing), drafts, ended)

    def _put(
        self, at: int, observation: Observation, drafts: list[Known], ended: Sequence[int] = ()
    ) -> None:
        name = (at, mark(observation.title))
        if name in self.titles:
            self.dropped += 1
            return
        self.titles.add(name)
        self.taken.update(draft.id for draft in drafts)
        self.ended.update(ended)
        number = sum(one.stretch == at for one in self.written) + 1
        key = f"draft:{drafts[0].id}" if drafts else f"model:{number}"
        replaced = tuple(draft.id for draft in drafts)
        self.written.append(Written(at, replace(observation, key=key), replaced, tuple(ended)))

    def _drafts(self, at: int, claim: Claim) -> list[Known]:
        """The drafts that the row replaces: free ones of its turn."""
        known = {draft.id: draft for draft in self.batch.stretches[at].drafts}
        found = []
        for ref in claim.replaces:
            match = _DRAFT.fullmatch(ref.strip())
            draft = known.get(int(match[1])) if match else None
            is_free = draft is not None and draft.id not in self.taken and draft not in found
            if draft and is_free and may_replace(claim.type, draft):
                found.append(draft)
            else:
                self.dropped += 1
        return found

    def _same(self, at: int, observation: Observation, drafts: list[Known]) -> list[Known]:
        """A draft that the row repeats under its very title."""
        return [
            draft
            for draft in self.batch.stretches[at].drafts
            if draft not in drafts
            and draft.id not in self.taken
            and may_replace(observation.type, draft)
            and mark(draft.title) == mark(observation.title)
        ][:1]

    def _events(self, at: int, claim: Claim) -> list[Event]:
        own = f"t{at + 1}e"
        known = [self.batch.events.get(ref.strip()) for ref in claim.sources]
        events = [event for event in known if event and event.ref.startswith(own)]
        self.dropped += len(claim.sources) - len(events)
        return events

    def _subject(
        self,
        at: int,
        claim: Claim,
        observation: Observation,
        events: list[Event],
        files: list[str],
    ) -> Subject:
        """What the row is about, by its own words: a title that it took over is none of them."""
        lines = [observation.narrative, *observation.facts, *observation.symbols]
        if observation.title == clean_title(line(claim.title), _TITLE):
            lines.append(observation.title)
        touched = {*self._proof(at).touched(events), *self._proof(at).placed(files)}
        is_bare = not (observation.narrative or observation.facts)
        return Subject("\n".join(lines), touched, is_bare=is_bare)

    def _ended(self, observation: Observation, subject: Subject, claim: Claim) -> list[int]:
        """The older records that the row ends: offered ones on the same subject.

        What rests on pages of others ends nothing, so that no page can wipe the memory.
        """
        found = []
        for ref in claim.supersedes:
            match = _CANDIDATE.fullmatch(ref.strip())
            known = self.batch.candidates.get(int(match[1])) if match else None
            if known is None or known.id in self.ended or known.id in found:
                continue
            if may_replace(observation.type, known) and subject.ends(known):
                found.append(known.id)
        return found[:_SUPERSEDED]

    def _holds_file(self, at: int, path: str) -> bool:
        held = 0 < len(path) <= 1_000 and self._source(at).holds_file(path)
        self.dropped += not held
        return held

    def _is_borne_out(self, at: int, text: str) -> bool:
        """Whether a text tells of no wish of the user, or of one that he spoke.

        In another language than his it cannot be told: there it falls where it was read.
        """
        if self.voice.bears_out(text):
            return True
        return self.voice.is_strange(text) and not self._bidding(at).is_read(text)

    def _true(self, at: int, parts: list[str], *, is_rule: bool = False) -> list[str]:
        """Those of some sentences whose details the source holds.

        is_rule: a later session may take them for what is to be done.
        """
        source = self._source(at)
        true = [
            part
            for part in parts
            if part and self._is_borne_out(at, part) and not source.missing(part)
            if not (is_rule and self._bidding(at).is_order(part))
        ]
        self.dropped += sum(bool(part) for part in parts) - len(true)
        return true

    def _grounded(self, at: int, claim: Claim, drafts: list[Known]) -> Observation | None:
        """What of the row is true; None where that is nothing."""
        is_rule = is_binding(claim)
        written = sentences(claim.narrative)
        told = self._true(at, written, is_rule=is_rule)
        lines = [line(fact) for fact in claim.facts]
        facts = self._true(at, lines[:FACTS], is_rule=is_rule)
        title = clean_title(line(claim.title), _TITLE)
        if title and not self._is_borne_out(at, title):
            return None
        is_true = bool(title) and not self._source(at).missing(title)
        if not is_true:
            self.dropped += 1
            old = [draft.title for draft in drafts if not is_addressed(draft.title)]
            title = clean_title(next(iter([*old, *told, *facts]), ""), _TITLE)
        if not title:
            return None
        if (written or lines) and not (told or facts):
            # a title that we know of ourselves outlives the tale of a wish behind it
            is_wish = not any(map(self._source(at).missing, filter(None, (*written, *lines))))
            if not (is_true and is_wish and self._bidding(at).knows(title)):
                return None
        symbols = [line(name).removesuffix("()") for name in claim.symbols]
        held = [n for n in symbols if 0 < len(n) <= _NAME and self._source(at).holds_symbol(n)]
        self.dropped += len(symbols) - len(held)
        return Observation(
            key="",
            type=claim.type,
            title=title,
            narrative=joined(told, _NARRATIVE),
            facts=tuple(dict.fromkeys(shorten(fact, _FACT) for fact in facts)),
            concepts=tuple(concept for concept in CONCEPTS if concept in claim.concepts),
            symbols=tuple(dict.fromkeys(held))[:SYMBOLS],
            queries=queries_of(claim.queries),
            importance=importance(claim),
        )

    def _mark(self, at: int, events: list[Event]) -> None:
        """Keeps of a row that is shaped like an instruction only where it came from."""
        self.marked += 1
        backing = self._proof(at).backing(events, (), (), ())
        place = where(backing.steps)
        place = "what was captured" if is_addressed(re.sub(r"[\W_]+", " ", place)) else place
        title = clean_title(f"{_SHAPED} {place}", _TITLE)
        stretch = self.batch.stretches[at]
        free = [draft for draft in stretch.drafts if draft.id not in self.taken]
        same = [d for d in free if d.type == "security_note" and d.title == title][:1]
        note = Observation(
            key="",
            type="security_note",
            title=title,
            narrative=_NOT_REPEATED,
            concepts=("gotcha",),
            importance=importance_of("security_note", ()),
        )
        if (at, mark(title)) not in self.titles:
            note = _backed(note, replace(backing, read=(), modified=(), evidence="stated"))
            self._put(at, replace(note, tainted=True), same)

    def _summary(self, at: int, fields: dict[str, str]) -> Summary | None:
        kept: dict[str, str] = {}
        for name in SUMMARY_FIELDS:
            is_rule = name == "next_steps"
            true = self._true(at, sentences(fields[name]), is_rule=is_rule)
            if is_rule:  # they are all bids; those that a text gives are not ours
                told, true = true, [one for one in true if not self._bidding(at).is_copied(one)]
                self.marked += len(told) - len(true)
            text = joined(true, _FIELD)
            if is_addressed(fields[name][:_CHECKED]) or is_addressed(text):
                self.marked += 1
            elif text:
                kept[name] = text
        return Summary(**kept) if kept else None


def _demoted(observation: Observation) -> Observation:
    """As something that was found, where it was not decided by those who may."""
    kind = "discovery" if observation.type == "decision" else observation.type
    return replace(observation, type=kind, importance=1)


def _backed(observation: Observation, backing: Backing) -> Observation:
    uses = (step.use.tool_use_id for step in backing.steps if step.use.tool_use_id)
    return replace(
        observation,
        files_read=backing.read[:FILES],
        files_modified=backing.modified[:FILES],
        evidence=backing.evidence,
        tool_use_ids=tuple(dict.fromkeys(uses))[:_USES],
        tainted=backing.tainted,
        agent_type=backing.agent_type,
        at=backing.at,
    )
