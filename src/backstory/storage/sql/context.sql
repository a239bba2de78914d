-- project_by_key --
SELECT project FROM project_keys WHERE key = ?

-- session --
SELECT id, project FROM sessions WHERE session_id = ?

-- newest --
-- Candidates for the index: what may be injected, newest first.
SELECT o.id, o.type, o.title, o.created_at, o.tokens, o.importance, o.session, o.evidence
  FROM observations o
 WHERE o.project = ? AND o.tainted = 0 AND o.superseded_by IS NULL
 ORDER BY o.created_at DESC, o.id DESC LIMIT ?

-- of_session --
-- The records of one session: after compaction they come first.
SELECT o.id, o.type, o.title, o.created_at, o.tokens, o.importance, o.session, o.evidence
  FROM observations o
 WHERE o.session = ? AND o.tainted = 0 AND o.superseded_by IS NULL
 ORDER BY o.created_at DESC, o.id DESC LIMIT ?

-- count --
-- How many records there are beyond those shown; counting stops where it no longer matters.
SELECT count(*) FROM (SELECT 1 FROM observations WHERE project = ? LIMIT 10000)

-- last_summary --
SELECT id, request, investigated, learned, completed, next_steps, created_at FROM summaries
 WHERE project = ? AND tainted = 0 ORDER BY created_at DESC, id DESC LIMIT 1
