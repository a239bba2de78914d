-- Full text. :match is built of quoted words only (storage/tokens.py), never of what was typed.

-- hits --
-- the best first: title over files over body; the filter words in scope never rank
SELECT rowid, -bm25(search_text, 0.0, 3.0, 1.0, 2.0) AS score
FROM search_text WHERE search_text MATCH :match
ORDER BY score DESC, rowid DESC LIMIT :limit

-- hits within --
-- the same with every filter, for few hits or times: a filter word in :match would have its whole
-- list counted for bm25, which takes longer than looking at the record of each of some thousand
-- hits. The condition is that of storage/filters.py
SELECT search_text.rowid,
  CASE :order WHEN 'relevance' THEN -bm25(search_text, 0.0, 3.0, 1.0, 2.0) ELSE 0.0 END AS score
FROM search_text
  LEFT JOIN observations o ON search_text.rowid & 3 = 0 AND o.id = search_text.rowid >> 2
  LEFT JOIN summaries u ON search_text.rowid & 3 = 1 AND u.id = search_text.rowid >> 2
  LEFT JOIN prompts q ON search_text.rowid & 3 = 2 AND q.id = search_text.rowid >> 2
WHERE search_text MATCH :match AND {filter}
ORDER BY
  CASE :order WHEN 'relevance' THEN -score
    ELSE coalesce(o.created_at, u.created_at, q.created_at) * :direction END,
  search_text.rowid * :direction
LIMIT :limit

-- newest hits --
-- for words in too many rows to rank: ids grow with time within a kind
SELECT rowid, 0.0 AS score FROM search_text WHERE search_text MATCH :match
ORDER BY rowid DESC LIMIT :limit

-- some hits --
SELECT rowid FROM search_text WHERE search_text MATCH :match LIMIT :most

-- count --
-- how many hits, counted no further than :most
SELECT count(*) FROM (SELECT 1 FROM search_text WHERE search_text MATCH :match LIMIT :most)

-- reached --
-- the row of the index where so many hits are met, and the last one
SELECT (SELECT max(rowid) FROM
    (SELECT rowid FROM search_text WHERE search_text MATCH :match LIMIT :most)),
  (SELECT max(rowid) FROM search_text)

-- passing --
-- which of some rows pass the filters
SELECT r.value FROM json_each(:rows) r
  LEFT JOIN observations o ON r.value & 3 = 0 AND o.id = r.value >> 2
  LEFT JOIN summaries u ON r.value & 3 = 1 AND u.id = r.value >> 2
  LEFT JOIN prompts q ON r.value & 3 = 2 AND q.id = r.value >> 2
WHERE {filter}

-- observations passing --
-- all rows of a kind that pass, no more than :limit
SELECT o.id * 4 FROM observations o WHERE {filter} LIMIT :limit

-- summaries passing --
SELECT u.id * 4 + 1 FROM summaries u WHERE {filter} LIMIT :limit

-- prompts passing --
SELECT q.id * 4 + 2 FROM prompts q WHERE {filter} LIMIT :limit

-- said --
-- what some rows say below their titles, and the files they are about
SELECT r.value, coalesce(
    o.narrative || char(10) || o.facts,
    u.investigated || char(10) || u.learned || char(10) || u.completed || char(10) || u.next_steps,
    q.text, ''),
  coalesce((SELECT group_concat(path, char(10)) FROM
      (SELECT path FROM observation_files WHERE observation = o.id ORDER BY path)), '')
FROM json_each(:rows) r
  LEFT JOIN observations o ON r.value & 3 = 0 AND o.id = r.value >> 2
  LEFT JOIN summaries u ON r.value & 3 = 1 AND u.id = r.value >> 2
  LEFT JOIN prompts q ON r.value & 3 = 2 AND q.id = r.value >> 2

-- records --
-- how many there are, about
SELECT (SELECT coalesce(max(id), 0) FROM observations) + (SELECT coalesce(max(id), 0) FROM summaries)
  + (SELECT coalesce(max(id), 0) FROM prompts)

-- observations passing of --
SELECT o.id FROM observations o
WHERE o.id IN (SELECT value FROM json_each(:ids)) AND {filter}

-- without the index --
-- what still answers when full text is damaged: every word in the title or the narrative
SELECT o.id FROM observations o
WHERE {filter} AND NOT EXISTS (
    SELECT 1 FROM json_each(:patterns) AS p
    WHERE o.title || ' ' || o.narrative || ' ' || o.facts NOT LIKE p.value ESCAPE '\'
  )
ORDER BY o.created_at {direction}, o.id {direction} LIMIT :limit
