"""What a row of work is called: by the sentence on its cause or result, else by its diff."""

from __future__ import annotations

import re

from backstory.capture.rules import words
from backstory.capture.rules.draft import Draft
from backstory.capture.rules.paths import name
from backstory.capture.rules.titles import TITLE_LIMIT, plain, shorten
from backstory.capture.rules.wordlist import wordlist

_LEAST = 12
_SHORTEST, _SHORTISH = 24, 45  # what a piece of a sentence needs to say something by itself
# Points that a sentence needs in place of a headline, by how little the headline says.
_ANY, _VAGUE, _CLEAR, _TELLING = 0.1, 2.0, 4.5, 6.5
_LABEL = re.compile(
    r"^\W*(?:(?:the |root |main )*(?:cause|reason|fix(?:ed)?|flake|culprit|result|problem|issue|"
    r"bug)|"
    r"what (?:happened|changed|was wrong)|done|ursache|grund|behoben|fehler|lösung|причина|решение|"
    r"исправлено|cause|raison|corrigé|causa|motivo|arreglo|corregido|corrigido|"
    r"[\w ,&]+ (?:is|are) fixed|"
    r"根本原因|根因|原因|修复|修正|対応|修正内容|원인|수정)\s*(?:[:：]|\s[—–-]\s)\s*(?=\S)",
    re.IGNORECASE,
)
# A sentence that only says that all went well names nothing.
_HOLLOW = re.compile(
    r"\b(?:tests?|checks?|builds?|suite|pruebas|тест\w*|lint\w*)\b.{0,24}\b(?:pass(?:es|ed)?|"
    r"green|ok|"
    r"grün|pasan|проходят|прошли)\b|^\W*(?:\w+, )?(?:commit(?:ted)?|pushed|tagged|deployed|"
    r"merged)\b|"
    r"^\W*(?:fixed|handled|done|changed|updated|solved) in \S+(?:[.,;]|$)|"
    r"\b\d+/\d+\b.{0,12}$|测试.{0,12}通过|テスト.{0,12}(?:通|成功)",
    re.IGNORECASE,
)
_AND_PASSES = re.compile(
    r"[;,](?: and)? (?:now )?(?:all |the |\d+ )*(?:tests?|checks?|suite) (?:now )?pass\w*\W*$",
    re.IGNORECASE,
)
_MEASURE = re.compile(
    r"\d\s?(?:ms|µs|s|min\w*|%|[KMGT]i?B|x|times|rows?|minutes|seconds|Sekunden|Minuten|с|мин|秒|"
    r"分)(?!\w)|→"
)
_CAUSE_LABEL = re.compile(
    r"\W*(?:(?:(?:the |la |die |der )|root )*(?:cause|reason|ursache|grund|причина|raison|causa|"
    r"motivo)\b|"
    r"根本原因|根因|原因|원인)(?!\w*\.)",
    re.IGNORECASE,
)
_SO = re.compile(
    r",? so (?!that|far)|, also |daher|weshalb|deshalb|поэтому|por eso|donc |因此|所以|ため"
)
# How something was before it was mended.
_STATE = re.compile(
    r"\b(?:was|were|had|wasn't|weren't|didn't|did not|never|missing|stale|out of date|expired|"
    r"too (?:small|low|high|old|short|long|many|few)|war(?:en)?|fehlte\w*|wurden? nie|était|"
    r"manquait|"
    r"n'était|era|estaba|faltaba|был[аои]?|отсутств\w+|устарел\w*)\b|没有|缺少|过期|忘了|"
    r"でした|ていました|なかった",
    re.IGNORECASE,
)
_VALUES = re.compile(r"(?: from | to )(\S+?)(?=[;,)]| |$)")
_NOW = re.compile(
    r"\b(?:now|jetzt|nun|теперь|ahora|maintenant|agora)\b|现在|已|になりました|変更しました",
    re.IGNORECASE,
)
_BREAKS = re.compile(
    r"(?:;|\s[—–-]|,? (?:because|since|so that|which|weil|damit|porque|parce que|потому что)(?=\s)|"
    r"(?:, (?:so|and|but|und|et|y|и|а|now|where|while))(?=\s)|[,，；。、:：](?=\s|[^\x00-\x7f]))"
)
# Words that a title begins with in lower case after "Fixed X: "; others may be names.
_SMALL = wordlist(
    "The A An It Its This That These Each Every Both All No Two When If In On For Keys"
)


def name_rows(drafts: list[Draft]) -> None:
    """Lets the best sentence on each row of work name it, where one is better than its headline."""
    for draft in drafts:
        if draft.named or not draft.said or not _may(draft):
            continue
        scored = [(_score(text, at, draft), -at, text) for at, text in enumerate(draft.said)]
        scored = [one for one in scored if one[2] not in draft.left]
        points, _, best = max(scored, default=(0.0, 0, ""))
        if points >= _needed(draft) and (title := _title(best, draft)):
            _call(draft, title, best)


def _may(draft: Draft) -> bool:
    if " fails: " in draft.title or draft.type == "decision":
        return False
    return (
        bool(draft.files_modified)
        or draft.type == "bugfix"
        or draft.key.startswith(("ops:", "error:"))
    )


def _needed(draft: Draft) -> float:
    """How good a sentence must be: a headline that names values or files tells much by itself."""
    if draft.title.startswith("Ran "):
        return _ANY
    if draft.type == "bugfix" and not draft.key.startswith("error:"):
        # The headline names what failed or which file was changed, the sentence why.
        return _ANY if draft.title.startswith("Changed ") else _VAGUE
    if draft.key.startswith(("commit:", "rename:", "install:")):
        return _TELLING + 2
    if " changed from " in draft.title:
        return _TELLING
    if draft.title.startswith(("Added ", "Moved ", "Removed ")):
        return _TELLING
    return (
        _CLEAR if draft.title.startswith(("Changed files", "Fixed ")) or draft.covered else _VAGUE
    )


def _score(text: str, at: int, draft: Draft) -> float:
    length = len(text) + sum(1 for char in text if ord(char) > 0x2E7F)
    if length < _LEAST or words.NEXT.search(text[:90]) or text.endswith(("?", "？")):
        return 0.0
    text = _AND_PASSES.sub("", text)
    if words.REJECTED.search(text) or _HOLLOW.search(text[:100]):
        return 0.0
    labelled = bool(_LABEL.match(text))
    if draft.title.startswith("Added ") and not words.DONE.search(text):
        return 0.0
    points = 0.5 * (length >= _SHORTEST) + 1.0 * labelled + 2.0 * bool(_STATE.search(text))
    if draft.type == "bugfix" and words.ADD.match(text) and not words.FIX.search(text):
        points -= _VAGUE  # what was added is not what was mended
    labelled_cause = bool(_CAUSE_LABEL.match(text))
    if labelled_cause or words.CAUSE.search(text) or _SO.search(text):
        points += 4.5 + 2.5 * labelled_cause if draft.type == "bugfix" else 2.5
    points -= 1.0 * text.startswith("I ")
    points += 2.5 * bool(words.DONE.search(text[:70]))
    points += 0.7 * bool(_NOW.search(text))
    points += 1.0 * bool(_MEASURE.search(text)) + 1.0 * bool("`" in text)
    points += 2.0 * min(2, len(_names(text, draft)))
    values = _VALUES.findall(draft.title) if " changed from " in draft.title else []
    if values and not any(value in text for value in values):
        points -= _VAGUE  # the headline names the numbers
    points -= 3.0 * bool(words.REFERS.match(text)) + 0.4 * min(at, 5)
    return points


def _names(text: str, draft: Draft) -> set[str]:
    """What of the row the sentence names: a file, a symbol, a value of its diff."""
    low = text.casefold()
    parts = {name(path).casefold() for path in draft.files_modified}
    parts |= {one.rsplit(".", 1)[-1].casefold() for one in draft.symbols}
    parts |= {one.casefold() for one in re.findall(r"test\w*_\w+|\b\d[\d._]+\b", draft.title)}
    changed = " ".join(line for line in draft.facts if "→" in line or " changed from " in line)
    parts |= {one.casefold() for one in re.findall(r"[A-Za-z_]\w{4,}|\d[\d._]+", changed)}
    coded = re.findall(r"[A-Za-z_]\w{4,}", " ".join(re.findall(r"`([^`]+)`", text)))
    parts |= {one.casefold() for one in coded if one in draft.words}
    return {part for part in parts if len(part) > 2 and part in low}


def _title(sentence: str, draft: Draft) -> str:
    """The sentence cut to a title, with the symbol and the file where it does not name them."""
    text = plain(_LABEL.sub("", sentence) or sentence)
    text = _AND_PASSES.sub("", text).rstrip(" .。")
    path = next(iter(draft.files_modified), "")
    tail = f" ({path})" if path and name(path) not in text else ""
    head = ""
    if draft.type == "bugfix" and draft.evidence == "verified" and text.isascii():
        symbol = next((one for one in draft.symbols if one.rsplit(".", 1)[-1] not in text), "")
        begins_so = bool(words.FIX.match(text) or words.DONE.match(text)) or any(
            one.rsplit(".", 1)[-1] in text for one in draft.symbols
        )
        if symbol and not begins_so:
            head = f"Fixed {symbol}: "
    tries = [(head, tail, False), (head, tail, True), (head, "", False)] if head else []
    tries += [("", tail, False), ("", "", False), ("", tail, True), ("", "", True)]
    for first, last, cutting in tries:
        room = TITLE_LIMIT - len(first) - len(last)
        said = text if len(text) <= room else _cut(text, room) if cutting else ""
        if said:
            return first + (_lower(said) if first else _upper(said)) + last
    return _upper(shorten(text, TITLE_LIMIT))


def _cut(text: str, room: int) -> str:
    """The longest beginning of a text that ends with a clause and fits; "" for none."""
    for found in reversed(list(_BREAKS.finditer(text[: room + 1]))):
        piece = text[: found.start()].rstrip(" ,;:，；：、")
        whole = piece.count("`") % 2 == 0 and piece.count("(") == piece.count(")")
        wide = sum(1 for char in piece if ord(char) > 0x2E7F)
        least = _SHORTISH if found.group()[0] in ",:，：、" else _SHORTEST
        if len(piece) + wide >= least and whole:
            return piece
    return ""


def _lower(text: str) -> str:
    word = text.split(" ", 1)[0]
    return text[0].lower() + text[1:] if word in _SMALL or "-" in word else text


def _upper(text: str) -> str:
    word = text.split(" ", 1)[0].rstrip(",;:")
    return text[0].upper() + text[1:] if word.isalpha() and word.islower() else text


def _call(draft: Draft, title: str, sentence: str) -> None:
    old = draft.title
    draft.title, draft.named = title, True
    if plain(sentence).rstrip(" .。") == title:
        draft.said.remove(sentence)
    tested = any("failed" in line for line in draft.narrative)
    if not (tested or draft.covered or any(old in line for line in draft.facts)):
        draft.narrative.insert(0, old + ".")
