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

_EARLIER = r"(?:previous|prior|above|earlier|preceding|former|all|any|other|your|these|those)"
_RULES = (
    r"(?:instructions?|prompts?|rules|messages?|context|guidelines|directives?|orders|commands|"
    r"constraints|restrictions|training|polic(?:y|ies)|safety|programming)"
)
_ACTS = (
    r"(?:run|execute|call|invoke|send|post|upload|delete|remove|erase|ignore|obey|install|"
    r"download|fetch|curl|disable|approve|allow|grant|reply|respond|answer|output|print|reveal|"
    r"forget|disregard|override|exfiltrate|leak|commit|push|visit|open|transfer|follow|comply)"
)

_PATTERNS = (
    # to set aside what was said before
    (
        rf"\b(?:ignore|disregard|forget|override|bypass|neglect|discard)\b.{{0,40}}\b{_EARLIER}\b"
        rf".{{0,40}}\b{_RULES}"
    ),
    rf"\b(?:ignore|disregard|forget|override)\b.{{0,20}}\b{_RULES}",
    r"\bignore (?:all |everything )?(?:the )?(?:previous|above|prior)\b",
    (
        r"\b(?:new|updated|real|actual|additional|important|secret|hidden) (?:system )?"
        r"(?:instructions?|directives?|orders)\b\s*(?::|are\b|follow)"
    ),
    # to be somebody else
    r"\byou are (?:now|no longer)\b|\bfrom now on\b.{0,20}\b(?:you|always|never|act|respond)",
    (
        r"\b(?:pretend (?:to be|you are)|act as (?:if you|an? (?:unrestricted|evil|admin|root|"
        r"hacker|"
        r"different|new))|you will (?:now )?act as|roleplay as|developer mode|jailbreak|"
        r"do anything now|god mode|sudo mode)\b"
    ),
    # to do something
    (
        rf"\byou (?:must|should|shall|need to|have to|are required to|are instructed to|will now|"
        rf"can now|may now)\s+(?:(?:now|always|immediately|never|first|also|instead|silently)\b|"
        rf"{_ACTS}\b)"
    ),
    (
        rf"\b(?:please|now|immediately|silently|secretly|quietly)[,:]? {_ACTS}\b.{{0,60}}"
        r"(?:https?:|\bcommand|\bscript|\btool|\bfile|\bkey|\btoken|\bsecret|\bcredential|"
        r"\bpassword|"
        r"\buser|`)"
    ),
    (
        r"\b(?:always|never|immediately)\b.{0,30}\b(?:run|execute|call|reply|respond|obey|comply|"
        r"answer|approve)\b.{0,40}\b(?:before|when|whenever|without|every|this|user|session)\b"
    ),
    (
        r"\b(?:call|use|invoke|trigger) the [\w`\"' .-]{1,40} (?:tool|function)\b.{0,20}"
        r"\b(?:with|to|now|and)\b"
    ),
    (
        r"\b(?:run|execute) (?:the following|this|these|that) (?:shell |bash )?(?:commands?|code|"
        r"script|payload)"
    ),
    (
        r"\b(?:without|before) (?:asking|telling|informing|notifying|consulting|alerting) "
        r"(?:the |any )?(?:user|human|developer|anyone)"
    ),
    (
        r"\b(?:do not|don't|never) (?:tell|inform|warn|mention|alert|notify|ask|show|reveal|let)\b"
        r".{0,30}\b(?:user|human|anyone|developer|operator)"
    ),
    r"--dangerously-skip-permissions|\bbypasspermissions\b|\bauto-?approve (?:all|every)",
    (
        r"\b(?:when|if|once|as soon as|whenever|after) you (?:read|see|process|summari[sz]e|load|"
        r"recall|finish)\b.{0,30}(?:this|,)"
    ),
    (
        r"\bin (?:all |any |every |the )?(?:future|next|later|subsequent) (?:sessions?|"
        r"conversations?|"
        r"chats?|turns?)\b.{0,40}\b(?:run|always|must|you|execute|call|ignore|use|send|add|include)"
    ),
    # to give something away
    (
        r"\b(?:reveal|print|show|repeat|output|display|leak|disclose|dump|tell me)\b.{0,30}"
        r"\b(?:system prompt|your (?:instructions|prompt|rules|memory)|hidden prompt|"
        r"initial prompt)"
    ),
    (
        r"\b(?:send|post|upload|exfiltrate|forward|transmit|leak|append|email|mail|copy)\b.{0,60}"
        r"\b(?:secrets?|credentials?|api[ _-]?keys?|tokens?|passwords?|environment|env(?:\b|_)|ssh|"
        r"cookies?|contents?|conversation|history|data|files?|\.env|id_rsa)\b.{0,60}"
        r"(?:\bto\b.{0,30}(?:https?:|@|\bserver|\bwebhook|\bendpoint|\battacker|\.\w{2,6}\b)|"
        r"https?:)"
    ),
    r"\b(?:exfiltrat|keylogg|reverse shell)\w*",
    # to whom
    (
        r"\b(?:dear|hey|hi|hello|attention|note (?:to|for)|message (?:to|for)|"
        r"instructions? (?:to|for)|"
        r"notice to)[,:]? (?:the |all |any )?(?:ai|a\.i\.|llms?|language models?|claude|"
        r"assistants?|"
        r"agents?|models?|chatgpt|gpt|copilot|coding agents?|bots?|readers? of this)\b"
    ),
    (
        r"\b(?:ai|llm|claude|assistant|agent|model|copilot)s?(?: agents?| assistants?| models?)?"
        r"(?: reading this)?[,:]? (?:you )?(?:must|should|shall|has to|have to|needs? to|please)\b"
        r".{0,30}\b(?:now|always|never|ignore|run|execute|call|send|delete|obey|immediately|"
        r"install|"
        r"fetch|reveal|treat|approve|follow|comply)\b"
    ),
    r"\bas an? (?:ai|language model|llm|assistant),? you\b",
    # the marks of roles and of calls
    (
        r"(?:^|[.!?\"'>\]][ \t]{0,4})[ \t]{0,4}(?:assistant|human|developer)\s*:[ \t]*"
        r"\S"
        r"|\b(?:assistant|human|system|developer)\s*:\s*(?:i|i'll|sure|ok|okay|yes|you|understood|"
        r"ignore|disregard|run|execute|override|delete|always|never|new)\b"
    ),
    (
        r"(?:^|[.!?\"'>\]][ \t]{0,4})[ \t]{0,4}(?:system|user)\s*:\s+(?!(?:an?\s)?(?:linux|"
        r"ubuntu|debian|fedora|mac|"
        r"darwin|windows|arch|alpine|x86|arm|freebsd|\d))"
    ),
    (
        r"\bsystem[ _-](?:prompt|message|override|instruction|notice|alert|update|reminder)s?\b"
        r"\s*(?:[:\]>}]|$|begin|start|end)"
    ),
    (
        r"</?\s*(?:\w+:)?(?:system|assistant|human|user|developer|instructions?|prompt|invoke|"
        r"parameter|function_?(?:calls?|results?)|tool_?(?:use|calls?|result|response)s?|"
        r"system-reminder|thinking|antml|important|command-\w+|task-notification|local-command\w*|"
        r"events-\w+|records-\w+|admin|override|secret)\b[^>\n]{0,200}>?"
    ),
    (
        r"<\|[\w ]{2,40}\|>|\[/?inst\]|<</?sys>>|\[/?(?:system|assistant|tool_calls?|user)\]|"
        r"^[ \t]{0,4}#{2,4}[ \t]*(?:system|instruction|assistant|human|response|new task)\b"
    ),
    (
        r"[\"']?(?:role[\"']?\s*[:=]\s*[\"']?(?:system|assistant|developer|tool)\b|"
        r"(?:tool_calls?|function_call|tool_use|tool_choice)[\"']?\s*[:=])"
    ),
    r"[\"']type[\"']\s*:\s*[\"'](?:tool_use|tool_result|function)[\"']",
    (
        r"\b(?:begin|end|start)(?:ning)?(?: of)?[ _-](?:new )?(?:system|prompt|instructions?|"
        r"injection|override)\b"
    ),
    # what does harm by being copied or shown
    (
        r"\b(?:curl|wget|iwr|invoke-webrequest)\b[^\n]{0,200}\|\s*(?:sudo\s+)?(?:\w*sh|python\d?|"
        r"perl|"
        r"ruby|node|iex)\b"
    ),
    r"\b(?:ba|z|da)?sh\s+(?:-c\s+)?[\"']?(?:<\(|\$\()\s*(?:curl|wget)\b",
    r"\beval\b[^\n]{0,20}\$\((?:curl|wget)|\bbase64 (?:-d|--decode|-D)\b[^\n]{0,40}\|\s*\w*sh\b",
    r"\brm\s+-(?:rf|fr|r\s+-f)\s+(?:--no-preserve-root\s+)?[\"']?(?:/|~|\$home|\*)(?:[\"'\s;*]|$)",
    r"!\[[^\]\n]{0,200}\]\s*\(\s*(?:https?:|//|data:|javascript:)",
    r"\[[^\]\n]{0,200}\]\s*\(\s*(?:javascript:|data:|vbscript:|https?://[^)\s]*[?&][\w.-]+=)",
    (
        r"<\s*(?:img|object|embed|link|svg|meta|form|audio|video|a|input|body)\b[^>\n]{0,200}"
        r"\b(?:src|href|data|action|on\w{3,12})\s*=|<\s*(?:script|iframe)\b"
    ),
    r"\bjavascript:|\bdata:text/html",
    # other languages
    (
        r"(?:ignorier\w*|vergiss|vergesst|missacht\w*|überschreib\w*|"
        r"übergeh\w*)\b.{0,40}\b(?:anweisung|"
        r"instruktion|regel|vorgabe|befehl|prompt|nachricht)"
    ),
    (
        r"\bdu (?:musst|sollst|bist) (?:jetzt|nun|ab sofort|immer)|\bführe? .{0,30}\b(?:befehl|"
        r"skript)"
        r".{0,20}\baus\b|\b(?:sag|verrate?|erzähle?)\b.{0,20}\bbenutzer.{0,10}\bnicht"
    ),
    (
        r"\b(?:ignor[ae]\w*|olvid[ae]\w*|descart[ae]\w*|omite)\b.{0,40}\b(?:instruccion|"
        r"instrucción|"
        r"regla|mensaje|orden|indicacion|instruç|regra|istruzion)"
    ),
    (
        r"\b(?:debes|tienes que|deberás)\s+(?:ahora|ejecutar|enviar|borrar|ignorar|siempre|llamar)|"
        r"\bahora eres\b|\bejecuta (?:el siguiente|este|ahora)|\bno (?:le )?digas al usuario"
    ),
    (
        r"\b(?:ignore[zr]?|oublie[zr]?|néglige[zr]?|méprise[zr]?)\b.{0,40}\b(?:instruction|"
        r"consigne|"
        r"règle|message|directive|ordre)"
    ),
    (
        r"\b(?:tu dois|vous devez)\s+(?:maintenant|exécuter|envoyer|supprimer|ignorer|toujours|"
        r"appeler)|\b(?:tu es|vous êtes) (?:maintenant|désormais)\b|\bexécute[zr]? (?:la commande|"
        r"cette|ce script)|\bne (?:dis|dites) (?:pas|rien) à l['’]utilisateur"
    ),
    (
        r"(?:игнорир\w*|забудь\w*|отмени\w*|пренебреги\w*|"
        r"не обращай внимани\w*).{0,40}(?:инструкци|"
        r"указани|правил|сообщени|команд|контекст|предыдущ)"
    ),
    (
        r"(?:ты|вы) (?:теперь|должен|должны|обязан\w*) (?:сейчас|теперь|выполн\w*|отправ\w*|"
        r"удал\w*|"
        r"запуст\w*|всегда|игнор\w*)|выполни\w* (?:следующ\w*|эту|команду)|не (?:говори|"
        r"сообщай)\w* "
        r"пользовател"
    ),
    (
        r"(?:忽略|无视|無視|忘记|忘記|不要理会|覆盖|丢弃).{0,12}(?:指令|指示|提示|规则|規則|命令|消息|"
        r"上下文|要求|设定)"
    ),
    (
        r"(?:你|您)(?:现在|現在|必须|必須|应该立即|需要立即|从现在)(?:是|执行|執行|运行|发送|刪除|删除|"
        r"调用|立即|开始|要|忽略)|不要告诉用户|不要告訴用戶|(?:执行|运行)(?:以下|下列|这个|该)(?:命令|"
        r"脚本|代码)"
    ),
    r"(?:指示|命令|指令|ルール|プロンプト|メッセージ|設定).{0,12}(?:無視|忘れ|破棄|上書き)",
    (
        r"(?:無視|忘れ).{0,12}(?:指示|命令|ルール)|あなたは(?:今|これ)から|ユーザーに(?:は)?"
        r"(?:言わ|伝え|知らせ)ない|(?:次|以下)の(?:コマンド|スクリプト)を(?:実行|走らせ)"
    ),
    (
        r"(?:이전|위|앞|모든).{0,12}(?:지시|명령|규칙|프롬프트).{0,12}(?:무시|잊)|"
        r"사용자에게 (?:알리|말하)지"
    ),
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
