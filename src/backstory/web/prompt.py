"""The route of prompt recall: the hook asks, and waits 300 ms."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from backstory import project as identity
from backstory.recall import context, prompt_recall, read_notes
from backstory.recall.search import Nearest
from backstory.storage import projects, sqlite
from backstory.web.arguments import body_of, text_of

if TYPE_CHECKING:
    from backstory.web.api import Backend

WAIT_S = 0.24  # the hook waits 0.3 s, and then asks nothing for 30 s


def routes(backend: Backend) -> list[Route]:
    """The routes of this module."""

    async def recall(request: Request) -> Response:
        """What to say beside a prompt: `context`, or nothing."""
        body = await body_of(request)
        asked = [text_of(body, name) for name in ("session", "cwd", "project_dir", "prompt")]
        if not (backend.settings("prompt_recall") and asked[0] and backend.database.path.exists()):
            return JSONResponse({})
        found = _Found()
        # what is asked of an endpoint would leave the machine, and takes longer than there is
        is_local = backend.settings("embedder") == "builtin" and backend.nearest is not None
        with anyio.move_on_after(WAIT_S):
            found = await anyio.to_thread.run_sync(partial(_look, backend, asked, None))
            if is_local:
                # models that are not loaded yet take longer: they are there the next time
                run = partial(_look, backend, asked, backend.nearest)
                found = await anyio.to_thread.run_sync(run, abandon_on_cancel=True)
        if ids := [*found.shown, *found.told]:
            note = partial(read_notes.told, session=asked[0], ids=ids, at=sqlite.now_ms())
            backend.database.submit(note)
        return JSONResponse({"context": found.text} if found.text else {})

    return [Route("/api/recall", recall, methods=["POST"])]


def tell_anew(backend: Backend, session: str, text: str) -> None:
    """Notes what a session knows of memory after its context was compacted: this alone."""
    ids = prompt_recall.told_ids(text)
    at = sqlite.now_ms()

    def run(db: sqlite3.Connection) -> None:
        with sqlite.transaction(db):
            prompt_recall.forget_told(db, session)
            read_notes.told(db, session, ids, at)

    backend.database.submit(run)


@dataclass(frozen=True, slots=True)
class _Found:
    """What bears on a prompt, and what the session's start showed if that was not noted yet."""

    text: str = ""
    told: tuple[int, ...] = ()
    shown: tuple[int, ...] = ()


def _look(backend: Backend, asked: list[str], nearest: Nearest | None) -> _Found:
    session, cwd, project_dir, prompt = asked

    def run(db: sqlite3.Connection) -> _Found:
        here = identity.resolve(cwd, project_dir)
        project = projects.find(db, here)
        if project is None:
            return _Found()
        shown: tuple[int, ...] = ()
        if not prompt_recall.is_started(db, session):
            # what it was told at its start; its hook may have read that without this process
            rows, tokens = (
                backend.settings(f"context_{name}") for name in ("observations", "tokens")
            )
            text = context.render(db, project, here.name, rows, tokens, "", here)
            shown = tuple(prompt_recall.told_ids(text))
        found = prompt_recall.find(db, project, prompt, session, nearest, known=shown)
        return _Found(prompt_recall.text_of(found), tuple(one.id for one in found), shown)

    return backend.database.read(run)
