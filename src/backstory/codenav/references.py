"""Where a name is used, by syntax: what stands in comments and strings is no use of it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import tree_sitter

from backstory.codenav import parse
from backstory.codenav.languages import Language, detect
from backstory.codenav.lines import shortened
from backstory.codenav.ranking import is_test
from backstory.codenav.walk import is_vendored

Read = Callable[[str], bytes | None]  # a file's bytes by relative path
_HEAD = 20_000
_NO_USES = frozenset({"markdown", "latex", "json", "yaml", "toml", "xml", "ini", "css", "scss"})
_MIXED = frozenset({"html", "vue", "svelte"})  # code within text: told by its lines alone
_PARSE_S = 1.0
_MOST_OF_FILE = 200
_CLIMB = 12
_NO_CODE = re.compile(r"comment|string|char_literal|character|heredoc|regex|text$|doc$|raw_text")
_CODE_AGAIN = re.compile(r"interpolation|substitution|embedded|formatted_value|template_expr")
_IMPORT = re.compile(
    r"(?:^|_)(?:import|include|require|require_once|include_once)(?:_|$)|(?:^|_)use_(?:decl|clause)"
    r"|using_directive|^extern_crate"
)
_CALL = re.compile(r"(?:^|_)(?:call|invocation|new|creation|instantiat\w*|macro_invocation)(?:_|$)")
_TYPE = re.compile(r"(?:^|_)(?:type|extends|implements|superclass\w*|base|base_\w+|generic)(?:_|$)")
_MEMBER = re.compile(
    r"attribute|member|field_expression|selector|navigation|scoped|qualified|property_access|dot"
)
_DECLARES = re.compile(r"(?:definition|declaration|declarator|_item|_spec|_signature|parameter)s?$")
_PARAMETER = re.compile(r"parameter|argument_label|lambda_parameters")


@dataclass(frozen=True, slots=True)
class Use:
    """One place where a name is used."""

    file: str
    line: int  # from 1
    text: str  # the line, shortened
    why: str  # "call", "import", "attribute", "type", "use", "text"


@dataclass(frozen=True, slots=True)
class Uses:
    """The uses of a name, grouped by file; files of the project's own code first."""

    uses: tuple[Use, ...] = ()
    files: int = 0
    parsed: int = 0
    failed: int = 0
    unread: int = 0  # files that were left when the time was over


def uses_of(
    name: str,
    paths: Iterable[str],
    read: Read,
    definitions: Mapping[str, frozenset[int]],
    most: int,
    deadline: float,
) -> Uses:
    """Where these files use a name; `definitions` are lines that define it, by file.

    `deadline` is a value of `time.monotonic()`. After `most` uses files are counted unread.
    """
    ordered = sorted(paths, key=lambda path: (is_vendored(path), is_test(path), path))
    spelled = name.encode("utf-8", "replace")
    word = re.compile(rb"(?<![\w$])" + re.escape(spelled) + rb"(?![\w$])")
    found: list[Use] = []
    files = parsed = failed = 0
    for at, path in enumerate(ordered):
        if time.monotonic() > deadline or len(found) >= most:
            return Uses(tuple(found[:most]), files, parsed, failed, len(ordered) - at)
        data = read(path)
        places = [m.start() for m in word.finditer(data)][:_MOST_OF_FILE] if data else []
        if not data or not places:
            continue
        uses, how = _in_file(path, data, places, len(spelled), definitions.get(path, frozenset()))
        parsed += how == "parsed"
        failed += how == "failed"
        files += bool(uses)
        found += uses
    return Uses(tuple(found[:most]), files, parsed, failed)


def _in_file(
    path: str, data: bytes, places: list[int], width: int, defined: frozenset[int]
) -> tuple[list[Use], str]:
    language = detect(path, data[:_HEAD].decode("utf-8", "replace"))
    tree = None
    if language is not None and language.name in _NO_USES:
        return [], "text"
    if language is not None and language.name in _MIXED:
        language = None
    if language is not None and data[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        tree = _parsed(data, language)
    starts = [-1]
    starts += [found.start() for found in re.finditer(b"\n", data)]
    result: dict[tuple[int, str], Use] = {}
    line = 0
    for place in places:
        while line + 1 < len(starts) and starts[line + 1] < place:
            line += 1
        number = line + 1
        why = "text" if tree is None else _role(tree, place, place + width)
        if why in ("", "definition") or (number in defined and why in ("use", "text")):
            continue
        end = starts[line + 1] if line + 1 < len(starts) else len(data)
        text = data[starts[line] + 1 : end].decode("utf-8", "replace")
        result.setdefault((number, why), Use(path, number, shortened(text), why))
    how = "parsed" if tree is not None else "failed" if language is not None else "text"
    return list(result.values()), how


def _parsed(data: bytes, language: Language) -> tree_sitter.Tree | None:
    try:
        parse.grammar(language)
        return parse.parse(data.replace(b"\0", b" "), language, time.monotonic() + _PARSE_S)
    except (LookupError, tree_sitter.QueryError):
        return None


def _role(tree: tree_sitter.Tree, start: int, end: int) -> str:
    """What a name is there for; "" where it is no code, "definition" where it is being defined."""
    node = tree.root_node.named_descendant_for_byte_range(start, end)
    if node is None:
        return ""
    path = [node]
    while path[-1].parent is not None and len(path) < 60:
        path.append(path[-1].parent)
    for one in path:
        if _CODE_AGAIN.search(one.type):
            break
        if _NO_CODE.search(one.type) and "identifier" not in one.type:
            return ""
    if node.end_byte - node.start_byte > 4 * (end - start) + 40 and node.child_count:
        return ""  # no leaf: an error swallowed it, or it is a part of something else
    near = path[1:_CLIMB]
    if any(_IMPORT.search(one.type) for one in near):
        return "import"
    if _is_defined(path):
        return "definition"
    return _use(path)


def _is_defined(path: list[tree_sitter.Node]) -> bool:
    """Whether a name is what its parents declare: the field called name, or a parameter's own."""
    inner = path[0]
    for outer in path[1:6]:
        field = _field_of(outer, inner)
        if field == "name":
            return bool(_DECLARES.search(outer.type))
        if field == "declarator" and _DECLARES.search(outer.type):
            if not outer.type.endswith("declarator"):
                return True
        elif field not in ("", "declarator", "pattern"):
            return False
        elif _PARAMETER.search(outer.type):
            return inner.start_byte == outer.start_byte or outer.type.endswith("parameters")
        elif not field and outer.named_child_count > 1:
            return False
        inner = outer
    return False


def _use(path: list[tree_sitter.Node]) -> str:
    inner = path[0]
    member = False
    for outer in path[1:6]:
        field = _field_of(outer, inner)
        if field.startswith(("superclass", "base")) or _is_base(outer):
            return "type"
        if _CALL.search(outer.type):
            return "call" if _is_callee(outer, field, path[0]) else _plain(path[0], member)
        if "argument" in outer.type and "type" not in outer.type:
            break
        if _MEMBER.search(outer.type):
            last = outer.named_children[-1] if outer.named_children else None
            if last is not None and last.end_byte != inner.end_byte:
                break  # what stands before the dot
            member = True
        elif _TYPE.search(outer.type) or _TYPE.search(inner.type):
            return "type"
        elif member and outer.named_child_count > 1:
            break
        inner = outer
    return _plain(path[0], member)


def _plain(node: tree_sitter.Node, member: bool) -> str:
    if _TYPE.search(node.type):
        return "type"
    return "attribute" if member else "use"


def _is_base(arguments: tree_sitter.Node) -> bool:
    """Whether these arguments are the classes that a Python class rests on."""
    above = arguments.parent if "argument" in arguments.type else None
    return above is not None and _field_of(above, arguments).startswith("superclass")


def _is_callee(call: tree_sitter.Node, field: str, name: tree_sitter.Node) -> bool:
    if "argument" in call.type:
        return False
    if field:
        return field in ("function", "name", "method", "constructor", "macro", "type")
    return call.start_byte == name.start_byte


def _field_of(outer: tree_sitter.Node, inner: tree_sitter.Node) -> str:
    for at, child in enumerate(outer.children):
        if child.start_byte == inner.start_byte and child.end_byte == inner.end_byte:
            return outer.field_name_for_child(at) or ""
    return ""
