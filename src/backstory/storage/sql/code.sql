-- schema --
CREATE TABLE meta (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

-- A file that changed gets a new id, so that what the word tables hold of it is out of date.
CREATE TABLE files (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  path     BLOB NOT NULL UNIQUE,
  mtime_ns INTEGER NOT NULL,
  size     INTEGER NOT NULL,
  digest   BLOB NOT NULL,
  language TEXT NOT NULL,
  lines    INTEGER NOT NULL,
  state    TEXT NOT NULL -- '', 'in part' (not all of its symbols are known), or why it was left out
);

-- id = file << 20 | place in the file; the last place is the file as a whole.
CREATE TABLE symbols (
  id         INTEGER PRIMARY KEY,
  parent     INTEGER NOT NULL,
  folded     TEXT NOT NULL,
  name       TEXT NOT NULL,
  qualified  TEXT NOT NULL,
  kind       TEXT NOT NULL,
  start_line INTEGER NOT NULL,
  end_line   INTEGER NOT NULL,
  line       INTEGER NOT NULL,
  signature  TEXT NOT NULL,
  doc        TEXT NOT NULL
);
CREATE INDEX symbols_by_name ON symbols (folded);

-- The words of a symbol in their one form, for ranking: bm25 counts nothing in a table without
-- contents that keeps less than the full detail.
CREATE VIRTUAL TABLE words USING fts5 (
  name, doc, body, content = '',
  tokenize = "unicode61 remove_diacritics 2"
);
CREATE VIRTUAL TABLE word_counts USING fts5vocab ('words', 'row');

-- Which words a file has at all, as they are written.
CREATE VIRTUAL TABLE texts USING fts5 (
  words, content = '', detail = 'none', columnsize = 0, tokenize = "unicode61 remove_diacritics 2"
);

-- Every word of them, for the question in which words a text stands.
CREATE TABLE text_words (term TEXT PRIMARY KEY) WITHOUT ROWID;

-- get_meta --
SELECT name, value FROM meta

-- set_meta --
INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)

-- known_files --
SELECT path, id, mtime_ns, size, digest, language, lines, state FROM files

-- drop_symbols --
DELETE FROM symbols WHERE id BETWEEN ? << 20 AND (? << 20 | 1048575)

-- drop_file --
DELETE FROM files WHERE path = ? RETURNING id

-- put_file --
INSERT INTO files (path, mtime_ns, size, digest, language, lines, state)
VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id

-- same_file --
UPDATE files SET mtime_ns = ?, size = ? WHERE path = ?

-- put_symbol --
INSERT INTO symbols
  (id, parent, folded, name, qualified, kind, start_line, end_line, line, signature, doc)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- put_words --
INSERT INTO words (rowid, name, doc, body) VALUES (?, ?, ?, ?)

-- put_text --
INSERT INTO texts (rowid, words) VALUES (?, ?)

-- put_text_word --
INSERT OR IGNORE INTO text_words (term) VALUES (?)

-- count_word --
SELECT doc FROM word_counts WHERE term = ?

-- count_symbols --
SELECT count(*) FROM symbols

-- by_folded --
-- Of thousands with one name, not all are sorted.
SELECT * FROM (SELECT * FROM symbols WHERE folded = ? AND wanted(id >> 20) LIMIT 4000)
ORDER BY parent >= 0, kind IN ('field', 'variable', 'property', 'test') LIMIT ?

-- kinds_of --
SELECT id, kind FROM symbols WHERE id IN (SELECT value FROM json_each(?))

-- by_prefix --
SELECT * FROM symbols WHERE folded >= ? AND folded < ? AND wanted(id >> 20)
ORDER BY length(folded) LIMIT ?

-- by_words --
-- Rows are looked up for those alone that are left; a file that is gone has left words behind.
SELECT symbols.*, best.fit, (SELECT path FROM files WHERE files.id = best.id >> 20) FROM (
  SELECT words.rowid AS id, bm25(words, 3.0, 2.0, 1.0) AS fit FROM words
  WHERE words MATCH ? AND words.rowid & 1048575 <> 1048575
    AND EXISTS (SELECT 1 FROM files WHERE files.id = words.rowid >> 20)
    AND (? OR wanted(words.rowid >> 20))
  ORDER BY fit LIMIT ?
) AS best JOIN symbols ON symbols.id = best.id ORDER BY best.fit

-- by_words_of_kind --
SELECT found.*, (SELECT path FROM files WHERE files.id = found.id >> 20) FROM (
  SELECT symbols.*, bm25(words, 3.0, 2.0, 1.0) AS fit
  FROM words JOIN symbols ON symbols.id = words.rowid
  WHERE words MATCH ? AND symbols.kind <> 'file'
    AND (? OR wanted(symbols.id >> 20)) AND of_kind(symbols.kind)
  ORDER BY fit LIMIT ?
) AS found ORDER BY fit

-- files_by_words --
SELECT words.rowid >> 20 FROM words
WHERE words MATCH ? AND words.rowid & 1048575 = 1048575 AND wanted(words.rowid >> 20)
ORDER BY bm25(words, 2.0, 2.0, 1.0) LIMIT ?

-- by_infix --
-- Over the index of names alone; a file as a whole has none.
SELECT DISTINCT folded FROM symbols WHERE instr(folded, ?) LIMIT ?

-- names_of_length --
SELECT DISTINCT folded FROM symbols
WHERE length(folded) BETWEEN ? AND ?
  AND (substr(folded, 1, 2) = ? OR substr(folded, -2) = ?)

-- names_among --
SELECT DISTINCT folded FROM symbols WHERE folded IN (SELECT value FROM json_each(?))

-- files_with_words --
SELECT rowid FROM texts WHERE texts MATCH ? LIMIT ?

-- words_with --
SELECT term FROM text_words WHERE instr(term, ?) LIMIT ?

-- words_like --
SELECT term FROM text_words WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ?
LIMIT 3000
