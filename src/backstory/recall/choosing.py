"""Which records a session is told of at its start. Thin: hook processes load it.

Of all that is known little fits, so what a reader would miss most comes first: what was decided or
saved by hand, what trips people up, what is unfinished, what concerns the files of this branch;
then what is recent. Recency counts from the newest record, never from the clock: the same data
give the same choice.
"""

from backstory.recall.branching import DELETED, EVERYONES, HERE, OTHER, Branches
from backstory.storage import sql
from backstory.storage.lean_sqlite import sqlite3

DAY_MS = 86_400_000
CANDIDATES = 200  # of the newest records
MATTERING = 300  # of those that matter however old they are
LAID_DOWN = 200  # of what was decided or saved by hand
OF_BRANCH = 120
PATHS = 40  # files of the branch that are looked up
ON_PATH = 12  # records of each
RECENT_KEPT = 5  # of the newest that tell of work, whatever else there is
MATTERS = 34  # points, recency aside, from which a record is more than routine
FINDINGS = ("discovery", "bugfix", "decision", "security_alert", "security_note")

_TYPES = {
    "decision": 40,
    "security_alert": 40,
    "security_note": 36,
    "sensitive": 24,
    "bugfix": 14,
    "feature": 14,
    "discovery": 10,
    "change": 8,
    "refactor": 8,
}
_IMPORTANCE = (-20, 0, 6, 16)
_BY_HAND = 44
_GOTCHA = 30
_UNFINISHED = 28
_SINGULAR = 10  # of the highest importance, though of no kind that always is
_REASONED = 4  # it says why, or what to weigh
_VERIFIED = 2
_ON_FILES = 30  # it is about a file that this branch changes, and was learnt before
_PLACES = {HERE: 16, EVERYONES: 0, OTHER: -24, DELETED: -60}
_BY_AGENT = -6
_RECENT = 14  # halved with every week
_NEWEST_SESSION = 6
_KEPT = 200
_FIRST = 1000  # of the session whose records come first
_SOLVED = -(_GOTCHA + 6)

# What a title says of work that is not done, or of trouble that nobody understood, in lower case.
# All are in the condition of the index observations_that_matter: found however old they are.
_OPEN_WORDS = (
    *("unfinished", "half-done", "half done", "half-finished", "halfway", "incomplete"),
    *("not finished", "not yet", "not done", "not resolved", "unresolved", "unsolved", "untested"),
    *("still to ", "still missing", "still fail", "still broken", "still open", "still need"),
    *("left to ", "left off", "left out", "left open", "to be done", "to do:", "todo", "to-do"),
    *("in progress", "paused", "blocked", "outstanding", "to follow", "follow-up", "next step"),
    *("open question", "open:", "remaining", "needs to be", "second pass", "stopped before"),
    *("wip", "tbd", "fixme", " fails: ", "flaky", "intermittent", "only sometimes"),
    *("cause unknown", "unknown cause", "cause is unknown", "cause unclear", "unexplained"),
    *("not reproduc", "cannot reproduce", "can't reproduce", "not understood"),
    *(
        "未完",
        "待办",
        "未対応",
        "未解決",
        "未実装",
        "暂时",
        "미완성",
        "pendient",
        "à faire",
        "inachevé",
    ),
    *("noch offen", "offene", "vorläufig", "steht aus", "en espera", "en attente"),
    *("не законч", "незаверш", "временно"),
)
# As above, where the title does not tell of something that was done.
_WEAK_OPEN_WORDS = (
    *("for now", "pending", "temporar", "placeholder", "stub", "missing", "disabled", "skipped"),
    *("needs ", "workaround"),
)
_DONE_WORDS = ("fixed ", "added ", "removed ", "renamed ", "commit ", "installed ", "moved ")
_PASSES = " passes: "  # of checks, with what was skipped
_FILLERS = frozenset(
    ("a", "an", "the", "we", "our", "is", "are", "be", "and", "then", "that", "decision", "decided")
)
_IN_LETTERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBERS = {word: "%d" % number for number, word in enumerate(_IN_LETTERS, 1)}
_QUOTES = "'\"`“”‘’"


class Candidate:
    """A record that may be shown. is_first: of the session that has to get its own back. twins:
    others that say the same. weight: how much it matters, recency aside."""

    __slots__ = (
        "agent_type",
        "at",
        "branch",
        "by",
        "concepts",
        "evidence",
        "id",
        "importance",
        "is_first",
        "place",
        "score",
        "session",
        "title",
        "tokens",
        "twins",
        "type",
        "weight",
    )

    def __init__(
        self, row: "tuple[int, str, str, int, int, int, int | None, str, str, str, str, str]"
    ) -> None:
        (self.id, self.type, self.title, self.at, self.tokens, self.importance) = row[:6]
        (self.session, self.evidence, self.concepts, self.agent_type) = row[6:10]
        (self.branch, self.by) = row[10:]
        self.place = EVERYONES
        self.is_first = False
        self.weight = 0
        self.score = 0
        self.twins = 0

    @property
    def matters(self) -> bool:
        """Whether it is more than routine."""
        return self.weight >= MATTERS


def candidates(
    db: sqlite3.Connection, project: int, rows: int, first_session: str, branches: Branches
) -> "list[Candidate]":
    """What may be shown, the best first, one for all that say the same.

    first_session: a host session id whose records come before all others.
    """
    queries = sql.load("context")
    found: "dict[int, Candidate]" = {}
    own = None
    if first_session:
        session = db.execute(queries["session"], (first_session,)).fetchone()
        if session and session[1] == project:
            own = session[0]
            _take(found, db.execute(queries["of_session"], (own, rows * 4)))
    _take(found, db.execute(queries["newest"], (project, CANDIDATES)))
    newest = max((one.at for one in found.values()), default=0)
    _take(found, db.execute(queries["mattering"], (project, MATTERING)))
    _take(found, db.execute(queries["laid_down"], (project, LAID_DOWN)))
    on_files = _of_branch(db, queries, project, branches, found)
    told = [one for one in found.values() if _is_told(one)]
    told.sort(key=_time, reverse=True)
    recent = [one for one in told if one.importance > 0 and not one.agent_type]
    kept = {one.id for one in recent[:RECENT_KEPT]}
    fixed = [one.title[6:].casefold() for one in told if one.title.startswith("Fixed ")]
    every = "\n".join([one.title.casefold() for one in told])
    open_words = [word for word in _OPEN_WORDS + _WEAK_OPEN_WORDS if word in every]
    session = told[0].session if told else None
    for one in told:
        one.place = branches.place(one.branch)
        one.is_first = own is not None and one.session == own
        one.weight = _weight(one, fixed, open_words)
        one.weight += _ON_FILES if one.id in on_files else 0
        one.score = one.weight + _recency(one, newest)
        one.score += _NEWEST_SESSION if one.session is not None and one.session == session else 0
        one.score += _KEPT if one.id in kept else 0
        one.score += _FIRST if one.is_first else 0
    chosen = _without_twins(told)
    chosen.sort(key=_rank, reverse=True)
    return chosen


def _take(found: "dict[int, Candidate]", rows: "sqlite3.Cursor") -> None:
    for row in rows:
        if row[0] not in found:
            found[row[0]] = Candidate(row)


def _of_branch(
    db: sqlite3.Connection,
    queries: "dict[str, str]",
    project: int,
    branches: Branches,
    found: "dict[int, Candidate]",
) -> "set[int]":
    """Adds what was learnt on the current branch, and of the files that it changes; those ids."""
    if not branches.is_topic:
        return set()
    _take(found, db.execute(queries["of_branch"], (project, branches.current, OF_BRANCH)))
    paths: "dict[str, None]" = {}
    for (path,) in db.execute(queries["branch_paths"], (project, branches.current, 4 * PATHS)):
        paths.setdefault(path)
    ids = set()
    for path in list(paths)[:PATHS]:
        asked = (path, project, branches.current, ON_PATH)
        rows = db.execute(queries["on_path"], asked).fetchall()
        ids |= {row[0] for row in rows}
        for row in rows:
            if row[0] not in found:
                found[row[0]] = Candidate(row)
    return ids


def _is_told(one: Candidate) -> bool:
    """What a subagent did is its caller's to tell, unless it found something."""
    return not one.agent_type or (one.importance >= 2 and one.type in FINDINGS)


def _recency(one: Candidate, newest: int) -> int:
    weeks = max(0, newest - one.at) / (7 * DAY_MS)
    return int(_RECENT * 0.5 ** min(weeks, 50))


def _weight(one: Candidate, fixed: "list[str]", open_words: "list[str]") -> int:
    points = _TYPES.get(one.type, 8) + _IMPORTANCE[max(0, min(3, one.importance))]
    points += _PLACES[one.place]
    title = one.title.casefold()
    if one.by == "user":
        points += _BY_HAND
    if '"gotcha"' in one.concepts:
        points += _GOTCHA + (_SOLVED if _is_solved(title, fixed) else 0)
    elif one.by != "user" and _is_open(title, open_words):
        points += _UNFINISHED
    elif one.importance >= 3 and one.type != "bugfix":
        points += _SINGULAR
    if '"trade-off"' in one.concepts or '"why-it-exists"' in one.concepts:
        points += _REASONED
    points += _VERIFIED if one.evidence == "verified" else 0
    points += _BY_AGENT if one.agent_type else 0
    return points


def _is_open(title: str, open_words: "list[str]") -> bool:
    """Whether a title tells of what is not done. open_words: those that some title holds."""
    found = [word for word in open_words if word in title]
    is_done = title.startswith(_DONE_WORDS) or _PASSES in title
    return any(not is_done or word not in _WEAK_OPEN_WORDS for word in found)


def _is_solved(title: str, fixed: "list[str]") -> bool:
    """Whether a fix names the failure that a title tells of, as distilling by rules words both."""
    _, separator, failure = title.partition(" fails: ")
    return bool(separator) and any(text.startswith(failure[:40].rstrip("…")) for text in fixed)


def _without_twins(told: "list[Candidate]") -> "list[Candidate]":
    """The newest of those whose titles say the same; told: the newest first."""
    standing: "dict[tuple[str, ...], Candidate]" = {}
    for one in told:
        first = standing.setdefault(words_of(one.title) or (str(one.id),), one)
        if first is not one:
            first.twins += 1
            first.score = max(first.score, one.score)
    return list(standing.values())


def words_of(title: str) -> "tuple[str, ...]":
    """The words of a title, by which those that say the same are known."""
    words = [word.strip(_QUOTES).rstrip(".,;:").strip(_QUOTES).casefold() for word in title.split()]
    return tuple([_plain_word(word) for word in words if word and word not in _FILLERS])


def _plain_word(word: str) -> str:
    """Without what spellings of the same differ in: a number in letters, the s of a plural."""
    is_plural = len(word) > 4 and word[-1] == "s" and word[-2] != "s" and word.isalpha()
    return _NUMBERS.get(word, word[:-1] if is_plural else word)


def _time(one: Candidate) -> "tuple[int, int]":
    return (one.at, one.id)


def _rank(one: Candidate) -> "tuple[int, int, int]":
    return (one.score, one.at, one.id)
