"""The tools that read code, one function each: (caller, arguments) -> text. They need no memory.

They run unasked, so the guard of `codenav` decides which files they may open.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from backstory.codenav import looking, unfold, workspace
from backstory.codenav.looking import Outlines, Workspace
from backstory.codenav.render_outline import DEFAULT_TOKENS, LEAST_TOKENS, File, outline_text
from backstory.codenav.render_search import search_text
from backstory.codenav.within import fitted
from backstory.codenav.workspace import Request
from backstory.errors import BackstoryError, BadInput
from backstory.estimate import estimate_tokens
from backstory.recall.likeness import nearness
from backstory.storage import gates, sqlite
from backstory.tools.caller import Caller

Arguments = dict[str, Any]
outlines = Outlines()  # shared with the gate on Reads


def smart_search(caller: Caller, given: Arguments) -> str:
    """Where something is defined, mentioned or used."""
    where = _workspace(caller)
    found = workspace.search(
        Request(**given),
        roots=where.roots,
        home=caller.database.path.parent,
        rules=where.rules,
        cwd=where.cwd,
        deadline=_deadline(caller),
        nearness=nearness(caller.settings),
    )
    return search_text(found)


def smart_outline(caller: Caller, given: Arguments) -> str:
    """The shape of one file, or of several."""
    wanted = _all(given, "file_path", "file_paths")
    where, deadline = _workspace(caller), _deadline(caller)
    files = [_file(path, where, deadline) for path in dict.fromkeys(wanted)]
    text = outline_text(
        files, given.get("symbol", ""), given.get("depth", 0), given.get("max_tokens", 0)
    )
    _count(caller, wanted if len(files) == 1 else [], text)
    return text


def smart_unfold(caller: Caller, given: Arguments) -> str:
    """The source of some symbols of one file."""
    wanted = _all(given, "symbol_name", "symbol_names")
    found = outlines.look(given["file_path"], _workspace(caller), _deadline(caller))
    text = unfold.unfold_text(
        found.source.shown,
        found.source.text,
        found.outline,
        list(dict.fromkeys(wanted)),
        context=given.get("context", False),
        max_tokens=given.get("max_tokens", unfold.DEFAULT_TOKENS),
        encoding=found.source.encoding,
    )
    _count(caller, [found.source.path], text)
    return text


def within_budget(error: BackstoryError, given: Arguments) -> BackstoryError:
    """The error in as many tokens as the answer might have had."""
    most = given.get("max_tokens")
    return fitted(error, max(most, LEAST_TOKENS) if isinstance(most, int) else DEFAULT_TOKENS)


def _count(caller: Caller, paths: Iterable[str], text: str) -> None:
    """Counts what was read after the gate had answered a Read with the outline."""
    if not caller.database.writer_alive:
        return
    tokens, at = estimate_tokens(text), sqlite.now_ms()
    for path in paths:
        real = os.path.realpath(Path(caller.cwd, path))
        caller.database.submit(partial(gates.unfolded_later, path=real, tokens=tokens, at=at))


def _all(given: Arguments, one: str, several: str) -> list[str]:
    """What an argument or its plural names."""
    wanted = [*([given[one]] if one in given else []), *given.get(several, ())]
    if not wanted:
        raise BadInput(f"{one}: got nothing, expected a text", hint=f"or a list as {several}")
    return wanted


def _workspace(caller: Caller) -> Workspace:
    folder = caller.cwd or caller.project_dir
    return looking.workspace(caller.roots, folder, caller.config_dir)


def _deadline(caller: Caller) -> float:
    return min(caller.deadline, time.monotonic() + looking.DEADLINE_S)


def _file(path: str, where: Workspace, deadline: float) -> File:
    try:
        found = outlines.look(path, where, deadline)
    except BackstoryError as error:
        return File(path, error=error)
    text, encoding = found.source.text, found.source.encoding
    return File(found.source.shown, text, found.outline, encoding, found.tokens)
