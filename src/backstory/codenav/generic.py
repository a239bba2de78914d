"""The shape of a file whose grammar is installed, and has no query: a guess by the kinds of nodes.

Nobody tried these grammars on hostile texts: this runs only where a crash harms nobody.
"""

from __future__ import annotations

import re
import time
import tomllib
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import cast

import tree_sitter
import tree_sitter_language_pack

from backstory.codenav import keys, languages, parse
from backstory.codenav.parts import Part, shown
from backstory.codenav.symbols import Reading

_MOST_NODES = 300_000
_DEPTH = 60  # levels of the tree
_PIECE = 8192
_NAME_LENGTH = 120
_LOOKED_AT = 12  # children in which the name is looked for

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_KINDS = {
    **dict.fromkeys(
        ("function", "func", "fn", "procedure", "proc", "sub", "subroutine"), "function"
    ),
    **dict.fromkeys(
        ("subprogram", "def", "defun", "task", "rule", "predicate", "signature"), "function"
    ),
    **dict.fromkeys(("method", "handler", "rpc"), "method"),
    **dict.fromkeys(("constructor", "destructor", "init"), "constructor"),
    **dict.fromkeys(("class", "actor", "entity", "contract"), "class"),
    **dict.fromkeys(("interface", "protocol", "service", "behaviour"), "interface"),
    **dict.fromkeys(("trait", "mixin"), "trait"),
    **dict.fromkeys(("impl", "implementation", "instance", "architecture", "extension"), "impl"),
    **dict.fromkeys(("struct", "record", "message", "model", "union", "structure"), "struct"),
    **dict.fromkeys(("enum", "enumeration"), "enum"),
    **dict.fromkeys(("module", "package", "program", "library", "unit"), "module"),
    "namespace": "namespace",
    **dict.fromkeys(("type", "typedef", "alias", "subtype", "typealias", "data"), "type"),
    **dict.fromkeys(("macro", "defmacro"), "macro"),
    **dict.fromkeys(("const", "constant", "define"), "constant"),
    **dict.fromkeys(("variable", "var", "let", "assignment", "global", "object"), "variable"),
    **dict.fromkeys(("field", "member", "component"), "field"),
    **dict.fromkeys(("property", "attribute"), "property"),
    "test": "test",
    **dict.fromkeys(("section", "resource", "target", "label", "headline", "config"), "section"),
}
_ENDS = frozenset(
    (
        *("definition", "declaration", "item", "statement", "def", "decl", "defn", "stmt", "body"),
        *("specification", "spec", "specifier", "block", "binding", "assignment", "entry"),
        *("construct", "signature", "alias", "directive", "implementation", "decls"),
    )
)
_NEVER = frozenset(
    (
        *("call", "argument", "arguments", "parameter", "parameters", "param", "reference", "list"),
        *("expression", "import", "include", "use", "using", "pattern", "return", "end", "name"),
        *("identifier", "modifier", "modifiers", "comment", "literal", "operator", "keyword"),
        *("instantiation", "access", "builtin", "if", "for", "while", "open", "forward", "with"),
    )
)
_ALONE = frozenset(  # kinds of nodes that need no ending to be a definition
    (
        *("function", "procedure", "subroutine", "method", "class", "module", "program", "struct"),
        *("interface", "enum", "package", "namespace", "macro", "rule", "target", "section"),
        *("defun", "headline", "label", "resource", "typedef", "constant", "data", "signature"),
    )
)
_HEADS = frozenset(("header", "statement", "specification", "signature", "heading", "declarator"))
_NAMES = re.compile(
    r"^(?!.*list)(?:.*_)?(?:identifier|ident|name|id|symbol|sym|word|atom|tag|title)(?:_|$)"
    r"|Name$|^id"
)
_NAME_FIELDS = ("name", "identifier", "header", "declarator", "designator", "left", "key", "title")
_BODIES = frozenset(("class", "interface", "trait", "impl", "struct", "enum"))
_CODE = frozenset(("function", "method", "constructor"))
_DETAILS = frozenset(("variable", "constant", "field", "property", "type"))
_INSIDE = {"function": "method", "variable": "field"}
_SIGNATURE = 300
_EDGES = re.compile(r"[()\[\]\n]")
_LEADS_ON = re.compile(r"[\s{;:=,]+$")
_LISTS = re.compile(r"(?:^|_)(?:list|par_tup|sexp|special_form)")
_DEFINES = re.compile(r"def|define|module|struct|fn$|macro|let$|var$|data-")
_VALUES = ("def", "define", "defvar", "defconst", "defparameter", "defcustom", "var", "let")
_LISP = {"module": "module", "struct": "struct", "macro": "macro", "class": "class"}


@dataclass(frozen=True, slots=True)
class Definition:
    """What looks like a definition. Positions are bytes."""

    start: int
    end: int
    at: int  # where its name stands
    body: int  # where its body begins, or -1
    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class _Around:
    """A definition that the next one may stand in; `place` is -1 for the whole text."""

    depth: int
    kind: str
    name: str
    place: int
    start: int


def generic_outline(text: str, grammar: str, deadline: float) -> Reading | None:
    """What looks like a definition in a text; None when it could not be parsed in time.

    `deadline` is a value of `time.monotonic()`. None as well for a grammar that is not installed.
    """
    code = text.removeprefix("\ufeff").replace("\0", " ").encode("utf-8", "replace")
    tree = _parse(code, grammar, deadline)
    if tree is None:
        return None
    breaks = [match.start() for match in re.finditer(b"\n", code)]
    parts: list[Part] = []
    for one, parent in _walk(tree, code, deadline):
        kind = one.kind
        if parent >= 0 and parts[parent].kind in _BODIES:
            kind = _INSIDE.get(kind, kind)
        last = one.start + len(code[one.start : one.end].rstrip()) - 1
        line, end = bisect_left(breaks, one.start) + 1, bisect_left(breaks, last) + 1
        said = _signature(one, code)
        part = Part(shown(one.name), kind, line, end, parent, "", ".", said)
        part.line = bisect_left(breaks, one.at) + 1
        parts.append(part)
    cut = time.monotonic() > deadline
    return Reading(keys.placed_few(parts), (), parse.problems(tree, breaks), cut)


def _signature(one: Definition, code: bytes) -> str:
    """The head of a definition: up to its body, or the first line with its brackets closed."""
    stop = one.body if one.start < one.body < one.end else one.end
    head = code[one.start : min(stop, one.start + 4 * _SIGNATURE)].decode("utf-8", "replace")
    depth = 0
    for found in _EDGES.finditer(head):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(found[0], 0)
        if found[0] == "\n" and depth <= 0 and one.body < 0:
            head = head[: found.start()]
            break
    return shown(_LEADS_ON.sub("", head), _SIGNATURE)


@cache
def _table() -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Grammars by ending, by file name and by interpreter."""
    text = files(__package__ or "backstory.codenav").joinpath("grammars.toml")
    rows = tomllib.loads(text.read_text(encoding="utf-8"))
    fields = ("extensions", "filenames", "shebangs")
    found = tuple(
        {value: name for name, row in rows.items() for value in row.get(key, ())} for key in fields
    )
    return found[0], found[1], found[2]


def grammar_of(path: str, head: str = "") -> str:
    """The grammar for a file whose language has no query; "" when there is none."""
    by_extension, by_filename, by_shebang = _table()
    filename = re.split(r"[/\\]", path)[-1].lower()
    stem, dot, _ = filename.partition(".")
    program = languages.interpreter(head)
    return (
        by_filename.get(filename)
        or (by_filename.get(stem + ".*") if dot else None)
        or by_extension.get(filename[filename.rfind(".") :] if dot else "")
        or by_shebang.get(program, "")
    )


def _parse(code: bytes, grammar: str, deadline: float) -> tree_sitter.Tree | None:
    name = cast("tree_sitter_language_pack.SupportedLanguage", grammar)
    try:
        parser = tree_sitter.Parser(tree_sitter_language_pack.get_language(name))
    except LookupError:
        return None
    piece = bytearray(_PIECE)  # the binding keeps every object that it is given
    late = False

    def read(offset: int, _point: tree_sitter.Point) -> bytearray:
        nonlocal late
        late = late or time.monotonic() > deadline
        piece[:] = b"" if late else code[offset : offset + _PIECE]
        return piece

    tree = parser.parse(read)
    return None if late else tree


def _walk(tree: tree_sitter.Tree, code: bytes, deadline: float) -> Iterator[tuple[Definition, int]]:
    """What looks like a definition, in the order of the text, and which one it stands in."""
    cursor = tree.walk()
    around = [_Around(0, "", "", -1, -1)]
    count = seen = depth = 0
    while True:
        node = cursor.node
        seen += 1
        if node is None or seen > _MOST_NODES or (seen % 512 == 0 and time.monotonic() > deadline):
            return
        while around[-1].depth >= depth and around[-1].place >= 0:
            around.pop()
        one = _definition(node, code) if node.is_named and depth else None
        if one is not None and _is_new(one, around[-1]):
            yield one, around[-1].place
            around.append(_Around(depth, one.kind, one.name, count, one.start))
            count += 1
        if depth < _DEPTH and cursor.goto_first_child():
            depth += 1
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
            depth -= 1


def _is_new(one: Definition, around: _Around) -> bool:
    """Whether a definition is no local of a function, and no piece of the one around it."""
    if one.kind in _DETAILS and around.kind in _CODE:
        return False
    is_piece = one.name == around.name and one.start - around.start <= _NAME_LENGTH
    return around.place < 0 or not is_piece


@cache
def _kind(node_kind: str) -> str:
    """The kind of symbol that a kind of node looks like; "" for none."""
    words = [word.lower() for word in _WORDS.findall(node_kind)]
    if not words or _NEVER.intersection(words):
        return ""
    found = next((_KINDS[word] for word in words if word in _KINDS), "")
    is_ended = words[-1] in _ENDS or words[0] in ("decl", "def", "define", "item")
    is_alone = len(words) == 1 and words[0] in _ALONE
    return found if found and (is_ended or is_alone) else ""


def _definition(node: tree_sitter.Node, code: bytes) -> Definition | None:
    if _LISTS.search(node.type):
        return _list(node, code)
    kind = _kind(node.type)
    if not kind:
        return None
    named = _name(node)
    if named is None:
        return None
    body = node.child_by_field_name("body")
    return _made(node, named, kind, code, body.start_byte if body else -1)


def _made(
    node: tree_sitter.Node, named: tree_sitter.Node, kind: str, code: bytes, body: int
) -> Definition | None:
    said = code[named.start_byte : min(named.end_byte, named.start_byte + _NAME_LENGTH)]
    name = " ".join(said.decode("utf-8", "replace").split()).strip("\"'`:()*,; ")
    if not name:
        return None
    return Definition(node.start_byte, node.end_byte, named.start_byte, body, kind, name)


def _list(node: tree_sitter.Node, code: bytes) -> Definition | None:
    """A list that defines something, as Lisp writes it."""
    # the word itself is no named node in some of these grammars
    items = [one for one in node.children[:6] if one.type not in "()[]'"][:2]
    if len(items) < 2 or items[0].child_count > 3:
        return None
    first, second = items
    word = code[first.start_byte : min(first.end_byte, first.start_byte + 40)]
    said = word.decode("utf-8", "replace").lower()
    if not _DEFINES.match(said):
        return None
    is_call = second.named_child_count > 0  # (define (name argument …) …)
    named = second.named_child(0) if is_call else second
    kind = next((kind for part, kind in _LISP.items() if part in said), "")
    if not kind:
        is_value = said in _VALUES and not is_call
        kind = "variable" if is_value else "function"
    return _made(node, named, kind, code, -1) if named is not None else None


def _name(node: tree_sitter.Node, left: int = 6) -> tree_sitter.Node | None:
    """The node that holds the name of a definition: in it, or in the head of it."""
    if not left:
        return None
    for field in _NAME_FIELDS:
        found = node.child_by_field_name(field)
        if found is not None:
            is_whole = field == "name" or not found.named_child_count
            return (None if is_whole else _name(found, left - 1)) or found
    for child in node.named_children[:_LOOKED_AT]:
        if _NAMES.search(child.type):
            return child
    for place, child in enumerate(node.named_children[:_LOOKED_AT]):
        words = {word.lower() for word in _WORDS.findall(child.type)}
        if words & _HEADS or (place < 2 and "declaration" in words):
            inner = _name(child, left - 1)
            if inner is not None:
                return inner
    return None
