"""The route of prompt recall: the hook asks, and waits 300 ms."""

from __future__ import annotations

import sqlite3
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from backstory import project as identity
from backstory.recall import context, prompt_recall, read_notes
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
        answer: dict[str, Any] = {}
        if backend.settings("prompt_recall") and asked[0] and backend.database.path.exists():
            run = partial(_answer, backend, asked, time.monotonic() + WAIT_S)
            # a look that takes longer goes on: what it loads is there the next time
            with anyio.move_on_after(WAIT_S):
                answer = await anyio.to_thread.run_sync(run, abandon_on_cancel=True)
        return JSONResponse(answer)

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


def _answer(backend: Backend, asked: list[str], deadline: float) -> dict[str, Any]:
    session, cwd, project_dir, prompt = asked
    # what is asked of an endpoint would leave the machine, and takes longer than there is
    is_local = backend.settings("embedder") == "builtin"
    nearest = backend.nearest if is_local else None
    shown: list[int] = []

    def run(db: sqlite3.Connection) -> list[prompt_recall.Bearing]:
        here = identity.resolve(cwd, project_dir)
        project = projects.find(db, here)
        if project is None:
            return []
        if not prompt_recall.is_started(db, session):
            # what it was told at its start; its hook may have read that without this process
            rows, tokens = (
                backend.settings(f"context_{name}") for name in ("observations", "tokens")
            )
            text = context.render(db, project, here.name, rows, tokens, "", here)
            shown.extend(prompt_recall.told_ids(text))
        return prompt_recall.find(db, project, prompt, session, nearest, known=shown)

    found = backend.database.read(run)
    text = prompt_recall.text_of(found)
    if time.monotonic() > deadline:
        return {}
    ids = [*shown, *(one.id for one in found)]
    if ids:
        at = sqlite.now_ms()
        backend.database.submit(lambda db: read_notes.told(db, session, ids, at))
    return {"context": text} if text else {}
