-- notes --
-- What memory holds of a file, newest first; rows of the asking session are known to it.
SELECT o.id, o.type, o.title, o.created_at, o.tokens, o.evidence, o.importance,
       max(f.mode = 'modified') AS modified,
       (SELECT count(DISTINCT x.path) FROM observation_files x WHERE x.observation = o.id) AS files,
       EXISTS (SELECT 1 FROM recalled r WHERE r.session_id = :session AND r.observation = o.id)
  FROM observation_files f JOIN observations o ON o.id = f.observation
 WHERE f.path = :path AND o.project = :project AND o.tainted = 0 AND o.superseded_by IS NULL
   AND o.importance > 0
   AND (o.session IS NULL OR o.session NOT IN (SELECT id FROM sessions WHERE session_id = :session))
 GROUP BY o.id ORDER BY o.created_at DESC, o.id DESC LIMIT 40

-- is answered --
SELECT 1 FROM gates WHERE session_id = ? AND agent_id = ? AND path = ?

-- has any --
SELECT 1 FROM gates WHERE session_id = ? LIMIT 1

-- add --
INSERT INTO gates (project, session_id, agent_id, path, would_deliver, given, context, created_at)
VALUES (:project, :session_id, :agent_id, :path, :would_deliver, :given, :context, :at)

-- read later --
-- What was read of a file after its outline was given, by the same agent.
UPDATE gates SET afterwards = min(afterwards + :tokens, 1000000), calls = calls + 1
 WHERE id = (SELECT id FROM gates
              WHERE session_id = :session_id AND agent_id = :agent_id AND path = :path
              ORDER BY id DESC LIMIT 1)

-- unfolded later --
-- A tool call does not say which session it belongs to: the newest answer about the file counts.
UPDATE gates SET afterwards = min(afterwards + :tokens, 1000000), calls = calls + 1
 WHERE id = (SELECT id FROM gates WHERE path = :path AND created_at > :since
              ORDER BY id DESC LIMIT 1)

-- newest --
SELECT would_deliver, given, afterwards, calls, context FROM gates
 WHERE project = ? AND created_at > ? ORDER BY id DESC LIMIT ?

-- report --
SELECT p.id, p.name AS project, count(*) AS gates, sum(g.would_deliver) AS would_deliver,
       sum(g.given) AS given, sum(g.afterwards) AS afterwards, sum(g.calls) AS calls,
       sum(g.calls * CASE g.context WHEN 0 THEN :context ELSE g.context END / 10) AS round_trips
  FROM gates g JOIN projects p ON p.id = g.project
 WHERE g.created_at > :since GROUP BY g.project ORDER BY gates DESC, p.name

-- forget old --
DELETE FROM gates WHERE created_at < ?

-- forget told --
DELETE FROM recalled WHERE at < ?
