-- A few texts in memory, read as the full-text index reads.

-- schema --
CREATE VIRTUAL TABLE small USING fts5 (
  body, tokenize = 'porter unicode61 remove_diacritics 2'
)

-- put --
INSERT INTO small (rowid, body) VALUES (?, ?)

-- holding --
SELECT rowid FROM small WHERE small MATCH ?
