-- Full text. :match is built of quoted words only (storage/tokens.py), never of what was typed.

-- hits --
-- the best first: title over files over body; the filter words in scope never rank
SELECT rowid, -bm25(search_text, 0.0, 3.0, 1.0, 2.0) AS score
FROM search_text WHERE search_text MATCH :match
ORDER BY score DESC, rowid DESC LIMIT :limit

-- hits within --
-- the same with every filter, for few hits or times: a filter word in :match would have its whole
-- list counted for bm25, which takes longer than looking at the record of each of some thousand hits
SELECT search_text.rowid,
  CASE :order WHEN 'relevance' THEN -bm25(search_text, 0.0, 3.0, 1.0, 2.0) ELSE 0.0 END AS score
FROM search_text
  LEFT JOIN observations o ON search_text.rowid & 3 = 0 AND o.id = search_text.rowid >> 2
  LEFT JOIN summaries u ON search_text.rowid & 3 = 1 AND u.id = search_text.rowid >> 2
  LEFT JOIN prompts q ON search_text.rowid & 3 = 2 AND q.id = search_text.rowid >> 2
WHERE search_text MATCH :match
  AND (:projects = '' OR instr(:projects, ' ' || coalesce(o.project, u.project, q.project) || ' '))
  AND (:kinds = '' OR instr(:kinds, search_text.rowid & 3))
  AND (:types = '' OR instr(:types, ' ' || o.type || ' '))
  AND coalesce(o.created_at, u.created_at, q.created_at) >= :start
  AND coalesce(o.created_at, u.created_at, q.created_at) < :end
  AND (:platform = '' OR :platform = (
    SELECT platform FROM sessions WHERE id = coalesce(o.session, u.session, q.session)))
ORDER BY
  CASE :order WHEN 'relevance' THEN -score
    ELSE coalesce(o.created_at, u.created_at, q.created_at) * :direction END,
  search_text.rowid * :direction
LIMIT :limit

-- newest hits --
-- for words in too many rows to rank: ids grow with time within a kind
SELECT rowid, 0.0 AS score FROM search_text WHERE search_text MATCH :match
ORDER BY rowid DESC LIMIT :limit

-- count --
-- how many hits, counted no further than :most
SELECT count(*) FROM (SELECT 1 FROM search_text WHERE search_text MATCH :match LIMIT :most)

-- without the index --
-- what still answers when full text is damaged: every word in the title or the narrative
SELECT id FROM observations
WHERE (:all_projects OR project IN (SELECT value FROM json_each(:projects)))
  AND created_at >= :start AND created_at < :end
  AND (:types = '[]' OR type IN (SELECT value FROM json_each(:types)))
  AND NOT EXISTS (
    SELECT 1 FROM json_each(:patterns) AS p
    WHERE title || ' ' || narrative || ' ' || facts NOT LIKE p.value ESCAPE '\'
  )
ORDER BY created_at DESC, id DESC LIMIT :limit
