"""The files of one workspace as a search reads them: text in UTF-8, and the lines of a symbol."""

from __future__ import annotations

from collections import OrderedDict

from backstory.codenav import secret_files
from backstory.codenav.decoding import as_utf8
from backstory.codenav.indexing import read_bytes
from backstory.codenav.ranking import Candidate

_MOST_KEPT = 200  # files
_BODY_LINES = 60


class Reading:
    """What one search has read."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._bytes: OrderedDict[str, bytes | None] = OrderedDict()
        self._texts: dict[str, list[str]] = {}

    def read(self, path: str) -> bytes | None:
        """A file's text in UTF-8, None where there is none to show; the last ones are kept."""
        if path not in self._bytes:
            try:
                data: bytes | None = read_bytes(f"{self._root}/{path}")
            except OSError:
                data = None
            if data is not None and secret_files.by_bytes(path, data):
                data = None
            self._bytes[path] = None if data is None else as_utf8(data)
            if len(self._bytes) > _MOST_KEPT:
                self._bytes.popitem(last=False)
        return self._bytes[path]

    def body(self, one: Candidate) -> str:
        """The first lines of a symbol."""
        text = self._texts.get(one.file)
        if text is None:
            data = self.read(one.file) or b""
            text = self._texts[one.file] = data.decode("utf-8", "replace").split("\n")
        start = one.start_line - 1
        return "\n".join(text[start : min(one.end_line, start + _BODY_LINES)])
