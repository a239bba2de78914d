"""What the last turns came to and left open, as a session is told. Thin: hook processes load it."""

from backstory.estimate import estimate_tokens
from backstory.recall.plain import date_of, plain
from backstory.storage import sql
from backstory.storage.lean_sqlite import sqlite3

# characters a field, and of what is next
LIMITS = ((300, 300), (150, 240), (75, 200), (40, 160), (14, 80))
EARLIER = 5  # sessions before, that are looked at for what they left open
EARLIER_SHOWN = 2
EARLIER_CHARACTERS = 160
NEXT = 5  # the column
_FIELDS = (("Asked", 1), ("Looked at", 2), ("Learned", 3), ("Done", 4), ("Next", NEXT))

TYPE_CHECKING = False  # typing's own costs an import of typing
if TYPE_CHECKING:
    from typing import Any

    Summary = tuple[Any, ...]  # of last_summary: id, five texts, time, session


def last(db: sqlite3.Connection, project: int, first_session: str = "") -> "Summary | None":
    """The newest turn's summary; of first_session (the host's id), where it has one."""
    queries = sql.load("context")
    if first_session:
        session = db.execute(queries["session"], (first_session,)).fetchone()
        if session and session[1] == project:
            own: "Summary | None" = db.execute(queries["last_summary_of"], session[:1]).fetchone()
            if own:
                return own
    found: "Summary | None" = db.execute(queries["last_summary"], (project,)).fetchone()
    return found


def lines(
    db: sqlite3.Connection, project: int, summary: "Summary | None", tokens: int
) -> "list[str]":
    """The last turn, and what the sessions before left to do, within so many tokens.

    What is next stays longest: a Chinese character costs a token, an English one a quarter.
    """
    if summary is None:
        return []
    shown: "list[str]" = []
    for limit, of_next in LIMITS:
        shown = _turn(summary, limit, of_next)
        if estimate_tokens("\n".join(shown)) <= tokens:
            break
    for line in _earlier(db, project, summary):
        if estimate_tokens("\n".join([*shown, line])) <= tokens:
            shown.append(line)
    return shown


def _turn(summary: "Summary", limit: int, of_next: int) -> "list[str]":
    """A summary, a line a field."""
    shown = ["Last turn (s%d, %s):" % (summary[0], date_of(summary[6]))]
    for label, column in _FIELDS:
        text = plain(str(summary[column]), of_next if column == NEXT else limit)
        if text:
            shown.append("%s: %s" % (label, text))
    return shown


def _earlier(db: sqlite3.Connection, project: int, summary: "Summary") -> "list[str]":
    """What the last turn of each of the sessions before left to do, the newest first."""
    queries = sql.load("context")
    told = {plain(str(summary[NEXT]), EARLIER_CHARACTERS)}
    found: "list[str]" = []
    for (session,) in db.execute(queries["latest_sessions"], (project, EARLIER + 1)).fetchall():
        row = None
        if session != summary[7] and len(found) < EARLIER_SHOWN:
            row = db.execute(queries["last_summary_of"], (session,)).fetchone()
        text = plain(row[NEXT], EARLIER_CHARACTERS) if row else ""
        if row and text and text not in told:
            told.add(text)
            found.append("Left to do (s%d, %s): %s" % (row[0], date_of(row[6]), text))
    return found
