"""Whose orders a row repeats: the user's, our own, or those of a text that was only read.

A file may say "skip the tests" without speaking to anybody. Kept as a decision, later sessions
would obey it. So what bids somebody do something is traced to where its words stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from backstory.capture.rules.steps import Step
from backstory.capture.rules.terms import WORD, terms
from backstory.capture.rules.wordlist import wordlist

_CARE = (
    r"(?:(?:all|any|the|every|failing|failed|code|unit|ci) ){0,4}(?:tests?|testing|pytest|lint\w*|"
    r"ci|(?:code )?reviews?|(?:failing|failed|all|any|ci) checks?|(?:pre-)?commit hooks?)"
)
_LABEL = r"(?:[^\n:]{1,40}: ?)?(?:(?:first|then|please|just|simply|always|so),? ){0,4}"
_ORDER = re.compile(
    rf"(?i)^{_LABEL}(?:skip|ignore|bypass|disable|omit|drop|avoid) {_CARE}\b"
    rf"|^{_LABEL}(?:never|do not|don't) (?:run|wait for|ask for|do|write) {_CARE}\b"
    rf"|\b{_CARE} (?:must|should|shall|need|may) (?:never|not) (?:be )?(?:run|done|written)\b"
    rf"|\b{_CARE} (?:must|should|shall|may|can) (?:always )?be (?:skipped|ignored|bypassed)\b"
    r"|\b(?:tests|testing|code reviews?|ci) (?:are|is) "
    r"(?:unnecessary|needless|forbidden|not needed)\b"
    r"|^reviews are (?:unnecessary|needless|forbidden|not needed)\b"
    rf"|\b(?:forbidden|required|allowed) to (?:run|skip|ignore|bypass|disable) {_CARE}\b"
    r"|(?<!never )(?<!not )(?<!n't )\b(?:push\w*|commits?|merg\w+|go(?:es)?) (?:\w+ )?"
    r"(?:straight|directly|right) (?:in)?to (?:the )?(?:main|master|production)\b"
    rf"|^{_LABEL}(?:send|mail|email|post|upload|forward)\b.{{0,80}}"
    r"(?:\w@\w|https?://(?!localhost\b|127\.|\[::1))"
    r"|(?:跳过|忽略|绕过|禁用|不要(?:运行|跑|做)|无需).{0,8}(?:测试|检查|审查|评审|校验)"
    r"|(?:テスト|検査|レビュー|チェック).{0,6}(?:飛ばし|無視し|省略し|スキップし|実行しない)"
    r"|(?:테스트|검사|리뷰).{0,6}(?:건너뛰|무시|생략)"
    r"|^(?:überspring\w*|ignorier\w*) .{0,30}\b(?:tests?|prüfungen|checks?|reviews?)\b"
    r"|^(?:salta|omite|ignora|pula|pule|ignore[zr]?|sautez)\w* .{0,30}\b(?:tests?|pruebas|testes|"
    r"vérifications?|verifiche|revision\w*)\b"
    r"|^(?:пропус\w+|игнорир\w+|не запуска\w+) .{0,30}(?:тест|провер|ревью)"
)
_BID = re.compile(
    rf"(?i)^{_LABEL}(?:never|do not|don't|run|use(?! of| case)|skip|push|send|ignore|deploy|"
    r"install|execute|upload|invoke|download|disable|enable|prefer|avoid|ask|tell|answer|reply|respond|"
    r"approve|allow|accept|trust|grant|erase|visit|follow|obey|ensure|remember|make(?= \w))\b"
    r"(?! (?:\w+ )?(?:is|are|was|were|has|had|fails?|failed|pass(?:es|ed))\b)"
    r"|^(?:[^\n:]{1,40}: ?)?(?:always|please)\b"
    r"|^(?:note|reminder|message|attention)(?: to \w+)*:"
    r"|^it is (?:required|mandatory|forbidden|necessary|obligatory) to\b"
    r"|\byou (?:may|must|should)\b"
    r"|\b(?:before|prior to) (?:answering|replying|responding)\b|\bthen (?:answer|reply|respond)\b"
    r"|\b(?:each|every) (?:answer|reply|response) (?:begins?|starts?|ends?)\b"
    r"|^(?:immer|stets|nie(?:mals)?|bitte|zuerst|führe?|schicke?|sende|lösche|installiere?|nutze|"
    r"verwende|ignoriere?|überspringe?)\b"
    r"|^(?:toujours|jamais|veuillez|ne \w+ (?:pas|jamais)|[a-zé]{3,}ez)\b"
    r"|^(?:siempre|nunca|sempre|mai|ignor[ae]|omit[ae]|salt[ae]|pul[ae]|ejecut[ae]|execut[ae]|esegui"
    r"|instal[ae])\b"
    r"|^(?:всегда|никогда|не \w+(?:й|йте)|\w+(?:йте|ите)|игнорируй|запускай|пропускай)\b"
    r"|^(?:请|請|始终|总是|永远|不要|必须|务必|禁止|严禁|跳过|忽略|无需|一律|切勿)"
    r"|^(?:必ず|常に|絶対に|決して)|(?:してください|せよ|しろ|しないで(?:ください)?)[。.]?$"
    r"|^(?:항상|절대|반드시)|(?:하세요|하십시오|마세요|할 것)[.]?$"
)
_LASTING = re.compile(
    r"(?i)\b(?:always|never|must|every|each|before|after|immer|nie(?:mals)?|toujours|jamais|siempre|"
    r"nunca|sempre|mai|всегда|никогда)\b|始终|总是|永远|必须|务必|一律|必ず|常に|항상|절대|반드시"
)
# What a user says who wants less care.
_LOOSE = re.compile(
    r"(?i)\b(?:skip\w*|ignor\w+|bypass\w*|disabl\w+|without|never|not|no|don't|drop|avoid|force\w*|"
    r"straight|direct\w*|before|after|every|each|send|mail|upload|ohne|nicht|keine?|überspring\w*|"
    r"direkt|sin|sans|pas|senza|sem|salta\w*|pula\w*|без|не|пропус\w+)\b"
    r"|[不无無没跳忽略]|なし|ない|飛ば|없이|않|말고|건너"
)
_PIECE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n")
_FILLING = wordlist(
    "the and for with this that these those all any here there please always never must should "
    "shall may can not don you your first then before after every each note rule it its are was "
    "will from into onto use run make required forbidden allowed reader"
)
_ENDING = re.compile(r"(?<=...)(?:ping|ped|ing|ed|s)$")
_ENOUGH, _MOSTLY = 0.5, 0.6  # of a text's words
_TOGETHER = 3  # sentences or lines in which the words of one order stand
_LONGEST = 200_000  # characters of outputs
_READING = ("read", "search", "shell", "web", "mcp", "agent")


class Bidding:
    """The words of one stretch, by who wrote them."""

    def __init__(self, steps: Iterable[Step], user: str, message: str) -> None:
        """user: what the user said. message: the closing one, our own as far as nothing that was
        read says the same."""
        self.steps = tuple(steps)
        self.user, self.message = user, message
        self.known: list[frozenset[str]] | None = None
        self.own: frozenset[str] | None = None

    def is_order(self, text: str) -> bool:
        """Whether a text bids its reader be careless in words that were read, and neither the user
        nor we have said or done so."""
        if not _ORDER.search(text) or not self.is_read(text):
            return False
        return not (
            (self._is_users(text) and _LOOSE.search(self.user))
            or (self._is_said(text) and _LOOSE.search(self.message))
            or (self._is_done(text) and _LOOSE.search(self._given()))
        )

    def is_bid(self, text: str) -> bool:
        """Whether a text bids its reader do anything that was read, and that neither the user said
        nor we said or did. To be careless is nobody's decision for being told of."""
        is_order = bool(_ORDER.search(text))
        return (
            bool(is_order or _BID.search(text))
            and self.is_read(text)
            and not (self._is_users(text) or self._is_done(text))
            and (is_order or not self._is_said(text))
        )

    def is_copied(self, text: str) -> bool:
        """Whether it is such a bid, and in the words of what was read rather than in ours."""
        words = _words(text)
        ours = _share(words, _words(self.message))
        return ours < 1.0 and self.is_bid(text) and self._stands(words, max(_MOSTLY, ours + 0.01))

    def is_read(self, text: str) -> bool:
        """Whether its words stand in what was read; what comes from nowhere does not."""
        return self._stands(_words(text))

    def knows(self, text: str) -> bool:
        """Whether a text tells of what the user said, or of what we said or did."""
        ours = self._done() | _words(f"{self.user}\n{self.message}")
        return _share(_words(text), ours) >= _ENOUGH

    def _is_users(self, text: str) -> bool:
        return _share(_words(text), _words(self.user)) >= _ENOUGH

    def _is_said(self, text: str) -> bool:
        return _share(_words(text), _words(self.message)) >= _MOSTLY

    def _is_done(self, text: str) -> bool:
        """Done once, it is not yet to be done always."""
        return not _LASTING.search(text) and _share(_words(text), self._done()) >= _MOSTLY

    def _stands(self, words: frozenset[str], least: float = _MOSTLY) -> bool:
        """Whether a few sentences of one output hold most of some words."""
        if self.known is None:
            self.known = list(self._pieces())
        return any(_share(words, known) >= least for known in self.known)

    def _pieces(self) -> Iterator[frozenset[str]]:
        left = _LONGEST
        for step in self.steps:
            if step.kind not in _READING or left <= 0:
                continue
            pieces = [_words(one) for one in _PIECE.split(step.text[:left]) if one.strip()]
            left -= len(step.text)
            for at in range(len(pieces)):
                yield frozenset().union(*pieces[at : at + _TOGETHER])

    def _done(self) -> frozenset[str]:
        """The words of what was done."""
        if self.own is None:
            self.own = _words(self._given())
        return self.own

    def _given(self) -> str:
        """What was done: commands, and what was written into files."""
        given = (step.use.input for step in self.steps if step.kind in ("shell", "edit"))
        return "\n".join(text for one in given for text in _texts(one))[:_LONGEST]


def _texts(given: object, depth: int = 3) -> Iterator[str]:
    if isinstance(given, str):
        yield given
    elif depth and isinstance(given, Mapping | list):
        for one in given.values() if isinstance(given, Mapping) else given:
            yield from _texts(one, depth - 1)


def _words(text: str) -> frozenset[str]:
    """The words of a text, common ones too: "tests" and "code" tell one order from another."""
    plain = {word.lower() for word in WORD.findall(text) if len(word) > 2 and word.isascii()}
    stems = {_ENDING.sub("", word) for word in plain - _FILLING or plain}
    return frozenset(stems | {word for word in terms(text) if not word.isascii()})


def _share(words: frozenset[str], known: frozenset[str]) -> float:
    return len(words & known) / len(words) if words else 1.0
