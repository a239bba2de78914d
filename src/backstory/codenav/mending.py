"""A source that cannot be parsed, with as little as possible put in or taken out so that it can.

One bracket that is not closed makes a parser take all that follows for a part of it. People write
such texts all day: then the indents still say what belongs to what. All places where brackets,
quotes and indents disagree are mended at once, as the indents say; lines that then still cannot be
read are taken out. What is left is mended place by place, in some ways: the one with which the
parser reads most stays. No line is moved, so that every symbol keeps its lines.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import tree_sitter

from backstory.codenav import parse
from backstory.codenav.disagreements import Way, disagreements, ways_of_line
from backstory.codenav.edits import Edit, edited
from backstory.codenav.halves import Halves, suspects
from backstory.codenav.languages import Language
from backstory.codenav.lexis import Lexis, lexis_of
from backstory.codenav.pages import Page
from backstory.codenav.settling import Settled, settled

_MOST_BYTES = 1_200_000  # that are parsed in all, for one source
_MOST_TRIES = 40
_LEAST_TRIES = 4
_MOST_ROUNDS = 8
_SETTLINGS = 4  # times that half-typed lines are looked for
_LONG, _FEW_SETTLINGS = 150_000, 2  # bytes of a source for which it is done less often
_LARGE = 400_000  # bytes; more are not mended
_SHARE = 0.3  # of the time that is left
_EACH = 40  # what one place that cannot be read counts, beside its bytes
_MOST_NODES = 5_000
_TIERS = 4
_WIDE = 20  # ways that are tried before the best of them is taken
_BARREN = 14  # tries without any gain after which it is taken for no slip of an editor
_SCATTERED = 4  # places beyond which it likely is what the grammar does not know
_FEW = 4  # tries then
_GAIN = 0.8  # of the cost, which a way must come below
_LITTLE = 300  # a cost below which no line is taken out for its own sake
_FEW_LINES = 3
_RUINED = 0.25  # of a text in one place that cannot be read: one line can do that
_FEW_REGIONS = 2  # that a line without its end may be looked for in by trying
_ERRORS = 3  # places that cannot be read and are looked at themselves


@dataclass(frozen=True, slots=True)
class Mended:
    """A source as it can be read. Its lines are those of the true one."""

    code: bytes
    painted: bytes
    tree: tree_sitter.Tree
    lines: tuple[int, ...]  # where something was mended, from 1


@dataclass(frozen=True, slots=True)
class _State:
    code: bytes
    painted: bytes
    tree: tree_sitter.Tree
    cost: int
    places: tuple[int, ...]  # the lines that cannot be read
    page: Page  # of what is painted


@dataclass(slots=True)
class _Budget:
    """How many ways may still be tried."""

    tries: int
    patience: int  # tries without any gain after which no more are worth it
    deadline: float
    barren: int = 0

    @property
    def is_spent(self) -> bool:
        return not self.tries or self.barren == self.patience or time.monotonic() > self.deadline

    def spend(self) -> None:
        self.tries -= 1
        self.barren += 1


def mended(
    code: bytes, painted: bytes, tree: tree_sitter.Tree, language: Language, deadline: float
) -> Mended | None:
    """The source with its mends, or None where none helps.

    `painted` is what the parser saw of `code`. It may take some more parses, for a part of the
    time until `deadline`.
    """
    lexis = lexis_of(language.name)
    if lexis is None or not tree.root_node.has_error or len(code) > _LARGE:
        return None
    now = time.monotonic()
    deadline = now + (deadline - now) * _SHARE
    start = state = _State(code, painted, tree, *_cost(tree), Page(painted, lexis))
    first = settled(state.page)
    # where nothing disagrees, it is a half-typed line, or what the grammar does not know
    does_agree = state.page.agrees and not first.edits
    budget = _Budget(
        tries=min(max(_MOST_BYTES // (len(code) + 1), _LEAST_TRIES), _MOST_TRIES),
        patience=_BARREN if len(state.places) <= _SCATTERED else _FEW,
        deadline=deadline,
    )
    lines: set[int] = set()
    settled_state = _settled(state, first, language, deadline, lines, does_agree=does_agree)
    if settled_state is not None:
        state = settled_state
    tier = 0
    found = [] if does_agree or not state.cost else _ways(state, lexis)
    if settled_state is None and not lexis.indented:
        regions = _regions(tree)
        if len(regions) <= _FEW_REGIONS or _is_ruined(start):
            for line in suspects(start.page, regions):
                found += ways_of_line(painted, line, lexis)
    for _ in range(_MOST_ROUNDS if state.cost else 0):
        ways = sorted((way for way in found if way.tier == tier), key=lambda way: way.rank)
        best = _best(state, ways[:_WIDE], budget, language)
        if best and best[0] < state.cost * _GAIN:
            lines.add(state.code.count(b"\n", 0, best[2].at) + 1)
            state = best[1]
            found = _ways(state, lexis) if state.cost else []
            tier = 0
        else:
            tier += 1
        if state.cost == 0 or tier == _TIERS or budget.is_spent:
            break
    if not lines:
        return None
    return Mended(state.code, state.painted, state.tree, tuple(sorted(lines)))


def _settled(
    state: _State,
    first: Settled,
    language: Language,
    deadline: float,
    lines: set[int],
    *,
    does_agree: bool,
) -> _State | None:
    """All that disagrees mended at once, and what then still cannot be read taken out."""
    now: _State | None = state
    if first.edits:
        now = _with(state, first.edits, language, deadline)
    if now is None or (now.cost > state.cost and state.page.agrees):
        return None
    own = {state.code.count(b"\n", 0, edit[0]) + 1 for edit in first.edits}
    best, score = now, now.cost
    halves = Halves(first.lines, only_likely=does_agree)
    lost = 0
    rounds = _SETTLINGS if len(state.code) < _LONG else _FEW_SETTLINGS
    for _ in range(rounds if now.cost else 0):
        edits = halves.edits(now.page, _regions(now.tree))
        then = _with(now, edits, language, deadline) if edits else None
        if then is None:
            break
        more = lost + _lost(now.painted, edits)
        if then.cost + more < score or _is_ruined(now):
            own.update(now.code.count(b"\n", 0, edit[0]) + 1 for edit in edits)
            now, lost = then, more
        if now.cost + lost < score:
            best, score = now, now.cost + lost
        if not now.cost:
            break
    if best is state or score >= state.cost * _GAIN:
        return None
    lines |= own
    return best


def _regions(tree: tree_sitter.Tree) -> list[tuple[int, int]]:
    """The first and last line, from 1, of each place that could not be read."""
    return [(one.start_point[0] + 1, one.end_point[0] + 1) for one in _unread_nodes(tree)]


def _is_ruined(state: _State) -> bool:
    return _unread(state.tree) > _RUINED * len(state.code)


def _unread(tree: tree_sitter.Tree) -> int:
    """The bytes of the largest place near the top of a tree that could not be read."""
    nodes = [tree.root_node, *tree.root_node.children]
    return max((one.end_byte - one.start_byte for one in nodes if one.is_error), default=0)


def _ways(state: _State, lexis: Lexis) -> list[Way]:
    found = disagreements(state.page)
    for place in state.places[:_ERRORS] if state.cost > _LITTLE else ():
        found += ways_of_line(state.painted, place, lexis)
    return found


def _best(
    state: _State, ways: Sequence[Way], budget: _Budget, language: Language
) -> tuple[int, _State, Way] | None:
    """The way that leaves least unread: (its cost, what it comes to, itself)."""
    best: tuple[int, _State, Way] | None = None
    for way in ways:
        if budget.is_spent:
            break
        budget.spend()
        new = _with(state, way.edits, language, budget.deadline)
        if new is None:
            continue
        score = new.cost + _lost(state.painted, way.edits)
        if best is None or score < best[0]:
            best = (score, new, way)
        if score < state.cost * _GAIN:
            budget.barren = 0
        if score == 0:
            break
    return best


def _with(
    state: _State, edits: Sequence[Edit], language: Language, deadline: float
) -> _State | None:
    painted = edited(state.painted, edits)
    tree = parse.parse(painted, language, deadline, _told(state, edits))
    if tree is None or parse.is_tangled(tree):
        return None
    page = Page(painted, state.page.lexis)
    return _State(edited(state.code, edits), painted, tree, *_cost(tree), page)


def _told(state: _State, edits: Sequence[Edit]) -> tree_sitter.Tree:
    """A copy of the tree that knows what is edited."""
    tree = state.tree.copy()
    for start, end, new in sorted(edits, reverse=True):
        place, stop = _point(state.painted, start), _point(state.painted, end)
        breaks = new.count(b"\n")
        last = len(new) - new.rfind(b"\n") - 1
        then = (place[0] + breaks, last if breaks else place[1] + len(new))
        tree.edit(start, end, start + len(new), place, stop, then)
    return tree


def _point(text: bytes, position: int) -> tuple[int, int]:
    begin = text.rfind(b"\n", 0, position) + 1
    return text.count(b"\n", 0, begin), position - begin


def _lost(text: bytes, edits: Sequence[Edit]) -> int:
    """What is taken out, as a cost: less than what cannot be read, more than nothing."""
    return sum(len(b"".join(text[start:end].split())) for start, end, _ in edits)


def _cost(tree: tree_sitter.Tree) -> tuple[int, tuple[int, ...]]:
    """(how much of a tree could not be read, the lines of where)."""
    cost, places = 0, list[int]()
    for node in _unread_nodes(tree):
        cost += _EACH + node.end_byte - node.start_byte
        first, last = node.start_point[0], node.end_point[0]
        if last - first <= _FEW_LINES:
            places.append(first + 1)
    return cost, tuple(dict.fromkeys(places))


def _unread_nodes(tree: tree_sitter.Tree) -> Iterator[tree_sitter.Node]:
    """The outermost nodes that could not be read, or that are missing, in order."""
    cursor = tree.walk()
    for _ in range(_MOST_NODES):
        node = cursor.node
        if node is not None and (node.has_error or node.is_missing):
            if node.is_missing or node.is_error:
                yield node
            if not node.is_error and cursor.goto_first_child():
                continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
