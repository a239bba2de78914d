"""The answer of a search as text: the best symbols by file, then files and lines, in a budget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from backstory.codenav.answer import Answer, Counts, Hit
from backstory.codenav.rows import printable, shortened
from backstory.codenav.wording import TOOLS, Wording
from backstory.estimate import estimate_tokens

_SIGNATURE = 140
_DOC = 100
_LEAST = 200  # tokens, however few were asked for
_SLACK = 4  # tokens that the sum of the rows may be off
_DOUBTFUL = -0.5  # the score of a use that may be one of a name that stands elsewhere
_SKIPPED = 4  # reasons that are told
_IN_PART, _PATH = 2, 60  # files that are named, characters of each


def search_text(answer: Answer, wording: Wording = TOOLS) -> str:
    """The text of an answer, within its request's max_tokens."""
    request = answer.request
    head = _head(answer)
    most = max(request.max_tokens, _LEAST)
    # the foot grows with the path and the name in it: where it took half, it says less
    with_example = _cost(_foot(answer, 0, wording)) < (most - estimate_tokens(head)) // 2
    foot = _foot(answer, 0, wording, with_example=with_example)
    budget: float = most - estimate_tokens(head) - _cost(foot) - _SLACK
    rows: list[str] = []
    headings = shown = 0  # headings: how many stand last
    for row, is_hit in _rows(answer):
        cost = estimate_tokens(row) + 1.4 if row else 0.0
        if budget < cost:
            break
        budget -= cost
        rows += [row] if row else []
        shown += is_hit
        headings = 0 if is_hit else headings + 1
    rows = rows[: len(rows) - headings]  # none without what it announces
    return "\n".join([head, *rows, *_foot(answer, shown, wording, with_example=with_example)])


def _cost(lines: Sequence[str]) -> int:
    return estimate_tokens("\n".join(lines)) + 2


def _head(answer: Answer) -> str:
    counts, request = answer.counts, answer.request
    kinds = {"symbol": "symbol", "file": "file", "line": "line", "use": "use"}
    said = []
    for what, word in kinds.items():
        count = sum(hit.what == what for hit in answer.hits)
        if count:
            said.append(f"{count} {word}{'s' if count != 1 else ''}")
    found = ", ".join(said) or ("nothing found" if answer.complete else "nothing found yet")
    text = shortened(printable(request.query), 80)
    parts = [f"{found} for {text!r} in {counts.scanned} file{'s' * (counts.scanned != 1)}"]
    if counts.failed:
        parts.append(f"{counts.failed} parsed in part{_in_part(counts)}")
    if counts.skipped:
        most = sorted(counts.skipped.items(), key=lambda one: -one[1])
        reasons = ", ".join(f"{count} {why}" for why, count in most[:_SKIPPED])
        more = sum(count for _, count in most[_SKIPPED:])
        parts.append(f"skipped: {reasons}" + (f", {more} other{'s' * (more > 1)}" if more else ""))
    lines = ["; ".join(parts)]
    if not answer.complete:
        # first of all: what is not in such an answer may be there all the same
        why = "; ".join(answer.notes) or "call again in a moment"
        return "\n".join([f"not complete: {printable(why)}", *lines])
    lines += [f"note: {printable(note)}" for note in answer.notes]
    return "\n".join(lines)


def _in_part(counts: Counts) -> str:
    """Which files were, and why."""
    named = [shortened(printable(path), _PATH) for path in counts.in_part[:_IN_PART]]
    more = ", …" if counts.failed > len(named) else ""
    said = "too large, deep or slow to parse whole"
    return f" ({', '.join(named)}{more}: {said})" if named else ""


def _rows(answer: Answer) -> Iterator[tuple[str, bool]]:
    """(row, whether it is a hit): the rest are headings."""
    several = _are_several(answer)
    for hits in _groups(answer.hits):
        first = hits[0]
        name = printable(f"{first.root}/{first.file}" if several else first.file)
        if first.what == "file":
            yield f"{name}  ({first.why})", True
            continue
        is_doubtful = first.what == "use" and first.score <= _DOUBTFUL
        yield f"{name}  (perhaps of another)" if is_doubtful else name, False
        enclosing, former = "", ""
        for hit in hits:
            if hit.what != "symbol":
                word = f" [{hit.why}]" if hit.what == "use" else ""
                yield f"  L{hit.start_line}{word} {printable(hit.text)}", True
                continue
            if hit.parent and hit.parent != enclosing:
                yield f"  in {printable(hit.parent)}:", False
            row = f"  {'  ' if hit.parent else ''}{_symbol(hit)}"
            if hit.parent == enclosing and row == former:
                yield "", True  # several names of one statement, which says them all
                continue
            enclosing, former = hit.parent, row
            yield row, True


def _are_several(answer: Answer) -> bool:
    """Whether the hits are of several workspaces: their paths are told whole."""
    return len({hit.root for hit in answer.hits}) > 1


def _symbol(hit: Hit) -> str:
    place = f"L{hit.start_line}"
    if hit.end_line != hit.start_line:
        place += f"-{hit.end_line}"
    said = shortened(printable(hit.signature), _SIGNATURE) or f"{hit.kind} {printable(hit.name)}"
    row = f"{place} {said}"
    if hit.doc:
        row += f" — {shortened(printable(hit.doc), _DOC)}"
    if hit.why not in ("exact name", "words"):
        row += f"  ({hit.why})"
    return row


def _groups(hits: Sequence[Hit]) -> Iterable[list[Hit]]:
    """The hits of a file that follow one another in rank stay together, the best file first."""
    groups: dict[tuple[object, ...], list[Hit]] = {}
    for hit in hits:
        what = ("line", hit.score) if hit.what == "use" else (hit.what,)
        groups.setdefault((*what, hit.root, hit.file), []).append(hit)
    for group in groups.values():
        if group[0].what in ("line", "use"):
            group.sort(key=lambda hit: hit.start_line)
    return groups.values()


def _foot(answer: Answer, shown: int, wording: Wording, *, with_example: bool = True) -> list[str]:
    request = answer.request
    lines = []
    left = answer.total - shown
    if left > 0:
        how = []
        if answer.total > len(answer.hits):
            how.append(wording.results)
        if shown < len(answer.hits):
            how.append(wording.budget)
        lines.append(f"… {left} more: narrow with {wording.narrow}, or raise {' and '.join(how)}")
    if not answer.hits:
        lines.append(_advice(answer))
    elif with_example and not request.references and answer.hits[0].what == "symbol":
        best = answer.hits[0]
        file = f"{best.root}/{best.file}" if _are_several(answer) else best.file
        source = wording.say(wording.unfold, printable(file), printable(best.qualified_name))
        lines.append(f"{source} shows the source of the first; {wording.uses} where it is used.")
    return lines


def _advice(answer: Answer) -> str:
    request = answer.request
    narrowed = [
        name for name in ("path", "kind", "language", "file_pattern") if getattr(request, name)
    ]
    if not answer.complete:
        return "Not everything was looked at yet: ask again in a moment."
    if narrowed:
        return f"Nothing fits with {', '.join(narrowed)}: try without."
    if request.references:
        return "No code uses that name: check its spelling by a search without references."
    return 'Try fewer or other words, a part of a name, or a literal text in "quotes".'
