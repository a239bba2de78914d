"""What goes into the next call of a model: whole turns of one project, up to a number of tokens."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from backstory import project
from backstory.capture import batch, ledger, model_queue, prompts, trust
from backstory.capture.reply import SCHEMA
from backstory.capture.terms import Terms
from backstory.capture.turns import Place, Unseen, load_unseen
from backstory.estimate import estimate_tokens
from backstory.recall.plain import date_of
from backstory.recall.query import SearchQuery
from backstory.recall.search import search
from backstory.records import ToolUse, Turn
from backstory.storage import sql, sqlite

LEAST_TOKENS = 1_500  # with less than this left of the day's cap no call is worth its fixed part
TURNS = 20  # a batch
USES = 400  # tool uses of one turn that are loaded for one call
TRIFLE = 400  # characters: a turn without a tool use that says less holds nothing for later
CANDIDATES = 6  # older records offered for superseding
WRAPPING = 60  # tokens that a provider puts around
FRAME = 350  # tokens of a batch without its turns: delimiters and candidates
_SQL = sql.load("model")


@dataclass(frozen=True, slots=True)
class Piece:
    """A turn, or a part of it, in a call."""

    job: int
    place: Place
    upto: int  # row id of its newest tool use
    tool_uses: tuple[int, ...]  # row ids
    drafts: tuple[int, ...]  # row ids
    closes: bool  # the turn's end is part of it


@dataclass(frozen=True, slots=True)
class Plan:
    """A call that could be made."""

    project: int
    pieces: tuple[Piece, ...]  # in the order of the batch's stretches
    batch: batch.Batch
    tokens_in: int  # all that is sent, estimated
    max_tokens: int  # of the answer
    held: tuple[int, int]  # what is reserved of the day's cap, in and out
    may_grow: bool  # an answer that is cut may be longer the next time
    is_short: bool  # less is left of the day's cap than an answer may need
    terms: Terms
    trifles: tuple[Piece, ...] = ()  # turns that hold nothing for a model: ended without a call
    forgets: int = 0  # the newest act of forgetting when this was read


def fixed_tokens() -> int:
    """What every call costs before its data: instructions and schema."""
    schema = json.dumps(SCHEMA, separators=(",", ":"))
    return estimate_tokens(prompts.load().instructions) + estimate_tokens(schema) + WRAPPING


def needs(terms: Terms) -> tuple[int, int]:
    """What the least call needs of the day's cap, in and out."""
    return terms.bill(fixed_tokens() + LEAST_TOKENS, terms.least_answer)


def is_capped(budget: ledger.Budget, terms: Terms | None = None) -> bool:
    """Whether too little of the day's cap is left for a call."""
    least_in, least_out = needs(terms or Terms())
    return budget.tokens_in < least_in or budget.tokens_out < least_out


def plan(
    db: sqlite3.Connection,
    budget: ledger.Budget,
    terms: Terms | None = None,
    excluded: Sequence[str] = (),
    home: Path | None = None,
) -> Plan | None:
    """The next call within what is left of the day's cap; None where nothing is due or left.

    terms: those of the provider. excluded: folders or globs of projects that are kept out. home:
    the data directory, which no project of the turns may hold. Reads only: the jobs are claimed
    afterwards, and the plan is void where that fails.
    """
    waiting = model_queue.next_jobs(db, sqlite.now_ms())
    terms = terms or Terms()
    if not waiting or is_capped(budget, terms):
        return None
    if terms.is_proven and waiting[0].attempts:
        terms = terms.grown  # it goes alone, and may be the one that needs more
    left_today = terms.share(budget)
    room = min(terms.room, left_today.tokens_in - fixed_tokens()) - FRAME
    pieces: list[Piece] = []
    stretches: list[batch.Stretch] = []
    trifles: list[Piece] = []
    for job in waiting:
        try:
            unseen = load_unseen(db, job.prompt, USES)
        except LookupError:
            continue  # forgotten just now; its job went with it
        drafts = drafts_of(db, job.prompt)
        if (
            is_trifle(unseen, drafts)
            or is_kept_out(unseen, excluded, home)
            or is_faded(db, job.prompt)
        ):
            trifles.append(piece_of(job.job, unseen, unseen.turn.tool_uses, (), unseen.has_end))
            continue
        bare = batch.Stretch(
            replace(unseen.turn, tool_uses=()), drafts, unseen.opens, unseen.has_end
        )
        uses = tuple(use for use in unseen.turn.tool_uses if use.id)
        fitting, left = fill(unseen.turn, uses, room - batch.overhead(bare))
        whole = len(fitting) == len(uses) < USES
        crowded = left < 0 or terms.wanted(len(pieces) + 1) > left_today.tokens_out
        if pieces and (not whole or crowded):
            break  # turns are kept together: this one opens the next call
        if whole:
            # what subagents found has no row to come back to: it fits, or is left to the rules
            told = tuple(use for use in unseen.turn.tool_uses if not use.id)
            findings, left = fill(unseen.turn, told, left)
            fitting += findings
        else:
            fitting = fitting or uses[:1]
        pieces.append(piece_of(job.job, unseen, fitting, drafts, whole and unseen.has_end))
        stretches.append(
            batch.Stretch(
                replace(unseen.turn, tool_uses=tuple(sorted(fitting, key=lambda u: (u.at, u.id)))),
                drafts,
                unseen.opens,
                whole and unseen.has_end,
                not unseen.opens and is_tainted(db, job.prompt),
            )
        )
        room = left
        if not whole or len(pieces) >= TURNS or room < 0:
            break
    if not pieces and not trifles:
        return None
    owner = (pieces or trifles)[0].place.project
    offered = candidates(db, owner, stretches, {p.place.prompt for p in pieces}, excluded)
    built = batch.build(stretches, offered, secrets.token_hex(6), project_name(db, owner))
    tokens_in, wanted = built.tokens + fixed_tokens(), terms.answer(len(pieces))
    max_tokens = min(wanted, left_today.tokens_out)
    return Plan(
        owner,
        tuple(pieces),
        built,
        tokens_in,
        max_tokens,
        terms.bill(tokens_in, max_tokens),
        max_tokens < terms.grown.answer(len(pieces)),
        max_tokens < wanted,
        terms,
        tuple(trifles),
        newest_forget(db),
    )


def newest_forget(db: sqlite3.Connection) -> int:
    """The number of the newest act of forgetting."""
    return int(db.execute(_SQL["newest_forget"]).fetchone()[0])


def fill(turn: Turn, uses: Sequence[ToolUse], room: int) -> tuple[tuple[ToolUse, ...], int]:
    """The first of some tool uses that fit into so many tokens, and the tokens left."""
    taken = 0
    for use in uses:
        price = batch.cost(turn, use)
        if price > room:
            break
        room -= price
        taken += 1
    return tuple(uses[:taken]), room


def piece_of(
    job: int,
    unseen: Unseen,
    uses: tuple[ToolUse, ...],
    drafts: tuple[batch.Known, ...],
    closes: bool,
) -> Piece:
    """The piece of a turn with these tool uses."""
    ids = tuple(use.id for use in uses if use.id)
    return Piece(
        job, unseen.place, max(ids, default=0), ids, tuple(draft.id for draft in drafts), closes
    )


def is_trifle(unseen: Unseen, drafts: tuple[batch.Known, ...]) -> bool:
    """Whether a turn holds nothing that a model could make something of."""
    said = len(unseen.turn.prompt) + len(unseen.turn.last_message)
    return not unseen.turn.tool_uses and not drafts and said < TRIFLE


def is_faded(db: sqlite3.Connection, prompt: int) -> bool:
    """Whether nothing is kept any more of what the unseen tool uses of a turn said."""
    uses, kept = db.execute(_SQL["kept"], (prompt,)).fetchone()
    return bool(uses and not kept)


def is_kept_out(unseen: Unseen, excluded: Sequence[str], home: Path | None) -> bool:
    """Whether the user has excluded the turn's project since it was captured, or the project could
    have made the settings that say whom to send it."""
    folders = (unseen.turn.root, unseen.turn.cwd)
    if home is not None and trust.is_inside(home, folders):
        return True
    return any(project.is_listed(list(excluded), folder) for folder in folders)


def drafts_of(db: sqlite3.Connection, prompt: int) -> tuple[batch.Known, ...]:
    """What rules wrote of a turn."""
    return tuple(
        batch.Known(record, kind, title, files_of(db, record), evidence, date_of(at), bool(tainted))
        for record, kind, title, evidence, at, tainted in db.execute(
            _SQL["drafts"], (prompt,)
        ).fetchall()
    )


def is_tainted(db: sqlite3.Connection, prompt: int) -> bool:
    """Whether what a model has seen of a turn rests on text of others."""
    return bool(db.execute(_SQL["is_tainted"], (prompt,)).fetchone()[0])


def candidates(
    db: sqlite3.Connection,
    owner: int,
    stretches: list[batch.Stretch],
    prompts_in: set[int],
    excluded: Sequence[str],
) -> tuple[batch.Known, ...]:
    """Older records on the same subjects, which the new ones may replace or contradict.

    Those of excluded folders are left out.
    """
    before = min((stretch.turn.started_at for stretch in stretches), default=0)
    titles = [draft.title for stretch in stretches for draft in stretch.drafts[:4]]
    if not titles:
        return ()
    text = " ".join(titles)[:400]
    found = search(
        db,
        SearchQuery(
            text,
            project_ids=(owner,),
            kinds=("observation",),
            end=before,
            limit=CANDIDATES * 4,
            fold=False,
        ),
    )
    offered = []
    for row in found.rows:
        record = int(row.id)
        held = db.execute(_SQL["candidate"], (record,)).fetchone()
        folders = held[2:4] if held else ()
        if any(project.is_listed(list(excluded), folder) for folder in folders):
            continue
        if held and held[0] not in prompts_in:
            files = files_of(db, record)
            offered.append(
                batch.Known(
                    record, row.type, row.title, files, held[1], date_of(row.at), by=held[4]
                )
            )
    return tuple(offered[:CANDIDATES])


def files_of(db: sqlite3.Connection, record: int) -> tuple[str, ...]:
    """Some files of a record."""
    return tuple(path for (path,) in db.execute(_SQL["files_of"], (record,)))


def project_name(db: sqlite3.Connection, owner: int) -> str:
    """The label of a project."""
    row = db.execute("SELECT name FROM projects WHERE id = ?", (owner,)).fetchone()
    return str(row[0]) if row else ""
