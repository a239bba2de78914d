"""The shape of a notebook: its headings, its cells and what their code defines.

Lines are those of the .ipynb file itself, so that they fit what reads a range of it.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from backstory.codenav import json_keys, keys
from backstory.codenav.json_tree import Node, Tree, string, tree
from backstory.codenav.languages import Language, detect, languages
from backstory.codenav.parts import Inset, Part, placed, shown, spliced
from backstory.codenav.symbols import Reading, read

_DEPTH = 8
_HEADING = re.compile(r"[ ]{0,3}(#{1,6})[ \t]+(\S.*?)[ \t#]*$")
_FENCE = re.compile(r"[ ]{0,3}(?:```|~~~)")
_MAGIC = re.compile(r"^([ \t]*)(?:[%!?].*|.*\?{1,2}[ \t]*)$", re.MULTILINE)
_OTHER = re.compile(r"\s*%%(?!(?:time|timeit|capture|prun|memit)\b)\w")  # another language


@dataclass(slots=True)
class _Cell:
    """A cell: its text, and for each line of it the line of the file."""

    number: int
    kind: str
    name: str  # its id
    start: int
    end: int
    text: str
    lines: list[int]


def notebook(text: str, language: Language, deadline: float) -> Reading:
    """The headings and cells of a notebook; what is no notebook, by its keys."""
    found = tree(text, deadline, _DEPTH, sys.maxsize, strings=True)
    cells = list(_cells(found, text))
    if not cells:
        return json_keys.json_keys(text, language, deadline)
    parts, code = _parts(cells)
    outer = Reading(placed(parts), (), tuple(_problems(found, text)), found.cut)
    said, inner = _language(found, text)
    insets: dict[int, Inset] = {}
    for place, cell in code.items() if inner else ():
        if inner is None or _OTHER.match(cell.text):
            continue
        reading = read(_without_magic(cell.text), inner, deadline)
        if reading is not None:
            if not said:  # a guess proves no faults
                reading = replace(reading, problems=())
            insets[place] = Inset(reading, partial(_line_in, cell.lines))
    whole = spliced(outer, insets)
    return replace(whole, symbols=keys.bounded(whole.symbols))


def _line_in(lines: list[int], line: int) -> int:
    """The line of the file for one of a cell."""
    return lines[min(max(line, 1), len(lines)) - 1]


def _without_magic(code: str) -> str:
    """Code without the lines that only a notebook understands; lines stay where they are."""
    return _MAGIC.sub(r"\1pass", code)


def _child(node: Node | None, key: str) -> Node | None:
    if node is None:
        return None
    return next((one for one in node.children if one.key == key), None)


def _word(node: Node | None, text: str) -> str:
    return string(text, node.value, node.end) if node is not None and node.kind == '"' else ""


def _cells(found: Tree, text: str) -> Iterator[_Cell]:
    root = next(iter(found.root.children), None)
    held = _child(root, "cells")
    sheets = _child(root, "worksheets")
    if held is None and sheets is not None and sheets.children:
        held = _child(sheets.children[0], "cells")
    if held is None:
        return
    breaks = [match.start() for match in re.finditer("\n", text)]
    for number, node in enumerate(held.children, 1):
        kind = _word(_child(node, "cell_type"), text)
        source = _child(node, "source") or _child(node, "input")
        if not kind or source is None:
            continue
        pieces = source.children if source.kind == "[" else [source]
        start, end = (bisect_left(breaks, at) + 1 for at in (node.start, node.end - 1))
        cell = _Cell(number, kind, _word(_child(node, "id"), text), start, end, "", [])
        words: list[str] = []
        for piece in pieces:
            said = _word(piece, text)
            words.append(said)
            line = bisect_left(breaks, piece.value) + 1
            rows = said.count("\n") + (not said.endswith("\n"))
            cell.lines += [line] * rows
        cell.text = "".join(words)
        level = _child(node, "level")
        if kind == "heading" and level is not None:
            cell.text = "#" * min(int(text[level.value : level.end] or "1"), 6) + " " + cell.text
        if cell.text.strip() and cell.lines:
            yield cell


def _parts(cells: list[_Cell]) -> tuple[list[Part], dict[int, _Cell]]:
    """The parts of a notebook; those that are cells of code, by their places."""
    parts: list[Part] = []
    code: dict[int, _Cell] = {}
    open_: list[tuple[int, int]] = []  # level and place of the headings around
    for cell in cells:
        titles = list(_titles(cell)) if cell.kind in ("markdown", "heading") else []
        for position, (level, name, line) in enumerate(titles):
            start = line if position else cell.start
            while open_ and open_[-1][0] >= level:
                parts[open_.pop()[1]].end = start - 1
            parent = open_[-1][1] if open_ else -1
            open_.append((level, len(parts)))
            parts.append(Part(name, "section", start, cell.end, parent, line=line))
        if not titles:
            parent = open_[-1][1] if open_ else -1
            if cell.kind == "code":
                code[len(parts)] = cell
            parts.append(_cell_part(cell, parent))
    for _, place in open_:
        parts[place].end = cells[-1].end
    return parts, code


def _cell_part(cell: _Cell, parent: int) -> Part:
    name = f"cell {cell.number} {cell.kind}"
    first = next(line for line in cell.text.split("\n") if line.strip())
    label = f"{name} (id {cell.name})" if cell.name else name
    said = f"{label}: {shown(first, 80)}"
    return Part(name, "section", cell.start, cell.end, parent, signature=said, line=cell.lines[0])


def _titles(cell: _Cell) -> Iterator[tuple[int, str, int]]:
    """(level, name, line of the file) of the headings in a cell of text."""
    in_fence = False
    for line, row in zip(cell.text.split("\n"), cell.lines, strict=False):
        if _FENCE.match(line):
            in_fence = not in_fence
        heading = _HEADING.match(line[:400])
        if heading and not in_fence:
            yield len(heading[1]), shown(heading[2]), row


def _language(found: Tree, text: str) -> tuple[str, Language | None]:
    """What the notebook says of the language of its code, and that language."""
    metadata = _child(next(iter(found.root.children), None), "metadata")
    info, kernel = _child(metadata, "language_info"), _child(metadata, "kernelspec")
    ending = _word(_child(info, "file_extension"), text)
    said = _word(_child(info, "name"), text) or _word(_child(kernel, "language"), text)
    known = languages().get(said.lower() or "python")
    return said, known or (detect("a" + ending) if ending else None)


def _problems(found: Tree, text: str) -> Iterator[tuple[int, int]]:
    lines = sorted({text.count("\n", 0, position) + 1 for position in found.problems})
    return ((line, line) for line in lines)
