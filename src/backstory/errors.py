"""Every error that Backstory raises on purpose.

BackstoryError
 ├─ BadInput         the caller can mend the call
 │   └─ Ambiguous    what was named could be several things
 ├─ NotFound         what was named does not exist
 ├─ Forbidden        it exists, and this caller may not have it
 ├─ Busy             try again: another process holds what is needed
 ├─ Unavailable      a part is missing or not running
 └─ StorageError     the database cannot be used as it is

Each carries a message for a person and, where there is one, a hint that says what to do next.
They are translated once at each door: the CLI, the HTTP API and the MCP server.
"""

from __future__ import annotations


def describe(error: BaseException) -> str:
    """Any error for a log: its kind, its place, and no text that may quote what was captured.

    Only the system's and SQLite's own words are added: they name files and tables at most.
    """
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = ""
    if trace is not None:
        name = trace.tb_frame.f_code.co_filename.rpartition("/")[2]
        where = f" in {name}:{trace.tb_lineno}"
    why = ""
    if isinstance(error, OSError):
        why = f": {error.strerror}"
    elif type(error).__module__ == "sqlite3":
        why = f": {str(error)[:120]}"
    return type(error).__name__ + why + where


class BackstoryError(Exception):
    """Something went wrong in Backstory."""

    code = "error"

    def __init__(self, message: str = "", *, hint: str = "") -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())
        self.hint = hint

    @property
    def message(self) -> str:
        """The sentence for a person."""
        return str(self.args[0])

    def as_json(self) -> dict[str, dict[str, str]]:
        """The one error shape of the HTTP API."""
        return {"error": {"code": self.code, "message": self.message, "hint": self.hint}}


class BadInput(BackstoryError):
    """The arguments cannot be used."""

    code = "bad_input"


class Ambiguous(BadInput):
    """What was named could be several things."""

    code = "ambiguous"


class NotFound(BackstoryError):
    """There is no such record."""

    code = "not_found"


class Forbidden(BackstoryError):
    """This caller may not have that."""

    code = "forbidden"


class Busy(BackstoryError):
    """Another process is at work; try again in a moment."""

    code = "busy"


class Unavailable(BackstoryError):
    """A part of Backstory is not running."""

    code = "unavailable"


class StorageError(BackstoryError):
    """The database cannot be used."""

    code = "storage"
