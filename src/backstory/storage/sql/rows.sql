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
SELECT id, created_at FROM observations
WHERE project = :project AND created_at <= :at AND (created_at, id) < (:at, :id)
  AND created_at >= :bound
  AND (:types = '[]' OR type IN (SELECT value FROM json_each(:types)))
  AND (:platform = '' OR session IN (SELECT id FROM sessions WHERE platform = :platform))
ORDER BY created_at DESC, id DESC LIMIT :limit

-- observations after --
SELECT id, created_at FROM observations
WHERE project = :project AND created_at >= :at AND (created_at, id) > (:at, :id)
  AND created_at <= :bound
  AND (:types = '[]' OR type IN (SELECT value FROM json_each(:types)))
  AND (:platform = '' OR session IN (SELECT id FROM sessions WHERE platform = :platform))
ORDER BY created_at, id LIMIT :limit

-- summaries before --
SELECT id, created_at FROM summaries
WHERE project = :project AND created_at <= :at AND (created_at, id) < (:at, :id)
  AND created_at >= :bound
  AND (:platform = '' OR session IN (SELECT id FROM sessions WHERE platform = :platform))
ORDER BY created_at DESC, id DESC LIMIT :limit

-- summaries after --
SELECT id, created_at FROM summaries
WHERE project = :project AND created_at >= :at AND (created_at, id) > (:at, :id)
  AND created_at <= :bound
  AND (:platform = '' OR session IN (SELECT id FROM sessions WHERE platform = :platform))
ORDER BY created_at, id LIMIT :limit

-- prompts before --
-- number 0 is no prompt: it holds what came before any
SELECT id, created_at FROM prompts
WHERE project = :project AND created_at <= :at AND (created_at, id) < (:at, :id)
  AND created_at >= :bound AND number > 0
  AND (:platform = '' OR session IN (SELECT id FROM sessions WHERE platform = :platform))
ORDER BY created_at DESC, id DESC LIMIT :limit

-- prompts after --
SELECT id, created_at FROM prompts
WHERE project = :project AND created_at >= :at AND (created_at, id) > (:at, :id)
  AND created_at <= :bound AND number > 0
  AND (:platform = '' OR session IN (SELECT id FROM sessions WHERE platform = :platform))
ORDER BY created_at, id LIMIT :limit

-- projects --
SELECT id FROM projects ORDER BY id

-- observation place --
SELECT created_at, project FROM observations WHERE id = :id

-- summary place --
SELECT created_at, project FROM summaries WHERE id = :id

-- prompt place --
SELECT created_at, project FROM prompts WHERE id = :id
