-- holding --
-- the rows that hold a word; :match is built of quoted words only (storage/tokens.py)
SELECT rowid FROM search_text WHERE search_text MATCH :match LIMIT :most

-- records --
SELECT count(*) FROM observations WHERE project = ?

-- tellable --
-- Of some records, those that may be told unasked. A session knows its own rows, but for those from
-- before its context was compacted, after which it was told of some of them.
SELECT o.id, o.type, o.title, o.created_at, o.evidence, o.importance
  FROM json_each(:ids) j JOIN observations o ON o.id = j.value
 WHERE o.project = :project AND o.tainted = 0 AND o.superseded_by IS NULL AND o.importance > 0
   AND (o.agent_type = '' OR o.importance > 1)
   AND NOT EXISTS (SELECT 1 FROM recalled r WHERE r.session_id = :session AND r.observation = o.id)
   AND (o.session IS NULL
     OR o.session NOT IN (SELECT id FROM sessions WHERE session_id = :session)
     OR o.created_at < (SELECT max(r.at) FROM recalled r JOIN observations x ON x.id = r.observation
                         JOIN sessions s ON s.id = x.session
                         WHERE r.session_id = :session AND s.session_id = :session))

-- is told anything --
SELECT EXISTS (SELECT 1 FROM recalled WHERE session_id = ?)

-- forget told --
DELETE FROM recalled WHERE session_id = ?

-- made of --
-- what came of some turns
SELECT id, prompt FROM observations
 WHERE prompt IN (SELECT value FROM json_each(:prompts)) AND project = :project AND importance > 0

-- queries --
-- the prompts that some records wait for
SELECT observation, group_concat(query, char(10)) FROM observation_queries
 WHERE observation IN (SELECT value FROM json_each(?)) GROUP BY observation
