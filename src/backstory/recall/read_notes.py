"""What memory holds of one file: the records to name when it is read."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from backstory.estimate import estimate_tokens
from backstory.recall.context import EVIDENCE
from backstory.recall.plain import date_of, plain
from backstory.storage import sql

MOST = 5
TITLE = 80
SLACK_MS = 5_000  # between a write and the record that tells of it
_WIDE = 6  # files; a record about more says little of each
_QUERIES = sql.load("gate")


@dataclass(frozen=True, slots=True)
class Note:
    """One record about the file."""

    id: int
    type: str
    title: str
    at: int
    is_verified: bool
    is_outdated: bool  # the file was written since
    is_told: bool = False  # the session knows it already


@dataclass(frozen=True, slots=True)
class Notes:
    """The records about a file, the most telling first."""

    rows: tuple[Note, ...] = ()
    total: int = 0

    def untold(self) -> Notes:
        """Those that the session does not know yet: nothing is said twice beside a Read."""
        rows = tuple(row for row in self.rows if not row.is_told)
        return Notes(rows, self.total)

    def lines(self, tokens: int) -> list[str]:
        """The evidence sentence and a row a record, as many as fit; [] where none does."""
        lines = [EVIDENCE]
        left = tokens - estimate_tokens(EVIDENCE) - 2
        for note in self.rows:
            line = _line(note)
            left -= estimate_tokens(line) + 2
            if left < 0:
                break
            lines.append(line)
        if len(lines) == 1:
            return []
        ids = ", ".join(line.split(" ", 1)[0] for line in lines[1:3])
        return [*lines, f"In full: get_observations with ids (such as {ids})."]


def of_file(db: sqlite3.Connection, project: int, path: str, session: str, real: str) -> Notes:
    """The records about a file that are worth a word, newest and most specific first.

    path: as records hold it; real: where it is, for the time it was last written. What was
    distilled from the asking session itself is left out.
    """
    values = {"path": path, "project": project, "session": session}
    found = db.execute(_QUERIES["notes"], values).fetchall()
    try:
        written = Path(real).stat().st_mtime_ns // 1_000_000
    except OSError:
        written = 0
    # newest first by the query; what is about this file comes before what is about many
    found.sort(key=lambda row: (row[8] > _WIDE, row[6] < 2 and not row[7]))
    rows = tuple(
        Note(
            row[0],
            row[1],
            row[2],
            row[3],
            is_verified=row[5] == "verified",
            is_outdated=written > row[3] + SLACK_MS,
            is_told=bool(row[9]),
        )
        for row in found[:MOST]
    )
    return Notes(rows, len(found))


def told(db: sqlite3.Connection, session: str, ids: Sequence[int], at: int) -> None:
    """Remembers which records a session was told of unasked."""
    db.executemany(
        "INSERT OR IGNORE INTO recalled (session_id, observation, at) SELECT ?, id, ?"
        " FROM observations WHERE id = ?",
        [(session, at, one) for one in ids],
    )


def _line(note: Note) -> str:
    mark = "" if note.is_verified else "?"
    since = " (file changed since)" if note.is_outdated else ""
    return f"{note.id} {date_of(note.at)} {note.type}{mark} {plain(note.title, TITLE)}{since}"
