"""A row in the making: facts gather on it until it is cut to size."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from backstory.capture.rules.steps import Step
from backstory.capture.rules.titles import TITLE_LIMIT, fact, plain, shorten, title, tokens
from backstory.records import CONCEPTS, Evidence, Observation

TOKEN_LIMIT = 310
_FILES = 12
_MODIFIED = 50
_NO_WORD = re.compile(r"[\W_]+")
_USES = 40


@dataclass(slots=True)
class Draft:
    """What will become one observation."""

    key: str
    type: str
    title: str
    narrative: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    concepts: list[str] = field(default_factory=list)
    files_read: list[str] = field(default_factory=list)
    files_modified: list[str] = field(default_factory=list)
    symbols: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    evidence: Evidence = "stated"
    tainted: bool = False
    importance: int = 1
    agent_type: str = ""
    words: str = ""  # more text that sentences may be matched by; not kept
    said: list[str] = field(default_factory=list)  # sentences of the closing message
    left: list[str] = field(default_factory=list)  # those of them that tell what is left to do
    covered: bool = False  # the facts hold all that the title says
    named: bool = False  # the title is a sentence that somebody wrote

    def add_fact(self, text: str, *, first: bool = False) -> None:
        """Adds a finding unless the row says it already."""
        line = fact(text)
        if not line or (self.says(line) and not self.covered):
            return
        self.facts.insert(0, line) if first else self.facts.append(line)

    def says(self, text: str) -> bool:
        """Whether the row holds the text already, in any line."""
        same = _bare(text)
        return any(
            same in _bare(line) for line in (self.title, *self.narrative, *self.said, *self.facts)
        )

    def absorb(self, other: Draft) -> None:
        """Takes in what another row holds."""
        context = [line for line in other.narrative if line.startswith(("Asked:", "While:"))]
        self.narrative += [line for line in context if not self.narrative]
        told = [line for line in other.narrative if line not in context]
        for line in (other.title, *told, *other.said, *other.facts):
            self.add_fact(line)
        _extend(self.concepts, other.concepts)
        _extend(self.files_read, other.files_read)
        _extend(self.files_modified, other.files_modified)
        _extend(self.symbols, other.symbols)
        self.steps = sorted({id(s): s for s in (*self.steps, *other.steps)}.values(), key=_index)
        self.tainted = self.tainted or other.tainted
        self.importance = max(self.importance, other.importance)
        if other.evidence != "verified":
            self.evidence = "stated" if self.type != "bugfix" else self.evidence

    def cost(self) -> int:
        """About how many tokens the row would take uncut."""
        return tokens(" ".join([self.title, *self.narrative, *self.said, *self.facts]))

    @property
    def last(self) -> int:
        """The place of the last step it rests on, -1 without any."""
        return max((step.index for step in self.steps), default=-1)

    def observation(self, at: int, limit: int = TOKEN_LIMIT) -> Observation:
        """The finished row, cut to about `limit` tokens; `at` is for rows without steps."""
        kept_title = title(self.title) or title(self.key)
        whole = plain(self.title)
        if len(whole) > TITLE_LIMIT and not self.covered:
            # What the title had to leave out must still be found.
            said = any(_bare(whole) in _bare(line) for line in (*self.narrative, *self.said))
            self.narrative[:0] = [] if said else [whole]
        if not self.narrative and self.said:
            self.narrative.append(self.said.pop(0))
        narrative, facts = self._cut(limit - tokens(kept_title))
        return Observation(
            key=self.key,
            type=self.type,
            title=kept_title,
            narrative=narrative,
            facts=tuple(facts),
            concepts=tuple(c for c in CONCEPTS if c in self.concepts)[:3],
            files_read=tuple(f for f in _unique(self.files_read) if f not in self.files_modified)[
                :_FILES
            ],
            files_modified=tuple(_unique(self.files_modified))[:_MODIFIED],
            symbols=tuple(_unique(self.symbols))[:_FILES],
            evidence=self.evidence,
            tool_use_ids=tuple(_unique(s.use.tool_use_id for s in self.steps if s.use.tool_use_id))[
                :_USES
            ],
            tainted=self.tainted,
            importance=max(0, min(3, self.importance)),
            agent_type=self.agent_type,
            at=max((step.use.at for step in self.steps), default=at),
        )

    def _cut(self, limit: int) -> tuple[str, list[str]]:
        sentences: list[str] = []
        facts: list[str] = []
        for text in _unique(self.narrative)[:4]:
            line = shorten(plain(text), 320)
            cost = tokens(line)
            if line and cost <= limit:
                sentences.append(line)
                limit -= cost
        for text in _unique(line for line in (*map(fact, self.said), *self.facts)):
            cost = tokens(text)
            if cost <= limit:
                facts.append(text)
                limit -= cost
        return " ".join(sentences), facts


def _index(step: Step) -> int:
    return step.index


def _bare(text: str) -> str:
    return _NO_WORD.sub("", text.casefold())


def _unique(items: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(item for item in items if item))


def _extend(items: list[str], more: list[str]) -> None:
    items.extend(item for item in more if item not in items)
