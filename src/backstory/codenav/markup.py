"""The shape of HTML, Vue, Svelte and XML: what a reader looks for, and the scripts inside."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from operator import add

from backstory.codenav import json_keys, keys
from backstory.codenav.languages import Language, languages
from backstory.codenav.parts import Inset, Part, placed, shown, spliced
from backstory.codenav.style_rules import style_rules
from backstory.codenav.symbols import Reading, read
from backstory.codenav.tags import Element, Elements, elements

_LANDMARKS = frozenset(
    (
        *("main", "nav", "header", "footer", "aside", "section", "article", "form", "dialog"),
        *("template", "head", "body", "fieldset", "svg"),
    )
)
_CODE = ("script", "style")
_HEADING = re.compile(r"h[1-6]$")
_MARKS = re.compile(r"<[^<>]*>|&\w+;")
_SCRIPTS = {
    **dict.fromkeys(("", "js", "javascript", "module", "jsx", "babel", "ecmascript"), "javascript"),
    **dict.fromkeys(("ts", "typescript"), "typescript"),
    "tsx": "tsx",
    **dict.fromkeys(("json", "importmap", "ld+json", "speculationrules"), "json"),
}
_STYLES = {"": "css", "css": "css", "postcss": "css", "scss": "scss", "less": "scss"}
_IDS = ("id", "name", "key", "x:name", "android:name", "android:id", "include", "title", "ref")
_CHILD_IDS = ("id", "name", "artifactId", "title")
_DEPTH = 5  # of XML
_NESTED = 30  # of HTML
_ALIKE = 10  # elements of one name in one parent
_MOST_SCRIPTS = 100


def html(text: str, _language: Language, deadline: float) -> Reading:
    """Landmarks, headings and what has an id; scripts and styles with their symbols."""
    found = elements(text, deadline, html=True)
    shape = _Shape(text, found)
    for index, one in enumerate(found.found):
        shape.add_html(index, one)
    shape.end_headings()
    return shape.reading(deadline)


def xml(text: str, _language: Language, deadline: float) -> Reading:
    """The elements down to a few levels; of those that are alike, the first few."""
    found = elements(text, deadline, html=False)
    shape = _Shape(text, found)
    ids = _child_ids(text, found.found)
    totals = Counter((one.parent, one.name) for one in found.found if one.depth <= _DEPTH)
    seen: Counter[tuple[int, str]] = Counter()
    for index, one in enumerate(found.found):
        group = (one.parent, one.name)
        seen[group] += 1
        if one.depth > _DEPTH or (one.parent >= 0 and one.parent not in shape.places):
            continue
        rest = totals[group] - _ALIKE
        if seen[group] <= _ALIKE or rest == 1:
            name = ids.get(index) or one.attribute(*_IDS) or one.name
            shape.add(index, one, name, shape.head(one))
        elif seen[group] == _ALIKE + 1:
            shape.add(-1, one, f"… {rest:,} more {one.name}", "")
            shape.counted[group] = len(shape.parts) - 1
    for one in found.found:
        place = shape.counted.get((one.parent, one.name))
        if place is not None:
            shape.parts[place].end = shape.line(max(one.end - 1, one.start))
    return shape.reading(deadline)


class _Shape:
    """The parts of a text in markup, as they are found."""

    def __init__(self, text: str, found: Elements) -> None:
        self.parts: list[Part] = []
        self.places: dict[int, int] = {-1: -1}  # of the elements that are parts
        self.counted: dict[tuple[int, str], int] = {}
        self._text, self._found = text, found
        self._breaks = [match.start() for match in re.finditer("\n", text)]
        self._around: dict[int, int] = {-1: -1}  # the innermost part at or around an element
        self._headings: list[tuple[int, int, int]] = []  # level, parent element, part
        self._imports: list[tuple[tuple[str, ...], int, int]] = []
        self._code: dict[int, Element] = {}

    def line(self, position: int) -> int:
        return bisect_left(self._breaks, position) + 1

    def head(self, one: Element) -> str:
        """The start tag; an element in one line is shown whole."""
        whole = self._text[one.start : min(one.end, one.start + 120)]
        is_short = one.end - one.start < 120 and "\n" not in whole
        return shown(whole if is_short else self._text[one.start : one.inside])

    def add(self, index: int, one: Element, name: str, signature: str, parent: int = -2) -> None:
        """An element is a part."""
        if parent == -2:
            parent = self.places.get(one.parent, -1)
        last = self.line(max(one.end - 1, one.start))
        if index >= 0:
            self.places[index] = len(self.parts)
        name = shown(name) or one.name
        self.parts.append(
            Part(name, "section", self.line(one.start), last, parent, signature=signature)
        )

    def add_html(self, index: int, one: Element) -> None:
        """An element, where a reader looks for it."""
        self._leave(one)
        around = self._around[one.parent]
        for _, parent, part in self._headings:
            if parent == one.parent:
                around = part
        self._around[index] = around
        if one.name == "script" and (source := one.attribute("src")):
            self._import(one, source)
        elif one.name == "link" and "stylesheet" in one.attribute("rel").lower():
            self._import(one, one.attribute("href"))
        name = self._html_name(one)
        if not name or one.depth > _NESTED:
            return
        is_heading = bool(_HEADING.match(one.name))
        self.add(index, one, name, self.head(one), around)
        place = len(self.parts) - 1
        if is_heading:
            self._headings.append((int(one.name[1]), one.parent, place))
        else:
            self._around[index] = place
        if one.name in _CODE:
            self._code[place] = one

    def _html_name(self, one: Element) -> str:
        if one.name in _CODE:
            if not self._text[one.inside : one.close].strip():
                return ""
            is_module = one.has("module") or one.attribute("context") == "module"
            word = " setup" if one.has("setup") else " module" if is_module else ""
            return one.name + word
        if _HEADING.match(one.name):
            inner = self._text[one.inside : min(one.close, one.inside + 1_000)]
            return shown(_MARKS.sub(" ", inner), 100) or one.name
        return one.attribute("id") or (one.name if one.name in _LANDMARKS else "")

    def _leave(self, one: Element) -> None:
        """End the sections of headings that an element is no part of any more."""
        level = int(one.name[1]) if _HEADING.match(one.name) else 9
        if one.name in _CODE and one.parent < 0:
            level = 0  # beside the markup, in what Vue and Svelte make of it
        found = self._found.found
        while self._headings:
            other, parent, part = self._headings[-1]
            is_out = parent >= 0 and 0 <= found[parent].end <= one.start
            is_over = parent == one.parent and other >= level
            if not is_out and not is_over:
                return
            end = found[parent].close if is_out else one.start
            self._end_heading(part, end)
            self._headings.pop()

    def _end_heading(self, part: int, end: int) -> None:
        piece = self._text[max(end - 4_000, 0) : end]
        last = end - (len(piece) - len(piece.rstrip())) - 1
        self.parts[part].end = max(self.line(max(last, 0)), self.parts[part].end)

    def _import(self, one: Element, name: str) -> None:
        if name:
            lines = self.line(one.start), self.line(max(one.inside - 1, one.start))
            self._imports.append(((shown(name),), *lines))

    def end_headings(self) -> None:
        """Let the last headings go on to the end of what they stand in."""
        found = self._found.found
        while self._headings:
            _, parent, part = self._headings.pop()
            self._end_heading(part, found[parent].close if parent >= 0 else len(self._text))

    def reading(self, deadline: float) -> Reading:
        """All that was found, and what is in the scripts and styles."""
        insets: dict[int, Inset] = {}
        for place, one in list(self._code.items())[:_MOST_SCRIPTS]:
            inner = _read_code(one, self._text[one.inside : one.close], deadline)
            if inner is not None:
                insets[place] = Inset(inner, partial(add, self.line(one.inside) - 1))
        lines = sorted({self.line(position) for position in self._found.problems})
        outer = Reading(
            placed(self.parts),
            tuple(self._imports),
            tuple((line, line) for line in lines),
            self._found.cut,
        )
        whole = spliced(outer, insets) if insets else outer
        return replace(whole, symbols=keys.bounded(whole.symbols))


def _read_code(one: Element, code: str, deadline: float) -> Reading | None:
    """What is in a script or a style; None where it is in a language that is not known."""
    said = (one.attribute("lang") or one.attribute("type")).lower()
    said = re.sub(r"^(?:text|application)/(?:x-)?", "", said)
    name = (_STYLES if one.name == "style" else _SCRIPTS).get(said, "")
    language = languages().get(name)
    if language is None:
        return None
    if one.name == "style":
        return style_rules(code, language, deadline)
    if name == "json":
        return json_keys.json_keys(code, language, deadline)
    return read(code, language, deadline)


def _child_ids(text: str, found: Sequence[Element]) -> dict[int, str]:
    """The names that elements have in an element of their own: <artifactId>junit</artifactId>."""
    result: dict[int, tuple[int, str]] = {}
    for index, one in enumerate(found):
        if one.name == "key":  # the property lists of one system name everything so
            result[index] = (-1, text[one.inside : one.close][:200].strip())
        if one.depth > _DEPTH + 1 or one.name not in _CHILD_IDS:
            continue
        order = _CHILD_IDS.index(one.name)
        said = text[one.inside : one.close][:200].strip()
        if said and "<" not in said and order < result.get(one.parent, (99, ""))[0]:
            result[one.parent] = (order, said)
    return {index: name for index, (_, name) in result.items()}
