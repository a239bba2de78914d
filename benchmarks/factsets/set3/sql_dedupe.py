"""SQL: duplicates that an import left behind."""

# ruff: noqa: E501  recorded lines are as long as they were

from benchmarks.factsets.builder import Session


def session() -> Session:
    """Two turns."""
    s = Session("s3-sql-dedupe", "/home/nina/dwh")
    s.ask(
        "customer counts in the dwh are ~3% higher than in the CRM. find the duplicates and why they exist"
    )
    s.bash(
        'psql dwh -c "select count(*), count(distinct crm_id), count(distinct lower(trim(email))) from dim_customer where valid_to is null"',
        "  count  | count  | count\n---------+--------+--------\n 1038221 | 1007919 | 1004411\n(1 row)",
    )
    s.bash(
        'psql dwh -c "select source, min(loaded_at), max(loaded_at), count(*) from dim_customer d where valid_to is null and exists (select 1 from dim_customer e where e.crm_id = d.crm_id and e.sk < d.sk and e.valid_to is null) group by 1"',
        "    source     |        min          |         max         | count\n---------------+---------------------+---------------------+-------\n crm_snapshot  | 2025-12-07 04:00:11 | 2025-12-07 04:11:40 | 30302\n(1 row)",
    )
    s.read(
        "etl/scd2.sql",
        """
UPDATE dim_customer d SET valid_to = s.as_of
FROM stage_customer s
WHERE d.crm_id = s.crm_id AND d.valid_to IS NULL AND d.row_hash <> s.row_hash;

INSERT INTO dim_customer (crm_id, email, row_hash, valid_from, source)
SELECT crm_id, email, row_hash, as_of, 'crm_snapshot' FROM stage_customer s
WHERE NOT EXISTS (SELECT 1 FROM dim_customer d WHERE d.crm_id = s.crm_id AND d.row_hash = s.row_hash AND d.valid_to IS NULL);
""",
    )
    s.done("""
The 30,302 extra rows all come from one load: **2025-12-07 04:00**. The two statements of `etl/scd2.sql` aren't in one transaction, and that night the load ran twice at the same time (the scheduler restarted at 04:00). Both runs closed the old rows, then both inserted the new version.

To repair: close all but the newest open row per `crm_id`. To prevent: one transaction plus a partial unique index on `(crm_id) WHERE valid_to IS NULL`.
""")
    s.fact(
        "why are there duplicate customers in the warehouse",
        "transaction",
        "2025-12-07|twice",
        where="message",
        kind="cause",
    )
    s.fact("when was the bad double load", "2025-12-07", where="output", kind="date")
    s.fact("number of duplicate dim_customer rows", "30302|30,302", where="output", kind="measured")

    s.ask("do both. use pg advisory lock as well, so that a second run waits")
    s.write(
        "etl/repair_2025_12_07.sql",
        "UPDATE dim_customer d SET valid_to = valid_from\nWHERE valid_to IS NULL AND EXISTS (SELECT 1 FROM dim_customer e WHERE e.crm_id = d.crm_id AND e.sk > d.sk AND e.valid_to IS NULL);\nCREATE UNIQUE INDEX one_open_version ON dim_customer (crm_id) WHERE valid_to IS NULL;\n",
    )
    s.edit(
        "etl/scd2.sql",
        "UPDATE dim_customer d SET valid_to = s.as_of",
        "BEGIN;\nSELECT pg_advisory_xact_lock(72001);\nUPDATE dim_customer d SET valid_to = s.as_of",
    )
    s.bash(
        "psql dwh -v ON_ERROR_STOP=1 -f etl/repair_2025_12_07.sql",
        'psql:etl/repair_2025_12_07.sql:3: ERROR:  could not create unique index "one_open_version"\nDETAIL:  Key (crm_id)=(0) is duplicated.\nUPDATE 30302',
        fail=3,
    )
    s.bash(
        "sed -i 's/WHERE valid_to IS NULL;$/WHERE valid_to IS NULL AND crm_id <> 0;/' etl/repair_2025_12_07.sql && psql dwh -v ON_ERROR_STOP=1 -f etl/repair_2025_12_07.sql",
        "UPDATE 0\nCREATE INDEX",
    )
    s.done(
        'Repaired (30,302 rows closed) and protected: `one_open_version` unique index, and `scd2.sql` runs in one transaction under advisory lock 72001. crm_id 0 is the "unknown customer" placeholder and has several open rows on purpose, so the index leaves it out.'
    )
    s.wrong("could not create unique index", "not resolved")
    s.fact("what is crm_id 0", "unknown|placeholder", "0", where="message", kind="gotcha")
    s.fact("advisory lock number of the scd2 load", "72001", where="diff", kind="config")
    return s.end()
