"""Sessions in Chinese, Russian, German and Japanese."""

# ruff: noqa: E501  outputs and messages stand as they came, in one line

from __future__ import annotations

from tests.capture.rules.sessions.planted import Told, ask
from tests.support.turns import Session


def chinese() -> Told:
    """Chinese: a memory leak, a decision, a rule."""
    s = Session(root="/home/wang/mall")
    s.prompt(
        "订单服务内存一直涨,三天就要重启一次,帮我查原因。以后日志统一用 zap,不要用 fmt.Println。"
    )
    s.bash(
        "rg -n 'time.NewTicker' internal",
        "internal/order/watch.go:18:\tticker := time.NewTicker(time.Second)",
    )
    s.files["internal/order/watch.go"] = (
        'package order\n\nimport "time"\n\nfunc Watch(id string) {\n\tticker := time.NewTicker(time.Second)\n\tfor range ticker.C {\n\t\tif done(id) {\n\t\t\treturn\n\t\t}\n\t}\n}\n'
    )
    s.read("internal/order/watch.go")
    s.edit(
        "internal/order/watch.go",
        "\tticker := time.NewTicker(time.Second)\n",
        "\tticker := time.NewTicker(time.Second)\n\tdefer ticker.Stop()\n",
    )
    s.bash("go test ./internal/order/...", "ok  \tmall/internal/order\t0.221s")
    s.bash(
        "git commit -qam '修复订单监听的定时器泄漏' && git log --oneline -1",
        "3fa91bc 修复订单监听的定时器泄漏",
    )
    first = s.done(
        "原因:每个订单创建的 Ticker 没有调用 Stop,导致 goroutine 和定时器泄漏,每天大约增加 400 MB。已在 Watch 中加上 defer ticker.Stop(),测试通过并已提交。接下来需要在预发环境观察 48 小时。"
    )
    s.prompt("库存扣减用哪种锁?")
    second = s.done(
        "决定:库存扣减采用 Redis 分布式锁,而不是数据库行锁,因为大促时行锁等待超过 3 秒。锁的超时时间设为 5 秒。"
    )
    return Told(
        "chinese",
        (first, second),
        (
            ask("内存泄漏 原因", "ticker"),
            ask("日志 zap", "zap"),
            ask("库存 锁 Redis", "Redis"),
            ask("48 小时", "48"),
            ask("定时器泄漏 3fa91bc", "3fa91bc"),
        ),
    )


def russian() -> Told:
    """Russian: an encoding fault in an import, a decision on a queue."""
    s = Session(root="/home/oleg/import")
    s.prompt(
        "Импорт прайсов от поставщика «Север» падает с UnicodeDecodeError. Исправь. Файлы всегда приходят в cp1251."
    )
    s.fail(
        "python -m importer data/sever.csv",
        "Traceback (most recent call last):\n  File \"/home/oleg/import/importer/reader.py\", line 7, in rows\n    for row in csv.reader(open(path)):\nUnicodeDecodeError: 'utf-8' codec can't decode byte 0xcf in position 0: invalid continuation byte",
    )
    s.files["importer/reader.py"] = (
        "import csv\n\n\ndef rows(path):\n    for row in csv.reader(open(path)):\n        yield row\n"
    )
    s.read("importer/reader.py")
    s.edit("importer/reader.py", "open(path)", 'open(path, encoding="cp1251", newline="")')
    s.bash("python -m importer data/sever.csv", "импортировано строк: 18244")
    first = s.done(
        "Импорт работает: загружено 18244 строки. Причина — файл в кодировке cp1251, а читали его как UTF-8. Решили не угадывать кодировку автоматически, потому что chardet ошибался на коротких файлах. Осталось добавить тест с файлом поставщика."
    )
    return Told(
        "russian",
        (first,),
        (
            ask("кодировка прайсов поставщика Север", "cp1251"),
            ask("сколько строк импортировано", "18244"),
            ask("почему не chardet", "chardet"),
            ask("UnicodeDecodeError импорт", "UnicodeDecodeError"),
            ask("что осталось сделать в импорте тест поставщика", "тест"),
        ),
    )


def german() -> Told:
    """German: a rule for the work, a fault in VAT, a decision."""
    s = Session(root="/home/jana/rechnung")
    s.prompt(
        "Die Mehrwertsteuer ist bei Gutschriften falsch. Bitte beheben. Beträge müssen immer als Cent in BIGINT gespeichert werden."
    )
    s.files["src/tax.ts"] = (
        "export const VAT_RATE = 0.16\n\nexport function vat(cents: number): number {\n  return Math.floor(cents * VAT_RATE)\n}\n"
    )
    s.read("src/tax.ts")
    s.fail(
        "npx jest src/tax.test.ts",
        "FAIL src/tax.test.ts\n  ✕ Gutschrift rundet kaufmännisch (4 ms)\n\n  ● Gutschrift rundet kaufmännisch\n\n    expect(received).toBe(expected) // Object.is equality\n\n    Expected: -190\n    Received: -160\n\n      at Object.<anonymous> (src/tax.test.ts:9:23)\n\nTests:       1 failed, 5 passed, 6 total",
    )
    s.edit("src/tax.ts", "VAT_RATE = 0.16", "VAT_RATE = 0.19")
    s.edit(
        "src/tax.ts",
        "Math.floor(cents * VAT_RATE)",
        "Math.sign(cents) * Math.round(Math.abs(cents) * VAT_RATE)",
    )
    s.bash("npx jest src/tax.test.ts", "PASS src/tax.test.ts\nTests:       6 passed, 6 total")
    first = s.done(
        "Behoben. Ursache: der Satz stand noch auf 16 Prozent aus der Corona-Zeit, und Math.floor rundet negative Beträge in die falsche Richtung. Wir haben entschieden, kaufmännisch zu runden, weil das Finanzamt es so prüft. Noch offen: die Gutschriften von Januar bis März müssen neu berechnet werden."
    )
    return Told(
        "german",
        (first,),
        (
            ask("Mehrwertsteuersatz geändert", "0.19"),
            ask("warum war die Steuer bei Gutschriften falsch", "Math.floor"),
            ask("wie werden Beträge gespeichert", "BIGINT"),
            ask("welche Gutschriften neu berechnet", "Januar"),
            ask("kaufmännisch runden Finanzamt", "Finanzamt"),
        ),
    )


def japanese() -> Told:
    """Japanese: a setting found, a decision."""
    s = Session(root="/home/sato/kanri")
    s.prompt("メール送信がタイムアウトする原因を調べて。")
    s.read(
        "config/mail.yml",
        "production:\n  smtp_host: smtp.example.jp\n  smtp_port: 2525\n  timeout: 3\n  pool: 5\n",
    )
    s.read(
        "lib/mailer.rb",
        "class Mailer\n  def deliver(to)\n    Net::SMTP.start(host, port)\n  end\nend\n",
    )
    first = s.done(
        "config/mail.yml の timeout が 3 秒で、SMTP サーバー(ポート 2525)の応答に平均 4.2 秒かかるためです。timeout を 10 秒に上げることを決定しましたが、まだ変更していません。"
    )
    return Told(
        "japanese",
        (first,),
        (
            ask("timeout 2525", "2525"),
            ask("smtp timeout 10", "10"),
            ask("config/mail.yml", "config/mail.yml"),
        ),
    )
