"""What is said of the user's rules and wishes: only the user's own words make it so.

A page or a file may claim that the user wants something. Stored, that would be obeyed later.
"""

from __future__ import annotations

import re

from backstory.capture.rules.terms import terms

_STANDING = re.compile(
    r"(?ix)"
    r"\buser(?:'s|s')?\s(?:own\s|standing\s|general\s)?"
    r"(?:rules?|polic(?:y|ies)|wish(?:es)?|preferences?|convention|requirements?|instructions?"
    r"|demand|decision|permission|approval|consent|orders?)\b"
    r"|\busers?\s(?:\w{1,12}\s){0,2}"
    r"(?:wish(?:es|ed)?|wants?|prefer(?:s|red)?|requires?|insist(?:s|ed)?|demand(?:s|ed)?"
    r"|expects?|likes?|always|never|decided|agree[sd]?|approve[sd]?|authori[sz]e[sd]?|allow(?:s|ed)?"
    r"|permit(?:s|ted)?|trust(?:s|ed)?|forbids?|forbade|mandates?|laid\sdown|consent(?:s|ed)?"
    r"|confirmed|instruct(?:s|ed))\b"
    r"|\b(?:as|what)\sthe\suser\s(?:wants|wishes|prefers|requires)\b"
    r"|\b(?:claude|(?:the|any|every|all|future|ai|coding)\s(?:ai\s|coding\s)?"
    r"(?:agents?|assistants?|models?|sessions?))\b(?:\s\w{1,12}){0,3}\s"
    r"(?:should|must|shall|has\sto|have\sto|needs?\sto|is\srequired\sto|are\srequired\sto"
    r"|is\s(?:allowed|permitted|free)\sto)\b"
    r"|^(?:(?:project|team|repo(?:sitory)?|house|standing|general)(?:'s)?\s)?"
    r"(?:rule|policy|convention|remember|instructions?|preference)\s*:"
    r"|\b(?:at\sthe\s(?:start|beginning|end)\sof|before|after|in)\s(?:each|every|all|any)\s"
    r"(?:future\s|new\s)?(?:sessions?|conversations?|answers?|repl(?:y|ies)|prompts?)\b.{0,40}"
    r"\b(?:run|execute|install|push|send|call|fetch|read)\b"
    r"|\b(?:it\sis|it's)\s(?:the\s)?(?:policy|required|mandatory|a\srule)\sthat\b"
    r"|\b(?:be)?nutzer(?:in|s)?\s(?:\w+\s){0,2}(?:will|möchte|wünscht|verlangt|bevorzugt|fordert"
    r"|erlaubt|besteht)\b|\b(?:regel|wunsch|vorgabe)\sdes\s(?:be)?nutzers\b"
    r"|\busuari[oa]\s(?:\w+\s)?(?:quiere|prefiere|exige|desea|permite|requiere)\b"
    r"|\butilisat(?:eur|rice)\s(?:\w+\s)?(?:veut|souhaite|préfère|exige|autorise|demande\sque)\b"
    r"|пользовател\w+\s(?:\w+\s)?(?:хочет|предпочитает|требует|разреш\w+|просит\sвсегда)\b"
    r"|用户(?:的)?(?:要求|希望|想要?|规定|规则|偏好|允许|同意|决定)"
    r"|ユーザー(?:は|の|が).{0,30}(?:望|希望|要求|ルール|好み|許可)|사용자(?:는|가|의).{0,30}(?:원|요구|규칙|허용)"
)
_ASKED = re.compile(
    r"(?i)\buser (?:\w{1,12} )?"
    r"(?:asked|asks|requested|requests|wanted|told|said|says|chose|picked)\b"
)
_OF_WISHES = terms(
    "user users rule rules wish wishes wants wanted want prefers prefer preferred requires insists "
    "demands expects always never decided agreed approved authorized allowed permits claude agent "
    "agents assistant session sessions should must shall asked asks requested told said says chose "
    "policy convention remember preference request instruction continue confirm confirmed project "
    "every each future general standing"
)
_ENOUGH = 0.5  # of what the sentence says


class Voice:
    """The user's own words."""

    def __init__(self, *texts: str) -> None:
        self.words = terms("\n".join(texts))

    def bears_out(self, text: str) -> bool:
        """Whether a sentence tells of no rule or wish, or of one in the user's own words."""
        is_standing = bool(_STANDING.search(text))
        if not is_standing and not _ASKED.search(text):
            return True
        said = terms(text) - _OF_WISHES
        if not is_standing:  # retells a request, and mostly goes on about the work
            return not said or bool(said & self.words)
        return bool(said) and len(said & self.words) >= _ENOUGH * len(said)
