-- The lines of an index, and walking through time.

-- observation rows --
SELECT o.id, o.type, o.title, o.created_at, o.tokens, p.name, coalesce(s.session_id, '') AS session,
  o.evidence, o.importance, o.tainted, o.superseded_by, o.agent_type, o.project
FROM observations o JOIN projects p ON p.id = o.project LEFT JOIN sessions s ON s.id = o.session
WHERE o.id IN (SELECT value FROM json_each(:ids))

-- summary rows --
SELECT u.id, 'summary' AS type, coalesce(nullif(u.request, ''), nullif(u.completed, ''), u.learned)
    AS title, u.created_at, u.tokens, p.name, s.session_id AS session,
  'stated' AS evidence, 1 AS importance, u.tainted, NULL AS superseded_by, '' AS agent_type, u.project
FROM summaries u JOIN projects p ON p.id = u.project JOIN sessions s ON s.id = u.session
WHERE u.id IN (SELECT value FROM json_each(:ids))

-- prompt rows --
-- a prompt can be long: its beginning is its title, and its tokens are guessed from its length
SELECT q.id, 'prompt' AS type, substr(q.text, 1, 300) AS title, q.created_at,
  length(q.text) / 3 + 1 AS tokens, p.name, s.session_id AS session,
  'stated' AS evidence, 1 AS importance, 0 AS tainted, NULL AS superseded_by, '' AS agent_type, q.project
FROM prompts q JOIN projects p ON p.id = q.project JOIN sessions s ON s.id = q.session
WHERE q.id IN (SELECT value FROM json_each(:ids))

-- observations before --
-- the newest of one project up to a point in time; :id decides among equal times
SELECT o.id, o.created_at FROM observations o
WHERE o.project = :project AND o.created_at <= :at
  AND (o.created_at, o.id) < (:at, :id) AND o.created_at >= :bound AND {filter}
ORDER BY o.created_at DESC, o.id DESC LIMIT :limit

-- observations after --
SELECT o.id, o.created_at FROM observations o
WHERE o.project = :project AND o.created_at >= :at
  AND (o.created_at, o.id) > (:at, :id) AND o.created_at <= :bound AND {filter}
ORDER BY o.created_at, o.id LIMIT :limit

-- summaries before --
SELECT u.id, u.created_at FROM summaries u
WHERE u.project = :project AND u.created_at <= :at
  AND (u.created_at, u.id) < (:at, :id) AND u.created_at >= :bound AND {filter}
ORDER BY u.created_at DESC, u.id DESC LIMIT :limit

-- summaries after --
SELECT u.id, u.created_at FROM summaries u
WHERE u.project = :project AND u.created_at >= :at
  AND (u.created_at, u.id) > (:at, :id) AND u.created_at <= :bound AND {filter}
ORDER BY u.created_at, u.id LIMIT :limit

-- prompts before --
-- number 0 is no prompt: it holds what came before any
SELECT q.id, q.created_at FROM prompts q
WHERE q.project = :project AND q.created_at <= :at
  AND (q.created_at, q.id) < (:at, :id) AND q.created_at >= :bound AND q.number > 0 AND {filter}
ORDER BY q.created_at DESC, q.id DESC LIMIT :limit

-- prompts after --
SELECT q.id, q.created_at FROM prompts q
WHERE q.project = :project AND q.created_at >= :at
  AND (q.created_at, q.id) > (:at, :id) AND q.created_at <= :bound AND q.number > 0 AND {filter}
ORDER BY q.created_at, q.id LIMIT :limit

-- projects --
SELECT id FROM projects ORDER BY id

-- observation place --
SELECT created_at, project FROM observations WHERE id = :id

-- summary place --
SELECT created_at, project FROM summaries WHERE id = :id

-- prompt place --
SELECT created_at, project FROM prompts WHERE id = :id
