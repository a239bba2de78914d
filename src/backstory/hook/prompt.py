"""UserPromptSubmit: what memory holds that clearly bears on the prompt, if anything.

Most of what is typed between pieces of work bears on nothing; that is decided here, so that it
costs no question.
"""

import os

from backstory import paths
from backstory.hook import event

ASK_S = 0.3
HEAD, TAIL = 3_000, 1_000  # characters of a pasted text that are looked at
LONG = 4_000  # bytes of an event whose prompt cannot be had without parsing
SHORT = 48  # characters: what is longer is not a mere confirmation
OWN = ("/", "<", "!", "#")  # commands, notifications, shell lines, notes: not prompts
# What says no more than yes, no, go on, thanks, hello, in the languages that people write here.
EMPTY = frozenset(
    """
    a again ahead alright and as awesome bye carry cheers continue cool correct do done exactly fine
    first go good great hello hey hi hmm i it is just k keep lgtm looks me morning next nice nah no
    nope not now of ok okay on once one perfect please proceed ready resume retry right same second
    see so stop sure sounds thank thanks that the then there this third thx too try two understood
    wait well works y yeah yep yes you
    ja nein danke bitte weiter gut genau mach das so jetzt passt super prima hallo los stimmt klar
    sehr schön nochmal richtig in ordnung moment fertig machen
    sí si no gracias vale sigue adelante bien claro continúa continua perfecto hola oui non merci
    continuer vas-y d'accord parfait bonjour salut c'est bon sim não obrigado obrigada continue oi
    да нет спасибо хорошо продолжай дальше давай ок привет верно grazie sì va bene avanti ciao
    tak nie dzięki dalej evet hayır devam teşekkürler
    继续 好 好的 是 是的 不 不是 不用 可以 谢谢 行 对 对的 没问题 嗯 你好 开始
    开始吧 继续吧 可以的 好吧 同意
    繼續 謝謝 請繼續 请继续 はい いいえ お願いします おねがいします 続けて 続けてください
    続き ありがとう
    ありがとうございます 了解 了解です オーケー 大丈夫
    進めて 進めてください いいよ いいです こんにちは
    네 아니요 계속 계속해 계속해줘 좋아 좋아요 고마워 감사합니다 응 안녕 그래
    """.split()  # noqa: SIM905  words read better as words
)
_BETWEEN = str.maketrans(dict.fromkeys(".,;:!?…~-—()\"'`。，、！？；：👍🙏✅", " "))


def is_worth_asking(data: bytes, prompt: str) -> bool:
    """Whether the prompt may be about something, and the user wants to be told of it.

    prompt: its beginning, as far as it can be had without parsing; "" of a long one.
    """
    is_long = not prompt and len(data) > LONG
    if not is_long and (prompt.startswith(OWN) or not _says_something(prompt)):
        return False
    if not event.field(data, b"session_id") or event.is_incognito(data) or event.is_excluded(data):
        return False
    facts = event.read_small(paths.HOOK_FACTS)
    return bool(facts) and b'"prompt_recall": false' not in facts


def recall(data: bytes) -> None:
    """Asks the worker, and says what it says; starts one where there is none."""
    from backstory.hook import handlers, lean_json, wire

    if wire.is_quiet_time():
        return
    payload = handlers.object_of(data)
    prompt = str(payload.get("prompt", "")).strip()
    if prompt.startswith(OWN):
        return
    if len(prompt) > HEAD + TAIL:
        prompt = prompt[:HEAD] + "\n" + prompt[-TAIL:]
    question = {
        "session": str(payload.get("session_id", "")),
        "cwd": str(payload.get("cwd", "")),
        "project_dir": os.environ.get("CLAUDE_PROJECT_DIR", ""),
        "prompt": prompt,
    }
    body = lean_json.dumps(question).encode("utf-8", "replace")
    try:
        status, answered = wire.ask("POST", "/api/recall", body, ASK_S)
        found = handlers.object_of(answered) if status == 200 else {}
    except wire.Absent:
        handlers.spawn_worker(handlers.cwd_of(data))
        return
    except (wire.Unanswered, ValueError):
        return  # no answer is no reason to hold a prompt up
    if found.get("context"):
        said = {"hookEventName": "UserPromptSubmit", "additionalContext": found["context"]}
        handlers.say(lean_json.dumps({"hookSpecificOutput": said}))


def _says_something(prompt: str) -> bool:
    """Whether it is more than a confirmation, a greeting or a number."""
    if len(prompt) > SHORT or "\\" in prompt:
        return True
    words = prompt.lower().translate(_BETWEEN).split()
    return any(word not in EMPTY and not word.isdigit() for word in words)
