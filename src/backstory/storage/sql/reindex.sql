-- The full-text index, made anew.

-- forget index --
-- by hand: a virtual table that cannot be opened cannot be dropped either
DELETE FROM sqlite_master WHERE name = 'search_text'

-- drop part --
DROP TABLE IF EXISTS search_text_{part}

-- create index --
CREATE VIRTUAL TABLE search_text USING fts5 (
  scope, title, body, files,
  tokenize = 'porter unicode61 remove_diacritics 2'
)

-- observations --
SELECT id, project, type, title, narrative, facts, symbols FROM observations
WHERE id > :after ORDER BY id LIMIT :limit

-- files --
SELECT observation, path FROM observation_files
WHERE observation IN (SELECT value FROM json_each(:ids)) ORDER BY mode, path

-- summaries --
SELECT id, project, request, investigated, learned, completed, next_steps FROM summaries
WHERE id > :after ORDER BY id LIMIT :limit

-- prompts --
SELECT id, project, text FROM prompts WHERE id > :after AND number > 0 ORDER BY id LIMIT :limit
