"""Turning turns into records: jobs claimed, turns read, rows replaced, all in one transaction."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from backstory.capture import rules
from backstory.capture.recording import unpack
from backstory.estimate import estimate_tokens
from backstory.records import Distilled, Observation, Summary, ToolUse, Turn
from backstory.storage import sql, sqlite, text_index

LEASE_MS = 60_000
ATTEMPTS = 5
BACKOFF_MS = 2_000  # doubles with every attempt
IDLE_MS = 60_000
IDLE_LOOK_BACK_MS = 7 * 24 * 3_600_000
_SQL = sql.load("distill")
_CAPTURE = sql.load("capture")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a turn's records belong."""

    prompt: int
    session: int
    session_id: str
    project: int
    branch: str
    commit_id: str
    at: int


def open_idle_jobs(db: sqlite3.Connection, now: int, quiet_ms: int = IDLE_MS) -> int:
    """Opens jobs for turns that went quiet without an end; returns how many."""
    span = {"since": now - IDLE_LOOK_BACK_MS, "quiet_since": now - quiet_ms}
    rows = db.execute(_CAPTURE["idle_prompts"], span).fetchall()
    if rows:
        with sqlite.transaction(db):
            for (prompt,) in rows:
                db.execute(_SQL["open_job"], {"prompt": prompt, "at": now})
    return len(rows)


def open_jobs_now(db: sqlite3.Connection) -> int:
    """Opens jobs for every turn with something to distil, also while it runs."""
    return open_idle_jobs(db, sqlite.now_ms(), -IDLE_MS)


def requeue(db: sqlite3.Connection) -> int:
    """Opens the jobs again that were given up; returns how many."""
    return db.execute(_SQL["requeue_dead"]).rowcount


def count_open(db: sqlite3.Connection) -> int:
    """How many jobs are open: waiting, or under way."""
    return sum(count for state, count in db.execute(_SQL["job_counts"]) if state != "dead")


def run_jobs(db: sqlite3.Connection, deadline: float) -> int:
    """Distils what is due until nothing is left or the deadline (monotonic) has come."""
    done = 0
    while done == 0 or time.monotonic() < deadline:
        now = sqlite.now_ms()
        # autocommit: the claim is durable before the work begins
        job = db.execute(_SQL["claim_job"], {"now": now, "until": now + LEASE_MS}).fetchone()
        if job is None:
            break
        run_job(db, *job)
        done += 1
    return done


def run_job(db: sqlite3.Connection, job: int, prompt: int, attempts: int) -> None:
    """Distils one turn. A failure is kept with the job, which is tried again later."""
    started = time.monotonic()
    if attempts > ATTEMPTS:
        # each attempt before ended with its worker, so nothing could be said of why
        fail_job(db, job, attempts, "the worker ended")
        return
    try:
        turn, place = load_turn(db, prompt)
        distilled = rules.distill(turn)
        with sqlite.transaction(db):
            written = store(db, place, distilled, rules.RULES_VERSION)
            db.execute(_SQL["distilled"], {"prompt": prompt, "uses": len(turn.tool_uses)})
            db.execute(
                _SQL["add_ledger"],
                {
                    "at": sqlite.now_ms(),
                    "project": place.project,
                    "job": job,
                    "provider": "rules",
                    "tool_uses": len(turn.tool_uses),
                    "rows_written": written,
                    "duration_ms": int((time.monotonic() - started) * 1000),
                },
            )
            db.execute(_SQL["finish_job"], {"id": job, "at": sqlite.now_ms()})
    except Exception as error:
        if sqlite.blames_database(error):
            # the turn is not at fault: it is due again as soon as the database is
            with suppress(sqlite3.Error):
                db.execute(_SQL["release_job"], (job,))
            raise
        fail_job(db, job, attempts, type(error).__name__)


def fail_job(db: sqlite3.Connection, job: int, attempts: int, why: str) -> None:
    """Has a job tried again later, or gives it up after the last attempt."""
    now = sqlite.now_ms()
    values = {
        "id": job,
        "state": "dead" if attempts >= ATTEMPTS else "pending",
        "not_before": now + BACKOFF_MS * 2**attempts,
        "error": f"{why} while distilling with {rules.RULES_VERSION}",
        "at": now,
    }
    db.execute(_SQL["fail_job"], values)


def release_jobs(db: sqlite3.Connection) -> int:
    """Frees what an earlier worker held when it ended; only for the one that holds the lock."""
    return db.execute(_SQL["release_jobs"]).rowcount


def load_turn(db: sqlite3.Connection, prompt: int) -> tuple[Turn, Place]:
    """A turn with everything that was captured of it. Raises LookupError where it is gone."""
    row = db.execute(_SQL["turn"], (prompt,)).fetchone()
    if row is None:
        raise LookupError("the turn is no longer stored")
    number, text, last, error, started, ended, root, cwd, session, owner, session_id = row[:11]
    uses = [
        ToolUse(
            id=r[0],
            tool_use_id=r[1],
            name=r[2],
            input=_mapping(unpack(r[8])),
            output=unpack(r[9]),
            status=r[3],
            at=r[4],
            duration_ms=r[5],
            agent_id=r[6],
            agent_type=r[7],
        )
        for r in db.execute(_SQL["turn_tool_uses"], (prompt,))
    ]
    uses += missing_findings(db, prompt, uses)
    titles = db.execute(_SQL["open_errors"], {"session": session, "prompt": prompt}).fetchall()
    turn = Turn(
        number=number,
        prompt=text,
        tool_uses=tuple(uses),
        last_message=last,
        root=row[13] or root,
        cwd=cwd,
        started_at=started,
        ended_at=ended,
        error=error,
        earlier_errors=tuple(title for (title,) in titles),
    )
    place = Place(prompt, session, session_id, owner, row[11], row[12], ended or started)
    return turn, place


def _mapping(value: object) -> dict[str, Any]:
    """A tool's input; what is no object tells the rules nothing."""
    return value if isinstance(value, dict) else {}


def missing_findings(db: sqlite3.Connection, prompt: int, uses: list[ToolUse]) -> list[ToolUse]:
    """What subagents of the background found: no tool result of the turn carries it."""
    told = json.dumps(
        [use.output for use in uses if use.name in ("Agent", "Task")], ensure_ascii=False
    )
    found = []
    for agent_id, agent_type, message, ended in db.execute(_SQL["turn_agents"], (prompt,)):
        if json.dumps(message, ensure_ascii=False)[1:-1] not in told:
            output = {"status": "completed", "content": [{"type": "text", "text": message}]}
            asked = {"subagent_type": agent_type}
            found.append(ToolUse(0, "", "Agent", asked, output, "ok", ended, None, agent_id, ""))
    return found


def store(db: sqlite3.Connection, place: Place, distilled: Distilled, by: str) -> int:
    """Makes a turn's records what the distiller says (same key, same id); the rows written."""
    known = {
        row[1]: row[0] for row in db.execute(_SQL["turn_rows"], (place.prompt,)) if row[2] != "user"
    }
    kept: set[int] = set()
    for draft in distilled.observations:
        kept.add(put_observation(db, place, draft, by, known))
    for record in set(known.values()) - kept:
        db.execute(_SQL["drop_observation"], (record,))
        text_index.drop(db, "observation", record)
    put_summary(db, place, distilled, by)
    return len(kept)


def put_observation(
    db: sqlite3.Connection, place: Place, draft: Observation, by: str, known: dict[str, int]
) -> int:
    """Writes one observation with its files, links and index entry; returns its id."""
    content_hash = hash_text(place.session_id, str(place.prompt), draft.key)
    values = {
        "project": place.project,
        "session": place.session,
        "prompt": place.prompt,
        "type": draft.type,
        "title": draft.title,
        "narrative": draft.narrative,
        "facts": json.dumps(draft.facts, ensure_ascii=False),
        "concepts": json.dumps(draft.concepts, ensure_ascii=False),
        "symbols": json.dumps(draft.symbols, ensure_ascii=False),
        "evidence": draft.evidence,
        "importance": draft.importance,
        "tainted": int(draft.tainted),
        "agent_type": draft.agent_type,
        "branch": place.branch,
        "commit_id": place.commit_id,
        "distilled_by": by,
        "content_hash": content_hash,
        "tokens": observation_tokens(draft),
        "created_at": draft.at or place.at,
    }
    record = known.get(content_hash)
    if record is None:
        row = db.execute(_SQL["add_observation"], values).fetchone()
        if row is None:
            return int(
                db.execute(_SQL["observation_by_hash"], (place.project, content_hash)).fetchone()[0]
            )
        record = int(row[0])
    else:
        db.execute(_SQL["replace_observation"], {**values, "id": record})
        db.execute(_SQL["drop_files"], (record,))
        db.execute(_SQL["drop_links"], (record,))
    for path in draft.files_read:
        db.execute(_SQL["add_file"], (record, path, "read"))
    for path in draft.files_modified:
        db.execute(_SQL["add_file"], (record, path, "modified"))
    for tool_use_id in draft.tool_use_ids:
        db.execute(_SQL["add_link"], (record, place.session, tool_use_id))
    text_index.put(
        db,
        "observation",
        record,
        project=place.project,
        type=draft.type,
        title=draft.title,
        body="\n".join((draft.narrative, *draft.facts, *draft.symbols)),
        files=draft.files_modified + draft.files_read,
    )
    return record


def put_summary(db: sqlite3.Connection, place: Place, distilled: Distilled, by: str) -> None:
    """Writes the turn's summary, or removes the one that no longer holds."""
    summary = distilled.summary
    if summary is None:
        row = db.execute(_SQL["summary_of"], (place.prompt,)).fetchone()
        if row:
            db.execute(_SQL["drop_summary"], row)
            text_index.drop(db, "summary", int(row[0]))
        return
    values = {
        **asdict(summary),
        "project": place.project,
        "session": place.session,
        "prompt": place.prompt,
        "tainted": int(any(draft.tainted for draft in distilled.observations)),
        "distilled_by": by,
        "tokens": estimate_tokens(summary_text(summary)),
        "created_at": place.at,
    }
    record = int(db.execute(_SQL["put_summary"], values).fetchone()[0])
    text_index.put(
        db,
        "summary",
        record,
        project=place.project,
        title=summary.request,
        body=summary_text(summary),
    )


def summary_text(summary: Summary) -> str:
    """All that a summary says, a line a field."""
    return "\n".join(text for text in asdict(summary).values() if text)


def observation_tokens(draft: Observation) -> int:
    """What the full record costs to read."""
    files = " ".join(draft.files_modified + draft.files_read)
    text = "\n".join((draft.title, draft.narrative, *draft.facts, files))
    return estimate_tokens(text) + 20


def hash_text(*parts: str) -> str:
    """The identity of a record's content or origin."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()
