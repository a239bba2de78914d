"""Russian: a slow report, an index, a plan in the output."""

# ruff: noqa: E501  recorded lines are as long as they were

from benchmarks.factsets.builder import Session


def session() -> Session:
    """Two turns."""
    s = Session("s1-ru-sql", "/home/ivan/code/crm")
    s.ask(
        "Отчёт по просроченным счетам открывается 40 секунд. Посмотри, почему так медленно, и ускорь. База локальная: порт 5433, crm_dev."
    )
    s.bash(
        "psql -p 5433 crm_dev -c \"EXPLAIN (ANALYZE, BUFFERS) SELECT * FROM invoices WHERE lower(status) = 'overdue' AND due_at < now() ORDER BY due_at\"",
        """
                                                             QUERY PLAN
------------------------------------------------------------------------------------------------------------------------------------
 Sort  (cost=412210.33..412912.10 rows=280708 width=212) (actual time=39822.114..39914.338 rows=281344 loops=1)
   Sort Key: due_at
   Sort Method: external merge  Disk: 61240kB
   ->  Seq Scan on invoices  (cost=0.00..331201.00 rows=280708 width=212) (actual time=0.044..38710.902 rows=281344 loops=1)
         Filter: ((lower(status) = 'overdue'::text) AND (due_at < now()))
         Rows Removed by Filter: 9120447
 Planning Time: 0.301 ms
 Execution Time: 39951.220 ms
""",
        "План запроса",
    )
    s.write(
        "db/migrations/0107_overdue_index.sql",
        """
CREATE INDEX CONCURRENTLY invoices_overdue_idx
    ON invoices (due_at) WHERE lower(status) = 'overdue';
""",
    )
    s.bash(
        "psql -p 5433 crm_dev -f db/migrations/0107_overdue_index.sql && psql -p 5433 crm_dev -c \"EXPLAIN ANALYZE SELECT * FROM invoices WHERE lower(status) = 'overdue' AND due_at < now() ORDER BY due_at\" | tail -4",
        """
CREATE INDEX
 Index Scan using invoices_overdue_idx on invoices  (cost=0.42..48112.20 rows=280708 width=212) (actual time=0.031..214.008 rows=281344 loops=1)
 Planning Time: 0.412 ms
 Execution Time: 231.774 ms
""",
    )
    s.done("""
Причина: условие `lower(status) = 'overdue'` не могло использовать обычный индекс по `status`, поэтому Postgres читал всю таблицу (9,1 млн строк) и сортировал на диске.

Решение — частичный индекс `invoices_overdue_idx` (миграция `0107_overdue_index.sql`). Время выполнения: **39,9 с → 0,23 с**.

Материализованное представление я рассматривал, но отказался: данные в отчёте должны быть свежими, а его пришлось бы обновлять по расписанию.
""")
    s.fact(
        "почему отчёт по просроченным счетам был медленным",
        "lower(status)",
        where="message",
        kind="cause",
    )
    s.fact(
        "какой индекс добавили для просроченных счетов",
        "invoices_overdue_idx",
        where="diff",
        kind="fix",
    )
    s.fact(
        "почему не материализованное представление",
        "представление",
        "свежи|расписани",
        where="message",
        kind="rejected",
    )
    s.fact(
        "overdue invoices query execution time after index",
        "231.774|0,23",
        where="output",
        kind="measured",
    )

    s.ask("А на проде как выкатывать? Там таблица под нагрузкой")
    s.done(
        "Индекс создаётся с `CONCURRENTLY`, поэтому запись не блокируется. Но такую миграцию нельзя запускать внутри транзакции: в Alembic нужен `autocommit_block()`. Закладывайте около 15 минут и проверьте потом, что индекс не остался `INVALID`."
    )
    s.fact("на каком порту локальная база crm", "5433", where="prompt", kind="port")
    s.fact("create index concurrently alembic", "autocommit_block", where="message", kind="gotcha")
    return s.end()
