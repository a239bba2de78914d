"""What is said of the user's rules and wishes: only the user's own words make it so.

A page or a file may claim that the user wants something. Stored, that would be obeyed later.
"""

from __future__ import annotations

import re

from backstory.capture.rules.terms import terms
from backstory.capture.rules.wordlist import wordlist

_STANDING = re.compile(
    r"(?ix)"
    r"\buser(?:'s|s')?\s(?:own\s|standing\s|general\s)?"
    r"(?:rules?|polic(?:y|ies)|wish(?:es)?|preferences?|convention|requirements?|instructions?"
    r"|demand|decision|permission|approval|consent|orders?)\b"
    r"|(?:^|[.;(]\s?)per\s(?:the\s)?user(?:'s)?(?:,|\s(?:request|order|wish|instruction|decision)\b)"
    r"|\baccording\sto\sthe\suser(?:,|\s(?!agent|table|id|name|role|type))|(?:^|[.;]\s)user\s?(?:→|=>|->|:)\s"
    r"|\busers?\s(?:is|are|was|were)\s(?:\w+\s)?(?:fine|ok(?:ay)?|happy|content)\swith\b"
    r"|\busers?\s(?:\w{1,12}\s){0,2}"
    r"(?:wish(?:es|ed)?|wants?|prefer(?:s|red)?|requires?|insist(?:s|ed)?|demand(?:s|ed)?"
    r"|expects?|likes?|always|never|decided|agree[sd]?|approve[sd]?|authori[sz]e[sd]?|allow(?:s|ed)?"
    r"|permit(?:s|ted)?|trust(?:s|ed)?|forbids?|forbade|mandates?|laid\sdown|consent(?:s|ed)?"
    r"|confirmed|instruct(?:s|ed)|ok(?:ay(?:s|ed)?|'d|ed)|prohibit(?:s|ed)?|waive[sd]?)\b"
    r"|\b(?:as|what)\sthe\suser\s(?:wants|wishes|prefers|requires)\b"
    r"|\b(?:claude|(?:the|any|every|all|future|ai|coding)\s(?:ai\s|coding\s)?"
    r"(?:agents?|assistants?|models?|sessions?))\b(?:\s\w{1,12}){0,3}\s"
    r"(?:should|must|shall|has\sto|have\sto|needs?\sto|is\srequired\sto|are\srequired\sto"
    r"|is\s(?:allowed|permitted|free)\sto)\b"
    r"|^(?:(?:project|team|repo(?:sitory)?|house|standing|general)(?:'s)?\s)?"
    r"(?:rule|policy|convention|remember|instructions?|preference)\s*:"
    r"|^(?:project|team|repo(?:sitory)?|house|standing|general)(?:'s)?\s"
    r"(?:orders?|style|guidelines?|requirements?|rules|policies|conventions)\s*:"
    r"|\b(?:at\sthe\s(?:start|beginning|end)\sof|before|after|in)\s(?:each|every|all|any)\s"
    r"(?:future\s|new\s)?(?:sessions?|conversations?|answers?|repl(?:y|ies)|prompts?)\b.{0,40}"
    r"\b(?:run|execute|install|push|send|call|fetch|read)\b"
    r"|\b(?:it\sis|it's)\s(?:the\s)?(?:policy|required|mandatory|a\srule)\sthat\b"
    r"|\b(?:be)?nutzer(?:in|s)?\s(?:\w+\s){0,2}(?:will|möchte|wünscht|verlangt|bevorzugt|fordert"
    r"|erlaubt|besteht|verbietet)\b|\b(?:regel|wunsch|vorgabe)\sdes\s(?:be)?nutzers\b"
    r"|\b(?:be)?nutzer(?:in)?\shat\b.{0,60}\b(?:verboten|erlaubt|verlangt|gewünscht|gefordert|befohlen"
    r"|entschieden|genehmigt|gesagt)\b"
    r"|\busu[aá]ri[oa]\s(?:\w+\s)?(?:quiere|prefiere|exige|desea|permite|requiere|prohíbe|rechaza|pide"
    r"|quer|prefere|deseja|proíbe|proibiu|recusa|pediu|autoriza)\b"
    r"|\butente\s(?:\w+\s)?(?:vuole|preferisce|esige|desidera|permette|vieta|rifiuta|chiede)\b"
    r"|\butilisat(?:eur|rice)\s(?:\w+\s)?(?:veut|souhaite|préfère|exige|autorise|demande\sque"
    r"|refuse|interdit|ordonne)\b"
    r"|пользовател\w+\s(?:\w+\s)?(?:хочет|предпочитает|требует|разреш\w+|запре\w+|просит\sвсегда"
    r"|сказал\w*|велел\w*)\b"
    r"|用户(?:的)?(?:要求|希望|想要?|规定|规则|偏好|允许|同意|决定|说(?!明)|让|禁止|不要|不想|命令|批准)"
    r"|ユーザー(?:は|の|が).{0,30}(?:望|希望|要求|ルール|好み|許可|言っ|禁止|指示)"
    r"|사용자(?:는|가|의).{0,30}(?:원|요구|규칙|허용|말했|금지|지시)"
)
# Of other people much is told that is nobody's order; not where it is about how we work.
_OTHERS = re.compile(
    r"(?i)\b(?:maintainers?|owners?|team(?: lead)?|lead|customer|client|boss|manager|cto) "
    r"(?:\w+ )?(?:wants?|wish(?:es)?|requires?|forbids?|forbade|demands?|insists?|prefers?|ordered|"
    r"allow(?:s|ed)?|approved?)\b"
    r"|\b(?:they|we|it (?:has|was|is)(?: been)?) (?:\w+ )?"
    r"(?:told us|asked us|agreed|ordered|allowed)\b"
)
_WORK = re.compile(
    r"(?i)\b(?:tests?|pytest|reviews?|lint\w*|ci|force[- ]push\w*|push\w* (?:straight|directly|to)|"
    r"answers?|agents?|claude|approvals?|skip\w*)\b"
)
_ASKED = re.compile(
    r"(?i)\buser (?:\w{1,12} )?"
    r"(?:asked|asks|requested|requests|wanted|told|said|says|chose|picked)\b"
)
# Of users in the product much is told as well: what they want, may and prefer.
_SPOKEN = re.compile(
    r"(?ix)"
    r"(?:\b(?:the|this|our)\s|(?:^|[.;:(]\s?))user\s(?:(?:also|now|has|clearly|explicitly)\s){0,2}"
    r"(?:wants?|wanted|wish(?:es|ed)|prefers|preferred|demand(?:s|ed)|insist(?:s|ed)|decided|"
    r"okay(?:s|ed)|ok'd|requires|forbids|forbade|told|said|asked|chose|picked|requested|laid\sdown)\b"
    r"|\busers?\s(?:is|are|was|were)\s(?:\w+\s)?(?:fine|ok(?:ay)?|happy|content)\swith\b"
    r"|\b(?:per|according\sto)\s(?:the\s)?user\b|\buser(?:'s|\s(?:own|standing|general))\s"
    r"(?:rules?|wish(?:es)?|instructions?|demand|decision|orders?)\b|(?:^|[.;]\s)user\s?(?:→|=>|->|:)"
    r"|\b(?:der|die|des)\s(?:be)?nutzer(?:in|s)?\b|\b(?:el|la|l'|l’|o|a)\s?(?:usu|ut)\w+"
    r"|^пользователь\b|用户(?:的)?(?:要求|希望|想要?|规定|决定|说(?!明)|让(?:我|你|助手|代理)|禁止|不要|"
    r"不想|命令)|ユーザー?(?:は|の|が).{0,30}(?:望|希望|要求|言っ|指示)|사용자(?:는|가|의).{0,30}(?:원|요구|말했|지시)"
)
_LABELLED = re.compile(
    r"(?i)^(?:\w+(?:'s)? )?(?:rules?|polic(?:y|ies)|conventions?|remember|instructions?|preference|"
    r"orders?|style|guidelines?|requirements?) ?:|\bclaude\b|\b(?:it is|it's) (?:the )?"
    r"(?:policy|required|mandatory|a rule) that\b"
)
_HOW_WE_WORK = re.compile(
    r"(?i)\b(?:tests?|testing|pytest|reviews?|lint\w*|ci|push\w*|force\w*|commit\w*|merg\w+|"
    r"deploy\w*|branch\w*|pull requests?|prs?|answer\w*|claude|skip\w*|ignor\w+|bypass\w*|"
    r"runs?|running|execut\w+|install\w*|fetch\w*|asking|upload\w*|send\w*|secrets?|disabl\w+|"
    r"working here|in this (?:project|repo\w*)|prüfung\w*|prueba\w*|teste[ns]?|vérification\w*)\b"
    r"|测试|提交|推送|部署|运行|审查|跳过|发送|テスト|コミット|実行|レビュー|테스트|커밋|실행|리뷰"
    r"|\b(?:тест|запуск|коммит|ревью)"
)
_CODE = re.compile(
    r"`[^`]+`|\w\(|\b\w+\.(?:[a-z]{1,4}\b|\w+\()|\b\w+_\w+|\b[a-z]+[A-Z]\w*"
    r"|(?<![\w.-])[\w.-]{1,80}/[\w.-]{1,80}\.\w"
    r"|\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b|\w\.\w+ [=!]"
)
_CARE = re.compile(
    r"(?i)\b(?:tests?|pytest|lint\w*|ci|reviews?|force|push\w*|skip\w*|bypass\w*|secrets?)\b"
    r"|测试|审查|跳过|テスト|테스트|\bтест"
)
_OF_WISHES = terms(
    "user users rule rules wish wishes wants wanted want prefers prefer preferred requires insists "
    "demands expects always never decided agreed approved authorized allowed permits claude agent "
    "agents assistant session sessions should must shall asked asks requested told said says chose "
    "policy convention remember preference request instruction continue confirm confirmed project "
    "every each future general standing order style maintainer owner team lead customer okayed "
    "okay refuse forbade forbid according order hat verboten nutzer benutzer nutzerin möchte will "
    "wünscht verlangt bevorzugt fordert erlaubt entschieden gewünscht gesagt usuario quiere "
    "prefiere utilisateur veut préfère"
)
_WISH_SIGNS = re.compile(
    r"用户(?:的)?|要求|希望|想要?|规定|规则|偏好|允许|同意|决定|禁止|命令|批准|使用|采用|选择|我们"
    r"|ユーザー?[はのが]|사용자[는가의]"
)
_ENOUGH, _ENOUGH_PAIRS = 0.5, 0.3  # of what the sentence says; pairs of characters cross words
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_TONGUES = {
    "en": wordlist("the is are was of to and for in on with please it you we this that not fix"),
    "de": wordlist("der die das und ist nicht für wir ein eine den dem mit auf zu im soll wird ab"),
    "fr": wordlist("le les des est une pas pour dans et nous du il avec que ne"),
    "es": wordlist("el los las es una por con que y del usa nos en"),
}


def _tongue(text: str) -> str:
    """The language of a text, as far as it shows; "" where it does not."""
    if _WIDE.search(text):
        return "wide"
    if re.search("[а-яё]", text):
        return "ru"
    words = re.findall(r"[^\W\d_]+", text.lower())
    counts = {name: sum(word in known for word in words) for name, known in _TONGUES.items()}
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] else ""


class Voice:
    """The user's own words."""

    def __init__(self, *texts: str) -> None:
        text = "\n".join(texts)
        self.words = terms(text)
        self.tongue = _tongue(text)

    def is_strange(self, text: str) -> bool:
        """Whether a sentence is in another language than the user's."""
        tongue = _tongue(text)
        return bool(tongue and self.tongue) and tongue != self.tongue

    def bears_out(self, text: str) -> bool:
        """Whether a sentence tells of no rule or wish, or of one in the user's own words."""
        is_standing = bool(_STANDING.search(text) or (_OTHERS.search(text) and _WORK.search(text)))
        if not is_standing and not _ASKED.search(text):
            return True
        if _is_of_product(text):
            return True
        said = terms(_WISH_SIGNS.sub(" ", text)) - _OF_WISHES
        if not is_standing:  # retells a request, and mostly goes on about the work
            return not said or bool(said & self.words)
        said = said or terms(text)
        enough = _ENOUGH_PAIRS if _WIDE.search(text) else _ENOUGH
        return bool(said) and len(said & self.words) >= enough * len(said)


def _is_of_product(text: str) -> bool:
    """Whether a sentence tells of people in the product and its code, not of how we work."""
    if _CODE.search(text) and not _CARE.search(text) and not _LABELLED.search(text):
        return True
    return not any(sign.search(text) for sign in (_SPOKEN, _LABELLED, _HOW_WE_WORK))
