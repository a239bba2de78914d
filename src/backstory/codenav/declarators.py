"""What a declaration of C and its kin declares.

Its names stand at the ends of chains, as deep as their types are wound: `int (*f[3])(void)`. With a
pattern for each depth the query would be dear to compile, so a pattern captures the whole
declaration as `@declared`, and the chains are followed here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial

import tree_sitter

from backstory.codenav import bindings
from backstory.codenav.parse import Match

_NAMES = frozenset(
    {
        *("identifier", "field_identifier", "type_identifier", "primitive_type"),
        *("qualified_identifier", "operator_name", "destructor_name"),
        *("template_function", "operator_cast"),
    }
)
_LINKS = frozenset(
    {
        *("function_declarator", "pointer_declarator", "array_declarator", "reference_declarator"),
        *("parenthesized_declarator", "attributed_declarator", "init_declarator"),
        "block_pointer_declarator",
    }
)
_FUNCTION = "function_declarator"
# these say nothing of what the name in them is
_MEANS_NOTHING = frozenset({"parenthesized_declarator", "attributed_declarator", "init_declarator"})
_KINDS = {
    "struct_specifier": "struct",
    "class_specifier": "struct",
    "union_specifier": "struct",
    "enum_specifier": "enum",
}
_CONSTANT = frozenset({b"const", b"constexpr", b"constinit"})
_QUALIFIERS = frozenset({"type_qualifier", "storage_class_specifier"})
# what a statement in a place that the grammar did not understand begins with
_KEYWORDS = frozenset(
    {
        *(b"if", b"else", b"for", b"while", b"do", b"switch", b"case", b"return", b"sizeof"),
        *(b"catch", b"try", b"goto", b"defined", b"throw", b"new", b"delete"),
    }
)
# of Rust: what can be implemented for
_TYPES = frozenset({"type_identifier", "primitive_type"})
_WHOLE_TYPES = frozenset({"dynamic_type", "array_type", "tuple_type"})
_BARE_TYPES = frozenset({"pointer_type", "function_type", "unit_type", "never_type"})
# of D, in which nothing has a field
_BODIES = frozenset({"aggregate_body", "function_body", "block_statement"})
_TEMPLATED = frozenset(
    {
        *("class_specifier", "struct_specifier", "union_specifier", "function_definition"),
        *("declaration", "field_declaration", "alias_declaration", "concept_definition"),
        *("friend_declaration", "template_declaration"),
    }
)
_DECLARATORS = frozenset({"declarator", "manifest_declarator", "alias_initializer"})
_LONGEST = 8  # longer names are no keywords
_MOST_LINKS = 50

Node = tree_sitter.Node
Captures = dict[str, list[Node]]


def resolved(matches: Iterable[Match]) -> Iterator[Match]:
    """The matches, with a definition for each name that a declaration in them declares."""
    for match in matches:
        pattern, captures = match
        way = _way(tuple(captures))
        if not way:
            yield match
            continue
        (node,) = captures.pop(way)
        for found in _WAYS[way](node):
            yield pattern, captures | found


@cache
def _way(captures: tuple[str, ...]) -> str:
    return next((name for name in captures if name.startswith("declared")), "")


def _declared(node: Node, constants: bool = False) -> Iterator[Captures]:
    kind = node.type
    type_ = node.child_by_field_name("type")
    body = type_.child_by_field_name("body") if type_ else None
    tag = type_.child_by_field_name("name") if type_ and body else None
    if type_ and tag and kind in ("declaration", "type_definition"):
        yield {"wrapper": [node], "wrapped": [type_]}
    declarators = node.children_by_field_name("declarator")
    first_line = _first_line(declarators) if not body and len(declarators) > 1 else []
    for declarator in declarators:
        name, shape = _end(declarator)
        if name is None:
            continue
        if kind == "type_definition":
            if shape or declarator.type not in _MEANS_NOTHING:
                yield from _type(node, type_, body, tag, declarator, name)
        elif shape == _FUNCTION:
            if not _is_keyword(name):
                yield _function(node, name)
        elif kind == "function_definition":
            if type_ and type_.type == "type_identifier" and declarator.type in _MEANS_NOTHING:
                # a macro with a body: TEST(name) { … }
                yield {"def.function": [node], "name": [type_]}
        else:
            word = "def.field" if kind == "field_declaration" else "def.variable.global"
            if constants and declarator.type == "init_declarator" and _is_constant(node):
                word = "def.constant.global"
            if first_line:
                yield _in_lines(node, declarator, first_line, word, name)
            else:
                yield {word: [declarator if tag else node], "name": [name]}


def _first_line(declarators: Sequence[Node]) -> list[Node]:
    """The first one of several lines with declarators, or nothing where there is only one."""
    row = declarators[0].start_point.row
    if declarators[-1].start_point.row == row:
        return []
    return [one for one in declarators if one.start_point.row == row]


def _in_lines(
    node: Node, declarator: Node, first_line: Sequence[Node], word: str, name: Node
) -> Captures:
    """One of those that are declared line by line, which has but its own lines."""
    last, start = declarator, declarator
    if declarator in first_line:
        last, start = first_line[-1], node.children[0]
    bits = last.next_named_sibling
    last = bits if bits and bits.type == "bitfield_clause" else last
    return {word: [start], "name": [name], "extend": [last]}


def _is_keyword(name: Node) -> bool:
    return name.end_byte - name.start_byte < _LONGEST and name.text in _KEYWORDS


def _end(node: Node | None) -> tuple[Node | None, str]:
    """The name at the end of a chain, and the last link before it that says what it is."""
    shape = ""
    for _ in range(_MOST_LINKS):
        if node is None:
            break
        kind = node.type
        if kind in _NAMES:
            if kind == "template_function":
                node = node.child_by_field_name("name")
            elif _cast(node):
                shape = _FUNCTION
            return node, shape
        if kind not in _LINKS:
            break
        if kind not in _MEANS_NOTHING:
            shape = kind
        node = node.child_by_field_name("declarator") or _link(node)
    return None, ""


def _link(node: Node) -> Node | None:
    """The declarator in one that has no field for it."""
    inner = (child for child in node.named_children if child.type in _LINKS or child.type in _NAMES)
    return next(inner, None)


def _cast(node: Node | None) -> Node | None:
    """The `operator int` that a name ends in."""
    while node is not None and node.type == "qualified_identifier":
        node = node.child_by_field_name("name")
    return node if node is not None and node.type == "operator_cast" else None


def _arguments(cast: Node) -> Node | None:
    """The brackets behind the type that an operator makes."""
    link = cast.child_by_field_name("declarator")
    while link is not None and link.type != "abstract_function_declarator":
        link = link.child_by_field_name("declarator") or _first(
            link, "abstract_function_declarator"
        )
    return link.child_by_field_name("parameters") if link else None


def _first(node: Node, kind: str) -> Node | None:
    return next((child for child in node.named_children if child.type == kind), None)


def _function(node: Node, name: Node) -> Captures:
    is_definition = node.type == "function_definition"
    captures = {"def.function" if is_definition else "def.function.global": [node], "name": [name]}
    last = node.child(node.child_count - 1)
    if not is_definition and last is not None and last.type == ";":
        captures["body"] = [last]
    if (cast := _cast(name)) and (arguments := _arguments(cast)):
        captures["until"] = [arguments]
    return captures


def _type(
    node: Node,
    type_: Node | None,
    body: Node | None,
    tag: Node | None,
    declarator: Node,
    name: Node,
) -> Iterator[Captures]:
    if type_ and body and declarator == name:
        if tag is None:
            # what has no name of its own bears that of its typedef
            yield {f"def.{_KINDS[type_.type]}": [node], "name": [name], "body": [body]}
            return
        if tag.text == name.text:
            return
    yield {"def.type": [declarator if tag else node], "name": [name]}


def _is_constant(node: Node) -> bool:
    return any(
        child.type in _QUALIFIERS and child.text in _CONSTANT for child in node.named_children
    )


def _templated(node: Node) -> Iterator[Captures]:
    """What a template is of. As a pattern it would be held against all that stands in it."""
    for child in node.named_children:
        if child.type in _TEMPLATED:
            yield {"wrapper": [node], "wrapped": [child]}


def _implemented(node: Node) -> Iterator[Captures]:
    """What an impl of Rust is for. A pattern would be held against all that stands in it."""
    type_ = node.child_by_field_name("type")
    if type_ and type_.type == "reference_type":
        type_ = type_.child_by_field_name("type")
    elif type_ and type_.type in _BARE_TYPES:
        yield {"def.impl": [node], "name": [type_]}
        return
    if type_ and type_.type in _WHOLE_TYPES:
        yield {"def.impl": [node], "name": [type_]}
        return
    is_generic = type_ is not None and type_.type == "generic_type"
    if type_ and is_generic:
        type_ = type_.child_by_field_name("type")
    if type_ and type_.type == "scoped_type_identifier":
        type_ = type_.child_by_field_name("name")
    if type_ and type_.type in _TYPES and not (is_generic and type_.type == "primitive_type"):
        yield {"def.impl": [node], "name": [type_]}


def _held(node: Node) -> Iterator[Captures]:
    """The properties and instance variables of Objective-C."""
    word = "def.property" if node.type == "property_declaration" else "def.field"
    for part in node.named_children:
        if part.type == "struct_declaration":
            for declarator in part.named_children:
                if declarator.type == "struct_declarator":
                    name, _ = _end(declarator.named_child(0))
                    if name is not None:
                        yield {word: [node], "name": [name]}


def _method(node: Node) -> Iterator[Captures]:
    """A method of Objective-C: its name is all the words of its selector."""
    captures: Captures = {"def.method": [node]}
    words: list[Node] = []
    for child in node.children:
        if child.type == "identifier":
            words.append(child)
        elif child.type == "method_parameter":
            words.append(child.children[0])
        elif child.type in (";", "compound_statement"):
            captures["body"] = [child]
    if words:
        yield captures | {"name": words[:1], "selector": words}


def _property(node: Node, constants: bool = False) -> Iterator[Captures]:
    """A property of Swift: one that is computed, or one or several that are kept."""
    word, captures = "def.constant" if constants else "def.variable.global", Captures()
    body = node.child_by_field_name("computed_value")
    if body:
        word = "def.property.global"
    else:
        body = next(
            (one for one in node.named_children if one.type == "willset_didset_block"), None
        )
    if body:
        captures = {"body": [body]}
    patterns = node.children_by_field_name("name")
    while patterns:
        pattern = patterns.pop(0)
        name = pattern.child_by_field_name("bound_identifier")
        if name is None and pattern.type == "simple_identifier":
            name = pattern
        if name:
            yield {word: [node], "name": [name]} | captures
        elif pattern.type == "pattern":
            patterns[:0] = pattern.named_children[:_MOST_LINKS]


def _child(node: Node) -> Iterator[Captures]:
    """The name and the body of what has them for children."""
    captures = Captures()
    for child in node.named_children:
        if child.type == "identifier":
            captures.setdefault("name", [child])
        elif child.type in _BODIES:
            captures["body"] = [child]
        elif child.type == "template_declaration" and "name" not in captures:
            captures.update(next(_child(child)))
    yield captures


def _children(node: Node) -> Iterator[Captures]:
    """Each name of a declaration that has them, or declarators, for children."""
    typed = False
    for child in node.named_children:
        name = child.named_child(0) if child.type in _DECLARATORS else child
        if name and name.type == "identifier" and (typed or name != child):
            yield {"name": [name]}
        typed = typed or child.type == "type"


_WAYS: Mapping[str, Callable[[Node], Iterator[Captures]]] = {
    "declared": _declared,
    "declared.constant": partial(_declared, constants=True),
    "declared.template": _templated,
    "declared.impl": _implemented,
    "declared.members": _held,
    "declared.method": _method,
    "declared.property": _property,
    "declared.let": partial(_property, constants=True),
    "declared.child": _child,
    "declared.bound": bindings.bound,
    "declared.defined": bindings.defined,
    "declared.bound_constant": partial(bindings.bound, word="def.constant.global"),
    "declared.children": _children,
}
