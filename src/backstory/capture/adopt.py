"""What a model wrote becomes records: in one transaction with the bill and the end of its jobs."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

from backstory.capture import ledger, model_queue, writing
from backstory.capture.planning import Piece, Plan, newest_forget
from backstory.capture.providers.base import Answer, Label
from backstory.capture.reply import Reply, Written
from backstory.records import Distilled
from backstory.storage import sql, sqlite

_SQL = sql.load("model")


def claim(db: sqlite3.Connection, plan: Plan, label: Label, budget: ledger.Budget) -> int:
    """Reserves a planned call and takes its jobs; the call's number, 0 where it cannot be made.

    Turns that hold nothing for a model are ended here, without one. budget: as it is now.
    """
    jobs = [piece.job for piece in (*plan.pieces, *plan.trifles)]
    try:
        with sqlite.transaction(db):
            tokens = plan.held if plan.pieces else (0, 0)
            call = ledger.reserve(db, plan.project, label, *tokens)
            if not fits(plan, budget) or not model_queue.claim(db, jobs, call):
                raise _Moved
            for piece in plan.trifles:
                model_queue.finish(db, piece.place.prompt, call, piece.upto, piece.closes)
            if not plan.pieces:
                db.execute(_SQL["drop_reservation"], (call,))
    except _Moved:
        return 0
    return call if plan.pieces else 0


def fits(plan: Plan, budget: ledger.Budget) -> bool:
    """Whether what a call may cost is left."""
    return plan.held[0] <= budget.tokens_in and plan.held[1] <= budget.tokens_out


class _Moved(Exception):
    """The jobs changed since they were planned."""


def commit(
    db: sqlite3.Connection,
    plan: Plan,
    call: int,
    label: Label,
    answer: Answer,
    reply: Reply,
    by: str,
    duration_ms: int,
) -> int:
    """Writes what a call brought; the observations written.

    A turn that was forgotten meanwhile, in whole or in part, gets nothing of it. by: what the rows
    say of who distilled them.
    """
    rows = 0
    with sqlite.transaction(db):
        ids: dict[int, list[int]] = {}
        for index, piece in enumerate(plan.pieces):
            if not model_queue.is_held(db, piece.place.prompt, call):
                continue
            if is_intact(db, piece, plan.forgets):
                for number, written in enumerate(reply.written):
                    if written.stretch == index:
                        ids.setdefault(index, []).append(
                            write(db, plan, piece, written, by, f"model:{call}:{number}")
                        )
                summary = reply.summaries.get(index)
                if summary is not None and piece.closes:
                    drafts = [w.observation for w in reply.written if w.stretch == index]
                    distilled = Distilled(tuple(drafts), summary)
                    tainted = index in reply.tainted_summaries
                    writing.put_summary(db, piece.place, distilled, by, tainted=tainted)
                model_queue.finish(db, piece.place.prompt, call, piece.upto, piece.closes)
            else:
                db.execute(_SQL["reopen"], {"prompt": piece.place.prompt, "call": call})
        rows = sum(map(len, ids.values()))
        ledger.settle(
            db,
            call,
            replace(label, model=answer.model or label.model),
            answer.usage,
            project=plan.project,
            tool_uses=sum(len(piece.tool_uses) for piece in plan.pieces),
            rows_written=rows,
            duration_ms=duration_ms,
            dropped=reply.dropped,
            outcome="nothing" if reply.is_nothing else "done",
        )
    return rows


def write(
    db: sqlite3.Connection, plan: Plan, piece: Piece, written: Written, by: str, key: str
) -> int:
    """Writes one observation: in the place of the draft that it replaces, or as a new row.

    It ends no record that says something else by now than what the model was shown.
    """
    content_hash = writing.hash_text(piece.place.session_id, str(piece.place.prompt), key)
    record = None
    first, *others = written.replaces or (0,)
    row = db.execute(_SQL["row_of_turn"], {"id": first, "prompt": piece.place.prompt}).fetchone()
    if row:
        record, content_hash = first, row[0]
    # what the drafts rest on, the row rests on: who forgets it forgets that, too
    rests_on = [
        use
        for draft in written.replaces
        for (use,) in db.execute(_SQL["links_of"], (draft, piece.place.prompt)).fetchall()
    ]
    record = writing.put_observation(db, piece.place, written.observation, by, content_hash, record)
    db.executemany(_SQL["add_link"], [(record, use) for use in rests_on])
    # drafts that became one with another stay readable under their ids
    asked = {"by": record, "project": piece.place.project}
    for older in others:
        db.execute(_SQL["supersede"], {**asked, "id": older})
    for shown in map(plan.batch.candidates.__getitem__, written.supersedes):
        seen = {"id": shown.id, "title": shown.title, "distilled_by": shown.by}
        db.execute(_SQL["supersede_shown"], {**asked, **seen})
    return record


def is_intact(db: sqlite3.Connection, piece: Piece, forgets: int) -> bool:
    """Whether all that was sent of a turn is still stored: what was forgotten stays so.

    forgets: the newest act of forgetting when it was sent. Without one, a draft that is gone was
    dropped by the rules, because its turn went on.
    """
    if not _are_stored(db, "tool_uses", piece.tool_uses):
        return False
    return newest_forget(db) == forgets or _are_stored(db, "observations", piece.drafts)


def _are_stored(db: sqlite3.Connection, table: str, ids: tuple[int, ...]) -> bool:
    for at in range(0, len(ids), 500):
        some = ids[at : at + 500]
        marks = ", ".join("?" * len(some))
        query = f"SELECT count(*) FROM {table} WHERE id IN ({marks})"  # noqa: S608  ours alone
        if db.execute(query, some).fetchone()[0] != len(some):
            return False
    return True
