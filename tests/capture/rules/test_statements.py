"""What was said, taken apart: decisions, causes, next steps, rules of the user."""

from __future__ import annotations

import pytest

from backstory.capture.rules.sentences import sentences
from backstory.capture.rules.statements import closing, intent, reported, request, wishes


@pytest.mark.parametrize(
    "text",
    [
        "We decided to keep Redis.",
        "Let's go with SQLite because it needs no server.",
        "We'll use the outbox pattern for events.",
        "I chose a mutex over a channel here.",
        "决定:缓存保留 10 分钟。",
        "Решили оставить PostgreSQL для отчётов.",
        "Wir haben entschieden, bei Java 21 zu bleiben.",
        "On a décidé de garder MySQL pour les rapports.",
        "Decidimos usar colas de SQS para los correos.",
        "Decidimos manter o Redis para as sessões.",
        "キャッシュは Redis に置くことに決めました。",
        "캐시는 Redis로 결정했습니다 여기서는.",
    ],
)
def test_a_decision_is_known_in_nine_languages(text: str) -> None:
    """The words that close a question."""
    assert [said.sort for said in closing(text)] == ["decision"]


@pytest.mark.parametrize(
    "text",
    [
        "Next: move the cache to Redis.",
        "Still open: the migration of old rows.",
        "The retries are not yet covered by a test.",
        "接下来需要补充测试用例。",
        "Осталось добавить тест на импорт.",
        "Noch offen: die Doku für den Export.",
        "Falta añadir la prueba del exportador.",
        "次のステップは移行テストの追加です。",
    ],
)
def test_a_next_step_is_known(text: str) -> None:
    """What is left to do."""
    assert [said.sort for said in closing(text)] == ["next"]


@pytest.mark.parametrize(
    "text",
    [
        "The build runs on Next.js 14 with the app router.",
        "It fails because the next request reuses the socket.",
    ],
)
def test_next_is_not_always_a_next_step(text: str) -> None:
    """The word alone does not make one."""
    assert all(said.sort != "next" for said in closing(text))


def test_items_under_a_heading_take_its_meaning() -> None:
    """A list under "Next steps" holds next steps, under "Decisions" decisions."""
    message = (
        "## Decisions\n- Redis stays\n- no new queue here\n\n## Next steps\n1. write the docs page"
    )
    assert [said.sort for said in closing(message)] == ["decision", "decision", "next"]


@pytest.mark.parametrize(
    "text",
    ["Done!", "Let me know if you need more.", "Noted.", "All tests pass.", "Here is a summary:"],
)
def test_small_talk_is_left_out(text: str) -> None:
    """It says nothing about the project."""
    assert closing(text) == []


def test_sentences_end_where_they_should() -> None:
    """Versions, abbreviations, file names and CJK."""
    texts = [
        s.text
        for s in sentences("It needs v1.2.3, e.g. on arm. csv.writer ends rows. 用 3.11。好的。")
    ]
    assert texts == [
        "It needs v1.2.3, e.g. on arm.",
        "csv.writer ends rows.",
        "用 3.11。",
        "好的。",
    ]


def test_tables_lists_and_short_code_are_items() -> None:
    """What stands in them is kept with what it is about."""
    text = (
        "| Setting | Value |\n|---|---|\n| ttl | 30 s |\n\nLimits:\n- 10 MB a file\n\n"
        "Run it with:\n```\nmake up\n```\n"
    )
    found = [(s.section, s.text) for s in sentences(text)]
    assert found == [("", "ttl: 30 s"), ("Limits", "10 MB a file"), ("Run it with", "make up")]


@pytest.mark.parametrize(
    "text",
    [
        "Always use uv for installs.",
        "Do not use floats for money.",
        "Port 8443 is taken by the VPN.",
        "The API must stay backwards compatible.",
        "Don't touch the legacy folder.",
        "From now on commits start with the ticket.",
        "以后日志统一用 zap。",
        "Никогда не коммить в main напрямую.",
        "Bitte nur ASCII in den Logs.",
        "Les montants doivent rester en centimes.",
        "Los precios siempre van en céntimos.",
        "Os preços devem ficar em centavos.",
    ],
)
def test_a_rule_of_the_user_is_a_decision(text: str) -> None:
    """Preferences and constraints in prompts."""
    rules, _ = wishes(text)
    assert [rule.text for rule in rules] == [text]


@pytest.mark.parametrize(
    "text",
    ["Should we always use uv?", "The login test always fails on Mondays.", "Fix the bug.", "hi"],
)
def test_questions_and_complaints_are_no_rules(text: str) -> None:
    """Asking and reporting lays nothing down."""
    assert wishes(text)[0] == []


def test_how_things_are_is_a_fact() -> None:
    """What the prompt tells beside its request."""
    rules, facts = wishes("Add a health check. The staging database listens on port 5433.")
    assert rules == []
    assert facts == ["The staging database listens on port 5433."]


def test_the_reason_of_a_rule_stays_with_it() -> None:
    """A sentence that gives the reason belongs to the one before."""
    rules, _ = wishes("Never call the API in tests. It is billed because of the contract.")
    assert rules[0].why == "It is billed because of the contract."


@pytest.mark.parametrize(
    ("prompt", "what"),
    [
        ("Fix the crash when adding an item", "fix"),
        ("Add a retry so that it does not fail", "add"),
        ("Refactor the parser and fix the names", "reshape"),
        ("修复导出报错", "fix"),
        ("what is this", ""),
    ],
)
def test_the_first_verb_says_what_a_turn_is_for(prompt: str, what: str) -> None:
    """Fix, add or reshape."""
    assert intent(prompt, "") == what


def test_pasted_logs_are_not_the_request_but_their_error_is_kept() -> None:
    """A traceback in the prompt is evidence, not a wish."""
    log = "Traceback (most recent call last):\n  File \"a.py\", line 3\nKeyError: 'id'"
    prompt = f"What is this?\n\n{log}"
    assert reported(prompt) == "KeyError: 'id'"
    assert request(prompt, 200).startswith("What is this?")


@pytest.mark.parametrize(
    "prompt",
    [
        "find out why the pods restart. read only please, don't touch the cluster!",
        "leave it, that's Piotr's",
        "review this branch against main. only comments, don't edit",
        "p99 went from 40 to 300ms since we moved to the new cluster. profile it",
        "don't deploy yet",
        "先不要改代码,看看就行",
        "今回は変更しないで、原因だけ教えて",
        "nur anschauen, noch nicht ändern",
    ],
)
def test_a_limit_of_the_turn_is_no_rule(prompt: str) -> None:
    """What holds only now is told with the request."""
    assert wishes(prompt)[0] == []


@pytest.mark.parametrize(
    ("prompt", "rule"),
    [
        (
            "10 minutes, no restarts. thanks. note for the future: batch must go back to 5000",
            "batch must go back to 5000",
        ),
        ("looks good, and from now on put the ticket id in commits", "from now on put the ticket"),
        ("make it usable. no new UI framework, and use pnpm, not npm", "no new UI framework"),
        ("agreed, procrastinate it is. webhooks first", "procrastinate it is"),
        ("do it, but 30 days, legal wants 30. plan only", "legal wants 30"),
        ("option 2 but in terraform. we manage limits there", "in terraform; we manage limits"),
    ],
)
def test_a_rule_is_the_clause_that_lays_it_down(prompt: str, rule: str) -> None:
    """Not the whole prompt, and not without what it points back to."""
    rules, _ = wishes(prompt)
    assert len(rules) == 1
    assert rule in rules[0].text
    assert len(rules[0].text) < 60


@pytest.mark.parametrize(
    "text",
    [
        "I did not use the global setting: it applies to the whole deployment.",
        "I left deterministic algorithms off: it makes training slower.",
        "Why not a sequence: sequences leave gaps on rollback.",
        "Larger runners would have helped too, but they are billed.",
        "I tried mimalloc on top: 29.1 s, not worth a C dependency.",
        "I kept edition 2021 because the packagers pin Rust 1.84.",
        "Descarté poner NOT NULL en la misma migración.",
        "Материализованное представление я рассматривал, но отказался.",
        "没有用本地锁,因为线上有 6 个进程。",
        "許容時間を 60 秒にする案は見送りました。",
        "Die Lösung mit Kafka haben wir verworfen.",
    ],
)
def test_what_was_not_done_and_why_is_a_decision(text: str) -> None:
    """Nobody can read a rejected way in the code."""
    (said,) = closing(text)
    assert said.sort == "decision"
    assert not said.weighed


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Next: move the cache to Redis.", "Move the cache to Redis."),
        ("Todo: `load()` still reads the old file.", "`load()` still reads the old file."),
        ("Decision: money is kept in cents.", "Money is kept in cents."),
        ("决定:暂不更换连接池。", "暂不更换连接池。"),
        ("Entscheidung: Java 21 bleibt bis Herbst.", "Java 21 bleibt bis Herbst."),
        ("Решение: остаёмся на PostgreSQL 15.", "Остаёмся на PostgreSQL 15."),
    ],
)
def test_a_label_is_not_said_twice(text: str, told: str) -> None:
    """The kind of the row or the name of the field says it already."""
    assert [said.text for said in closing(text)] == [told]


@pytest.mark.parametrize(
    "text",
    [
        "The apply was denied, so you need to run it yourself: `terraform apply`.",
        "Left over: `docs/legacy.md:14` still mentions the old name.",
        "`systemctl restart chronyd` is needed on auth-03.",
        "Do you want me to fix the race separately?",
        "First candidate to move: `webhooks.deliver`.",
        "The backfill is not done yet.",
        "`systemctl restart chronyd` が必要です。",
        "还没有在生产环境验证。",
        "Вам нужно запустить миграцию вручную.",
        "Sie müssen den Dienst noch neu starten.",
        "Hay que ejecutar la migración en producción.",
        "Il faut encore redémarrer le service.",
    ],
)
def test_what_somebody_still_has_to_do_is_a_next_step(text: str) -> None:
    """However it is put."""
    assert [said.sort for said in closing(text)] == ["next"]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (
            "Agreed order: 1. `webhooks.send`, 2. `smtp.send`, 3. bounces in Q3. So be it.",
            2,
        ),
        ("Letzter Snapshot ist vom 5. Februar. Er ist z. B. im Tresor, d. h. sicher.", 2),
        ("Se hará con `CHECK ... NOT VALID` y `VALIDATE CONSTRAINT`. Después no.", 2),
        ("Siehe Nr. 7 und ca. 3 Zeilen usw. bis max. 5 Treffer. Ende.", 2),
        ("We set it to 5. The rest stays. The answer is no. We wait.", 4),
        ("leave it, that's Piotr's. From now on use tabs.", 2),
        ("I did *not* use it. Done with it.", 2),
    ],
)
def test_a_dot_does_not_always_end_a_sentence(text: str, count: int) -> None:
    """Enumerations, ordinals, abbreviations and code."""
    found = [part.text for part in sentences(text)]
    assert len(found) == count
    assert "*" not in "".join(found)
