"""Where a name is used, by syntax: what stands in comments and strings is no use of it."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice

import tree_sitter

from backstory.codenav import parse
from backstory.codenav.languages import Language, detect
from backstory.codenav.lines import is_documentation, shortened
from backstory.codenav.ranking import is_aside, is_test
from backstory.codenav.receivers import LIKELY, POSSIBLE, Owner, places_of
from backstory.codenav.walk import is_vendored

Read = Callable[[str], bytes | None]  # a file's text in UTF-8 by relative path
_HEAD = 20_000
_NO_USES = frozenset({"markdown", "json", "yaml", "settings", "xml", "style"})  # shapes
_MIXED = frozenset({"html", "notebook"})  # code within text: told by its lines alone
_TOLD = (True, 9)
_FILE_S = 1.0  # for one file
_MOST_OF_FILE = 200
_POOL = 3  # times as many uses are looked at, where most are those of others
_MOST_STEPS = 60
_DEEPEST = 1_500  # levels of a tree
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
_DECLARES = re.compile(
    r"(?:definition|declaration|declarator|_item|_spec|_signature|parameter)s?$"
    r"|^(?:class|module|method|singleton_method|preproc_def|preproc_function_def)$"
)
_TAKEN_OUT = re.compile(r"^shorthand_(?:property_identifier_pattern|field_identifier)$")
_IN_BRACES = re.compile(rb"\{[^{}()=]*$")  # `let { total` takes it out of something
_PARAMETER = re.compile(r"parameter|argument_label|lambda_parameters")


@dataclass(frozen=True, slots=True)
class Use:
    """One place where a name is used."""

    file: str
    line: int  # from 1
    text: str  # the line, shortened
    why: str  # "call", "import", "attribute", "type", "use", "text"
    likelihood: int = LIKELY  # that it is one of the owner's that was asked for


@dataclass(frozen=True, slots=True)
class Uses:
    """The uses of a name: code first, then tests, what is told by its lines alone, others' code."""

    uses: tuple[Use, ...] = ()
    files: int = 0
    parsed: int = 0
    failed: int = 0
    unread: int = 0  # files that were left when the time was over


@dataclass(frozen=True, slots=True)
class _Step:
    """A node on the way to a name, and the field of the one around it that it stands in."""

    node: tree_sitter.Node
    field: str


def uses_of(
    name: str,
    paths: Iterable[str],
    read: Read,
    definitions: Mapping[str, frozenset[int]],
    most: int,
    deadline: float,
    owner: Owner | None = None,
    first: Container[str] = (),
    effort: float = math.inf,
) -> Uses:
    """Where these files use a name; `definitions` are lines that define it, by file.

    `deadline` is a value of `time.monotonic()`. After `most` uses, or `effort` seconds of work, the
    other files are counted unread. Of an `owner`'s name, its likely uses come first; the files of
    `first` name it.
    """
    turns = {path: _place(path) for path in paths}
    ordered = sorted(
        (path for path, turn in turns.items() if turn != _TOLD),
        key=lambda path: (path not in first, turns[path], path),
    )
    spelled = name.encode("utf-8", "replace")
    found: list[Use] = []
    files = parsed = failed = unread = likely = 0
    began = time.thread_time()
    for at, path in enumerate(ordered):
        # beyond the files that name the owner, few uses are likely its own
        enough = _POOL * most if path in first else most
        is_over = time.monotonic() > deadline or time.thread_time() - began > effort
        if is_over or likely >= most or len(found) >= enough:
            unread = len(ordered) - at
            break
        data = read(path)
        places = list(islice(places_of(spelled, data), _MOST_OF_FILE)) if data else []
        if not data or not places:
            continue
        known = definitions.get(path, frozenset())
        uses, how = _in_file(path, data, places, len(spelled), known, deadline, owner)
        parsed += how == "parsed"
        failed += how == "failed"
        files += bool(uses)
        found += uses
        likely += sum(use.likelihood <= POSSIBLE for use in uses)
    found.sort(key=lambda use: (use.why == "text", use.likelihood))
    return Uses(tuple(found), files, parsed, failed, unread)


def _place(path: str) -> tuple[bool, int]:
    """Where a file's uses stand among the others'; `_TOLD` for one that only tells of a name."""
    language = detect(path)
    if language is None or language.shape in _MIXED:
        is_code = language is not None and language.shape == "notebook"
        is_told = is_documentation(path) and not is_code
        return _TOLD if is_told else (is_vendored(path), 3)
    if language.shape in _NO_USES or language.name == "latex":
        return _TOLD
    return is_vendored(path), 2 if is_test(path) else int(is_aside(path))


def _in_file(
    path: str,
    data: bytes,
    places: list[int],
    width: int,
    defined: frozenset[int],
    deadline: float,
    owner: Owner | None,
) -> tuple[list[Use], str]:
    language = detect(path, data[:_HEAD].decode("utf-8", "replace"))
    tree = None
    if language is not None and (language.shape in _NO_USES or language.name == "latex"):
        return [], "text"
    numbers = _lines_of(data, places)
    if defined and all(one in defined and numbers.count(one) == 1 for one in numbers):
        heads = (data[data.rfind(b"\n", 0, place) + 1 : place] for place in places)
        if not any(map(_IN_BRACES.search, heads)):
            return [], "text"  # it is defined there, and that is all
    if language is not None and language.shape in _MIXED:
        language = None
    if language is not None:
        deadline = min(deadline, time.monotonic() + _FILE_S)
        tree = _parsed(data, language, deadline)
    result: dict[tuple[int, str], Use] = {}
    for place, number in zip(places, numbers, strict=True):
        if tree is not None and time.monotonic() > deadline:
            tree = None  # the rest is told by its lines alone
        why = "text" if tree is None else _role(tree, place, place + width)
        if why in ("", "definition") or (number in defined and why in ("use", "text")):
            continue
        likelihood = owner.likelihood(path, data, place, number) if owner else LIKELY
        known = result.get((number, why))
        if known is None or likelihood < known.likelihood:
            start, end = data.rfind(b"\n", 0, place) + 1, data.find(b"\n", place)
            text = data[start : end if end >= 0 else len(data)].decode("utf-8", "replace")
            result[number, why] = Use(path, number, shortened(text), why, likelihood)
    how = "parsed" if tree is not None else "failed" if language is not None else "text"
    return list(result.values()), how


def _lines_of(data: bytes, places: list[int]) -> list[int]:
    """The numbers of the lines of these places, which go up."""
    numbers, number, counted = [], 1, 0
    for place in places:
        number += data.count(b"\n", counted, place)
        numbers.append(number)
        counted = place
    return numbers


def _parsed(data: bytes, language: Language, deadline: float) -> tree_sitter.Tree | None:
    if parse.LIMITED and parse.is_monotonous(data):
        return None  # one that could harm this process is told by its lines
    try:
        parse.grammar(language)
        return parse.parse(data.replace(b"\0", b" "), language, deadline)
    except (LookupError, tree_sitter.QueryError):
        return None


def _path_to(tree: tree_sitter.Tree, start: int, end: int) -> list[_Step]:
    """The nodes around a range, the innermost named one first; [] where they are too many.

    A node that is asked for its parent or its children goes through all of a tree for it.
    """
    cursor = tree.walk()
    path = [_Step(tree.root_node, "")]
    while cursor.goto_first_child_for_byte(start) is not None:
        node = cursor.node
        if node is None or node.start_byte > start or node.end_byte < end:
            break
        path.append(_Step(node, cursor.field_name or ""))
        if len(path) > _DEEPEST:
            return []
    while len(path) > 1 and not path[-1].node.is_named:
        path.pop()
    path.reverse()
    return path[:_MOST_STEPS]


def _role(tree: tree_sitter.Tree, start: int, end: int) -> str:
    """What a name is there for; "" where it is no code, "definition" where it is being defined."""
    path = _path_to(tree, start, end)
    if not path:
        return "text"
    node = path[0].node
    for one in path:
        if _CODE_AGAIN.search(one.node.type):
            break
        if _NO_CODE.search(one.node.type) and "identifier" not in one.node.type:
            return ""
    if node.end_byte - node.start_byte > 4 * (end - start) + 40 and node.child_count:
        return ""  # no leaf: an error swallowed it, or it is a part of something else
    if _TAKEN_OUT.search(node.type):
        return "attribute"
    near = path[1:_CLIMB]
    if any(_IMPORT.search(one.node.type) for one in near):
        return "import"
    if _is_defined(path):
        return "definition"
    return _use(path)


def _is_defined(path: list[_Step]) -> bool:
    """Whether a name is what its parents declare: the field called name, or a parameter's own."""
    inner = path[0]
    for above in path[1:6]:
        field, outer = inner.field, above.node
        if field == "name":
            return bool(_DECLARES.search(outer.type))
        if field == "declarator" and _DECLARES.search(outer.type):
            if not outer.type.endswith("declarator"):
                return True
        elif field not in ("", "declarator", "pattern"):
            return False
        elif _PARAMETER.search(outer.type):
            is_first = inner.node.start_byte == outer.start_byte
            return is_first or outer.type.endswith("parameters")
        elif not field and outer.named_child_count > 1:
            return False
        inner = above
    return False


def _use(path: list[_Step]) -> str:
    inner, name = path[0], path[0].node
    member = False
    for above in path[1:6]:
        field, outer = inner.field, above.node
        # what a Python class rests on is written as arguments
        is_base = "argument" in outer.type and above.field.startswith("superclass")
        if is_base or field.startswith(("superclass", "base")):
            return "type"
        if _CALL.search(outer.type):
            return "call" if _is_callee(outer, field, name) else _plain(name, member)
        if "argument" in outer.type and "type" not in outer.type:
            break
        if _MEMBER.search(outer.type):
            last = outer.named_child(max(outer.named_child_count - 1, 0))
            if last is not None and last.end_byte != inner.node.end_byte:
                break  # what stands before the dot
            member = True
        elif _TYPE.search(outer.type) or _TYPE.search(inner.node.type):
            return "type"
        elif member and outer.named_child_count > 1:
            break
        inner = above
    return _plain(name, member)


def _plain(node: tree_sitter.Node, member: bool) -> str:
    if _TYPE.search(node.type):
        return "type"
    return "attribute" if member else "use"


def _is_callee(call: tree_sitter.Node, field: str, name: tree_sitter.Node) -> bool:
    if "argument" in call.type:
        return False
    if field:
        return field in ("function", "name", "method", "constructor", "macro", "type")
    return call.start_byte == name.start_byte
