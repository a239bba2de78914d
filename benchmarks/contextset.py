"""The words of the stores of benchmarks/context.py: what is routine, and what matters."""

from __future__ import annotations

from dataclasses import dataclass

WORDS = tuple(
    """
    cart total order invoice parser token cache queue worker signup login session export import
    report filter rounding currency address webhook retry backoff schema index cursor page batch
    upload avatar search ranking mailer template locale metrics health config router handler
    """.split()  # noqa: SIM905  read better as words
)


@dataclass(frozen=True)
class Routine:
    """A kind of record of every day. weight: how common it is."""

    weight: int
    type: str
    importance: int
    titles: tuple[str, ...]
    concepts: list[str]
    evidence: str = "stated"
    files: int = 1
    mode: str = "modified"
    agent_type: str = ""
    tainted: bool = False


NOISE = (
    Routine(
        26,
        "discovery",
        0,
        ("Read {a}.py, {b}.py, {A}.py in src/{a}", "Read {file}, {file}", "{a}: {file}, {file}"),
        ["how-it-works"],
        files=3,
        mode="read",
    ),
    Routine(
        24,
        "change",
        2,
        (
            "{A}.{a} in {file}: {n} → {n}",
            "Changed {a} and {b} in {file}",
            "{file}: {a} takes {b}",
        ),
        ["what-changed"],
        "verified",
    ),
    Routine(
        9,
        "feature",
        2,
        ("Added {a}_{b} to {file}", "New {A}{a} in {file}: handles {b}"),
        ["what-changed"],
        "verified",
    ),
    Routine(
        6,
        "refactor",
        2,
        ("Renamed {a} to {b} in {file}", "Moved {a} out of {file}"),
        [],
        "verified",
    ),
    Routine(
        7,
        "bugfix",
        3,
        (
            "Fixed test_{a}_{b} (assert {n} == {n}) in {a}, {file}",
            "Fixed KeyError: '{a}': changed {file}",
            "Fixed ModuleNotFoundError: {a}: Installed {a}-{b} {n}.{n}",
        ),
        ["problem-solution", "what-changed"],
        "verified",
    ),
    Routine(
        7,
        "discovery",
        1,
        ("pytest passes: {n} passed", "ruff passes: {n} files"),
        [],
        "verified",
        0,
    ),
    Routine(
        8,
        "change",
        2,
        ("Commit {hash}: {a} handles {b}", "Commit {hash}: tidy {a}"),
        ["what-changed"],
        "verified",
    ),
    Routine(3, "change", 2, ("Installed {a}-{b} {n}.{n}.{n}",), ["what-changed"], files=0),
    Routine(
        4,
        "discovery",
        0,
        ("Subagent Explore read {file}, {file}",),
        ["how-it-works"],
        files=2,
        mode="read",
        agent_type="Explore",
    ),
    Routine(
        3,
        "discovery",
        1,
        ("{A}.{a} is called from {file} and {file}",),
        ["how-it-works"],
        mode="read",
        agent_type="general-purpose",
    ),
    Routine(
        3,
        "decision",
        2,
        ("The page says to use {a} {n} rather than {b}",),
        ["trade-off"],
        files=0,
        tainted=True,
    ),
)

MATTERING = {
    "en": {
        "decision": [
            "Money is kept in integer cents; {a} never sees a float",
            "We use PostgreSQL advisory locks for {a}, not Redis, as {b} must survive a restart",
            "No new dependency for {a} without asking first",
            "Tests of {a} run against the real {b}, mocks are not wanted",
            "Tabs, not spaces, in everything under src/{a}",
            "API errors are RFC 7807 problem documents",
        ],
        "gotcha": [
            "{a} must be called before {b}, or the {b} is written twice",
            "make test fails when {A}_URL is unset; the error names {b} instead",
            "The {a} table has two rows per {b} during the nightly run",
            "Node 22 needs --experimental-{a} for the {b} tests",
            "{file} is generated: edit the template in tools/{b} instead",
        ],
        "open error": [
            "pytest fails: test_{a}_{b} (assert {n} == {n})",
            "`npm run build` fails: Cannot find module './{a}'",
            "mypy fails: {file}: Argument 1 to {a} has incompatible type",
        ],
        "unfinished": [
            "Migration of {a} to {b} is half-done: the {b} writers still use the old table",
            "{A} endpoint not yet wired to {b}; handler left empty",
            "Refactoring of {file} paused: {a} still to be moved to {b}",
        ],
        "security": [
            "{a} logs the session token in plain text",
            "The {a} endpoint accepts any {b} id without a check of its owner",
        ],
        "by hand": [
            "Deploys go through the {a} pipeline only on Tuesdays",
            "Ask Maria before touching {file}",
            "Staging is reset every night at 02:00 UTC",
        ],
        "branch file": [
            "{a} rounds half to even before it calls {b}",
            "Split {a} into {a}_base and {a}_{b}",
            "{A} caches {b} for {n} s",
            "Replaced the regular expression in {a} by a table",
        ],
    },
    "zh": {
        "decision": [
            "金额一律用整数分保存,{a} 不得使用浮点数",
            "{a} 的锁用 PostgreSQL advisory lock,不用 Redis",
            "未经询问不得为 {a} 增加新依赖",
            "接口错误统一返回 RFC 7807 文档",
        ],
        "gotcha": [
            "必须先调用 {a} 再调用 {b},否则会写入两次",
            "没有设置 {A}_URL 时 make test 会失败,报错却指向 {b}",
            "{file} 是生成的文件,应修改 tools/{b} 下的模板",
        ],
        "open error": [
            "pytest fails: test_{a}_{b} (断言 {n} == {n})",
            "`npm run build` fails: 找不到模块 ./{a}",
        ],
        "unfinished": ["{a} 到 {b} 的迁移未完成:写入端仍用旧表", "{A} 接口尚未接入 {b},待办"],
        "security": ["{a} 把会话令牌明文写入日志", "{a} 接口不检查 {b} 的所有者"],
        "by hand": ["只在星期二通过 {a} 流水线部署", "改 {file} 之前先问李雷"],
        "branch file": [
            "{a} 在调用 {b} 之前做银行家舍入",
            "把 {a} 拆成 {a}_base 和 {a}_{b}",
            "{A} 缓存 {b} {n} 秒",
        ],
    },
    "ja": {
        "decision": [
            "金額は整数のセントで持つ。{a} では浮動小数点を使わない",
            "{a} のロックは Redis ではなく PostgreSQL の advisory lock を使う",
            "{a} に新しい依存を足すときは必ず確認する",
        ],
        "gotcha": [
            "{b} の前に {a} を呼ばないと二重に書き込まれる",
            "{A}_URL が未設定だと make test が失敗し、エラーは {b} を指す",
            "{file} は生成物なので tools/{b} のテンプレートを直す",
        ],
        "open error": [
            "pytest fails: test_{a}_{b} (assert {n} == {n})",
            "`cargo test` fails: {a} が見つからない",
        ],
        "unfinished": [
            "{a} から {b} への移行は未完了:書き込み側は旧テーブルのまま",
            "{A} の {b} 対応は途中で止まっている、未対応",
        ],
        "security": [
            "{a} がセッショントークンを平文でログに出す",
            "{a} は {b} の所有者を確認しない",
        ],
        "by hand": ["デプロイは火曜日だけ", "{file} を触る前に田中さんに聞く"],
        "branch file": [
            "{a} は {b} を呼ぶ前に偶数丸めをする",
            "{A} は {b} を {n} 秒キャッシュする",
        ],
    },
    "de": {
        "decision": [
            "Geldbeträge sind ganze Cent; {a} rechnet nie mit Gleitkomma",
            "Für {a} nehmen wir PostgreSQL-Sperren statt Redis, weil {b} Neustarts überleben muss",
            "Keine neue Abhängigkeit für {a} ohne Rückfrage",
            "Tests von {a} laufen gegen das echte {b}",
        ],
        "gotcha": [
            "{a} muss vor {b} laufen, sonst wird doppelt geschrieben",
            "Ohne {A}_URL scheitert make test, gemeldet wird aber {b}",
            "{file} wird erzeugt: die Vorlage in tools/{b} ändern",
        ],
        "open error": [
            "pytest fails: test_{a}_{b} (assert {n} == {n})",
            "`mvn test` fails: {A}Test.{b} erwartet {n}",
        ],
        "unfinished": [
            "Umstellung von {a} auf {b} ist noch offen: die Schreiber nutzen die alte Tabelle",
            "Umbau von {file} unterbrochen, {a} todo",
        ],
        "security": [
            "{a} schreibt das Sitzungstoken ins Log",
            "{a} prüft den Besitzer von {b} nicht",
        ],
        "by hand": ["Ausgeliefert wird nur dienstags", "Vor Änderungen an {file} Maria fragen"],
        "branch file": [
            "{a} rundet kaufmännisch, bevor {b} läuft",
            "{A} hält {b} {n} s im Speicher",
        ],
    },
    "ru": {
        "decision": [
            "Деньги храним в целых копейках, {a} не использует float",
            "Для {a} берём блокировки PostgreSQL, а не Redis",
            "Новые зависимости в {a} только после вопроса",
        ],
        "gotcha": [
            "{a} нужно вызвать до {b}, иначе запись удваивается",
            "Без {A}_URL make test падает, а ошибка указывает на {b}",
            "{file} генерируется: править шаблон в tools/{b}",
        ],
        "open error": [
            "pytest fails: test_{a}_{b} (assert {n} == {n})",
            "`go test` fails: {a}: ожидалось {n}",
        ],
        "unfinished": [
            "Перенос {a} в {b} не закончен: запись идёт в старую таблицу",
            "Обработчик {A} незавершён",
        ],
        "security": ["{a} пишет токен сессии в лог", "{a} не проверяет владельца {b}"],
        "by hand": ["Выкладываем только по вторникам", "Перед правкой {file} спросить Марию"],
        "branch file": ["{a} округляет до чётного перед {b}", "{A} кеширует {b} на {n} с"],
    },
    "es": {
        "decision": [
            "El dinero se guarda en céntimos enteros; {a} no usa coma flotante",
            "Para {a} usamos bloqueos de PostgreSQL y no Redis",
            "Ninguna dependencia nueva en {a} sin preguntar",
        ],
        "gotcha": [
            "Hay que llamar a {a} antes que a {b}, o se escribe dos veces",
            "Sin {A}_URL falla make test y el error señala a {b}",
            "{file} se genera: hay que cambiar la plantilla de tools/{b}",
        ],
        "open error": [
            "pytest fails: test_{a}_{b} (assert {n} == {n})",
            "`npm test` fails: {a} no definido",
        ],
        "unfinished": [
            "Migración de {a} a {b} pendiente: se escribe aún en la tabla vieja",
            "{A} bloqueado: todo lo de {b} sigue en espera",
        ],
        "security": [
            "{a} escribe el token de sesión en el registro",
            "{a} no comprueba el dueño de {b}",
        ],
        "by hand": ["Solo se despliega los martes", "Preguntar a María antes de tocar {file}"],
        "branch file": [
            "{a} redondea al par antes de llamar a {b}",
            "{A} guarda {b} {n} s en caché",
        ],
    },
}

NEXT_STEPS = {
    "en": [
        "Wire the signup handler to the queue, then delete the old mailer.",
        "Add the index to orders.",
    ],
    "zh": ["把注册处理接到队列上,然后删除旧的邮件模块。"],
    "ja": ["登録処理をキューにつなぎ、古いメーラーを削除する。"],
    "de": ["Den Anmelde-Handler an die Warteschlange hängen, dann den alten Mailer löschen."],
    "ru": ["Подключить обработчик регистрации к очереди, затем удалить старый модуль писем."],
    "es": ["Conectar el registro a la cola y después borrar el correo antiguo."],
}
