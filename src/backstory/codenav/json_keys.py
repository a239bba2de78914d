"""The keys of a JSON text: objects by their keys, arrays of objects by the names in them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from backstory.codenav import keys
from backstory.codenav.json_tree import Node, Tree, string, tree
from backstory.codenav.languages import Language
from backstory.codenav.parts import Part, placed, shown
from backstory.codenav.symbols import Reading

_SIGNATURE = 120
_WHOLE = 60  # characters of a container that is shown whole
# the keys that tell one object of an array from the others, the best first
_NAMES = ("name", "id", "key", "title", "label", "path", "file", "type", "command", "url")


def json_keys(text: str, _language: Language, deadline: float) -> Reading:
    """The keys of a JSON text, down to a few levels; problems are brackets that do not fit."""
    found = tree(text, deadline)
    breaks = [match.start() for match in re.finditer("\n", text)]
    problems = sorted({_line(breaks, at) for at in found.problems})
    return Reading(
        placed(_parts(found, text, breaks)),
        (),
        tuple((line, line) for line in problems),
        found.cut,
    )


def _parts(found: Tree, text: str, breaks: list[int]) -> list[Part]:
    root = found.root
    if len(root.children) == 1 and root.rest[0] < 0:
        root = root.children[0]
    nodes = list(_in_order(root))
    places: dict[int, int] = {-1: -1}
    result: list[Part] = []
    for one in keys.chosen([parent for _, parent in nodes]):
        node, parent = nodes[one.index]
        around = nodes[parent][0] if parent >= 0 else root
        part = _part(node, places[parent], around, text, breaks)
        if one.count == 1:
            places[one.index] = len(result)
        else:
            part.name = part.signature = one.name
            part.end = _line(breaks, nodes[one.last][0].end - 1)
        result.append(part)
    return result


def _in_order(root: Node) -> Iterator[tuple[Node, int]]:
    """What is in a value, with the index of what is around each; -1 for the value itself."""
    waiting = [(root, -1)]
    count = 0
    while waiting:
        node, parent = waiting.pop()
        place = -1
        if node is not root:
            yield node, parent
            place = count
            count += 1
        if node.rest[0] >= 0:
            waiting.append((_rest(node), place))
        waiting += [(child, place) for child in reversed(node.children)]


def _rest(node: Node) -> Node:
    """What stands for the items of an array that are not kept."""
    first, last = node.children[-1].index + 1 if node.children else 0, node.count - 1
    start, end = node.rest
    return Node("…", start, start, end, key=f"[{first}…{last}]", count=last - first + 1)


def _part(node: Node, parent: int, around: Node, text: str, breaks: list[int]) -> Part:
    name, path = shown(node.key), ""
    if around.kind == "[" and node.kind != "…":
        name = _called(node, text) or f"[{node.index}]"
    joined = "" if name.startswith("[") else "."
    return Part(
        name or '""',
        "property",
        _line(breaks, node.start),
        _line(breaks, max(node.end - 1, node.start)),
        parent,
        path,
        joined,
        _signature(node, text),
    )


def _called(node: Node, text: str) -> str:
    """The name that an object of an array gives itself."""
    own = {child.key: child for child in reversed(node.children) if child.kind == '"'}
    for key in _NAMES:
        if key in own:
            return shown(string(text, own[key].value, own[key].end), 60)
    return ""


def _signature(node: Node, text: str) -> str:
    if node.kind == "…":
        return f"{node.count:,} more items"
    if node.kind in "{[":
        size = node.end - node.value
        if size > _WHOLE or "\n" in text[node.value : node.end]:
            word = ("key" if node.kind == "{" else "item") + "s" * (node.count != 1)
            closing = "}" if node.kind == "{" else "]"
            held = f"{node.kind}{node.count:,} {word}{closing}"
            return shown(text[node.start : node.value] + held, _SIGNATURE)
    return shown(text[node.start : min(node.end, node.start + 4 * _SIGNATURE)], _SIGNATURE)


def _line(breaks: list[int], position: int) -> int:
    return bisect_left(breaks, position) + 1
