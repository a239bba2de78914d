"""The index of records that a session is told, within its bounds. Thin: hook processes load it."""

from backstory.estimate import estimate_tokens
from backstory.recall.branching import DELETED, OTHER, Branches
from backstory.recall.choosing import Candidate
from backstory.recall.plain import date_of, plain
from backstory.recall.staleness import CHANGED, GONE, Files
from backstory.storage import sql
from backstory.storage.lean_sqlite import sqlite3

TITLE = 80  # characters of a title; of one that matters, all that titles have
TITLE_MATTERING = 100
TITLE_TOKENS = 40  # a Chinese character costs a token, an English one a quarter
BRANCH = 40  # characters of a branch's name
MATTERING, ROUTINE = 75, 25  # percent of the room that each may take as long as the other wants it
MISSED = 6  # records that do not fit, before it is taken to be full
WHOLE = 2  # records that are told in full
WHOLE_TOKENS = 120  # of each
WHOLE_CHARACTERS = 700
WHOLE_ROOM = 500  # tokens that must be left then: rows tell more at the same price
MEANINGS = {
    "(…)": "(found by a subagent)",
    "×": "×n told n times",
    "[…]": "[of another branch]",
    CHANGED: CHANGED + " its files changed since",
    GONE: GONE + " its files are gone",
}
_ONLY_WHEN = "While: "  # tells what was being done when a rule was laid down
_SAID_MORE = 40  # characters beyond the title that make a record worth telling in full


class Index:
    """Rows by day. tokens, characters: what they may take."""

    def __init__(
        self,
        db: sqlite3.Connection,
        files: Files,
        branches: Branches,
        tokens: int,
        characters: int,
    ) -> None:
        self.db = db
        self.files = files
        self.branches = branches
        self.tokens = tokens
        self.characters = characters
        self.shown: "dict[int, tuple[Candidate, str]]" = {}
        self.whole: "dict[int, str]" = {}
        self.missed = 0
        self.days: "set[tuple[int, str]]" = set()
        self.marks: "set[str]" = set()

    def fill(self, chosen: "list[Candidate]", rows: int) -> None:
        """Takes in the best that fit. chosen: the best first."""
        room = self.tokens
        parts = {True: room * MATTERING // 100, False: room * ROUTINE // 100}
        waiting = []
        for one in chosen:
            before = self.tokens
            is_main = one.matters or one.is_first
            if parts[is_main] <= 0 or not self.may_take(rows):
                waiting.append(one)
            elif not self.take(one):
                self.missed += 1
            parts[is_main] -= before - self.tokens
        # what one kind leaves is the other's
        waiting.sort(key=_worth)
        is_told = False
        for one in waiting:
            if not one.matters and not is_told:
                is_told = True
                self.tell_whole()
            if self.may_take(rows) and not self.take(one):
                self.missed += 1
        self.tell_whole()

    def may_take(self, rows: int) -> bool:
        """Whether another row may fit."""
        return len(self.shown) < rows and self.missed < MISSED

    def take(self, one: Candidate) -> bool:
        """Adds a row if it fits."""
        day = (group_of(one), date_of(one.at))
        line, marks = self.line(one)
        head = "" if day in self.days else day[1][5 * bool(self.days) :] + "\n"
        # what a mark means has to be told, too
        new = [mark for mark in marks if mark not in self.marks]
        legend = sum([estimate_tokens(MEANINGS[mark]) + 2 for mark in new])
        if not self.pay(head + line, legend):
            return False
        self.marks.update(new)
        self.days.add(day)
        self.shown[one.id] = (one, line)
        return True

    def pay(self, text: str, besides: int = 0) -> bool:
        """Whether a text fits, and so many tokens besides; then its room is taken."""
        cost = estimate_tokens(text) + 1 + besides
        if cost > self.tokens or len(text) + 1 > self.characters:
            return False
        self.tokens -= cost
        self.characters -= len(text) + 1
        return True

    def line(self, one: Candidate) -> "tuple[str, list[str]]":
        """One row, `12 bugfix Fixed rounding in Cart.total ~180`, and the marks that it has."""
        marks = []
        parts = ["%d %s%s" % (one.id, one.type, "" if one.evidence == "verified" else "?")]
        if one.agent_type:
            parts.append("(%s)" % plain(one.agent_type, 30))
            marks.append("(…)")
        parts.append(title_of(one))
        if one.twins:
            parts.append("×%d" % (one.twins + 1))
            marks.append("×")
        if one.place in (OTHER, DELETED):
            where = plain(one.branch, BRANCH) if one.place == OTHER else "deleted branch"
            parts.append("[%s]" % where)
            marks.append("[…]")
        elif mark := self.files.mark(one.id, one.at):
            # what another branch has is not what lies here
            parts.append(mark)
            marks.append(mark)
        return "%s ~%d" % (" ".join(parts), one.tokens), marks

    def tell_whole(self) -> None:
        """Adds what the best records say in full, where much room is left."""
        for one, _ in list(self.shown.values()):
            if len(self.whole) >= WHOLE or self.tokens < WHOLE_ROOM:
                return
            text = self.whole_text(one) if one.matters else ""
            if text and self.pay(text):
                self.whole[one.id] = text

    def whole_text(self, one: Candidate) -> str:
        """What a record says beyond its title; "" for little."""
        narrative, facts = self.db.execute(sql.load("context")["whole"], (one.id,)).fetchone()
        said = ["" if narrative.startswith(_ONLY_WHEN) else narrative, *texts_of(facts)]
        title = one.title.casefold()
        text = plain(" ".join([part for part in said if part.casefold() != title]), 2_000)
        if len(text) < len(one.title) + _SAID_MORE:
            return ""
        limit = WHOLE_CHARACTERS
        text = plain(text, limit)
        while estimate_tokens(text) > WHOLE_TOKENS:
            limit = limit * 4 // 5
            text = plain(text, limit)
        return "  " + text

    def lines(self) -> "list[str]":
        """All rows, a line a day before them: first what holds here, then other branches'."""
        found: "list[str]" = []
        day = (-1, "")
        for one, line in sorted(self.shown.values(), key=_order):
            here = (group_of(one), date_of(one.at))
            if here != day:
                # the year is said once
                is_same_year = here[1][:4] == day[1][:4]
                found.append(here[1][5:] if is_same_year else here[1])
                day = here
            found.append(line)
            if one.id in self.whole:
                found.append(self.whole[one.id])
        return found

    @property
    def legend(self) -> str:
        """What the marks mean that occur."""
        said = [meaning for mark, meaning in MEANINGS.items() if mark in self.marks]
        return "; " + ", ".join(said) if said else ""


def texts_of(facts: str) -> "list[str]":
    """The strings of a stored list; `json` would cost a third of this process's start."""
    if len(facts) < 4:
        return []
    parts = facts[2:-2].split('", "')  # within a string each quotation mark has a backslash
    return [part.replace('\\"', '"').replace("\\n", " ").replace("\\\\", "\\") for part in parts]


def group_of(one: Candidate) -> int:
    """First what the running session needs back, then what holds here, then other branches."""
    if one.is_first:
        return 0
    return {OTHER: 2, DELETED: 3}.get(one.place, 1)


def _worth(one: Candidate) -> "tuple[bool, int, int, int]":
    return (not one.matters, -one.score, -one.at, -one.id)


def _order(shown: "tuple[Candidate, str]") -> "tuple[int, int, int]":
    one = shown[0]
    return (group_of(one), -one.at, -one.id)


def title_of(one: Candidate) -> str:
    """A title, as much of it as a row has room for."""
    limit = TITLE_MATTERING if one.matters else TITLE
    title = plain(one.title, limit)
    if title.isascii():
        return title
    cost = estimate_tokens(title)
    if cost <= TITLE_TOKENS:
        return title
    return plain(title, max(12, len(title) * TITLE_TOKENS // cost))
