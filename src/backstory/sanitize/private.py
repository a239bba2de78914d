"""Private tags: what stands in `<private>…</private>` goes before anything is written.

Hook processes load this module, so nothing is imported until a tag was seen. Doubt hides: a tag
that never closes, or closes without having been opened, takes everything on its open side.
"""

from __future__ import annotations

MARK = "[private]"

# What may stand before the tag's name: "<" itself, its JSON, JavaScript, HTML and URL spellings.
_OPENERS = (b"<", b"003c", b"x3c", b"%3c", b"&lt", b";lt", b"&lt;", b";lt;")
_NUMERIC_OPENERS = (b"#60;", b"#060;", b"#x3c;", b"#x03c;")
_BETWEEN = (b"\\n", b"\\r", b"\\t", b"u002f", b"x2f", b"%2f", b"&sol;", b"&#47;", b"&#x2f;")
_WINDOW = 160  # bytes before the name in which its "<" must stand
_TELLING = 4  # characters from which on a private part is looked for outside of its tags, too

TYPE_CHECKING = False  # typing's own costs an import of typing
if TYPE_CHECKING:
    import re

_patterns: dict[str, re.Pattern[str]] = {}


def holds_private(data: bytes) -> bool:
    """Whether a private tag may be in `data`; quick, and wrong only on the careful side."""
    low = data.lower()
    if b"\\u00" in low and any(b"\\u00" + digit in low for digit in (b"4", b"5", b"6", b"7")):
        return True  # escaped letters may spell the name
    at = low.find(b"private")
    while at >= 0:
        if _opens(low[max(0, at - _WINDOW) : at]):
            return True
        at = low.find(b"private", at + 7)
    return False


def cut_private(data: bytes) -> bytes:
    """The JSON document `data` without private text; still JSON if it was.

    Where it is not JSON (cut short, broken) the tags are cut out of the bytes: the structure may
    be lost, private text is not kept.
    """
    import json

    try:
        document = json.loads(data.decode("utf-8-sig", "replace"), strict=False)
        clean = cut_private_value(document)
        text = json.dumps(clean, ensure_ascii=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        return _cut(data.decode("latin-1")).encode("latin-1")
    # Only lone surrogates can't be encoded, and their escape is JSON's too.
    return text.encode("utf-8", "backslashreplace")


def cut_private_text(text: str) -> str:
    """`text` with every private part replaced by `[private]`."""
    return _cut(text) if _may_hold(text) else text


def cut_private_value(value: object) -> object:
    """A copy of a JSON value without private text, in strings and keys at any depth.

    A block may span the elements of a list (the lines of a patch): strings below one list that
    share their keys are read as one text. Raises RecursionError on values nested too deeply.
    """
    runs: dict[tuple[str, ...], list[str]] = {}
    if isinstance(value, dict):
        value = _cut_edit(value)
    _collect(value, (), runs)
    cleaned = {path: iter(_cut_run(parts)) for path, parts in runs.items()}
    return _rebuild(value, (), cleaned)


def _opens(before: bytes) -> bool:
    while True:
        before = before.rstrip(b" \t\r\n\f\v\\/")
        if before.endswith(_OPENERS + _NUMERIC_OPENERS):
            return True
        for piece in _BETWEEN:
            if before.endswith(piece):
                before = before[: -len(piece)]
                break
        else:
            return False


def _may_hold(text: str) -> bool:
    return "private" in text.lower() or "\\u00" in text


def tag_pattern(tag: str) -> re.Pattern[str]:
    """Matches the tag's openings and closings in every spelling.

    The group `close` is set for a closing, `whole` too when its ">" is there.
    """
    if tag not in _patterns:
        import re

        def spelled(letter: str) -> str:
            codes = "|".join(f"{ord(c):04x}" for c in (letter, letter.upper()))
            return rf"(?:{letter}|\\{{1,8}}u(?:{codes}))"

        name = "".join(spelled(letter) for letter in tag)
        amp = "&(?:amp;){0,4}"
        less = rf"(?:<|{amp}lt;?|{amp}#(?:0?60|x0?3c);|%3c|\\{{1,8}}(?:u003c|x3c))"
        more = rf"(?:>|{amp}gt;?|{amp}#(?:0?62|x0?3e);|%3e|\\{{1,8}}(?:u003e|x3e))"
        gap = r"(?:[ \t\r\n\f\v]|\\{1,4}[nrt]){0,8}"
        slash = r"(?:\\{0,8}/|\\{1,8}(?:u002f|x2f)|%2f|&(?:sol|#47|#x2f);)"
        # "<private/qobject_p.h>", "<PrivateKey>" and "a < private schools" are no tags.
        ends = rf"(?![\w.:$-]|{slash}(?!{gap}{more}))"
        _patterns[tag] = re.compile(
            rf"(?P<close>{less}{gap}{slash}{gap}{name}(?![\w-])(?P<whole>[^<>]{{0,99}}?{more})?)"
            rf"|{less}(?:{name}{ends}|{gap}{name}{gap}{more})",
            re.IGNORECASE,
        )
    return _patterns[tag]


def _spans(parts: list[str]) -> list[list[tuple[int, int]]]:
    """What is hidden in each of `parts`, which are read as one text."""
    tags = tag_pattern("private")
    spans: list[list[tuple[int, int]]] = []
    depth = start = hidden_before = 0
    for index, part in enumerate(parts):
        mine: list[tuple[int, int]] = []
        start = 0
        for tag in tags.finditer(part) if _may_hold(part) else ():
            if not tag["close"]:
                start = start if depth else tag.start()
                depth += 1
            elif depth and tag["whole"]:
                depth -= 1
                if not depth:
                    mine.append((start, tag.end()))
            elif not depth:  # its opening was cut off: all that came before is private
                mine = [(0, tag.end())]
                hidden_before = index
        if depth:
            mine.append((start, len(part)))
        spans.append(mine)
    spans[:hidden_before] = [[(0, len(part))] for part in parts[:hidden_before]]
    return spans


def _cut_run(parts: list[str]) -> list[str]:
    cut = []
    for part, spans in zip(parts, _spans(parts)):  # noqa: B905  # strict= is newer than 3.9
        pieces = []
        at = 0
        for start, end in spans:
            if end > start:
                pieces += [part[at:start], MARK]
                at = end
        cut.append("".join(pieces) + part[at:])
    return cut


def _cut(text: str) -> str:
    return _cut_run([text])[0]


def _collect(value: object, path: tuple[str, ...], runs: dict[tuple[str, ...], list[str]]) -> None:
    if isinstance(value, str):
        runs.setdefault(path, []).append(value)
    elif isinstance(value, dict):
        for key, item in value.items():
            _collect(item, _below(path, key), runs)
    elif isinstance(value, list):
        inner = _inside(path, value)
        for item in value:
            _collect(item, inner, runs)
    elif path and path[-1] == "[*]" and _is_number(value):
        runs.setdefault(path, []).append(str(value))


def _rebuild(value: object, path: tuple[str, ...], cleaned: dict) -> object:  # type: ignore[type-arg]
    if isinstance(value, str):
        return next(cleaned[path])
    if isinstance(value, dict):
        return {
            cut_private_text(key): _rebuild(item, _below(path, key), cleaned)
            for key, item in value.items()
        }
    if isinstance(value, list):
        inner = _inside(path, value)
        return [_rebuild(item, inner, cleaned) for item in value]
    if path and path[-1] == "[*]" and _is_number(value):
        text = next(cleaned[path])
        return value if text == str(value) else text
    return value


def _below(path: tuple[str, ...], key: str) -> tuple[str, ...]:
    return path if path and path[-1] == "[*]" else (*path, "." + key)


def _inside(path: tuple[str, ...], value: list[object]) -> tuple[str, ...]:
    """Beside plain strings everything else in the list is part of the same text."""
    if path and path[-1] == "[*]":
        return path
    return (*path, "[*]" if any(isinstance(item, str) for item in value) else "[]")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _cut_edit(document: dict) -> dict:  # type: ignore[type-arg]
    """An edit inside a private block shows its lines without the tags; the whole file has both.

    And one that puts the tags around something shows it without them, as it was before.
    """
    asked, done = document.get("tool_input"), document.get("tool_response")
    if not isinstance(asked, dict) or not isinstance(done, dict):
        return document
    hidden = _hidden_by_edit(asked, done)
    if not hidden:
        return document
    inner = [text for text in map(_inner, hidden) if len(text) >= _TELLING]
    hidden += inner
    lines = {line.strip() for text in hidden for line in text.splitlines()} - {""}

    def mask(value: object) -> object:
        inside = isinstance(value, str) and value.strip()
        return MARK if inside and any(inside in text for text in hidden) else value

    def mask_lines(value: object) -> object:
        if isinstance(value, dict):
            return {key: mask_lines(item) for key, item in value.items()}
        if isinstance(value, list):
            return [mask_lines(item) for item in value]
        if isinstance(value, str) and value[1:].strip() in lines and not _may_hold(value):
            return value[:1] + MARK
        return value

    texts = ("old_string", "new_string", "oldString", "newString")
    cut = {
        name: {key: mask(item) if key in texts else item for key, item in side.items()}
        for name, side in (("tool_input", asked), ("tool_response", done))
    }
    if "structuredPatch" in done:
        cut["tool_response"]["structuredPatch"] = mask_lines(done["structuredPatch"])
    return {**document, **{name: _without(side, inner) for name, side in cut.items()}}


def _without(value: object, texts: list[str]) -> object:
    """A JSON value with these texts masked in its strings."""
    if isinstance(value, dict):
        return {key: _without(item, texts) for key, item in value.items()}
    if isinstance(value, list):
        return [_without(item, texts) for item in value]
    if isinstance(value, str):
        for text in texts:
            value = value.replace(text, MARK)
    return value


def _hidden_by_edit(asked: dict, done: dict) -> list[str]:  # type: ignore[type-arg]
    """The private parts of the file before and after, and of what was put in, with their tags."""
    old, new = asked.get("old_string"), asked.get("new_string")
    files = [done.get("originalFile"), done.get("content"), asked.get("content"), new]
    if isinstance(files[0], str) and isinstance(old, str) and isinstance(new, str) and old:
        files.append(files[0].replace(old, new))
    return [
        file[start:end]
        for file in files
        if isinstance(file, str) and _may_hold(file)
        for start, end in _spans([file])[0]
    ]


def _inner(text: str) -> str:
    """What stands between the tags of a private part."""
    tags = tag_pattern("private")
    opening = tags.match(text)
    if opening:
        text = text[opening.end() :]
        # the pattern of a closing knows every spelling of ">"; an opening may have matched it
        ending = None if opening[0].endswith((">", ";")) else tags.match("</private" + text)
        text = text[len(ending["whole"] or "") :] if ending else text
    return tags.sub("", text).strip()
