"""What scripts create, in the dialects of SQL."""

from __future__ import annotations

import pytest

from backstory.codenav.outline import outline_of


def said(text: str) -> list[str]:
    """The symbols of a script: their lines, and what they are called."""
    outline = outline_of(text, "a.sql")
    assert not outline.problems
    return [f"{one.start_line}-{one.end_line} {one.qualified_name}" for one in outline.symbols]


def signatures(text: str) -> dict[str, str]:
    """Of the symbols of a script, by name."""
    return {one.name: one.signature for one in outline_of(text, "a.sql").symbols}


MYSQL = r"""DROP TABLE IF EXISTS `a`;
CREATE TABLE `a` (
  `id` int(11) NOT NULL, -- the id; really
  `name` varchar(255) DEFAULT 'it\'s; (x',
  `key` varchar(20) COMMENT 'a, b',
  PRIMARY KEY (`id`),
  KEY `idx` (`name`),
  UNIQUE KEY `u` (`name`),
  INDEX(`id`),
  CONSTRAINT `fk` FOREIGN KEY (`id`) REFERENCES `b` (`id`)
) ENGINE=InnoDB;
INSERT INTO `a` VALUES (1,'x;y CREATE TABLE z (a int)'),(2,'it\'s');
DELIMITER //
CREATE PROCEDURE add_one(IN x INT, OUT y INT)
BEGIN
  IF x > 1 THEN SET y = x; END IF;
  CASE x WHEN 1 THEN SET y = 1; END CASE;
  WHILE x > 0 DO SET x = x - 1; END WHILE;
END //
CREATE DEFINER=`root`@`localhost` FUNCTION f2(s CHAR(20)) RETURNS CHAR(50)
RETURN CONCAT('Hello, ',s,'!') //
DELIMITER $$
CREATE TRIGGER t1 BEFORE INSERT ON a FOR EACH ROW BEGIN SET NEW.id = 1; END$$
DELIMITER ;
CREATE TRIGGER t2 BEFORE INSERT ON a FOR EACH ROW SET NEW.id = 1;
CREATE VIEW v AS SELECT CASE WHEN id = 1 THEN 2 ELSE 3 END AS x FROM a;
"""
SERVER = """USE [Shop]
GO
/****** Object:  Table [dbo].[Items] ******/
CREATE TABLE [dbo].[Items](
	[Id] [int] IDENTITY(1,1) NOT NULL,
	[Full Name] [nvarchar](50) NULL,
 CONSTRAINT [PK_Items] PRIMARY KEY CLUSTERED ([Id] ASC)
) ON [PRIMARY]
GO
CREATE PROCEDURE [dbo].[GetItems] @id INT = 1
AS
BEGIN
	CREATE TABLE #tmp (a INT);
	BEGIN TRY
		BEGIN TRANSACTION;
		SELECT CASE WHEN 1=1 THEN 1 ELSE 2 END FROM Items;
	END TRY
	BEGIN CATCH
		ROLLBACK;
	END CATCH
END
GO
CREATE OR ALTER PROC Short AS SELECT 1; SELECT 2;
GO
CREATE UNIQUE NONCLUSTERED INDEX [IX_Name] ON [dbo].[Items] ([Name])
CREATE VIEW dbo.V WITH SCHEMABINDING AS
SELECT Id FROM dbo.Items
GO
"""
ORACLE = """CREATE OR REPLACE PACKAGE BODY emp_pkg IS
  PROCEDURE hire(p_name VARCHAR2) IS
    v NUMBER;
  BEGIN
    IF p_name IS NULL THEN v := 1; END IF;
    FOR i IN 1..10 LOOP v := i; END LOOP;
  END hire;
  FUNCTION total(p_id NUMBER) RETURN NUMBER AS
  BEGIN
    RETURN 1;
  END total;
END emp_pkg;
/
CREATE OR REPLACE PROCEDURE p1 (a IN NUMBER) IS
  x NUMBER := 1;
BEGIN
  NULL;
END;
/
CREATE OR REPLACE TRIGGER trg BEFORE INSERT ON t FOR EACH ROW
DECLARE
  x NUMBER;
BEGIN
  :NEW.id := 1;
END;
/
CREATE GLOBAL TEMPORARY TABLE tt (id NUMBER(10,2) DEFAULT 1) ON COMMIT DELETE ROWS;
create user "app" identified by "x";
CREATE TABLE last_t (id NUMBER)
/
"""
POSTGRES = r"""BEGIN;
CREATE TABLE IF NOT EXISTS a.b (
    tags text[] NOT NULL DEFAULT '{}', -- tags, all
    -- of the thing
    "order" int CHECK ("order" > 0),
    period tstzrange,
    EXCLUDE USING gist (period WITH &&)
) PARTITION BY RANGE (id);
CREATE TABLE a.b_1 PARTITION OF a.b FOR VALUES FROM (1) TO (2);
CREATE INDEX ON a.b (id);
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS ix ON a.b USING btree (lower(name));
-- Tells all.
-- And more.
CREATE OR REPLACE FUNCTION a.f(x int DEFAULT 1, VARIADIC y text[])
RETURNS TABLE (a int, b text)
LANGUAGE plpgsql STABLE AS $fn$
BEGIN
  CREATE TEMP TABLE q (a int);
END
$fn$;
CREATE FUNCTION atomic(a int) RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT 1; SELECT 2; END;
CREATE FUNCTION old(int) RETURNS int AS 'SELECT 1; SELECT $1' LANGUAGE sql;
CREATE DOMAIN pos AS int CHECK (VALUE > 0);
CREATE AGGREGATE agg(int) (SFUNC = f, STYPE = int);
CREATE POLICY pol ON a.b FOR SELECT USING (true);
CREATE VIEW w AS SELECT 1 FROM x WHERE y LIKE 'a' ESCAPE '\';
GRANT CREATE ON SCHEMA public TO x; GRANT CREATE TABLE TO x; GRANT CREATE ANY TABLE TO x;
COMMENT ON TABLE a.b IS 'create table nope (x int)';
DO $$ BEGIN CREATE TABLE nope2 (a int); END $$;
CREATE SCHEMA sc
  CREATE TABLE films (title text)
  CREATE VIEW winners AS SELECT title FROM films;
"""
SQLITE = """CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS tr AFTER INSERT ON t BEGIN
  INSERT INTO t VALUES (1, CASE WHEN 1 THEN 2 END);
  UPDATE t SET a = 1;
END;
CREATE VIRTUAL TABLE ft USING fts5(a, tokenize = 'porter');
CREATE VIEW IF NOT EXISTS v AS SELECT 1
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            MYSQL,
            [
                *("2-11 a", "3-3 a.id", "4-4 a.name", "5-5 a.key", "14-19 add_one", "20-21 f2"),
                *("23-23 t1", "25-25 t2", "26-26 v"),
            ],
        ),
        (
            SERVER,
            [
                *("3-8 dbo.Items", "5-5 dbo.Items.Id", "6-6 dbo.Items.Full Name"),
                *("10-21 dbo.GetItems", "23-23 Short", "25-25 IX_Name", "26-27 dbo.V"),
            ],
        ),
        (
            ORACLE,
            [
                *("1-12 emp_pkg", "2-7 emp_pkg.hire", "8-11 emp_pkg.total", "14-18 p1"),
                *("20-25 trg", "27-27 tt", "27-27 tt.id", "28-28 app", "29-29 last_t"),
                "29-29 last_t.id",
            ],
        ),
        (
            POSTGRES,
            [
                *("2-8 a.b", "3-3 a.b.tags", "5-5 a.b.order", "6-6 a.b.period", "9-9 a.b_1"),
                *("11-11 ix", "12-20 a.f", "21-21 atomic", "22-22 old", "23-23 pos", "24-24 agg"),
                *("25-25 pol", "26-26 w", "30-30 sc", "31-31 films", "31-31 films.title"),
                "32-32 winners",
            ],
        ),
        (SQLITE, ["1-1 t", "1-1 t.a", "1-1 t.b", "2-5 tr", "6-6 ft", "6-6 ft.a", "7-7 v"]),
    ],
    ids=["mysql", "server", "oracle", "postgres", "sqlite"],
)
def test_each_dialects_statements_are_found_to_their_ends(text: str, expected: list[str]) -> None:
    """And nothing that stands in a text, in a body or in what changes rights."""
    assert said(text) == expected
    assert said(text.replace("\n", "\r\n")) == expected


def test_a_signature_ends_before_the_body() -> None:
    """Columns, queries and blocks are none of it; what has no body is told whole."""
    found = signatures(POSTGRES) | signatures(ORACLE) | signatures(SERVER)
    assert found["b"] == "CREATE TABLE IF NOT EXISTS a.b"
    assert found["b_1"] == "CREATE TABLE a.b_1 PARTITION OF a.b FOR VALUES FROM (1) TO (2)"
    assert found["tags"] == "tags text[] NOT NULL DEFAULT '{}'"
    assert found["f"] == (
        "CREATE OR REPLACE FUNCTION a.f(x int DEFAULT 1, VARIADIC y text[]) "
        "RETURNS TABLE (a int, b text) LANGUAGE plpgsql STABLE"
    )
    assert found["pos"] == "CREATE DOMAIN pos AS int CHECK (VALUE > 0)"
    assert found["emp_pkg"] == "CREATE OR REPLACE PACKAGE BODY emp_pkg"
    assert found["total"] == "FUNCTION total(p_id NUMBER) RETURN NUMBER"
    assert found["trg"] == "CREATE OR REPLACE TRIGGER trg BEFORE INSERT ON t FOR EACH ROW"
    assert found["GetItems"] == "CREATE PROCEDURE [dbo].[GetItems] @id INT = 1"


def test_documentation_is_the_first_sentence_of_what_stands_right_above() -> None:
    """Not what stands behind something else, or apart."""
    docs = {one.name: one.doc for one in outline_of(POSTGRES, "a.sql").symbols}
    assert docs["f"] == "Tells all."
    assert docs["order"] == docs["ix"] == ""
    (first, second) = outline_of("-- a\n\ncreate schema x; -- b\ncreate schema y;", "a.sql").symbols
    assert (first.doc, first.start_line, second.doc, second.start_line) == ("", 3, "", 4)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CREATE OR REPLACE TRANSIENT DYNAMIC TABLE a.b (c INT);", "1-1 a.b"),
        ("CREATE OR REFRESH STREAMING TABLE s AS SELECT 1;", "1-1 s"),
        ("CREATE USER 'joe'@'localhost' IDENTIFIED BY 'x';", "1-1 joe"),
        ("CREATE AGGREGATE FUNCTION d.median(x FLOAT64) AS (1);", "1-1 d.median"),
        (
            "CREATE TYPE BODY t AS MEMBER FUNCTION f RETURN INT IS BEGIN RETURN 1; END; END;",
            "1-1 t",
        ),
        ("CREATE FUNCTION is (anyelement) RETURNS TEXT AS 'a' LANGUAGE sql;", "1-1 is"),
        ("CREATE FILE FORMAT IF NOT EXISTS csv TYPE = CSV;", "1-1 csv"),
        ("CREATE ROW ACCESS POLICY p AS (x VARCHAR) RETURNS BOOLEAN -> TRUE;", "1-1 p"),
        ("CREATE FULLTEXT INDEX ON t (a);\nCREATE SCHEMA AUTHORIZATION joe;", ""),
    ],
)
def test_words_before_what_is_created_are_of_no_account(text: str, expected: str) -> None:
    """Nor is anything found where nothing has a name."""
    assert said(text)[:1] == ([expected] if expected else [])


@pytest.mark.parametrize(
    "text",
    [
        "create table " * 60_000,
        "create table a (" * 40_000,
        "create function a() as begin " * 20_000,
        "/* a */ create view a as " * 20_000,
        "'" * 300_000,
        "$a$" * 100_000,
        "create table a (" + "b int, " * 60_000,
        "delimiter //\n" * 20_000,
        "create package a as " + "procedure b " * 40_000,
        "-- a\n" * 60_000 + "create table a (b int)",
        "create or replace " * 30_000,
    ],
)
def test_what_repeats_without_an_end_is_read_in_time(text: str) -> None:
    """Each part of it once."""
    assert outline_of(text, "a.sql", 5).how == "query"
