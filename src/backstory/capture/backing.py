"""What the events of a stretch prove: files touched, checks passed, whose text it is.

None of it is the model's word. It only says which events a row rests on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from backstory.capture.batch import Event, Known, Stretch
from backstory.capture.rules import edits, gitwork, reads, results
from backstory.capture.rules.bounds import bounded
from backstory.capture.rules.foreign import is_foreign
from backstory.capture.rules.paths import is_scratch, relative
from backstory.capture.rules.placing import rests_on
from backstory.capture.rules.proofs import admits_failure, passing_form, proving
from backstory.capture.rules.results import show
from backstory.capture.rules.steps import Step, read_steps
from backstory.capture.rules.steps import field as text_field
from backstory.capture.rules.terms import terms
from backstory.records import Evidence, Turn

_OUTSIDE = 4_000  # characters of one foreign output
_SAID = 40_000  # of all of them
_COMMAND = 60
_DOCUMENTS = (".md", ".mdx", ".txt", ".rst", ".adoc", "changelog", "license", "readme")


@dataclass(frozen=True, slots=True)
class Backing:
    """What some events of a stretch say of the row that rests on them."""

    steps: tuple[Step, ...] = ()
    read: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    evidence: Evidence = "stated"
    tainted: bool = False
    agent_type: str = ""
    at: int = 0


@dataclass(slots=True)
class _Facts:
    """What one step did."""

    read: list[str] = field(default_factory=list)
    found: list[str] = field(default_factory=list)  # files that a search named
    modified: list[str] = field(default_factory=list)
    is_check: bool = False  # a check, or a commit


class Proof:
    """The events of one stretch, taken apart once."""

    def __init__(self, stretch: Stretch) -> None:
        turn = bounded(stretch.turn)
        self.root, self.cwd = turn.root, turn.cwd
        self.end = turn.ended_at or turn.started_at
        self.steps = read_steps(turn)
        self.by_use = {id(use): at for at, use in enumerate(stretch.turn.tool_uses)}
        self.by_name = {use.tool_use_id: at for at, use in enumerate(stretch.turn.tool_uses)}
        self.facts = [_Facts() for _ in self.steps]
        self.runs = results.runs(self.steps)
        commits = {commit.step.index for commit in gitwork.commits(self.steps)}
        self.proving = proving(self.runs, commits)
        self._look(commits)
        # what an earlier part of the turn brought in is not among these steps
        self.is_handed_on = stretch.tainted or any(draft.tainted for draft in stretch.drafts)
        foreign = [step for step in self.steps if is_foreign(step)]
        self.foreign = frozenset(step.index for step in foreign)
        self.foreign_agents = {step.use.agent_id for step in foreign} - {""}
        told = "\n".join(step.text[:_OUTSIDE] for step in foreign)[:_SAID]
        told = "\n".join((told, *(draft.title for draft in stretch.drafts if draft.tainted)))
        if self.is_handed_on and not stretch.opens:
            told = f"{told}\n{turn.last_message[:_OUTSIDE]}"
        own = [step.text[:_OUTSIDE] for step in self.steps if step.index not in self.foreign]
        inside = "\n".join((turn.prompt, *own))[:_SAID]
        self.outside = terms(told) - terms(inside) if told.strip() else frozenset[str]()

    @property
    def is_tainted(self) -> bool:
        """Whether what is said of the stretch as a whole may rest on text of others."""
        return bool(self.foreign) or self.is_handed_on

    def _look(self, commits: set[int]) -> None:
        for change in edits.collect(self.steps, self.root).values():
            for step in change.steps:
                self.facts[step.index].modified.append(change.path)
        for step in self.steps:
            if step.kind == "read" and step.ok and step.path and not is_scratch(step.path):
                self.facts[step.index].read.append(step.path)
            elif step.kind in ("shell", "search"):
                for look in reads.looks([step], self.root, reads.Interest("", ""), set()):
                    self.facts[step.index].found += look.files
        for run in self.runs:
            self.facts[run.step.index].is_check = True
        for at in commits:
            self.facts[at].is_check = True

    def backing(
        self,
        events: Sequence[Event],
        drafts: Sequence[Known],
        named: Iterable[str],
        lines: Sequence[str],
    ) -> Backing:
        """What a row rests on that cites `events` and replaces `drafts`.

        named: files that the model says the row is about; they narrow what the events tell.
        lines: what the row says.
        """
        cited = self._places(events)
        chosen = cited or self._about({path for draft in drafts for path in draft.files})
        modified = [path for at in chosen for path in self.facts[at].modified]
        read = [path for at in chosen for path in self.facts[at].read]
        wanted = self.placed(named)
        read += [path for at in chosen for path in self.facts[at].found if path in wanted]
        if wanted.intersection(modified) or wanted.intersection(read):
            modified = [path for path in modified if path in wanted]
            read = [path for path in read if path in wanted]
        steps = tuple(self.steps[at] for at in chosen)
        text = "\n".join(lines)
        about = {*wanted, *modified, *read, *self._named(text)}
        is_proved = not admits_failure(text) and (
            self._passes(cited, about, text)
            or any(self._carries(draft, cited, about) for draft in drafts)
        )
        return Backing(
            steps=steps,
            read=tuple(dict.fromkeys(path for path in read if path not in modified)),
            modified=tuple(dict.fromkeys(modified)),
            evidence="verified" if is_proved else "stated",
            tainted=any(draft.tainted for draft in drafts) or self._is_tainted(cited, lines),
            agent_type=_agent_type([self.steps[at] for at in cited]),
            at=max((step.use.at for step in steps), default=self.end),
        )

    def touched(self, events: Sequence[Event]) -> set[str]:
        """The files that some events read or changed."""
        facts = [self.facts[at] for at in self._places(events)]
        return {path for one in facts for path in (*one.modified, *one.read)}

    def placed(self, paths: Iterable[str]) -> set[str]:
        """Paths as they are stored."""
        return {relative(path, self.root, self.cwd) for path in paths}

    def _carries(self, draft: Known, cited: list[int], about: set[str]) -> bool:
        """Whether a draft's proof passes to the row: it cites one of the events behind it, and no
        other file of the row was written after all that proves anything."""
        if draft.evidence != "verified":
            return False
        last = max(self.proving, default=-1)
        beside = about.difference(draft.files) if draft.files else set[str]()
        if any(beside.intersection(_behaving(facts)) for facts in self.facts[last + 1 :]):
            return False
        return any(
            self.facts[at].is_check
            or not draft.files
            or {*self.facts[at].modified, *self.facts[at].read}.intersection(draft.files)
            for at in cited
        )

    def _named(self, text: str) -> set[str]:
        """The files written in the stretch that a text names."""
        written = {path for facts in self.facts for path in facts.modified}
        return {path for path in written if path.rsplit("/", 1)[-1] in text}

    def _places(self, events: Sequence[Event]) -> list[int]:
        return sorted({at for event in events if (at := self._place(event)) is not None})

    def _place(self, event: Event) -> int | None:
        at = self.by_use.get(id(event.use))
        return self.by_name.get(event.use.tool_use_id) if at is None else at

    def _about(self, files: set[str]) -> list[int]:
        """The steps that touched some files, for a row that cites nothing."""
        touched = ((at, {*facts.modified, *facts.read}) for at, facts in enumerate(self.facts))
        return [at for at, paths in touched if paths & files]

    def _passes(self, cited: list[int], about: set[str], text: str) -> bool:
        """Whether a cited check or commit proves the row: no write that it cites comes behind it,
        and none, cited or not, to a file that it names or rests on."""
        writes = (
            at
            for at, facts in enumerate(self.facts)
            if (written := _behaving(facts)) and (at in cited or about.intersection(written))
        )
        last = max(writes, default=0)
        return any(
            at >= last and (at in self.proving or passing_form(self.runs, at, text)) for at in cited
        )

    def _is_tainted(self, cited: list[int], lines: Iterable[str]) -> bool:
        if not self.is_tainted:
            return False
        if not cited or self.foreign.intersection(cited):
            return True
        # what a subagent reports may come from the pages that it read
        if self.foreign_agents and any(self.steps[at].kind == "agent" for at in cited):
            return True
        return any(rests_on(terms(line), self.outside) for line in lines)


def _behaving(facts: _Facts) -> list[str]:
    """The files that a step wrote, but documents: they change nothing of what a check proved."""
    return [path for path in facts.modified if not path.casefold().endswith(_DOCUMENTS)]


def said(turn: Turn) -> str:
    """What the user said in a turn: the prompt, choices when asked, reasons for a refusal."""
    told = [turn.prompt]
    for step in read_steps(bounded(turn)):
        answers = step.output.get("answers")
        if step.kind == "ask" and step.ok and isinstance(answers, Mapping):
            told += [f"{question} {answer}" for question, answer in answers.items()]
        elif step.use.status == "refused":
            told.append(step.text[:_OUTSIDE])
    return "\n".join(told)


def _agent_type(steps: list[Step]) -> str:
    """The kind of subagent, if all the steps are one's own or its report."""
    agents = {_agent(step) for step in steps}
    if len(agents) != 1 or "" in agents:
        return ""
    kinds = (step.use.agent_type or text_field(step.use.input, "subagent_type") for step in steps)
    return next((kind for kind in kinds if kind), "agent")


def _agent(step: Step) -> str:
    if step.kind != "agent":
        return step.use.agent_id
    return text_field(step.output, "agentId") or step.use.agent_id or step.use.tool_use_id


def where(steps: Sequence[Step]) -> str:
    """Where a text stood, for a title that does not repeat it."""
    for step in sorted(steps, key=lambda step: not is_foreign(step)):
        if step.path:
            return step.path
        heads = [command for command in step.commands if command.words]
        if heads:
            return f"the output of `{show(heads[0])[:_COMMAND]}`"
        return f"the output of {step.use.name}"
    return "what was captured"
