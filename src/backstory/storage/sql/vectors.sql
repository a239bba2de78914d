-- Vectors: what waits for one, and reading those that are there. :rows are JSON lists of rows.

-- embedder --
INSERT INTO embedders (name, dimensions) VALUES (:name, :dimensions)
ON CONFLICT (name) DO UPDATE SET dimensions = dimensions RETURNING id, dimensions

-- embedder named --
SELECT id, dimensions FROM embedders WHERE name = ?

-- waiting --
SELECT row FROM unembedded ORDER BY row DESC LIMIT ?

-- count waiting --
SELECT count(*) FROM (SELECT 1 FROM unembedded LIMIT ?)

-- of other embedders --
-- some rows whose vectors another model made and that do not wait yet
INSERT INTO unembedded (row)
SELECT v.row FROM vectors v
WHERE v.embedder <> :embedder AND NOT EXISTS (SELECT 1 FROM unembedded u WHERE u.row = v.row)
LIMIT :limit

-- has kept out --
SELECT EXISTS (SELECT 1 FROM vectors WHERE length(vector) < 2 AND vector = x'')

-- kept out --
-- those of the embedder that were of excluded projects: they may be so no longer
INSERT OR IGNORE INTO unembedded (row)
SELECT row FROM vectors WHERE length(vector) < 2 AND embedder = :embedder AND vector = x''

-- texts --
SELECT id * 4, title, narrative || char(10) || facts,
  coalesce((SELECT group_concat(query, ' ') FROM observation_queries
             WHERE observation = observations.id), '') FROM observations
 WHERE id IN (SELECT value >> 2 FROM json_each(:rows) WHERE value & 3 = 0)
UNION ALL
SELECT id * 4 + 1, request, investigated || char(10) || learned || char(10) || completed
  || char(10) || next_steps, '' FROM summaries
 WHERE id IN (SELECT value >> 2 FROM json_each(:rows) WHERE value & 3 = 1)
UNION ALL
SELECT id * 4 + 2, '', text, '' FROM prompts
 WHERE id IN (SELECT value >> 2 FROM json_each(:rows) WHERE value & 3 = 2)

-- put --
INSERT INTO vectors (row, embedder, vector) VALUES (?, ?, ?)
ON CONFLICT (row) DO UPDATE SET embedder = excluded.embedder, vector = excluded.vector

-- embedded --
DELETE FROM unembedded WHERE row = ?

-- all --
-- in order of rows; the project is that of its record
SELECT v.row, v.vector, coalesce(o.project, u.project, q.project)
FROM vectors v
  LEFT JOIN observations o ON v.row & 3 = 0 AND o.id = v.row >> 2
  LEFT JOIN summaries u ON v.row & 3 = 1 AND u.id = v.row >> 2
  LEFT JOIN prompts q ON v.row & 3 = 2 AND q.id = v.row >> 2
WHERE v.row > :after AND v.embedder = :embedder ORDER BY v.row LIMIT :limit

-- exact --
SELECT row, vector FROM vectors
WHERE row IN (SELECT value FROM json_each(:rows)) AND embedder = :embedder

-- some --
SELECT v.row, v.vector, coalesce(o.project, u.project, q.project)
FROM vectors v
  LEFT JOIN observations o ON v.row & 3 = 0 AND o.id = v.row >> 2
  LEFT JOIN summaries u ON v.row & 3 = 1 AND u.id = v.row >> 2
  LEFT JOIN prompts q ON v.row & 3 = 2 AND q.id = v.row >> 2
WHERE v.row IN (SELECT value FROM json_each(:rows)) AND v.embedder = :embedder
