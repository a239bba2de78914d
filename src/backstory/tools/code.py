"""The tools that read code, one function each: (caller, arguments) -> text. They need no memory.

They run unasked, so the guard of `codenav` decides which files they may open.
"""

from __future__ import annotations

import time
from typing import Any

from backstory.codenav import looking, unfold, workspace
from backstory.codenav.looking import Outlines, Workspace
from backstory.codenav.render_outline import File, outline_text
from backstory.codenav.render_search import search_text
from backstory.codenav.workspace import Request
from backstory.errors import BackstoryError, BadInput
from backstory.recall.likeness import nearness
from backstory.tools.caller import Caller

Arguments = dict[str, Any]
_outlines = Outlines()


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
    return outline_text(
        files, given.get("symbol", ""), given.get("depth", 0), given.get("max_tokens", 0)
    )


def smart_unfold(caller: Caller, given: Arguments) -> str:
    """The source of some symbols of one file."""
    wanted = _all(given, "symbol_name", "symbol_names")
    found = _outlines.look(given["file_path"], _workspace(caller), _deadline(caller))
    return unfold.unfold_text(
        found.source.shown,
        found.source.text,
        found.outline,
        list(dict.fromkeys(wanted)),
        context=given.get("context", False),
        max_tokens=given.get("max_tokens", unfold.DEFAULT_TOKENS),
        encoding=found.source.encoding,
    )


def _all(given: Arguments, one: str, several: str) -> list[str]:
    """What an argument or its plural names."""
    wanted = [*([given[one]] if one in given else []), *given.get(several, ())]
    if not wanted:
        raise BadInput(f"{one}: got nothing, expected a text", hint=f"or a list as {several}")
    return wanted


def _workspace(caller: Caller) -> Workspace:
    return looking.workspace(caller.roots, caller.cwd or caller.project_dir)


def _deadline(caller: Caller) -> float:
    return min(caller.deadline, time.monotonic() + looking.DEADLINE_S)


def _file(path: str, where: Workspace, deadline: float) -> File:
    try:
        found = _outlines.look(path, where, deadline)
    except BackstoryError as error:
        return File(path, error=error)
    text, encoding = found.source.text, found.source.encoding
    return File(found.source.shown, text, found.outline, encoding, found.tokens)
