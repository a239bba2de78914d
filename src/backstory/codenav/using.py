"""The search for the uses of a name in one workspace: what its index knows, then the files."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from backstory.codenav.candidates import Lookup
from backstory.codenav.index import Row, folded
from backstory.codenav.query import Query
from backstory.codenav.receivers import Owner
from backstory.codenav.references import Read, Uses, uses_of

_VALUES = frozenset({"variable", "constant", "field", "property"})


class Using:
    """One such search."""

    def __init__(self, query: Query) -> None:
        self.name = query.name or query.text.split()[-1].strip("\"'`()")
        self._owner = Owner(query.owners[-1]) if query.owners else None
        self._files: set[str] = set()
        self._owner_files: Container[str] = ()
        self._definitions: dict[str, frozenset[int]] = {}

    def look_up(self, lookup: Lookup, ids: Mapping[int, str]) -> None:
        """Which files may use the name, and which lines define it; `ids` may answer."""
        found = lookup.files_with(self.name, whole=True)
        self._files = set(ids.values() if found is None else (ids[i] for i in found if i in ids))
        rows = [row for row in lookup.exact(self.name) if row.file in ids]
        bound: set[tuple[int, str]] = set()
        for row in sorted(rows, key=lambda row: row.id):
            path = ids[row.file]
            if row.kind in _VALUES and (row.file, row.qualified) in bound:
                continue  # it has a value already, and is given another one
            bound.add((row.file, row.qualified))
            self._definitions[path] = self._definitions.get(path, frozenset()) | {row.line}
        if self._owner:
            self._look_up_owner(self._owner.name, lookup, rows, ids)

    def _look_up_owner(
        self, name: str, lookup: Lookup, rows: Iterable[Row], ids: Mapping[int, str]
    ) -> None:
        """Where what the name stands in is, and what else has such a name in it."""
        spans: dict[str, tuple[tuple[int, int], ...]] = {}
        for row in lookup.exact(name):
            if row.file in ids:
                path = ids[row.file]
                spans[path] = (*spans.get(path, ()), (row.start_line, row.end_line))
        parents = {folded(row.stands_in.rpartition(".")[2]) for row in rows}
        self._owner = Owner(name, spans, frozenset(parents - {folded(name), ""}))
        found = lookup.files_with(name, whole=True)
        self._owner_files = frozenset(ids[one] for one in found or () if one in ids)

    def find(
        self, others: Iterable[str], read: Read, most: int, deadline: float, effort: float
    ) -> Uses:
        """The uses in those files and in `others`, which the index does not hold as they are."""
        return uses_of(
            self.name,
            {*self._files, *others},
            read,
            self._definitions,
            most,
            deadline,
            self._owner,
            self._owner_files,
            effort,
        )
