"""Web research and a subagent: which job queue, with a decision."""

# ruff: noqa: E501  recorded lines are as long as they were

from benchmarks.factsets.builder import Session


def session() -> Session:
    """Two turns."""
    s = Session("s1-web-queue", "/home/lena/code/mailroom")
    s.ask(
        "We need background jobs in mailroom (FastAPI, Postgres, ~20k jobs/day, no Redis in this environment). Research the options and recommend one. Nothing to implement yet."
    )
    s.web_search(
        "postgres backed job queue python asyncio no redis 2026",
        ("Procrastinate documentation", "https://procrastinate.readthedocs.io/"),
        ("PGQueuer", "https://pgqueuer.readthedocs.io/"),
        (
            "Celery brokers overview",
            "https://docs.celeryq.dev/en/stable/getting-started/backends-and-brokers/",
        ),
    )
    s.fetch(
        "https://procrastinate.readthedocs.io/en/stable/",
        "features, retries, periodic tasks, locks",
        """
Procrastinate is a distributed task processing library using PostgreSQL. It supports async natively, retries with strategies, periodic tasks via cron syntax, task locks (jobs with the same lock run one after another), and LISTEN/NOTIFY for latency. Requires PostgreSQL 13+.
""",
    )
    s.fetch(
        "https://docs.celeryq.dev/en/stable/getting-started/backends-and-brokers/",
        "can the broker be postgres",
        "Brokers: RabbitMQ, Redis and Amazon SQS are stable. SQLAlchemy as a broker was removed/experimental and is not recommended.",
    )
    with s.agent(
        "general-purpose",
        "Check queue usage in repo",
        "Look through /home/lena/code/mailroom and list everything that should become a background job, with the number of calls per day if you can tell.",
        """
Found three candidates for background jobs:

1. `mailroom/smtp.py:send_bulk` — sends synchronously inside the request, up to 40 s for large lists. About 300 calls/day.
2. `mailroom/bounces.py:parse_mailbox` — run by cron every 5 minutes; overlaps itself when the mailbox is large.
3. `mailroom/webhooks.py:deliver` — 19,000 calls/day, no retry at all: a failed delivery is lost.

The Postgres in docker-compose.yml is version 15.6.
""",
    ):
        s.bash(
            "grep -rn 'send_bulk\\|parse_mailbox\\|deliver(' mailroom | head",
            "mailroom/smtp.py:71:def send_bulk(recipients):\nmailroom/bounces.py:18:def parse_mailbox():\nmailroom/webhooks.py:33:def deliver(hook, payload):",
        )
        s.bash("grep -n image docker-compose.yml", "    image: postgres:15.6")
    s.done("""
## Recommendation: **Procrastinate**

| | Procrastinate | PGQueuer | Celery | arq |
|---|---|---|---|---|
| Postgres only | ✅ | ✅ | ❌ (RabbitMQ/Redis/SQS) | ❌ (Redis) |
| async | ✅ | ✅ | ❌ | ✅ |
| retries, cron, locks | ✅ | partly | ✅ | partly |
| maturity | 6+ years | young | very | ok |

Reasons:
- It needs nothing but the Postgres 15.6 we already run.
- Per-job **locks** solve the self-overlapping bounce parser.
- 20k jobs/day is far below what LISTEN/NOTIFY handles.

Celery is out because its only stable brokers are RabbitMQ, Redis and SQS.

First candidate to move: `webhooks.deliver` — today a failed delivery is simply lost.
""")
    s.fact(
        "which job queue did we choose for mailroom and why",
        "Procrastinate",
        "Postgres",
        where="message",
        kind="decision",
    )
    s.fact("which postgres version does mailroom run", "15.6", where="agent", kind="config")
    s.fact("why not celery", "Celery", "RabbitMQ|brokers", where="message", kind="rejected")
    s.fact("webhook deliveries lost", "webhooks", "lost|retry", where="agent", kind="gotcha")
    s.fact(
        "bounce mailbox parser overlaps itself cron",
        "parse_mailbox|bounces.py",
        "5 minutes|overlap",
        where="agent",
        kind="gotcha",
    )

    s.ask(
        "agreed, procrastinate it is. who does what when we start: webhooks first, smtp second. bounces can wait until Q3"
    )
    s.done("Agreed order: 1. `webhooks.deliver`, 2. `smtp.send_bulk`, 3. bounce parsing in Q3.")
    s.fact(
        "order of moving jobs to the queue",
        "webhooks",
        "bounce",
        "Q3",
        where="prompt",
        kind="decision",
    )
    return s.end()
