"""Names that JavaScript binds as no single pattern of a query can say: at any depth, by a call."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

_BOUND = frozenset({"identifier", "shorthand_property_identifier_pattern"})
_WITH_DEFAULT = frozenset({"object_assignment_pattern", "assignment_pattern"})
_PATTERNS = frozenset({"object_pattern", "array_pattern", "rest_pattern"})
_ACCESSORS = frozenset({b"get", b"set", b"value"})
_NO_OWNERS = frozenset({b"exports", b"window", b"globalThis", b"self"})

Node = tree_sitter.Node
Captures = dict[str, list[Node]]


def bound(node: Node, word: str = "def.variable.global") -> Iterator[Captures]:
    """The names that a pattern of JavaScript binds, however deep: `{ a: { b }, c: [d] }`."""
    waiting = [node.child_by_field_name("name")]
    while waiting:
        one = waiting.pop()
        if one is None:
            continue
        if one.type in _BOUND:
            yield {word: [node], "name": [one]}
        elif one.type == "pair_pattern":
            waiting.append(one.child_by_field_name("value"))
        elif one.type in _WITH_DEFAULT:
            waiting.append(one.child_by_field_name("left"))
        elif one.type in _PATTERNS:
            waiting += reversed(one.named_children)


def defined(node: Node) -> Iterator[Captures]:
    """The property of `Object.defineProperty(X, "name", { get() { … } })`."""
    function, arguments = map(node.child_by_field_name, ("function", "arguments"))
    called = function.child_by_field_name("property") if function else None
    given = arguments.named_children if arguments else []
    if not called or called.text != b"defineProperty" or len(given) != 3:
        return
    owner, name, how = given
    if name.type != "string" or how.type != "object":
        return
    members = [
        (key, member.type == "method_definition" or _is_function(member))
        for member in how.named_children
        if (key := member.child_by_field_name("name") or member.child_by_field_name("key"))
    ]
    if not any(is_function and key.text in _ACCESSORS for key, is_function in members):
        return
    property_ = owner.child_by_field_name("property")
    if property_ and property_.text == b"prototype":
        owner = owner.child_by_field_name("object") or owner
    is_named = owner.type == "identifier" and owner.text not in _NO_OWNERS
    yield {"def.property": [node], "name": [name]} | ({"scope": [owner]} if is_named else {})
    for key, _ in members:
        yield {"skip": [node], "name": [key]}


def _is_function(pair: Node) -> bool:
    value = pair.child_by_field_name("value")
    return bool(value and value.type in ("arrow_function", "function_expression"))
