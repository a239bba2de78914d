"""Words that give a sentence away, in nine languages: a decision, a cause, a next step.

Adding a language is adding its words to these tables. Latin and Cyrillic words are matched from
the start of a word, scripts without spaces anywhere.
"""

from __future__ import annotations

import re


def _any(latin: str, wide: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W_])(?:{latin})|{wide}", re.IGNORECASE)


# Said by whoever closes a question: enough for a row of its own.
DECIDED = _any(
    r"decided|decision\b|we(?:'ll| will| are going to|'re going to) (?:use|go|keep|stick|move|stay|"
    r"drop|store|ship|run|put|call|have|not|only|always|never)|let'?s (?:use|go with|keep|stick|"
    r"not|"
    r"drop|stay|do|store|make)\b|going with\b|went with\b|we (?:chose|picked|"
    r"agreed|standardi[sz]e|settled)\b|i(?:'ve)? (?:chose|picked|opted|kept|settled|went)\b|"
    r"chose\b|"
    r"opted (?:for|to)|settled on|agreed (?:to|on|that)|in favou?r of|trade-?off|"
    r"реши(?:ли|л\b|ла\b|но)|решено|решение:|выбрали|договорились|оставляем|будем использовать|"
    r"entschieden|entscheidung|entschlossen|beschlossen|vereinbart|"
    r"(?:a|avons|ai|ont) décidé|décidé\b|décision|(?:a|avons|ai) choisi|convenu|"
    r"decidimos|decidido|decidí\b|decisión|usaremos|vamos a usar|elegimos|acordamos|optamos|"
    r"decidiu|decidi\b|decisão|vamos usar|escolhemos|combinamos",
    r"决定|決定|决策|选择了|选用|改用|采用|敲定|商定|決めた|決めまし|採用|ことにし|결정|하기로",
)
# Compares two ways: a decision when nothing else in the turn carries it.
WEIGHED = _any(
    r"instead of|rather than|over the alternative|вместо|а не |statt\b|anstatt|anstelle|au lieu d|"
    r"plutôt que|en lugar de|en vez de|em vez de|ao invés de",
    r"而不是|而非|代替|代わりに|ではなく|대신|말고",
)
# Said in a prompt: a rule that lasts beyond the turn.
LASTING = _any(
    r"we (?:always |only |never )?(?:use|keep|choose|pick|manage|ship|support)\b|wir (?:verwenden|"
    r"nutzen|nehmen|bleiben|behalten)|on (?:utilise|garde|part sur|reste)|always\b|"
    r"never\b(?! mind)|from now on|going forward|in (?:the )?future\b|for the future|must(?:n't| "
    r"not)?\b|may not\b|should (?:not|never|always)|shouldn't\b|has to (?:stay|be|remain|work|"
    r"keep)|"
    r"have to (?:stay|be|remain|support|keep)|(?:is|are) (?:forbidden|not allowed|required|taken|"
    r"reserved|mandatory|off[- ]limits|frozen|deprecated)|prefers?\b|remember(?: that)?\b|"
    r"keep in mind|(?:write|note) (?:this |that |it |these )?down|for the record|fyi\b|for later\b|"
    r"(?:not|don'?t) ever\b|only (?:happens?|on|during|after|between|when|allowed)\b|"
    r"(?:legal|compliance|security|finance|ops|management|the (?:customer|client|team|auditors?)) "
    r"(?:wants?|insists?|requires?|demands?)|"
    r"needs? to (?:stay|remain|keep|support)|"
    r"всегда|никогда|отныне|впредь|на будущее|должн[аоы]?\b|обязательно|предпочита|нельзя|"
    r"запрещено|"
    r"запомни|"
    r"immer\b|niemals\b|nie\b|ab jetzt|ab sofort|künftig|in zukunft|müssen\b|muss\b|darf nicht|"
    r"dürfen nicht|bevorzug|merk dir|verboten|"
    r"toujours|jamais|désormais|dorénavant|doit\b|doivent\b|préfér|interdit|retiens|"
    r"siempre|nunca|a partir de ahora|debe\b|deben\b|preferimos|prefiero|prohibido|recuerda|"
    r"sempre|a partir de agora|deve\b|devem\b|prefiro|proibido|lembre",
    r"不准|必须|务必|始终|总是|永远|以后|从现在起|今后|优先|禁止|统一用|约定|记住|只用|"
    r"必ず|常に|今後は|覚えて|优先使用|항상|절대|반드시|앞으로|금지|기억해",
)
# Said in a prompt about how to work: a rule, unless it is meant for this turn alone.
HOW = _any(
    r"(?:don'?t|do not) (?:use|add|introduce|break|rely|install|write|log|put|call|mock|bump|"
    r"upgrade|hard-?code|depend|import|store|disable|skip|swallow|send)|only use|please use|"
    r"use [\w@./+`-]+,? (?:not|instead of|rather than|over) |stick (?:to|with)|avoid\b|"
    r"no (?:new |more |extra |additional |third-party )*(?:\w+ )?(?:dependenc|mock|comment|emoji|"
    r"framework|librar|packages?\b)|keep .{1,30} (?:intact|as is|working|unchanged|in place|alive|"
    r"compatible)|keep (?:support|both|using|compat\w*)|"
    r"не использу|используй|nicht (?:verwenden|benutzen)|verwende\b|bitte nur|"
    r"n'utilise|no (?:usar|uses)|não (?:usar|use)",
    r"不要(?:用|使用|引入|加|依赖)|别用|请用|使わない|使わず|사용하지",
)
# The same about what to leave alone: a rule when it names a lasting thing.
HANDS_OFF = _any(
    r"(?:don'?t|do not) (?:touch|change|commit|push|edit|modify|remove|delete|rename|run|ship|"
    r"merge|"
    r"deploy|create)|leave .{1,40} (?:alone|as (?:it )?is|untouched)|не трога|не меня|не коммит|"
    r"nicht (?:ändern|anfassen|löschen)|ne (?:touche|modifie)|ne pas |no (?:toques|cambies)|"
    r"não (?:mexa|altere)",
    r"不要(?:改|动|碰|修改|提交|删)|别(?:改|动|碰)|触らない|変更しない|しないで",
)
LASTING_THING = _any(
    r"folders?\b|director(?:y|ies)|modules?\b|api\b|schema|interface|contract|generated|vendor|"
    r"legacy|lock ?files?|(?:to|on|into|in) (?:main|master|trunk|prod\w*)\b|migrations? (?:that|"
    r"which|once)|ordner|verzeichnis|папк|каталог|dossier|carpeta|pasta\b",
    r"目录|文件夹|接口|フォルダ|ディレクトリ|폴더",
)
# Only for this turn.
THIS_TURN = _any(
    r"(?:for |right |just )?now\b|yet\b|today\b|tonight\b|this (?:time|session|turn|once)\b|"
    r"read[- ]only\b|(?:plan|comments?|review|dry[- ]run) only|(?:only|just) (?:comments?|review|"
    r"look|read|tell|explain|show|plan|analy[sz]e|a plan|answer)|no edits?\b|without (?:editing|"
    r"changing)|don'?t edit\b|leave it\b|nothing (?:to|else)|"
    r"сейчас|пока (?:что )?не|только (?:посмотри|скажи|чтение)|"
    r"nur (?:lesen|anschauen|schauen|prüfen)|noch nicht|diesmal|erst ?mal|"
    r"pour l'instant|pas encore|lecture seule|juste (?:regarder|relire)|cette fois|"
    r"por ahora|todavía no|(?:solo|sólo) (?:revisa|mira|lee|lectura)|esta vez|por enquanto|ainda "
    r"não",
    r"只读|只看|先不|先别|暂时|这次|今回は|まだ|現時点|見るだけ|読むだけ|이번|지금은",
)
# A choice that the user makes in an answer.
SETTLED = _any(
    r"[\w.+#-]{3,} it is(?=[.!,;]|$| then)|agreed[,:]|i(?:'ll)? (?:take|choose|pick) option|"
    r"sounds good, (?:use|take|go)|nehmen wir|dann nehmen|va por|usemos",
    r"就用|那就|に決定|にしましょう",
)
# Said of a way that was weighed and not taken, or put off.
REJECTED = _any(
    r"(?:did not|didn't|decided not to|chose not to) (?:use|take|go|switch|enable|adopt|choose|"
    r"apply)"
    r"\b|left .{2,60} (?:off|out)\b|why not .{2,60}:|would(?: also)? have .{2,90}"
    r"\bbut\b|(?:tried|considered|looked at|thought about) .{2,70}(?:not worth|but\b|rejected|"
    r"discarded)|not worth\b|ruled out|rejected\b(?! by)|dismissed\b|discarded .{2,60} "
    r"(?:because|as\b|since)|"
    r"decided against|postponed|put off\b|deferred (?:to|until|the)|is out because|"
    r"kept .{2,60} (?:because|since|so that|until|as .{2,30} needs)|"
    r"отказал(?:ся|ись|ась)|отложил|отклонил|не стал[аи]?\b.{0,80}(?:потому|так как|:)|"
    r"verworfen|verzichtet|dagegen entschieden|zurückgestellt|verschoben auf|nicht gewählt|"
    r"écarté|renoncé|rejeté|reporté à|repoussé|"
    r"descart(?:é|amos|ado)|pospu|aplaz|rechac(?:é|hamos|hado)|no (?:usé|usamos) .{2,80}porque|"
    r"descartei|adiei|adiamos",
    r"没有(?:用|采用|使用|选).{0,40}因为|放弃了|不采用|否决|推迟|暂不|暂缓|見送り|見送る|却下|採用しな|不採用|"
    r"보류|채택하지|포기했",
)
RECOMMENDED = _any(
    r"i(?:'d| would)(?: \w+)? (?:wait|keep|stay|leave|go|use|pick|choose|avoid|take|recommend|"
    r"not)\b|"
    r"(?:my )?recommendation\b|i recommend|recommended:|я бы\b|рекоменду|ich würde|empfehl|"
    r"je (?:garderais|resterais|recommande)|yo (?:esperaría|usaría)|recomiendo|recomendo",
    r"建议|推荐|おすすめ|推奨|추천",
)
SHOULD_WE = re.compile(
    r"\b(?:should (?:we|i)|shall we|do we want|is it worth|which (?:one|option)|sollen wir|"
    r"sollten wir|"
    r"стоит ли|devrions|faut-il|deberíamos|conviene|devemos)\b|recommend|要不要|该不该|应该用|"
    r"べきで|べきか|할까",
    re.IGNORECASE,
)
# Claude takes in what the prompt laid down.
ACKNOWLEDGED = _any(
    r"(?:understood|noted|got it|will do|agreed|sure|okay?|i'?ll |i will )|понял|принято|учту|"
    r"verstanden|notiert|alles klar|compris|noté|entendido|anotado|de acuerdo",
    r"好的|明白|收到|记住了|已记|了解|承知|わかりました|알겠습니다",
)
# Words of rules that tell of faults as well, and how a sentence begins that lays down a rule.
HABIT = _any(
    r"always|never|immer|nie\b|toujours|jamais|siempre|nunca|sempre|всегда|никогда|must be",
    r"总是|始终",
)
ORDERS = re.compile(
    r"\W*(?:also |and |but |please )?(?:always|never|don'?t|do not|make sure|avoid|keep|only|"
    r"use|prefer|we |let'?s|"
    r"immer|nie|bitte|wir |toujours|ne |siempre|nunca|no |sempre|не |всегда|никогда)",
    re.IGNORECASE,
)
CAUSE = _any(
    r"because\b|due to|caused? by|causes?\b|reasons?\b|root cause|turn(?:ed|s) out|culprit|"
    r"stem(?:s|med) "
    r"from|which is why|that'?s why|so that|since (?:the|it|we|they|`)|thanks to|"
    r"потому|из-за|причин|вызван|оказал|так как|поскольку|weil\b|wegen\b|ursache|grund\b|"
    r"verursacht|"
    r"stellte sich heraus|liegt an|lag (?:an|daran)|parce qu|à cause|cause\b|raison|dû à|due à|"
    r"puisqu|"
    r"porque|debido|razón|motivo|resulta que|devido|razão",
    r"原因|因为|由于|导致|根因|是因為|因此|ため|せいで|なぜなら|ので|원인|때문|이유|탓",
)
BECAUSE = _any(
    r"because\b|since (?:the|it|we|they|our)\b|потому что|так как|поскольку|weil\b|parce qu|"
    r"puisqu|porque\b|já que|ya que",
    r"因为|因為|由于|なぜなら|からです|때문",
)
NEXT = _any(
    r"next(?= ?[:,—–-]| steps?\b| (?:i|we|you|up|would|should|is|comes)\b)|todos?\b|to-do|"
    r"remaining|remains\b|still (?:needs?|to|has|have|open|"
    r"missing|fail\w*|"
    r"left|pending|outstanding)|left to do|follow-?ups?\b|pending\b|not yet|open questions?|"
    r"blocked (?:by|on)|"
    r"outstanding|(?:should|could|can|must) (?:\w+ ){0,2}later|for later|afterwards we|"
    r"to (?:fix|solve|resolve) (?:it|this|that)\b|the fix would|left over|left for (?:you|later)|"
    r"(?:you|somebody|someone) (?:(?:still |will |only "
    r")*(?:need|have) "
    r"to|must)\b|(?:is|are) (?:still |also )?needed\b(?! because)|first candidate|not (?:done|"
    r"deployed|"
    r"applied|merged|tested|migrated) yet|up to you\b|waiting for (?:you|your|the)|ready for "
    r"(?:you|"
    r"your|review)|needs? (?:your|a decision|approval|manual)|would be the next|worth doing "
    r"(?:next|"
    r"later)|(?:do you want|shall i|should i|would you like|want) (?:me to )?(?!anything)\w|"
    r"нужно запустить|вам (?:нужно|надо)|необходимо ещё|требуется|sie müssen|du musst|muss noch|"
    r"müssen noch|ist noch nötig|sollte noch|soll ich|vous devez|il faut encore|il faudra|"
    r"souhaitez-vous|tiene[ns]? que|hay que\b|hace falta|quiere[ns]? que|"
    r"далее\b|дальше|следующ|осталось|остаётся|ещё (?:нужно|надо|не)|нужно (?:будет|ещё)|предстоит|"
    r"als nächstes|nächste[rns]?\b|noch (?:offen|zu |nicht|fehl|aus)|steht (?:noch )?aus|bleibt "
    r"(?:noch )?|"
    r"ausstehend|ensuite\b|prochain|reste (?:à|encore)|à faire|plus tard|pas encore|siguiente|"
    r"próxim|"
    r"pendiente|falta\b|queda\b|por hacer|todavía|a seguir|pendente|ainda (?:falta|não)|resta\b",
    r"需要你|需要手动|还没(?:有)?|需要我|要我|が必要|必要があり|まだです|未実施|未了|しますか|ましょうか|接下来|下一步|待办|剩余|还需|还要|尚未|稍后|后续|次に|"
    r"次は|次の|"
    r"残り|残って|未対応|다음|남은|추후|아직",
)
DONE = _any(
    r"add(?:ed|s)\b|fix(?:ed|es)\b|implement(?:ed|s)|created?\b|renam(?:ed|es)|remov(?:ed|es)|"
    r"mov(?:ed|es)|"
    r"updat(?:ed|es)|chang(?:ed|es)|replac(?:ed|es)|refactor|extract(?:ed|s)|bump(?:ed|s)|upgrad|"
    r"migrat|switched|wrote|set up|wired|rais(?:ed|es)|lower(?:ed|s)|now (?:uses|works|returns|"
    r"runs|waits)|(?:is|are) now \w+(?:ed|en)\b|"
    r"добав|исправ|удал|переимен|обнов|замен|перен|hinzugefügt|behoben|korrigiert|umbenannt|"
    r"entfernt|"
    r"ersetzt|aktualisiert|geändert|ajouté|corrigé|renommé|supprimé|remplacé|añad|correg|"
    r"renombr|elimin|"
    r"reemplaz|adicion|corrig|renome|remov|substitu",
    r"修复|修正|修好|添加|新增|增加|删除|移除|重命名|改成|改为|替换|升级|更新|実装|追加|削除|変更|置き換え|"
    r"추가|수정|삭제|변경|교체",
)
FIX = _any(
    r"fix(?:e[sd]|ing)?\b|bugs?\b|bugfix|broken\b|breaks?\b|crash|fail(?:s|ing|ed|ure)?\b|"
    r"errors?\b|wrong\b|"
    r"regression|hotfix|repair|resolve[sd]?\b|incorrect|flaky|does(?:n't| not) work|hang(?:s|"
    r"ing)?\b|leak|"
    r"исправ|почин|ошибк|баг|сбой|падает|не работает|fehler|behebe|behoben|kaputt|korrig|absturz|"
    r"corrige|bogue|erreur|panne|cassé|arregl|corrige|fallo\b|falla\b|erro\b|conserta|quebrad",
    r"修复|修正|修一下|修好|报错|错误|故障|崩溃|不工作|失败|バグ|修正|直し|エラー|不具合|버그|고쳐|오류|에러",
)
ADD = _any(
    r"adds?\b|implement|creat|build\b|introduc|support(?:s|ed)?\b|feature|write a|new\b|expose|"
    r"добав|реализ|созда|напиши|füge|hinzu|implementier|erstell|baue|ajout|implémente|crée|"
    r"añad|agreg|implementa|crea\b|adicion|crie\b|cria\b",
    r"添加|新增|增加|实现|支持|加一个|创建|写一个|追加|実装|作って|作成|추가|구현|만들",
)
RESHAPE = _any(
    r"refactor|renam|extract|restructur|clean ?up|simplif|reorgani[sz]|split\b|inline\b|dedup|"
    r"tidy|move\b|"
    r"рефактор|переимен|вынес|упрост|разбей|umbenenn|umbau|aufräum|vereinfach|auslager|extrahier|"
    r"renomm|simplifi|extrai|refactoriz|renombr|simplific|extrae|refator|renome",
    r"重构|重命名|改名|提取|拆分|简化|整理|リファクタ|名前を変|抽出|整理|리팩터|리팩토|이름.{0,3}변경|정리",
)
TRIVIAL = re.compile(
    r"\W*(?:hi|hey|hello|yo|thanks?(?: you)?(?: (?:so|very) much| a lot)?|thx|ty|ok(?:ay)?|k|"
    r"yes|yep|"
    r"yeah|no|nope|sure|great|nice|cool|perfect|good(?: job| morning)?|well done|go on|continue|"
    r"go ahead|"
    r"proceed|please continue|done|bye|test|ping|lgtm|привет|спасибо|да|нет|ок|хорошо|продолжай|"
    r"hallo|"
    r"danke|ja|nein|weiter|super|bonjour|salut|merci|oui|non|hola|gracias|sí|si|continúa|olá|oi|"
    r"obrigad[oa]|sim|não|你好|您好|谢谢|好的?|嗯|可以|继续|是的?|不用了?|こんにちは|ありがとう(?:ございます)?|"
    r"はい|いいえ|続けて|안녕(?:하세요)?|감사합니다|고마워|네|예|아니요|계속)\W*",
    re.IGNORECASE,
)
# A sentence that goes on about what the one before it named.
REFERS = re.compile(
    r"(?:it|its|this|that|they|their|these|those|he|she|there|so|also|both|er|es|sie|das|"
    r"dies\w*|это|он[ао]?|они|"
    r"cela|ça|il|elle|ils|esto|eso|ello|isso|isto|ele|ela)\b|[它这那其]|それ|これ|이것|그것",
    re.IGNORECASE,
)
CHATTER = re.compile(
    r"^\W*(?:let me know|(?:would you like|do you want)(?: me to| to)? (?:do |help |know |see )?"
    r"(?:with )?(?:anything|something|more)|happy to|i hope|hope this|"
    r"feel free|here'?s (?:a|the|what)(?: \w+){0,3}:?$|here (?:is|are)(?: \w+){0,4}:?$|sure\b|"
    r"great\b|perfect\b|"
    r"certainly|of course|"
    r"(?:i )?(?:found|identified|diagnosed) (?:and (?:fixed|resolved) )?(?:it|the (?:issue|bug|"
    r"problem))(?: and (?:fixed|resolved) it)?[.!:]?$|all done|done[.!]?$|fixed[.!]?$|i'?ll "
    r"(?:now |start|begin|take a look|"
    r"look)|let me (?:now |start|check|"
    r"look)|everything (?:works|passes|is)|you'?re welcome|glad to|no problem|(?:all|the)(?: "
    r"\d+)?(?: [\w-]+)? tests (?:now |still )?"
    r"pass(?:ed)?[.!]?$|готово[.!]?$|fertig[.!]?$|完成了?[。!！]?$|listo[.!]?$|pronto[.!]?$|"
    r"terminé[.!]?$|"
    r"如果.{0,12}(?:需要|问题).{0,12}(?:告诉|联系)|有问题.{0,6}告诉我|"
    r"дайте знать|sag(?:en sie)? (?:mir )?bescheid|"
    r"n'hésite|avísame|me avise|(?:i have not|i haven't|nothing (?:was|has been)|no files? "
    r"(?:was|were)) "
    r"(?:changed?|modified)(?: anything| any files?)?(?: yet)?[.!]?$|(?:noted|okay?|understood|"
    r"got it|will do|d'accord|entendido|certo|verstanden|"
    r"понял\w*|понятно|好的|收到|明白了?|了解(?:しました)?|わかりました|承知しました|네|알겠습니다)"
    r"(?:[\s,.!。!、,]+(?:noted|okay?|알겠습니다|понял\w*|明白了?))?[\s.!。!]*$)",
    re.IGNORECASE,
)
# A sentence in a prompt that tells how things are, not what to do.
STATES = _any(
    r"\w[^\n]{0,80}?(?:\bis|\bare|\bwas|\bwere|\bhas|\bhave|\buses?|\bruns?|\blistens?|\blives?|"
    r"\bneeds?|"
    r"\brequires?|\bexpects?|\breturns?|\bbelongs?|\bcosts?|\btakes?|\ballows?|\brejects?|"
    r"\bcannot|\bcan't|"
    r"\bmeans|\bends?|\bstarts?|\bexpires?|\bworks?|\bfails?|\bbreaks?|\bgoes|\bgets?|\blimits?|"
    r"\bsits|"
    r"\bowns?|\bwants?|\bhappens?|\bsigns?|\bagreed|\bsaid|\bcomes?|\barrives?|\bsends?|\bstores?|"
    r"\bcloses?|\bopens?|\bmoved|\bchanged|\bsyncs?|\brotates?|\bhandles?|\bcalls?|\bholds?|"
    r"\bkeeps?|\bowned|\bist\b|\bsind\b|\bhat\b|\bläuft|\bbraucht|\bheißt|\best\b|\bsont\b|"
    r"\butilise|"
    r"\bes\b|\bson\b|\bestá|\btiene|\busa\b|\bé\b|\bsão\b|\bfica)\b"
    r"|[^\n]{0,60}?(?:работает|находится|использует|лежит|стоит|требует|истекает|—|занят|слушает)",
    r".{0,30}?(?:是|在|有|用的|使用|需要|位于|运行|端口|は|です|ます|にある|있|입니다|이다)",
)
QUESTION = re.compile(
    r"[?？](?=[\W_]|$|[^\x00-\x7f])|^\W*(?:why|what|where|which|who|when|how|is|are|does|"
    r"do(?!\s+(?:it|that|this|not|so|both|option)\b)|did|"
    r"can|could|should|would|"
    r"почему|где|как|что|warum|wo|wie|was|welche|pourquoi|où|comment|por qué|dónde|cómo|por que|"
    r"onde|como)\b",
    re.IGNORECASE,
)
