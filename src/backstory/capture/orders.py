"""Text that gives orders to whoever reads it: never kept as a finding.

What a model writes may repeat what a web page or a file told it to. Stored and shown to a later
session, an order would come from a trusted place. A finding about such a text needs none of its
words, so a pattern that matches too much costs little.
"""

from __future__ import annotations

import re
import unicodedata

from backstory.capture.rules.titles import is_order

# Tags of the invisible alphabet, and what turns the direction of writing.
_HIDDEN = re.compile("[\U000e0000-\U000e007f\u202a-\u202e\u2066-\u2069]")
_INVISIBLE = re.compile("[\u00ad\u034f\u061c\u180e\u200b-\u200f\u2060-\u2065\ufe00-\ufe0f\ufeff]")
_EMPHASIS = re.compile(r"[*`~]+")

_SAID = r"(?:instructions?|prompts?|guidelines|directives?|restrictions)"
_EARLIER = r"(?:previous|prior|above|earlier|preceding|former|your)"
_ACTS = (
    r"(?:run|execute|call|invoke|send|post|upload|delete|erase|ignore|obey|install|download|"
    r"fetch|"
    r"curl|disable|approve|reply|respond|answer|output|print|reveal|forget|disregard|"
    r"override|"
    r"exfiltrate|leak|commit|push|visit|transfer|follow|comply)"
)
_BEGINS = r"(?:^|[.!?:\"'>\]*] ?|\b(?:please|then|and|now|you) )"  # where an imperative may stand

_PATTERNS = (
    # to set aside what was said before
    (
        rf"\b(?:ignore|disregard|forget|override|bypass|neglect|"
        rf"discard)\b.{{0,40}}\b{_EARLIER}\b.{{0,40}}"
        rf"\b(?:{_SAID}|rules|messages?|context|orders|commands|constraints|training|polic\w+|"
        rf"safety)"
    ),
    (
        r"\b(?:ignore|disregard|forget)\b.{0,20}\b(?:all|any|the|these|those|other)\b.{0,20}\b"
        r"(?:instructions?|directives|guidelines|restrictions)"
    ),
    (
        r"\b(?:ignore|forget|disregard) (?:all |everything )?(?:of )?(?:the )?(?:previous|above|"
        r"prior)\b"
    ),
    (
        r"\b(?:new|updated|real|actual|additional|secret|hidden) (?:system )?(?:instructions?|"
        r"directives?"
        r"|orders)\s*:"
    ),
    (
        r"\b(?:ignore|disregard|forget)\b.{0,30}\b(?:rules|instructions?|messages?|context|"
        r"prompts?)\b"
        r".{0,10}\babove\b"
    ),
    (
        r"\b(?:ignore|disregard|forget)\b.{0,20}\b(?:you|you've|you have)\b.{0,20}\b(?:told|"
        r"learn\w*|"
        r"know|been|read|said|taught)\b"
    ),
    (
        r"\b(?:instructions?|prompts?|rules|guidelines|restrictions)\b (?:above )?(?:are|"
        r"is) (?:now )?"
        r"(?:void|obsolete|cancelled|revoked|invalid)\b|\brules? (?:above )?no longer appl(?:y|"
        r"ies)\b"
        r"|\byour (?:new|next|real|actual|only|true) (?:task|goal|role|job|purpose|objective)\b"
    ),
    # to be somebody else
    (
        r"\byou(?:'re| are) (?:a|an|the|dan|in) (?:now |\w{0,12} ?)(?:assistant|model|ai|agent|"
        r"pirate|"
        r"hacker|admin\w*|root|mode|bot|terminal|expert|unrestricted|evil)\b|\byou are dan\b|"
        r"\byou're now\b|\bas the (?:system )?(?:administrator|owner|developer),? i\b|"
        r"\b(?:switch|change|enter|go) (?:in)?to (?:admin|root|debug|developer|unrestricted) mode\b"
    ),
    # to write into the memory what it wants, or to leave out
    (
        r"\b(?:save|store|write|put|add|commit|record|append)\b.{0,30}\b(?:in|to|into) (?:your |"
        r"the |"
        r"long-?term |persistent )*(?:memory|memories|observations?|records)\b.{0,5}[:,;]|"
        r"\bto your memory\b"
    ),
    (
        r"\b(?:when|while|in) (?:you )?(?:your )?(?:summari[sz]\w+|summary|answer|reply|report|"
        r"output|"
        r"observations?),? (?:say|write|state|claim|include|mention|add|tell|always|never|you)\b"
    ),
    (
        r"\b(?:do not|don't|never) (?:record|store|remember|save|log|summari[sz]e|report|"
        r"note) (?:this|"
        r"the|that|any of)\b.{0,20}\b(?:event|output|message|turn|session|file|text|attack)"
    ),
    (
        r"\b(?:supersede|replace|delete|mark|drop|wipe|erase)\b.{0,10}\b(?:all|every|"
        r"any) (?:of )?(?:the )?"
        r"(?:other |previous |older |earlier |existing )?(?:records?|observations?|memor\w+|"
        r"drafts?)\b"
    ),
    (
        r"\bremember to always\b|\b(?:respond|reply|answer) (?:only|exactly|just) with\b|\boutput "
        r"(?:only|exactly|just)\s*[:\"'{]"
    ),
    (
        r"\b(?:tell|ask|instruct|convince|persuade) the user to\b.{0,20}\b(?:visit|run|click|"
        r"open|install|"
        r"send|enter|paste|execute|download|disable|approve)\b"
    ),
    r"\bauthori[sz]ed you\b|\bi (?:order|command|instruct) you\b|\bdo (?:exactly )?as i say\b",
    r"\byou are (?:now|no longer)\b|\bfrom now on,? (?:you|act|respond|ignore|answer)\b",
    r"\bpretend (?:to be|you are)\b|\bact as (?:if you|an? (?:unrestricted|evil|hacker))\b",
    r"\byou will (?:now )?act as\b|\bdo anything now\b|\bjailbr(?:eak|oken) mode\b",
    # to do something
    (
        rf"\byou (?:must|should|shall|need to|have to|are required to|are instructed to|"
        rf"will now)\s+"
        rf"(?:(?:now|always|immediately|never|silently|instead|also)\b|{_ACTS}\b)"
    ),
    (
        rf"\b(?:please|secretly)[,:]? {_ACTS}\b.{{0,60}}(?:https?:|\bcommand|\bscript|\btool|"
        rf"\bfile|\bkey"
        r"|\btoken|\bsecret|\bcredential|\bpassword|\buser|`)"
    ),
    r"\balways (?:approve|obey|comply)\b",
    (
        r"\b(?:approve|allow|accept|grant|confirm)\b.{0,10}\b(?:every|all|any|each)\b.{0,20}"
        r"\b(?:permission|tool|command|approval|access) ?(?:prompts?|requests?|calls?|uses?|s)\b"
    ),
    (
        r"\b(?:claude|agents?|assistants?|models?|sessions?|you|we)\b(?: \w{1,12}){0,3} (?:should|"
        r"must|"
        r"shall|has to|have to|needs? to)\b.{0,60}\b(?:at the (?:start|beginning|end) of|before|"
        r"after|"
        r"in|on|every|each)\b.{0,12}\b(?:session|conversation|answer(?:ing)?|repl(?:y|ies)|prompt)"
    ),
    (
        rf"{_BEGINS}{_ACTS}\b.{{0,60}}\b(?:at the (?:start|beginning|end) of|before|after|"
        r"in) (?:each|every|"
        r"any|all)\b.{0,8} (?:session|conversation|answer|reply|prompt|turn)s?\b"
    ),
    (
        rf"\b(?:at the (?:start|beginning|end) of|before|after|in) (?:each|every|any|all)"
        r"(?: \w{1,8})? "
        rf"(?:session|conversation|answer|reply|prompt|turn)s?\b,? (?:always )?{_ACTS}\b"
    ),
    rf"\b(?:future|later|next) sessions? (?:should|must|shall|have to|need to) (?:\w+ )?{_ACTS}\b",
    (
        r"\b(?:call|use|invoke|trigger) the [`\"']?(?:bash|shell|write|edit|web_?fetch|"
        r"terminal|read|task|"
        r"agent)[`\"']? tool\b"
    ),
    (
        rf"{_BEGINS}(?:run|execute) the following (?:shell |bash )?(?:commands?|code|script|"
        rf"payload)"
    ),
    rf"{_BEGINS}{_ACTS}\b.{{0,80}}\bwithout (?:asking|telling|informing|notifying|alerting)\b",
    (
        r"\b(?:do not|don't|never) (?:tell|inform|warn|alert) (?:the |your |any )?(?:user|"
        r"human|developer|"
        r"operator|anyone)"
    ),
    r"--dangerously-skip-permissions|\bbypasspermissions\b|\bauto-?approve (?:all|every)\b",
    (
        r"\b(?:when|if|once|as soon as|whenever|after) you (?:read|see|process|summari[sz]e|"
        r"load|recall)\b"
        r".{0,30}(?:this\b|,)"
    ),
    (
        r"\bin (?:all|any|every|future)(?: future)? (?:sessions?|conversations?|"
        r"chats?),? (?:always|never|"
        r"you|run|execute|ignore|must)\b"
    ),
    # to give something away
    (
        r"\b(?:reveal|print|show|repeat|output|display|leak|disclose|dump|"
        r"tell me)\b.{0,30}\byour "
        r"(?:system |initial |hidden )?(?:prompt|instructions|rules|memory)\b"
    ),
    r"\b(?:reveal|leak|disclose|repeat)\b.{0,30}\b(?:system|initial|hidden) prompt",
    (
        rf"{_BEGINS}(?:send|post|upload|exfiltrate|forward|transmit|leak|e?mail|copy)\b.{{0,60}}"
        r"(?:\b(?:secrets?|credentials?|api[ _-]?keys?|keys|tokens?|passwords?|environment|ssh|"
        r"cookies?|"
        r"contents?|conversation|history|id_rsa)\b|\.env\b).{0,60}(?:https?:|@|\bwebhook|"
        r"\battacker)"
    ),
    # to whom
    (
        r"\b(?:dear|hey|hi|hello|attention|note|message|notice)(?:,| to| for|:)? (?:the |all |"
        r"any )?"
        r"(?:ai|llms?|language models?|claude|(?:ai |coding )?(?:assistants?|agents?)|chatgpt|"
        r"gpt|copilot)"
        r"\b\s*[,:!]"
    ),
    (
        r"\b(?:ais?|llms?|claude|assistants?|agents?|models?|bots?)(?: agents?| assistants?|"
        r" models?)?,? "
        r"(?:reading this\b|you (?:must|should|shall|have to|need to|can now)\b|(?:must|should|"
        r"shall|has "
        r"to|have to|needs? to) (?:now |always )?(?:immediately|ignore|obey|comply|reveal|"
        r"approve)\b)"
    ),
    rf"\b(?:claude|assistant|ai|llm)[,:] (?:please |you |{_ACTS}\b)",
    r"\bas an? (?:ai|language model|llm|assistant),? you\b",
    # the marks of roles and of calls
    r"(?:^|[.!?\"'>\]][ \t]{0,4})[ \t]{0,4}(?:assistant|human)\s*:[ \t]*\S",
    (
        r"\b(?:assistant|human|system|developer)\s*(?:prompt|message|note|"
        r"override)?\s*:\s*(?:i|i'll|sure|"
        r"ok|okay|yes|you|your|understood|ignore|disregard|forget|run|execute|override|delete|"
        r"always|never"
        r"|new|please|send|install|from now|the user (?:has|wants|agreed|is)|do not|don't|must|"
        r"important"
        r"|obey|reply)\b"
    ),
    r"\bsystem[ _-](?:prompt|message|override|instruction|notice|reminder)s?\s*[\]>}]",
    (
        r"</?\s*(?:\w{1,20}:)?(?:system|assistant|human|instructions?|invoke|"
        r"function_?(?:calls?|results?)|"
        r"tool_?(?:use|calls?|result|response)s?|system-reminder|thinking|antml|command-\w+|"
        r"task-notification|local-command\w*|(?:events|records)-\w+)\b[^>\n]{0,200}>?"
        r"|<parameter\s+name\s*="
    ),
    r"<\|[\w ]{2,40}\|>|\[/?inst\]|<</?sys>>|\[/?(?:system|assistant|tool_calls?)\]",
    r"(?:^|\s)#{2,4}[ \t]*(?:instructions?|system|assistant|human|new task)\s*:",
    (
        r"[\"'](?:role[\"']\s*:\s*[\"'](?:system|assistant|developer|tool)|(?:tool_calls?|"
        r"function_call|"
        r"tool_use|tool_choice)[\"']\s*:|type[\"']\s*:\s*[\"'](?:tool_use|tool_result|"
        r"function)[\"'])"
    ),
    (
        r"(?:-{2,}|\[|<|={2,}|#{2,})\s*(?:begin|end|start)(?: of)?[ _-](?:new )?(?:system|"
        r"prompt|"
        r"instructions?|injection|override)\b"
    ),
    (
        r"(?-i:\b(?:BEGIN|END)(?: OF)? (?:NEW )?(?:SYSTEM |USER )?(?:PROMPT|INSTRUCTIONS?)\b|"
        r"\bSYSTEM OVERRIDE\b)|[\"']name[\"']\s*:\s*[\"'][\w-]{1,60}[\"']\s*,\s*[\"'](?:arguments|"
        r"parameters|input)[\"']\s*:"
    ),
    r"\buser\s*:\s*(?:now|please|ignore|you|i want|i need|forget|delete|run|execute)\b",
    r"\b(?:for|to) (?:all )?(?:ai |large )?(?:language models?|llms|assistants|agents)\s*:",
    # what does harm by being copied or shown
    (
        r"\b(?:curl|wget|iwr|invoke-webrequest)\b[^\n]{0,200}\|\s*(?:sudo\s+)?(?:\w{0,10}sh|"
        r"python\d?|perl|"
        r"ruby|node|iex)\b"
    ),
    r"\b(?:ba|z|da)?sh\s+(?:-c\s+)?[\"']?(?:<\(|\$\()\s*(?:curl|wget)\b",
    r"\bnc\b.{0,20} -e\b|\bpowershell\b.{0,30} -e(?:nc|ncodedcommand)?\b|/dev/tcp/",
    (
        r"\beval\b[^\n]{0,20}\$\((?:curl|wget)|\bbase64 (?:-d|--decode)\b[^\n]{0,40}\|"
        r"\s*\w{0,10}sh\b"
    ),
    (
        r"\brm\s+-(?:rf|fr|r\s+-f)\s+(?:--no-preserve-root\s+)?[\"']?(?:/|~/?|"
        r"\$home)(?:[\"'\s;*]|$)"
    ),
    r"!\[[^\]\n]{0,200}\]\s*\(\s*(?:https?:|//|data:|javascript:)",
    (
        r"\[[^\]\n]{0,200}\]\s*\(\s*(?:javascript:|data:|vbscript:|"
        r"https?://[^)\s]{0,200}[?&][\w.-]+=)"
    ),
    (
        r"<\s*(?:img|object|embed|link|svg|meta|form|audio|video|a|input|body)\b[^>\n]{0,200}"
        r"\b(?:src|href|data|action|on\w{3,12})\s*=|<\s*(?:script|iframe)\b"
    ),
    r"\bjavascript:|\bdata:text/html",
    # German
    (
        r"\b(?:ignorier\w*|vergiss|vergesst|missachte\w*|überschreibe\w*|"
        r"übergehe\w*)\b.{0,40}(?:\b(?:"
        r"anweisung|instruktion|prompt)|\b(?:vorherig|bisherig|obig|früher)\w* )"
    ),
    (
        r"\bdu (?:musst|sollst|bist) (?:jetzt|nun|ab sofort|immer)|\bführe .{0,30}\b(?:befehl|"
        r"skript)\b"
        r".{0,20}\baus\b|\b(?:sag|verrate?|erzähle?) (?:es |das )?dem (?:be)?nutzer (?:nicht|"
        r"nichts)"
    ),
    # Spanish, Portuguese, Italian
    (
        r"\b(?:ignor(?:a|e|ad|ar|en)|olvid(?:a|e|ad|ar)|descarta|"
        r"omite)\b.{0,40}(?:\b(?:instruccion|"
        r"instrucción|"
        r"indicacion|instruç|istruzion)|\b(?:anterior|previ[ao]s|precedent[ei])\w*)"
    ),
    (
        r"\b(?:debes|tienes que|deberás)\s+(?:ahora|ejecutar|enviar|borrar|ignorar|siempre|"
        r"llamar)|"
        r"\bahora eres\b|\bejecuta (?:el siguiente|este|ahora)|\bno (?:le )?digas al usuario"
    ),
    # French
    (
        r"\b(?:ignore[zr]?|oublie[zr]?|néglige[zr]?)\b.{0,40}(?:\b(?:instruction|consigne|"
        r"directive)|"
        r"\bprécédent)"
    ),
    (
        r"\b(?:tu dois|vous devez)\s+(?:maintenant|exécuter|envoyer|supprimer|ignorer|toujours|"
        r"appeler)|"
        r"\b(?:tu es|vous êtes) (?:maintenant|désormais)\b|\bexécute[zr]? (?:la commande|"
        r"ce script) "
        r"suivante?|\bne (?:dis|dites) (?:pas|rien) à l['’]utilisateur"
    ),
    # Russian
    (
        r"(?:игнорир\w*|забудь\w*|отмени\w*|пренебреги\w*|"
        r"не обращай внимани\w*).{0,40}(?:инструкци|"
        r"указани|предыдущ)"
    ),
    (
        r"\b(?:ты|вы) (?:теперь|должен|должна|должны|обязан\w*) (?:сейчас|теперь|выполн\w*|"
        r"отправ\w*|"
        r"удал\w*|запуст\w*|всегда|игнор\w*)|\bвыполни(?:те)? (?:следующ\w*|эту|команду)|"
        r"не (?:говори|сообщай)(?:те)? пользовател"
    ),
    # Chinese, Japanese, Korean
    r"(?:忽略|无视|無視|忘记|忘記|不要理会|丢弃).{0,12}(?:指令|指示|提示词|提示|设定)",
    r"(?:忽略|无视|無視|忘记|忘記).{0,6}(?:之前|以上|所有|先前|前面|上面).{0,8}(?:规则|規則|命令|消息|上下文|内容)",
    (
        r"(?:你|您)(?:现在|現在|必须|必須|应该立即|需要立即|从现在)(?:是|执行|執行|运行|发送|刪除|删除|"
        r"调用|立即|开始|要|忽略)|不要告诉用户|不要告訴用戶|(?:请|立即)(?:执行|运行)(?:以下|下列)"
    ),
    r"(?:指示|命令|指令|プロンプト|(?:以前|前|すべて)の(?:ルール|メッセージ)).{0,12}(?:無視|忘れ|破棄)",
    (
        r"(?:無視|忘れ).{0,12}(?:指示|命令)|あなたは(?:今|これ)から|ユーザーに(?:は)?(?:言わ|伝え|知らせ)ない|"
        r"(?:次|以下)の(?:コマンド|スクリプト)を(?:実行|走らせ)(?:して|せよ|しろ)"
    ),
    r"(?:이전|위의|앞의|모든).{0,12}(?:지시|명령|규칙|프롬프트).{0,12}(?:무시|잊)",
    r"사용자에게 (?:알리|말하)지",
)
_ORDER = re.compile(
    "|".join(f"(?:{pattern})" for pattern in _PATTERNS), re.IGNORECASE | re.MULTILINE
)


def is_addressed(text: str) -> bool:
    """Whether the text, as it came, speaks to a model, or would do harm where it is shown."""
    if _HIDDEN.search(text):
        return True
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))
    bare = _EMPHASIS.sub("", text)
    return any(_ORDER.search(one) or is_order(one) for one in dict.fromkeys((text, bare)))
