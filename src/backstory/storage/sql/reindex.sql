-- The full-text index, made anew.

-- empty --
DELETE FROM search_text_content

-- begin anew --
INSERT INTO search_text (search_text) VALUES ('rebuild')

-- make empty one --
CREATE VIRTUAL TABLE {empty} USING fts5 (scope, title, body, files)

-- take its first rows --
-- without these the index cannot be opened, and so not be made anew
INSERT OR REPLACE INTO search_text_data SELECT id, block FROM {empty}_data

-- drop empty one --
DROP TABLE {empty}

-- observations --
SELECT id, project, type, title, narrative, facts, symbols FROM observations
WHERE id > :after ORDER BY id LIMIT :limit

-- files --
SELECT observation, path FROM observation_files
WHERE observation IN (SELECT value FROM json_each(:ids))

-- summaries --
SELECT id, project, request, investigated, learned, completed, next_steps FROM summaries
WHERE id > :after ORDER BY id LIMIT :limit

-- prompts --
SELECT id, project, text FROM prompts WHERE id > :after AND number > 0 ORDER BY id LIMIT :limit
