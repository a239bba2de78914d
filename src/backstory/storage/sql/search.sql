-- Full text. :match is built of quoted words only (storage/tokens.py), never of what was typed.

-- hits --
-- the best first: title over files over body; the filter words in scope never rank
SELECT rowid, -bm25(search_text, 0.0, 8.0, 1.5, 4.0) AS score
FROM search_text WHERE search_text MATCH :match
ORDER BY score DESC, rowid DESC LIMIT :limit

-- hits within --
-- the same between two times, on one platform, in any order
SELECT rowid, score FROM (
  SELECT rowid,
    CASE :order WHEN 'relevance' THEN -bm25(search_text, 0.0, 8.0, 1.5, 4.0) ELSE 0.0 END AS score,
    CASE search_text.rowid & 3
      WHEN 0 THEN (SELECT created_at FROM observations o WHERE o.id = search_text.rowid >> 2)
      WHEN 1 THEN (SELECT created_at FROM summaries s WHERE s.id = search_text.rowid >> 2)
      ELSE (SELECT created_at FROM prompts p WHERE p.id = search_text.rowid >> 2)
    END AS at,
    CASE WHEN :platform = '' THEN '' ELSE (
      SELECT platform FROM sessions WHERE id = CASE search_text.rowid & 3
        WHEN 0 THEN (SELECT session FROM observations o WHERE o.id = search_text.rowid >> 2)
        WHEN 1 THEN (SELECT session FROM summaries s WHERE s.id = search_text.rowid >> 2)
        ELSE (SELECT session FROM prompts p WHERE p.id = search_text.rowid >> 2)
      END)
    END AS platform
  FROM search_text WHERE search_text MATCH :match
)
WHERE at >= :start AND at < :end AND platform = :platform
ORDER BY CASE :order WHEN 'date_asc' THEN at WHEN 'date_desc' THEN -at ELSE -score END,
  CASE :order WHEN 'date_asc' THEN rowid ELSE -rowid END
LIMIT :limit

-- newest hits --
-- for words in too many rows to rank: ids grow with time within a kind
SELECT rowid, 0.0 AS score FROM search_text WHERE search_text MATCH :match
ORDER BY rowid DESC LIMIT :limit

-- count --
-- how many hits, counted no further than :most
SELECT count(*) FROM (SELECT 1 FROM search_text WHERE search_text MATCH :match LIMIT :most)

-- size --
-- an upper bound of the rows in the index, at the price of three look-ups
SELECT coalesce((SELECT max(id) FROM observations), 0) + coalesce((SELECT max(id) FROM summaries), 0)
  + coalesce((SELECT max(id) FROM prompts), 0)

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
