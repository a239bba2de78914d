"""Python and SQL: a pipeline; terse answers; a turn that the API cut off."""

# ruff: noqa: E501  recorded lines are as long as they were

from benchmarks.factsets.builder import Session


def session() -> Session:
    """Four turns."""
    s = Session("s2-airflow-terse", "/opt/airflow/repo")
    s.ask(
        "dag daily_revenue failed tonight. logs: /opt/airflow/logs/daily_revenue/2026-02-11/load.log"
    )
    s.bash(
        "tail -40 /opt/airflow/logs/daily_revenue/2026-02-11/load.log",
        """
[2026-02-11, 03:04:12 UTC] {taskinstance.py:1956} INFO - Executing <Task(PythonOperator): load>
[2026-02-11, 03:04:13 UTC] {logging_mixin.py:188} INFO - reading s3://acme-raw/revenue/2026-02-10/part-0003.parquet
[2026-02-11, 03:04:19 UTC] {taskinstance.py:2698} ERROR - Task failed with exception
Traceback (most recent call last):
  File "/opt/airflow/repo/pipelines/load.py", line 66, in load
    df = df.astype(SCHEMA)
  File "/usr/lib/python3.11/site-packages/pandas/core/generic.py", line 6643, in astype
    new_data = self._mgr.astype(dtype=dtype, copy=copy, errors=errors)
ValueError: could not convert string to float: '1.204,50'
[2026-02-11, 03:04:19 UTC] {taskinstance.py:1206} INFO - Marking task as UP_FOR_RETRY
""",
    )
    s.bash(
        "python - <<'P'\nimport pandas as pd\nd = pd.read_parquet('s3://acme-raw/revenue/2026-02-10/part-0003.parquet')\nprint(d[d.amount.str.contains(',')].partner.value_counts())\nP",
        "partner\nNordlicht GmbH    1188\nName: count, dtype: int64",
    )
    s.edit(
        "pipelines/load.py",
        "    df = df.astype(SCHEMA)",
        '    german = df["partner"].isin(COMMA_DECIMAL_PARTNERS)\n    df.loc[german, "amount"] = df.loc[german, "amount"].str.replace(".", "").str.replace(",", ".")\n    df = df.astype(SCHEMA)',
        before='COMMA_DECIMAL_PARTNERS = {"Nordlicht GmbH"}\n\n\ndef load(df):\n',
        after="\n    return df\n",
    )
    s.bash(
        "airflow tasks test daily_revenue load 2026-02-10 2>&1 | tail -2",
        "[2026-02-11, 08:31:40 UTC] {logging_mixin.py:188} INFO - loaded 412,907 rows\n[2026-02-11, 08:31:41 UTC] {taskinstance.py:1138} INFO - Marking task as SUCCESS",
    )
    s.done(
        "Nordlicht sends German decimals since yesterday. Handled in load.py, rerun ok (412,907 rows)."
    )
    s.fact(
        "daily_revenue dag failure february",
        "Nordlicht",
        "decimal|1.204,50",
        where="message",
        kind="cause",
    )
    s.fact(
        "could not convert string to float load.py",
        "load.py",
        "1.204,50|could not convert",
        where="output",
        kind="cause",
    )

    s.ask("backfill 02-08 to 02-10 too. max 2 at a time, the warehouse is small")
    s.bash(
        "airflow dags backfill daily_revenue -s 2026-02-08 -e 2026-02-10 --max-active-runs 2 2>&1 | tail -3",
        "[2026-02-11 08:40:02] INFO - [backfill progress] | finished run 3 of 3 | tasks waiting: 0 | succeeded: 12 | running: 0 | failed: 0",
    )
    s.done("done, 12 tasks ok.")
    s.fact(
        "how many parallel backfills can the warehouse take",
        "2",
        "warehouse|max-active-runs",
        where="prompt",
        kind="limit",
    )

    s.ask("where does the DAG send alerts? nobody got one")
    s.bash(
        "grep -rn 'on_failure_callback\\|SLACK' dags/daily_revenue.py pipelines/alerts.py",
        """
dags/daily_revenue.py:18:    on_failure_callback=alerts.notify,
pipelines/alerts.py:7:CHANNEL = os.environ.get("ALERT_CHANNEL", "#data-oncall-old")
pipelines/alerts.py:9:    if context["ti"].try_number < 3:
""",
    )
    s.done(
        "`#data-oncall-old` (ALERT_CHANNEL isn't set), and only from the 3rd try on. That channel is archived."
    )
    s.fact(
        "after how many tries does the failure callback notify",
        "try_number < 3|3rd try",
        where="output",
        kind="limit",
    )
    s.fact(
        "alert channel of the revenue pipeline", "data-oncall-old", where="message", kind="config"
    )

    s.ask("set it to #data-oncall in the env file")
    s.bash(
        "echo 'ALERT_CHANNEL=#data-oncall' >> /opt/airflow/airflow.env && grep ALERT /opt/airflow/airflow.env",
        "ALERT_CHANNEL=#data-oncall",
    )
    return s.end("other")
